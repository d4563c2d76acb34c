// How many commands each tick of the server finds waiting, and how many your clock aims at; below, how far your clock bends for it.

import { num } from '../../format.ts';
import { DepthColumn as D, windows } from '../../plots/figures.ts';
import { drawn } from '../../strings/drawn.ts';
import { type Rows, Section, type View, at, stats } from '../../view.ts';
import { type Surface, crisp, line, words } from '../canvas.ts';
import { colours } from '../theme.ts';
import { type Axes, FOOT, GAP, axes, empty, margin, niceStep, room, stairs, trace } from './axes.ts';

const WINDOW_MS = windows.depth;
/** The clock bends at most by so much, %. */
const MOST_BEND = 5;
/** Height of the lower part, px: its unit is another, so it has an axis of its own. */
const BELOW = 26;

const t = drawn.depth;

export function depth(surface: Surface, view: View): void {
  const { x, h } = surface;
  const c = colours();
  const all = view.section(Section.Depth);
  if (!all.count) {
    empty(surface);
    return;
  }
  const target = stats(all, D.Target).now;
  const top = Math.max(4, stats(all, D.Depth).max + 0.5, target + 0.5 || 0);
  const step = Math.max(1, niceStep(top, 3));
  const max = Math.ceil(top / step) * step;
  const ticks = Array.from({ length: Math.round(max / step) + 1 }, (_, i) => ({ value: i * step, label: num(i * step) }));
  const a = axes(surface, view.now, WINDOW_MS, max, ticks, { left: room(x, t.bend), right: room(x, `${t.target} 0.0`), below: BELOW });
  x.strokeStyle = c.you;
  x.lineWidth = 1.2;
  stairs(a, all, D.Depth);
  x.stroke();
  x.strokeStyle = c.truth;
  x.setLineDash([5, 4]);
  trace(a, all, D.Target);
  x.stroke();
  x.setLineDash([]);
  crosses(a, all);
  if (Number.isFinite(target)) margin(x, a.right, a.top, a.base, [{ y: a.v(target), words: `${t.target} ${num(target, 1)}`, colour: c.ink }]);
  bend(a, all, h);
}

/** Ticks that found none. */
function crosses(a: Axes, all: Rows): void {
  const { x } = a;
  const [y, r] = [a.base - 5, 3];
  x.beginPath();
  for (let i = 0; i < all.count; i++) {
    const px = a.t(at(all, i, D.T));
    if (px < a.left || !(at(all, i, D.Depth) < 1)) continue;
    x.moveTo(px - r, y - r);
    x.lineTo(px + r, y + r);
    x.moveTo(px + r, y - r);
    x.lineTo(px - r, y + r);
  }
  x.strokeStyle = colours().lost;
  x.lineWidth = 1.6;
  x.stroke();
}

/** The clock's bend about its zero: above, it hurries. */
function bend(a: Axes, all: Rows, h: number): void {
  const { x } = a;
  const c = colours();
  const middle = crisp(h - FOOT - BELOW / 2 + 2);
  x.strokeStyle = c.axis;
  x.lineWidth = 1;
  line(x, a.left, middle, a.right, middle);
  x.strokeStyle = c.ink2;
  x.lineWidth = 1.2;
  trace({ ...a, v: (percent) => middle - (percent / MOST_BEND) * (BELOW / 2 - 3) }, all, D.Bend);
  x.stroke();
  words(x, t.bend, a.left - GAP, middle, c.ink2, 'right');
  words(x, t.percent(stats(all, D.Bend).now), a.right + GAP, middle, c.ink);
}
