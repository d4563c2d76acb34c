// A time axis that ends now, and a value axis with round steps.

import { type Ctx, type Surface, crisp, line, words } from '../canvas.ts';
import { text } from '../strings.ts';
import { colours } from '../theme.ts';
import { type Rows, at } from '../view.ts';

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

/** Room under the plot for the times. */
const FOOT = 16;
const HEAD = 6;

/** Draws the grid and gives the scales; `shape` bends the value axis (square root where small and large must both be read). */
export function axes(
  surface: Surface,
  now: number,
  windowMs: number,
  max: number,
  ticks: Ticks[],
  margin: { left: number; right: number },
  shape: (share: number) => number = (share) => share,
): Axes {
  const { x, w, h } = surface;
  const c = colours();
  const base = h - FOOT;
  const left = margin.left;
  const right = w - margin.right;
  const t = (ms: number) => left + ((ms + windowMs) / windowMs) * (right - left);
  const v = (value: number) => base - shape(Math.min(1, Math.max(0, value / max))) * (base - HEAD);
  x.lineWidth = 1;
  x.strokeStyle = c.grat;
  for (const tick of ticks) {
    const y = crisp(v(tick.value));
    line(x, left, y, right, y);
    words(x, tick.label, left - 6, y, c.ink2, 'right');
  }
  for (let s = Math.ceil((now - windowMs) / 1000) * 1000; s <= now; s += 1000) {
    const px = crisp(t(s - now));
    if (px > left) line(x, px, HEAD, px, base);
  }
  words(x, text.ago(windowMs / 1000), left, h - 7);
  words(x, text.now, right, h - 7, c.ink2, 'right');
  return { x, left, right, top: HEAD, base, t, v };
}

const STEPS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500];

/** A round step that divides up to `max` into at most four. */
export function niceStep(max: number): number {
  return STEPS.find((s) => max / s <= 4) ?? Math.ceil(max / 4 / 500) * 500;
}

/** The path of one column over time. Breaks where nothing was measured; points outside the window are left out. */
export function trace(a: Axes, rows: Rows, field: number): void {
  const { x } = a;
  x.beginPath();
  let open = false;
  for (let i = 0; i < rows.count; i++) {
    const value = at(rows, i, field);
    const px = a.t(at(rows, i, 0));
    if (!Number.isFinite(value) || px < a.left) {
      open = false;
      continue;
    }
    const py = a.v(value);
    if (open) x.lineTo(px, py);
    else x.moveTo(px, py);
    open = true;
  }
}
