// Every packet in flight, on its way between three places. The places lie under the centres of the panes.

import { Cargo, DOWN, Fate, type Mark, type PacketName, UP, isUp, isYours, marksOf, nodesOf, same } from '../lane/marks.ts';
import { drawn } from '../strings/drawn.ts';
import type { Rows } from '../view.ts';
import { type Ctx, type Surface, circle, cross, line, words } from './canvas.ts';
import { colours } from './theme.ts';

const BELOW = 75;
/** Two numbers of lost packets closer than this would be unreadable. */
const APART = 34;

/** One way, in milliseconds: from the least to the most that the link is set to. */
export interface Span {
  low: number;
  high: number;
}

export class Lane {
  constructor(private readonly surface: Surface) {}

  /** Draws the packets, a box around the chosen one. */
  draw(rows: Rows | undefined, yours: Span | undefined, chosen: PacketName | undefined): void {
    if (!this.surface.begin()) return;
    const { x, w } = this.surface;
    ground(x, nodesOf(w), w < 500, yours);
    const last = { [UP]: -Infinity, [DOWN]: -Infinity };
    for (const mark of rows ? marksOf(rows, w) : []) {
      packet(x, mark);
      const rail = isUp(mark) ? UP : DOWN;
      const boxed = same(mark, chosen);
      if (boxed) box(x, mark);
      if (mark.dead && isYours(mark) && (boxed || Math.abs(last[rail] - mark.x) >= APART)) {
        words(x, String(mark.number), mark.x, rail === UP ? mark.y - 14 : mark.y + 14, colours().lost, 'center');
        last[rail] = mark.x;
      }
    }
  }
}

function box(x: Ctx, { x: px, y: py }: Mark): void {
  x.strokeStyle = colours().truth;
  x.lineWidth = 1.5;
  x.strokeRect(Math.round(px) - 11.5, py - 11, 23, 22);
}

function ground(x: Ctx, nodes: [number, number, number], narrow: boolean, yours: Span | undefined): void {
  const c = colours();
  const [a, b, d] = nodes;
  x.lineWidth = 1;
  x.strokeStyle = c.wallLine;
  for (const [from, to] of [
    [a, b],
    [b, d],
  ] as const)
    for (const y of [UP, DOWN]) line(x, from + 9, y + 0.5, to - 9, y + 0.5);
  x.strokeStyle = c.axis;
  for (let k = 0; k <= 4; k++) {
    const px = Math.round(a + 9 + ((b - a - 18) * k) / 4) + 0.5;
    line(x, px, UP + 11, px, UP + 15);
  }
  nodes.forEach((px, i) => {
    x.fillStyle = c.bg;
    x.strokeStyle = c.axis;
    x.lineWidth = 1;
    x.fillRect(px - 9, 8, 18, 54);
    x.strokeRect(px - 8.5, 8.5, 17, 53);
    x.beginPath();
    if (i === 0) {
      x.fillStyle = c.you;
      x.arc(px, 35, 4.5, 0, Math.PI * 2);
      x.fill();
    } else if (i === 2) {
      x.fillStyle = c.other;
      x.fillRect(px - 4, 31, 8, 8);
    } else {
      x.strokeStyle = c.truth;
      x.lineWidth = 1.6;
      x.arc(px, 35, 5, 0, Math.PI * 2);
      x.stroke();
    }
  });
  const { you, server, other, otherShort } = drawn.lanePlaces;
  words(x, you, a, BELOW, c.ink2, 'center');
  words(x, server, b, BELOW, c.ink2, 'center');
  words(x, narrow ? otherShort : other, d, BELOW, c.ink2, 'center');
  words(x, drawn.inputs, a - 16, UP, c.ink2, 'right');
  words(x, drawn.snapshots, a - 16, DOWN, c.ink2, 'right');
  if (yours) words(x, drawn.range(yours.low, yours.high), (a + b) / 2, BELOW, c.ink2, 'center');
}

function packet(x: Ctx, mark: Mark): void {
  const { x: px, y: py, dir } = mark;
  const c = colours();
  if (mark.dead) {
    cross(x, px, py, 5, c.lost, 2.2);
    return;
  }
  const late = mark.fate === Fate.Late;
  const doubled = mark.fate === Fate.Doubled;
  if (late) {
    x.strokeStyle = c.warn;
    x.lineWidth = 1.5;
  }
  if (mark.cargo === Cargo.Inputs) {
    if (late) {
      head(x, px, py, dir);
      return;
    }
    x.strokeStyle = isYours(mark) ? c.you : c.other;
    x.lineWidth = 2;
    chevron(x, px, py, dir);
    if (doubled) chevron(x, px - 5 * dir, py, dir);
  } else if (mark.cargo === Cargo.Snapshot) {
    if (late) {
      x.strokeRect(px - 2.5, py - 8, 5, 16);
      return;
    }
    x.fillStyle = c.truth;
    x.fillRect(px - 2, py - 8, 4, 16);
    if (doubled) x.fillRect(px - 2 - 5 * dir, py - 8, 2, 16);
  } else if (late) circle(x, px, py, 3);
  else {
    x.fillStyle = c.mute;
    x.beginPath();
    x.arc(px, py, 2.6, 0, Math.PI * 2);
    if (doubled) x.arc(px - 5 * dir, py, 2, 0, Math.PI * 2);
    x.fill();
  }
}

/** A hollow arrowhead. */
function head(x: Ctx, px: number, py: number, dir: number): void {
  x.beginPath();
  x.moveTo(px - 3.5 * dir, py - 6);
  x.lineTo(px + 3.5 * dir, py);
  x.lineTo(px - 3.5 * dir, py + 6);
  x.closePath();
  x.stroke();
}

function chevron(x: Ctx, px: number, py: number, dir: number): void {
  x.beginPath();
  x.moveTo(px - 3.5 * dir, py - 6);
  x.lineTo(px + 2.5 * dir, py);
  x.lineTo(px - 3.5 * dir, py + 6);
  x.stroke();
}
