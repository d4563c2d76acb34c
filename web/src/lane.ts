// Every packet in flight, on its way between three places. The places lie under the centres of the panes.

import { type Ctx, Surface, clamp, cross, line, words } from './canvas.ts';
import { text } from './strings.ts';
import { colours } from './theme.ts';
import { type Rows, at } from './view.ts';

const enum P {
  Id = 0,
  Link = 1,
  Kind = 2,
  Progress = 3,
  Fate = 4,
  Sent = 5,
  Due = 6,
}
const enum Fate {
  Lost = 1,
  Late = 2,
  Doubled = 3,
}
/** Where on its way a lost packet is shown to die. */
const DIES = 0.55;
const UP = 22;
const DOWN = 48;
const BELOW = 75;
/** Two numbers of lost packets closer than this would be unreadable. */
const APART = 34;

/** One way, in milliseconds: from the least to the most that the link is set to. */
export interface Span {
  low: number;
  high: number;
}

export class Lane {
  private readonly surface: Surface;

  constructor(canvas: HTMLCanvasElement) {
    this.surface = new Surface(canvas);
  }

  draw(rows: Rows | undefined, yours: Span | undefined): void {
    if (!this.surface.begin()) return;
    const { x, w } = this.surface;
    const narrow = w < 500;
    const nodes: [number, number, number] = narrow ? [84, w * 0.56, w - 30] : [w / 6, w / 2, (w * 5) / 6];
    ground(x, nodes, narrow, yours);
    if (!rows) return;
    const theirs: Span = { low: Infinity, high: -Infinity };
    let lastUp = -Infinity;
    let lastDown = -Infinity;
    for (let i = 0; i < rows.count; i++) {
      const link = at(rows, i, P.Link);
      const up = link % 2 === 0;
      if (link >= 2) {
        const took = at(rows, i, P.Due) - at(rows, i, P.Sent);
        theirs.low = Math.min(theirs.low, took);
        theirs.high = Math.max(theirs.high, took);
      }
      const far = link < 2 ? nodes[0] : nodes[2];
      const [from, to] = up ? [far, nodes[1]] : [nodes[1], far];
      const dir = Math.sign(to - from);
      const lost = at(rows, i, P.Fate) === Fate.Lost;
      const progress = at(rows, i, P.Progress);
      const dead = lost && progress >= DIES;
      const u = clamp(lost ? Math.min(progress, DIES) : progress, 0, 1);
      const px = from + 13 * dir + (to - from - 26 * dir) * u;
      const py = (up ? UP : DOWN) + 0.5;
      packet(x, rows, i, px, py, dir, dead);
      if (dead && link < 2 && Math.abs((up ? lastUp : lastDown) - px) >= APART) {
        words(x, String(at(rows, i, P.Id)), px, up ? py - 14 : py + 14, colours().lost, 'center');
        if (up) lastUp = px;
        else lastDown = px;
      }
    }
  }
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
  const { you, server, other, otherShort } = text.lanePlaces;
  words(x, you, a, BELOW, c.ink2, 'center');
  words(x, server, b, BELOW, c.ink2, 'center');
  words(x, narrow ? otherShort : other, d, BELOW, c.ink2, 'center');
  words(x, text.inputs, a - 16, UP, c.ink2, 'right');
  words(x, text.snapshots, a - 16, DOWN, c.ink2, 'right');
  if (yours) words(x, text.range(yours.low, yours.high), (a + b) / 2, BELOW, c.ink2, 'center');
}

function packet(x: Ctx, rows: Rows, i: number, px: number, py: number, dir: number, dead: boolean): void {
  const c = colours();
  if (dead) {
    cross(x, px, py, 5, c.lost, 2.2);
    return;
  }
  const kind = at(rows, i, P.Kind);
  const fate = at(rows, i, P.Fate);
  const late = fate === Fate.Late;
  if (kind === 0) {
    x.strokeStyle = late ? c.warn : at(rows, i, P.Link) < 2 ? c.you : c.other;
    x.lineWidth = late ? 1.4 : 2;
    chevron(x, px, py, dir);
    if (fate === Fate.Doubled) chevron(x, px - 5 * dir, py, dir);
  } else if (kind === 1) {
    if (late) {
      x.strokeStyle = c.warn;
      x.lineWidth = 1.5;
      x.strokeRect(px - 2.5, py - 8, 5, 16);
    } else {
      x.fillStyle = c.truth;
      x.fillRect(px - 2, py - 8, 4, 16);
      if (fate === Fate.Doubled) x.fillRect(px - 2 - 5 * dir, py - 8, 2, 16);
    }
  } else {
    x.fillStyle = c.mute;
    x.beginPath();
    x.arc(px, py, 2.6, 0, Math.PI * 2);
    x.fill();
  }
}

function chevron(x: Ctx, px: number, py: number, dir: number): void {
  x.beginPath();
  x.moveTo(px - 3.5 * dir, py - 6);
  x.lineTo(px + 2.5 * dir, py);
  x.lineTo(px - 3.5 * dir, py + 6);
  x.stroke();
}
