// The last minute in one strip: what was lost, corrected, starved and hit, up to live. What lies ahead of the instant shown is dimmed.

import { FORK, type Happened } from '../happened.ts';
import type { StarvedSpans } from '../spans.ts';
import { drawn } from '../strings/drawn.ts';
import { ROW, type RowName, type Stand, spanOf } from '../taped.ts';
import { type Ctx, type Surface, crisp, cross, hatch, line, words } from './canvas.ts';
import { colours } from './theme.ts';

const ROWS = Object.keys(drawn.tapeRows) as RowName[];
/** Room for the names of the rows. style/transport.css lays the handle over what is left. */
const NAMES = 66;
const EDGE = 8;
const GRID_MS = 5000;

export class Tape {
  constructor(
    private readonly surface: Surface,
    private readonly happened: Happened,
    private readonly starved: StarvedSpans,
  ) {}

  draw({ now, behind, kept }: Stand): void {
    if (!this.surface.begin()) return;
    const { x, w, h } = this.surface;
    const c = colours();
    const { span, short } = spanOf(w);
    const left = short ? EDGE : NAMES;
    const right = w - EDGE;
    const live = now + behind;
    const start = live - span;
    const px = (t: number) => left + ((t - start) / span) * (right - left);
    const rowHeight = (h - 2) / ROWS.length;
    const middle = (row: RowName) => 1 + (ROWS.indexOf(row) + 0.5) * rowHeight;

    x.strokeStyle = c.grat;
    x.lineWidth = 1;
    for (let s = Math.ceil(start / GRID_MS) * GRID_MS; s <= live; s += GRID_MS) if (s >= 0) line(x, crisp(px(s)), 1, crisp(px(s)), h - 1);
    for (const name of ROWS) {
      const top = middle(name) - rowHeight / 2;
      if (top > 1) line(x, left, crisp(top), right, crisp(top));
      if (!short) words(x, drawn.tapeRows[name], left - 8, middle(name), c.ink2, 'right');
    }
    if (kept < span) {
      // Before this nothing is kept: there was nothing, or it took too much memory.
      x.fillStyle = hatch(x, c.grat);
      x.fillRect(left, 1, px(live - kept) - left, h - 2);
    }
    x.fillStyle = c.warn;
    for (const { from, to } of this.starved.all) {
      if (to < start) continue;
      const begins = px(Math.max(from, start));
      x.fillRect(begins, Math.round(middle('starved')) - 2, Math.max(2, px(Math.min(to, live)) - begins), 4);
    }
    /** Where each kind was drawn last: what would lie on the same column is left out, or the worst link costs a frame. */
    const last: Record<string, number> = {};
    const mended: number[] = [];
    for (const { kind, t_ms } of this.happened.between(start, live)) {
      const at = px(t_ms);
      if (at - (last[kind] ?? -Infinity) < 1) continue;
      last[kind] = at;
      const row = ROW[kind];
      if (kind === 'resent') mended.push(at);
      else if (row) sign(x, kind, at, middle(row));
      else if (kind === FORK) fork(x, at, h);
    }
    ticks(x, mended, middle('loss'));
    cursor(x, crisp(px(Math.max(now, start))), right, h, behind);
  }
}

/** Where we are; what lies ahead of it is dimmed. */
function cursor(x: Ctx, at: number, right: number, h: number, behind: number): void {
  const c = colours();
  if (behind > 0) {
    x.globalAlpha = 0.62;
    x.fillStyle = c.bg;
    x.fillRect(at, 1, right - at + 5, h - 2);
    x.globalAlpha = 1;
  }
  x.strokeStyle = c.ink;
  x.lineWidth = 1.5;
  line(x, at, 0, at, h);
  x.fillStyle = c.ink;
  x.beginPath();
  x.moveTo(at - 5, 0);
  x.lineTo(at + 5, 0);
  x.lineTo(at, 6);
  x.fill();
}

/** Somebody acted in the past: from here on it is another world. */
function fork(x: Ctx, px: number, h: number): void {
  x.strokeStyle = colours().ink2;
  x.lineWidth = 1;
  x.setLineDash([3, 2]);
  line(x, crisp(px), 1, crisp(px), h - 1);
  x.setLineDash([]);
}

/** Losses that were made good: many, and all at once. */
function ticks(x: Ctx, at: number[], y: number): void {
  x.fillStyle = colours().lost;
  x.globalAlpha = 0.8;
  for (const px of at) x.fillRect(px - 0.65, y - 3, 1.3, 6);
  x.globalAlpha = 1;
}

function sign(x: Ctx, kind: string, px: number, y: number): void {
  const c = colours();
  switch (kind) {
    case 'lost':
    case 'miss':
      cross(x, px, y, 3, c.lost, 1.6);
      break;
    case 'late':
      x.strokeStyle = c.warn;
      x.lineWidth = 1.2;
      x.strokeRect(px - 1.5, y - 4, 3, 8);
      break;
    case 'correction':
      x.fillStyle = c.you;
      x.beginPath();
      x.moveTo(px - 3.5, y - 3);
      x.lineTo(px + 3.5, y - 3);
      x.lineTo(px, y + 3.5);
      x.fill();
      break;
    case 'granted':
    case 'denied':
      x.strokeStyle = kind === 'granted' ? c.hit : c.lost;
      x.lineWidth = 1.5;
      x.beginPath();
      x.arc(px, y, 4.2, 0, Math.PI * 2);
      x.stroke();
      if (kind === 'denied') cross(x, px, y, 1.8, c.lost, 1.4);
      else {
        x.beginPath();
        x.arc(px, y, 1.8, 0, Math.PI * 2);
        x.stroke();
      }
      break;
    case 'behind':
      // A hit on you, and the wall that you were behind.
      tick(x, px - 2, y, c.lost);
      x.strokeStyle = c.truth;
      line(x, px + 4.5, y - 5, px + 4.5, y + 4);
      break;
    default:
      tick(x, px, y, kind === 'hit' ? c.hit : c.lost);
  }
}

function tick(x: Ctx, px: number, y: number, colour: string): void {
  x.strokeStyle = colour;
  x.lineWidth = 1.6;
  x.beginPath();
  x.moveTo(px - 4, y);
  x.lineTo(px - 1, y + 3);
  x.lineTo(px + 4, y - 4);
  x.stroke();
}
