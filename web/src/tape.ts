// The last half minute in one strip: what was lost, corrected, starved and hit, on the same clock as everything else.

import { type Ctx, Surface, crisp, cross, line, words } from './canvas.ts';
import type { LabEvent } from './protocol.ts';
import { StarvedSpans } from './spans.ts';
import { text } from './strings.ts';
import { colours } from './theme.ts';
import type { Rows } from './view.ts';

type RowName = keyof typeof text.tapeRows;

/** Which row an event belongs to, by its kind. */
const ROW: Record<string, RowName> = {
  lost: 'lost',
  late: 'lost',
  correction: 'correction',
  starved: 'starved',
  hit: 'shots',
  granted: 'shots',
  denied: 'shots',
  miss: 'shots',
  behind: 'shots',
  hurt: 'shots',
};
const ROWS = Object.keys(text.tapeRows) as RowName[];
const LONG_MS = 30_000;
const SHORT_MS = 10_000;
/** More than these are not kept: at the worst link, a minute of them. */
const KEEP = 2000;

export class Tape {
  private readonly surface: Surface;
  private events: LabEvent[] = [];
  private readonly starved = new StarvedSpans(LONG_MS);

  constructor(canvas: HTMLCanvasElement) {
    this.surface = new Surface(canvas);
  }

  add(events: LabEvent[]): void {
    for (const e of events) if (ROW[e.kind]) this.events.push(e);
    if (this.events.length > KEEP) this.events.splice(0, this.events.length - KEEP);
  }

  /** The lab tells of a run of starved frames when it ends; the frames themselves tell while it lasts. */
  frames(rows: Rows, nowMs: number): void {
    this.starved.add(rows, nowMs);
  }

  clear(): void {
    this.events = [];
    this.starved.clear();
  }

  draw(nowMs: number): void {
    if (!this.surface.begin()) return;
    const { x, w, h } = this.surface;
    const c = colours();
    const narrow = w < 300;
    const span = narrow ? SHORT_MS : LONG_MS;
    const left = narrow ? 8 : 66;
    const start = nowMs - span;
    const px = (t: number) => left + ((t - start) / span) * (w - left - 8);
    const rowHeight = (h - 2) / ROWS.length;
    x.strokeStyle = c.grat;
    x.lineWidth = 1;
    for (let s = Math.ceil(start / 5000) * 5000; s <= nowMs; s += 5000) if (s >= 0) line(x, crisp(px(s)), 1, crisp(px(s)), h - 1);
    ROWS.forEach((name, r) => {
      const y = 1 + r * rowHeight;
      if (r) line(x, left, crisp(y), w - 8, crisp(y));
      if (!narrow) words(x, text.tapeRows[name], left - 8, y + rowHeight / 2, c.ink2, 'right');
    });
    const starvedAt = Math.round(1 + (ROWS.indexOf('starved') + 0.5) * rowHeight);
    x.fillStyle = c.warn;
    for (const { from, to } of this.starved.all) {
      if (to < start) continue;
      const begins = px(Math.max(from, start));
      x.fillRect(begins, starvedAt - 1, Math.max(2, px(Math.min(to, nowMs)) - begins), 3);
    }
    for (const e of this.events) {
      if (e.t_ms < start || e.t_ms > nowMs) continue;
      const row = ROW[e.kind];
      if (row) sign(x, e.kind, px(e.t_ms), 1 + (ROWS.indexOf(row) + 0.5) * rowHeight);
    }
    x.strokeStyle = c.ink;
    x.lineWidth = 1.5;
    line(x, w - 8, 0, w - 8, h);
    x.fillStyle = c.ink;
    x.beginPath();
    x.moveTo(w - 13, 0);
    x.lineTo(w - 3, 0);
    x.lineTo(w - 8, 6);
    x.fill();
  }
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
    case 'starved':
      x.strokeStyle = c.warn;
      x.lineWidth = 1.4;
      x.beginPath();
      x.moveTo(px, y - 4);
      x.lineTo(px + 4, y + 3);
      x.lineTo(px - 4, y + 3);
      x.closePath();
      x.stroke();
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
