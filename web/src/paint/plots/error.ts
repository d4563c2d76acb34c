// How far each screen is from the truth of the instant that it draws. The quiet lines are the naive figures, against the newest
// truth; they are an order larger, so the axis goes by the square root.

import { num } from '../../format.ts';
import { ERRORS, ErrorColumn as E, windows } from '../../plots/figures.ts';
import { drawn } from '../../strings/drawn.ts';
import { Section, type View, stats } from '../../view.ts';
import type { Surface } from '../canvas.ts';
import { colours } from '../theme.ts';
import { axes, empty, margin, room, trace } from './axes.ts';

const WINDOW_MS = windows.error;
const TICKS = [0, 0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 50];
/** The axis never shows less than this, or noise below a wire step would fill it. */
const LEAST_MAX = 0.5;
const TICK_GAP = 13;

const t = drawn.error;

export function error(surface: Surface, view: View): void {
  const { x, h } = surface;
  const c = colours();
  const rows = view.section(Section.Error);
  const [own, others, ownNaive, othersNaive] = ERRORS.map((field) => stats(rows, field)) as [Stats, Stats, Stats, Stats];
  const greatest = Math.max(...[own, others, ownNaive, othersNaive].map((s) => (s.count ? s.max : -1)));
  if (greatest < 0) {
    empty(surface);
    return;
  }
  const max = Math.max(LEAST_MAX, greatest * 1.1);
  const a = axes(surface, view.now, WINDOW_MS, max, ticksTo(max, h - 22), { left: 34, right: room(x, `${t.others} 0.00`), shape: Math.sqrt });
  const draw = (field: E, colour: string, width: number, dash: number[]) => {
    x.strokeStyle = colour;
    x.lineWidth = width;
    x.setLineDash(dash);
    trace(a, rows, field);
    x.stroke();
  };
  draw(E.OwnNaive, c.mute, 1.2, [2, 3]);
  draw(E.OthersNaive, c.mute, 1.2, [1, 2]);
  draw(E.Others, c.other, 1.4, [6, 2]);
  draw(E.Own, c.you, 1.7, []);
  x.setLineDash([]);
  margin(x, a.right, a.top, a.base, [
    { y: a.v(own.now), words: `${t.own} ${num(own.now, 2)}`, colour: c.you },
    { y: a.v(others.now), words: `${t.others} ${num(others.now, 2)}`, colour: c.other },
    { y: a.v(Number.isFinite(othersNaive.now) ? othersNaive.now : ownNaive.now), words: `${t.naive} ${num(othersNaive.now, 2)}`, colour: c.ink2 },
  ]);
}
type Stats = ReturnType<typeof stats>;

/** The round values below `max` that have room for their labels. */
function ticksTo(max: number, room: number) {
  let last = Infinity;
  return TICKS.filter((v) => {
    if (v > max) return false;
    const y = room * (1 - Math.sqrt(v / max));
    if (last - y < TICK_GAP && v !== 0) return false;
    last = y;
    return true;
  }).map((value) => ({ value, label: String(value) }));
}
