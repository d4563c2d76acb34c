// Two clocks in one picture. Above: a bar for each frame drawn, down where samples were to spare, up where the frame starved.
// Below: a bar for each snapshot, as tall as it was old on arrival; an outlined cross where it was lost.

import { Heard, lagometerFigures, windows } from '../../plots/figures.ts';
import type { Setting } from '../../plots/plot.ts';
import { drawn } from '../../strings/drawn.ts';
import { type Rows, Section, type View, at } from '../../view.ts';
import { type Ctx, type Surface, clamp, words } from '../canvas.ts';
import { colours } from '../theme.ts';

const WINDOW_MS = windows.lagometer;
const LEFT = 64;
const RIGHT = 8;
/** A starved bar is never shorter, px: it must be seen. */
const LEAST = 3;

const t = drawn.lagometer;

export function lagometer(surface: Surface, view: View, { interpolates }: Setting): void {
  const { x, w, h } = surface;
  const { frameBase, snapshotBase } = bases(h);
  const labels = (g: Ctx) => {
    const c = colours();
    words(g, t.starved, LEFT - 8, frameBase - 9, c.ink2, 'right');
    words(g, t.spare, LEFT - 8, frameBase + 10, c.ink2, 'right');
    words(g, t.ageOn, LEFT - 8, snapshotBase - 22, c.ink2, 'right');
    words(g, t.arrival, LEFT - 8, snapshotBase - 8, c.ink2, 'right');
  };
  if (!surface.beginOn('', labels)) return;
  const frames = view.section(Section.Frames);
  const snapshots = view.section(Section.Snapshots);
  const px = (ms: number) => LEFT + ((ms + WINDOW_MS) / WINDOW_MS) * (w - LEFT - RIGHT);
  if (!frames.count && !snapshots.count) words(x, drawn.noSamples, w / 2, h / 2, colours().ink2, 'center');
  if (interpolates) frameBars(x, frames, px, w, h);
  else words(x, drawn.notInterpolated, (LEFT + w) / 2, h * 0.25, colours().ink2, 'center');
  snapshotBars(x, snapshots, px, w, h);
}

/** Where the two clocks have their zero. */
const bases = (h: number) => ({ frameBase: Math.round(h * 0.34) + 0.5, snapshotBase: h - 8.5 });

/** Width of a bar where so many share the window, with a gap where there is room for one. */
function barWidth(bars: Rows, w: number, most: number): number {
  if (bars.count < 2) return most;
  const span = at(bars, bars.count - 1, 0) - at(bars, 0, 0);
  const spacing = (span / (bars.count - 1) / WINDOW_MS) * (w - LEFT - RIGHT);
  return clamp(Math.floor(spacing * 0.7), 1, most);
}

/** All bars of one kind are one path: to change the style for each costs more than to draw it. */
function frameBars(x: Ctx, bars: Rows, px: (ms: number) => number, w: number, h: number): void {
  const c = colours();
  const base = bases(h).frameBase;
  const above = base - 6;
  const below = h * 0.17;
  const wide = barWidth(bars, w, 4);
  let most = 60;
  for (let i = 0; i < bars.count; i++) most = Math.max(most, Math.abs(at(bars, i, 1)) || 0);
  const path = (starved: boolean) => {
    x.beginPath();
    for (let i = 0; i < bars.count; i++) {
      const spare = at(bars, i, 1);
      const left = Math.round(px(at(bars, i, 0))) - wide;
      if (left < LEFT || !Number.isFinite(spare) || spare < 0 !== starved) continue;
      if (starved) {
        const tall = Math.max(LEAST, (-spare / most) * above);
        x.rect(left, base - tall, wide, tall);
      } else x.rect(left, base, wide, Math.max(1, (spare / most) * below));
    }
  };
  x.fillStyle = c.mute;
  x.globalAlpha = 0.8;
  path(false);
  x.fill();
  x.globalAlpha = 1;
  x.fillStyle = c.warn;
  path(true);
  x.fill();
  zero(x, base, w);
  words(x, t.percent(lagometerFigures(bars)?.starvedPercent ?? NaN), LEFT - 8, base - 23, c.ink, 'right');
}

function snapshotBars(x: Ctx, bars: Rows, px: (ms: number) => number, w: number, h: number): void {
  const c = colours();
  const base = bases(h).snapshotBase;
  const tallest = h * 0.34;
  const wide = barWidth(bars, w, 6);
  const box = Math.max(wide, 4);
  let oldest = 40;
  for (let i = 0; i < bars.count; i++) if (at(bars, i, 2) !== Heard.Lost) oldest = Math.max(oldest, at(bars, i, 1) || 0);
  const each = (fate: number, add: (left: number, tall: number) => void) => {
    x.beginPath();
    for (let i = 0; i < bars.count; i++) {
      if (at(bars, i, 2) !== fate) continue;
      const left = Math.round(px(at(bars, i, 0))) - wide;
      if (left >= LEFT) add(left, clamp((at(bars, i, 1) / (oldest * 1.1)) * tallest, 2, tallest));
    }
  };
  each(0, (left, tall) => x.rect(left, base - tall, wide, tall));
  x.fillStyle = c.truth;
  x.globalAlpha = 0.86;
  x.fill();
  x.globalAlpha = 1;
  each(Heard.Late, (left, tall) => x.rect(left + 0.6, base - tall, Math.max(wide, 3) - 1.2, tall));
  x.fillStyle = c.bg;
  x.fill();
  x.strokeStyle = c.warn;
  x.lineWidth = 1.2;
  x.stroke();
  each(Heard.Lost, (left) => x.rect(left + 0.5, base - tallest, box - 1, tallest));
  x.strokeStyle = c.lost;
  x.lineWidth = 1;
  x.stroke();
  const [r, middle] = [Math.max(2.5, box / 2), base - tallest / 2];
  each(Heard.Lost, (left) => {
    x.moveTo(left + box / 2 - r, middle - r);
    x.lineTo(left + box / 2 + r, middle + r);
    x.moveTo(left + box / 2 + r, middle - r);
    x.lineTo(left + box / 2 - r, middle + r);
  });
  x.lineWidth = 1.6;
  x.stroke();
  zero(x, base, w);
}

function zero(x: Ctx, base: number, w: number): void {
  x.strokeStyle = colours().axis;
  x.lineWidth = 1;
  x.beginPath();
  x.moveTo(LEFT, base);
  x.lineTo(w - RIGHT, base);
  x.stroke();
}
