// How old the newest sample is, against the delay that others are drawn at. Where age passes delay, frames starve: hatched.

import { num } from '../../format.ts';
import { AgeColumn as F, drawnFor, windows } from '../../plots/figures.ts';
import type { Setting } from '../../plots/plot.ts';
import { drawn } from '../../strings/drawn.ts';
import { type Rows, Section, type View, at, stats } from '../../view.ts';
import { type Surface, crisp, hatch, line } from '../canvas.ts';
import { colours } from '../theme.ts';
import { type Axes, axes, empty, margin, niceStep, room, trace } from './axes.ts';

const WINDOW_MS = windows.age;

const t = drawn.age;

export function age(surface: Surface, view: View, { interpolates }: Setting): void {
  const { x } = surface;
  const c = colours();
  const rows = drawnFor(view.section(Section.Age), view.section(Section.Frames));
  const ages = stats(rows, F.Age);
  if (!ages.count) {
    empty(surface);
    return;
  }
  const delays = stats(rows, F.Delay);
  const needs = stats(rows, F.Needs).now;
  const top = Math.max(ages.max, interpolates ? Math.max(delays.max || 0, needs || 0) : 0, 20) * 1.08;
  const step = niceStep(top);
  const max = Math.ceil(top / step) * step;
  const ticks = Array.from({ length: Math.round(max / step) + 1 }, (_, i) => ({ value: i * step, label: num(i * step) }));
  const a = axes(surface, view.now, WINDOW_MS, max, ticks, { left: 40, right: room(x, `${t.needs} 000`) });
  if (interpolates) starved(a, rows);
  x.strokeStyle = c.other;
  x.lineWidth = 1.6;
  trace(a, rows, F.Age);
  x.stroke();
  if (!interpolates) return;
  x.strokeStyle = c.truth;
  x.setLineDash([5, 4]);
  trace(a, rows, F.Delay);
  x.stroke();
  levels(a, ages.now, delays.now, needs);
}

/** Fills between age and delay wherever age is above. */
function starved(a: Axes, rows: Rows): void {
  const { x } = a;
  x.fillStyle = hatch(x, colours().warn, 4);
  x.beginPath();
  let from = -1;
  const close = (to: number) => {
    if (from < 0) return;
    x.moveTo(a.t(at(rows, from, F.T)), a.v(at(rows, from, F.Delay)));
    for (let i = from; i < to; i++) x.lineTo(a.t(at(rows, i, F.T)), a.v(at(rows, i, F.Age)));
    for (let i = to - 1; i > from; i--) x.lineTo(a.t(at(rows, i, F.T)), a.v(at(rows, i, F.Delay)));
    from = -1;
  };
  for (let i = 0; i < rows.count; i++) {
    const seen = a.t(at(rows, i, F.T)) >= a.left;
    if (seen && at(rows, i, F.Age) > at(rows, i, F.Delay)) {
      if (from < 0) from = i;
    } else close(i);
  }
  close(rows.count);
  x.fill();
}

/** The needed delay as a level, and every line named in the margin. */
function levels(a: Axes, ageNow: number, delay: number, needs: number): void {
  const { x } = a;
  const c = colours();
  const yn = crisp(a.v(needs));
  if (Number.isFinite(yn)) {
    x.strokeStyle = c.ink2;
    x.lineWidth = 1;
    x.setLineDash([1, 3]);
    line(x, a.left, yn, a.right, yn);
  }
  x.setLineDash([]);
  margin(x, a.right, a.top, a.base, [
    { y: a.v(ageNow), words: `${t.age} ${num(ageNow)}`, colour: c.other },
    { y: a.v(delay), words: `${t.delay} ${num(delay)}`, colour: c.ink },
    { y: a.v(needs), words: `${t.needs} ${num(needs)}`, colour: delay < needs ? c.warn : c.ink2 },
  ]);
}
