// Two clocks in one picture. Above: a bar for each frame drawn, down where samples were to spare, up where the frame starved.
// Below: a bar for each snapshot, as tall as it was old on arrival; an outlined cross where it was lost.

import { type Ctx, Surface, clamp, cross, line, words } from '../canvas.ts';
import { text } from '../strings.ts';
import { colours } from '../theme.ts';
import { type Rows, Section, type View, at } from '../view.ts';
import { lagometerFigures } from './figures.ts';

/** Shorter than the other plots' window: at 64 snapshots a second a bar must still be a bar. */
const WINDOW_MS = 1500;
const LEFT = 64;
const RIGHT = 8;

const enum Heard {
  Lost = 1,
  Late = 2,
}

export function drawLagometer(surface: Surface, view: View, interpolates: boolean): void {
  if (!surface.begin()) return;
  const { x, w, h } = surface;
  const frames = view.section(Section.Frames);
  const snapshots = view.section(Section.Snapshots);
  const px = (t: number) => LEFT + ((t + WINDOW_MS) / WINDOW_MS) * (w - LEFT - RIGHT);
  if (!frames.count && !snapshots.count) words(x, text.noSamples, w / 2, h / 2, colours().ink2, 'center');
  if (interpolates) frameBars(x, frames, px, w, h);
  else words(x, text.notInterpolatedShort, (LEFT + w) / 2, h * 0.25, colours().ink2, 'center');
  snapshotBars(x, snapshots, px, w, h);
}

/** Width of a bar where so many share the window, with a gap where there is room for one. */
function barWidth(rows: Rows, w: number, most: number): number {
  if (rows.count < 2) return most;
  const span = at(rows, rows.count - 1, 0) - at(rows, 0, 0);
  const spacing = (span / (rows.count - 1) / WINDOW_MS) * (w - LEFT - RIGHT);
  return clamp(Math.floor(spacing * 0.7), 1, most);
}

function frameBars(x: Ctx, rows: Rows, px: (t: number) => number, w: number, h: number): void {
  const c = colours();
  const base = Math.round(h * 0.34) + 0.5;
  const above = base - 6;
  const below = h * 0.17;
  const wide = barWidth(rows, w, 4);
  let most = 60;
  for (let i = 0; i < rows.count; i++) most = Math.max(most, Math.abs(at(rows, i, 1)) || 0);
  for (let i = 0; i < rows.count; i++) {
    const spare = at(rows, i, 1);
    const left = Math.round(px(at(rows, i, 0))) - wide;
    if (left < LEFT || !Number.isFinite(spare)) continue;
    if (spare >= 0) {
      x.fillStyle = c.mute;
      x.globalAlpha = 0.8;
      x.fillRect(left, base, wide, Math.max(1, (spare / most) * below));
      x.globalAlpha = 1;
    } else {
      const tall = Math.max(3, (-spare / most) * above);
      x.fillStyle = c.warn;
      x.fillRect(left, base - tall, wide, tall);
    }
  }
  x.strokeStyle = c.axis;
  x.lineWidth = 1;
  line(x, LEFT, base, w - RIGHT, base);
  const { starved, spare, percent } = text.instruments.lagometer;
  words(x, percent(lagometerFigures(rows)?.starvedPercent ?? NaN), LEFT - 8, base - 23, c.ink, 'right');
  words(x, starved, LEFT - 8, base - 9, c.ink2, 'right');
  words(x, spare, LEFT - 8, base + 10, c.ink2, 'right');
}

function snapshotBars(x: Ctx, rows: Rows, px: (t: number) => number, w: number, h: number): void {
  const c = colours();
  const base = h - 8.5;
  const tallest = h * 0.34;
  const wide = barWidth(rows, w, 6);
  let oldest = 40;
  for (let i = 0; i < rows.count; i++) if (at(rows, i, 2) !== Heard.Lost) oldest = Math.max(oldest, at(rows, i, 1) || 0);
  x.lineWidth = 1;
  for (let i = 0; i < rows.count; i++) {
    const left = Math.round(px(at(rows, i, 0))) - wide;
    if (left < LEFT) continue;
    const flag = at(rows, i, 2);
    if (flag === Heard.Lost) {
      x.strokeStyle = c.lost;
      x.lineWidth = 1;
      const box = Math.max(wide, 4);
      x.strokeRect(left + 0.5, base - tallest, box - 1, tallest);
      cross(x, left + box / 2, base - tallest / 2, Math.max(2.5, box / 2), c.lost, 1.6);
      continue;
    }
    const tall = clamp((at(rows, i, 1) / (oldest * 1.1)) * tallest, 2, tallest);
    if (flag === Heard.Late) {
      x.fillStyle = c.bg;
      x.fillRect(left, base - tall, Math.max(wide, 3), tall);
      x.strokeStyle = c.warn;
      x.lineWidth = 1.2;
      x.strokeRect(left + 0.6, base - tall, Math.max(wide, 3) - 1.2, tall);
    } else {
      x.fillStyle = c.truth;
      x.globalAlpha = 0.86;
      x.fillRect(left, base - tall, wide, tall);
      x.globalAlpha = 1;
    }
  }
  x.strokeStyle = c.axis;
  x.lineWidth = 1;
  line(x, LEFT, base, w - RIGHT, base);
  const { ageOn, arrival } = text.instruments.lagometer;
  words(x, ageOn, LEFT - 8, base - 22, c.ink2, 'right');
  words(x, arrival, LEFT - 8, base - 8, c.ink2, 'right');
}
