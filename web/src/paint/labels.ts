// Puts each label on the emptiest of eight sides of its mark, and leaves it there unless another side is clearly better.

import { type Ctx, tag } from './canvas.ts';

interface Label {
  key: string;
  text: string;
  x: number;
  y: number;
  colour: string;
  away: number;
}

const HEIGHT = 16;
/** What it is worth to stay on the side of the last frame, in pixels of overlap. */
const STICKY = 7;

export class Labels {
  private readonly sides = new Map<string, number>();
  private labels: Label[] = [];
  private obstacles: [x: number, y: number, r: number][] = [];

  begin(): void {
    this.labels = [];
    this.obstacles = [];
  }

  avoid(x: number, y: number, r: number): void {
    this.obstacles.push([x, y, r]);
  }

  add(key: string, text: string, x: number, y: number, colour: string, away: number): void {
    // One label a thing: the last one said.
    const was = this.labels.findIndex((label) => label.key === key);
    if (was >= 0) this.labels.splice(was, 1);
    this.labels.push({ key, text, x, y, colour, away });
  }

  /** Draws what was added since begin(). */
  draw(x: Ctx, w: number, h: number): void {
    const placed: [left: number, top: number, width: number][] = [];
    for (const label of this.labels) {
      const width = x.measureText(label.text).width + 6;
      const was = this.sides.get(label.key);
      let best = -1;
      let bestCost = Infinity;
      let bestAt: [number, number] = [0, 0];
      sides(label, width).forEach(([left, top], side) => {
        if (left < 2 || top < 2 || left + width > w - 2 || top + HEIGHT > h - 2) return;
        let cost = side * 0.5 - (was === side ? STICKY : 0);
        for (const [ox, oy, r] of this.obstacles) {
          const d = Math.hypot(Math.max(left - ox, 0, ox - left - width), Math.max(top - oy, 0, oy - top - HEIGHT));
          if (d < r) cost += r - d + 2;
        }
        for (const [l, t, other] of placed) if (left < l + other && left + width > l && top < t + HEIGHT && top + HEIGHT > t) cost += 40;
        if (cost < bestCost) [best, bestCost, bestAt] = [side, cost, [left, top]];
      });
      if (best < 0) continue;
      this.sides.set(label.key, best);
      placed.push([...bestAt, width]);
      tag(x, label.text, bestAt[0] + 3, bestAt[1] + HEIGHT / 2, label.colour);
    }
  }
}

function sides({ x, y, away: d }: Label, width: number): [left: number, top: number][] {
  const middle = HEIGHT / 2;
  return [
    [x + d, y - middle],
    [x - d - width, y - middle],
    [x - width / 2, y - d - HEIGHT],
    [x - width / 2, y + d],
    [x + d, y - d - middle],
    [x - d - width, y - d - middle],
    [x + d, y + d - middle],
    [x - d - width, y + d - middle],
  ];
}
