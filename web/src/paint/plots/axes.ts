// A time axis that ends now, and a value axis with round steps.

import { type Ctx, type Surface, crisp, words } from '../canvas.ts';
import { apart } from '../../plots/figures.ts';
import { drawn } from '../../strings/drawn.ts';
import { type Rows, at } from '../../view.ts';
import { colours } from '../theme.ts';

export interface Axes {
  x: Ctx;
  left: number;
  right: number;
  top: number;
  /** Where the value axis is zero. */
  base: number;
  /** Pixel of a time relative to now, ms. */
  t(ms: number): number;
  /** Pixel of a value. */
  v(value: number): number;
}

export interface Ticks {
  value: number;
  label: string;
}

export interface Frame {
  left: number;
  right: number;
  /** Room below the value axis for more than the times. */
  below?: number;
  /** Bends the value axis: the square root where small and large must both be read. */
  shape?: (share: number) => number;
}

/** Room under the plot for the times. */
export const FOOT = 16;
export const HEAD = 6;

/** Begins a picture with its grid and gives the scales. `now` is the instant itself: the lines of whole seconds move with it. */
export function axes(surface: Surface, now: number, windowMs: number, max: number, ticks: Ticks[], frame: Frame): Axes {
  const { x, w, h } = surface;
  const { left, below = 0, shape = (share: number) => share } = frame;
  const foot = h - FOOT;
  const base = foot - below;
  const right = w - frame.right;
  const t = (ms: number) => left + ((ms + windowMs) / windowMs) * (right - left);
  const v = (value: number) => base - shape(Math.min(1, Math.max(0, value / max))) * (base - HEAD);
  const marks = ticks.map(({ value, label }) => ({ y: v(value), label }));
  surface.beginOn(`${max}/${left}/${right}/${ticks.length}`, (g) => ground(g, marks, windowMs, left, right, h));
  seconds(x, now, windowMs, t, left, HEAD, foot);
  return { x, left, right, top: HEAD, base, t, v };
}

/** A picture before there is anything to draw. */
export function empty(surface: Surface): void {
  if (surface.begin()) words(surface.x, drawn.noSamples, surface.w / 2, surface.h / 2, colours().ink2, 'center');
}

/** What stands still: the lines of the value axis with their labels, and the two ends of the time axis. */
export function ground(x: Ctx, marks: { y: number; label: string }[], windowMs: number, left: number, right: number, h: number): void {
  x.beginPath();
  for (const { y } of marks) {
    x.moveTo(left, crisp(y));
    x.lineTo(right, crisp(y));
  }
  x.lineWidth = 1;
  x.strokeStyle = colours().grat;
  x.stroke();
  for (const { y, label } of marks) words(x, label, left - GAP, y, colours().ink2, 'right');
  words(x, drawn.ago(windowMs / 1000), left, h - 7);
  words(x, drawn.now, right, h - 7, colours().ink2, 'right');
}

/** The lines of whole seconds. */
export function seconds(x: Ctx, now: number, windowMs: number, t: (ms: number) => number, left: number, top: number, foot: number): void {
  x.beginPath();
  for (let s = Math.ceil((now - windowMs) / 1000) * 1000; s <= now; s += 1000) {
    const px = crisp(t(s - now));
    if (px <= left) continue;
    x.moveTo(px, top);
    x.lineTo(px, foot);
  }
  x.lineWidth = 1;
  x.strokeStyle = colours().grat;
  x.stroke();
}

const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500];

/** A round step that divides up to `max` into at most so many. */
export function niceStep(max: number, most = 4): number {
  return STEPS.find((s) => max / s <= most) ?? Math.ceil(max / most / 500) * 500;
}

/** The path of one column over time. Breaks where nothing was measured; points outside the window are left out. */
export function trace(a: Axes, rows: Rows, field: number): void {
  const { x, left, t, v } = a;
  const { data, offset, stride, count } = rows;
  x.beginPath();
  let open = false;
  for (let i = 0, o = offset; i < count; i++, o += stride) {
    const value = data[o + field]!;
    const px = t(data[o]!);
    if (px < left || !Number.isFinite(value)) {
      open = false;
      continue;
    }
    if (open) x.lineTo(px, v(value));
    else x.moveTo(px, v(value));
    open = true;
  }
}

/** The same where a value holds until the next. */
export function stairs(a: Axes, rows: Rows, field: number): void {
  const { x, left, t, v } = a;
  x.beginPath();
  let last = NaN;
  for (let i = 0; i < rows.count; i++) {
    const value = at(rows, i, field);
    const px = t(at(rows, i, 0));
    if (px < left) continue;
    const py = v(value);
    if (Number.isNaN(last)) x.moveTo(px, py);
    else if (py !== last) {
      x.lineTo(px, last);
      x.lineTo(px, py);
    }
    last = py;
  }
  if (!Number.isNaN(last)) x.lineTo(a.right, last);
}

const widths = new Map<string, number>();

/** How wide a margin must be for a label as long as this one. Measured once: `like` is one of few. */
export function room(x: Ctx, like: string): number {
  let width = widths.get(like);
  if (width === undefined) {
    widths.set(like, (width = Math.ceil(x.measureText(like).width) + 2 * GAP));
  }
  return width;
}

/** Between a plot and the labels in its margin, px. */
export const GAP = 6;

/** Two labels in a margin that nearly meet are moved this far apart. */
export const APART = 14;

export interface Label {
  y: number;
  words: string;
  colour: string;
}

/** Names lines in the margin right of `right`, each as near to its own height as the others allow. */
export function margin(x: Ctx, right: number, top: number, foot: number, labels: Label[]): void {
  const sorted = labels.filter(({ y }) => Number.isFinite(y)).sort((a, b) => a.y - b.y);
  const ys = apart(sorted.map(({ y }) => y), top, foot, APART);
  sorted.forEach((label, i) => words(x, label.words, right + GAP, ys[i]!, label.colour));
}
