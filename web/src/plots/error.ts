// How far each screen is from the truth of the instant that it draws. The quiet line is the naive figure, against the newest
// truth; it is an order larger, so the axis goes by the square root.

import { Surface, words } from '../canvas.ts';
import { text } from '../strings.ts';
import { colours } from '../theme.ts';
import { Section, type View } from '../view.ts';
import { axes, trace } from './axes.ts';
import { ErrorColumn as E, errorFigures, measured } from './figures.ts';

export const WINDOW_MS = 6000;
const TICKS = [0, 0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 50];
/** The axis never shows less than this, or noise below a wire step would fill it. */
const LEAST_MAX = 0.5;
const TICK_GAP = 13;

export function drawError(surface: Surface, view: View): void {
  if (!surface.begin()) return;
  const { x, w, h } = surface;
  const c = colours();
  const rows = view.section(Section.Error);
  const f = errorFigures(rows);
  if (!measured(f)) {
    words(x, text.noSamples, w / 2, h / 2, c.ink2, 'center');
    return;
  }
  const greatest = [f.own, f.others, f.ownNaive, f.othersNaive].reduce((m, s) => Math.max(m, Number.isFinite(s.max) ? s.max : 0), 0);
  const max = Math.max(LEAST_MAX, greatest * 1.1);
  const room = h - 22;
  let last = Infinity;
  const ticks = TICKS.filter((v) => {
    if (v > max) return false;
    const y = room * (1 - Math.sqrt(v / max));
    if (last - y < TICK_GAP && v !== 0) return false;
    last = y;
    return true;
  }).map((value) => ({ value, label: String(value) }));
  const a = axes(surface, view.now, WINDOW_MS, max, ticks, { left: 34, right: 8 }, Math.sqrt);
  const draw = (field: E, colour: string, width: number, dash: number[]) => {
    x.strokeStyle = colour;
    x.lineWidth = width;
    x.setLineDash(dash);
    trace(a, rows, field);
    x.stroke();
    x.setLineDash([]);
  };
  draw(E.OwnNaive, c.mute, 1.2, [2, 3]);
  draw(E.OthersNaive, c.mute, 1.2, [1, 2]);
  draw(E.Others, c.other, 1.4, [6, 2]);
  draw(E.Own, c.you, 1.7, []);
}
