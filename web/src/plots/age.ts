// How old the newest sample is, against the delay that others are drawn at. Where age passes delay, frames starve: hatched.

import { Surface, crisp, hatch, line, words } from '../canvas.ts';
import { num } from '../format.ts';
import { text } from '../strings.ts';
import { colours } from '../theme.ts';
import { type Rows, Section, type View, at, stats } from '../view.ts';
import { type Axes, axes, niceStep, trace } from './axes.ts';
import { AgeColumn as F, type AgeFigures, ageFigures, drawnFor } from './figures.ts';

export const WINDOW_MS = 3000;
/** Labels of two lines that nearly meet are moved this far apart. */
const LABEL = 15;

/** Where others are not interpolated there is no delay to hold the age against. */
export function drawAge(surface: Surface, view: View, interpolates: boolean): void {
  if (!surface.begin()) return;
  const { x, w, h } = surface;
  const c = colours();
  const rows = drawnFor(view.section(Section.Age), view.section(Section.Frames));
  const figures = ageFigures(rows);
  if (!figures) {
    words(x, text.noSamples, w / 2, h / 2, c.ink2, 'center');
    return;
  }
  const top = Math.max(figures.max, interpolates ? Math.max(stats(rows, F.Delay).max, figures.needs || 0) : 0, 20) * 1.08;
  const step = niceStep(top);
  const max = Math.ceil(top / step) * step;
  const ticks = Array.from({ length: Math.round(max / step) + 1 }, (_, i) => ({ value: i * step, label: num(i * step) }));
  const a = axes(surface, view.now, WINDOW_MS, max, ticks, { left: 40, right: 72 });
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
  x.setLineDash([]);
  marks(a, figures, surface.w);
}

/** Fills between age and delay wherever age is above. */
function starved(a: Axes, rows: Rows): void {
  const { x } = a;
  x.fillStyle = hatch(x, colours().warn, 4);
  let from = -1;
  const close = (to: number) => {
    if (from < 0) return;
    x.beginPath();
    for (let i = from; i < to; i++) x.lineTo(a.t(at(rows, i, F.T)), a.v(at(rows, i, F.Age)));
    for (let i = to - 1; i >= from; i--) x.lineTo(a.t(at(rows, i, F.T)), a.v(at(rows, i, F.Delay)));
    x.fill();
    from = -1;
  };
  for (let i = 0; i < rows.count; i++) {
    const seen = a.t(at(rows, i, F.T)) >= a.left;
    if (seen && at(rows, i, F.Age) > at(rows, i, F.Delay)) {
      if (from < 0) from = i;
    } else close(i);
  }
  close(rows.count);
}

/** The two levels, named in the margin. */
function marks(a: Axes, { delay, needs }: AgeFigures, w: number): void {
  const { x } = a;
  const c = colours();
  const { delay: delayWord, needs: needsWord } = text.instruments.age;
  const yd = a.v(delay);
  const yn = a.v(needs);
  const margin = w - 67;
  if (!Number.isFinite(yn)) {
    if (Number.isFinite(yd)) words(x, `${delayWord} ${num(delay)}`, margin, yd, c.ink);
    return;
  }
  x.strokeStyle = c.ink2;
  x.lineWidth = 1;
  x.setLineDash([1, 3]);
  line(x, a.left, crisp(yn), a.right, crisp(yn));
  x.setLineDash([]);
  const push = Math.max(0, (LABEL - Math.abs(yd - yn)) / 2);
  const needsAbove = yn < yd;
  words(x, `${delayWord} ${num(delay)}`, margin, yd + (needsAbove ? push : -push), c.ink);
  words(x, `${needsWord} ${num(needs)}`, margin, yn + (needsAbove ? -push : push), delay < needs ? c.warn : c.ink2);
}
