// What goes over the wire, by what it says: up above zero, down below it, one layer on the other.

import { num } from '../../format.ts';
import { DOWN, KIB, TrafficColumn as T, UP, sum, windows } from '../../plots/figures.ts';
import type { Setting } from '../../plots/plot.ts';
import { drawn } from '../../strings/drawn.ts';
import { type Rows, Section, type View, at } from '../../view.ts';
import { type Ctx, type Surface, crisp, hatch, line } from '../canvas.ts';
import { colours } from '../theme.ts';
import { APART, FOOT, HEAD, type Label, empty, ground, margin, niceStep, room, seconds } from './axes.ts';

const WINDOW_MS = windows.bandwidth;
const LEFT = 34;
/** A layer thinner than this has no name in the margin, px. */
const NAMED = 6;
/** The scale never shows less, KiB/s. */
const LEAST = 0.5;

const t = drawn.bandwidth;

/** A name in the margin, and how thick what it names is, px. */
interface Name extends Label {
  thick: number;
}

/** A layer of the stack: what it sums, how it is filled, how it is named. */
interface Layer {
  fields: readonly T[];
  fill(x: Ctx): string | CanvasPattern;
  alpha: number;
  edge: string;
  name: string;
}

/** From zero outward. Pings and joining are a few bytes: they lie with the headers. */
function layers(): { up: Layer[]; down: Layer[] } {
  const c = colours();
  const plain = (fields: readonly T[], colour: string, alpha: number, name: string): Layer => ({ fields, fill: () => colour, alpha, edge: colour, name });
  return {
    up: [plain([T.UpInputs], c.you, 0.4, t.layers.inputs), plain([T.UpHeaders, T.UpOther], c.mute, 0.4, t.layers.headers)],
    down: [
      { fields: [T.DownOwn], fill: (x) => hatch(x, c.truth, 4), alpha: 0.9, edge: c.truth, name: t.layers.own },
      plain([T.DownOthers], c.other, 0.4, t.layers.others),
      plain([T.DownEvents], c.truth, 0.3, t.layers.events),
      plain([T.DownHeaders, T.DownOther], c.mute, 0.4, t.layers.headers),
    ],
  };
}

export function bandwidth(surface: Surface, view: View, setting: Setting): void {
  const { x, w, h } = surface;
  const all = view.section(Section.Traffic);
  if (!all.count) {
    empty(surface);
    return;
  }
  const [up, down] = [round(most(all, UP)), round(most(all, DOWN))];
  const foot = h - FOOT;
  const right = w - room(x, t.layers.headers);
  const scale = (foot - HEAD) / (up + down);
  const zero = Math.round(HEAD + up * scale);
  const px = (ms: number) => LEFT + ((ms + WINDOW_MS) / WINDOW_MS) * (right - LEFT);
  const began = surface.beginOn(`${up}/${down}/${right}`, (g) => ground(g, marks(up, down, zero, scale, foot), WINDOW_MS, LEFT, right, h));
  if (!began) return;
  seconds(x, view.now, WINDOW_MS, px, LEFT, HEAD, foot);
  const { up: above, down: below } = layers();
  const names = [...stack(x, all, above, px, zero, -scale), ...stack(x, all, below, px, zero, scale)];
  x.strokeStyle = colours().ink;
  x.lineWidth = 1;
  line(x, LEFT, zero + 0.5, right, zero + 0.5);
  names.push(...caps(x, setting, zero, scale, [up, down], right));
  // Where there is no room for all of them, the thinnest go without.
  names.sort((a, b) => b.thick - a.thick).splice(Math.floor((foot - HEAD) / APART) + 1);
  margin(x, right, HEAD, foot, names);
}

function most(all: Rows, fields: readonly number[]): number {
  let found = LEAST * KIB;
  for (let i = 0; i < all.count; i++) found = Math.max(found, sum(all, i, fields));
  return found;
}

/** A little more, in round KiB: the scale stands still while the rate does nearly. */
function round(bytes: number): number {
  const step = niceStep((bytes * 1.05) / KIB, 10) * KIB;
  return Math.ceil((bytes * 1.05) / step) * step;
}

function marks(up: number, down: number, zero: number, scale: number, foot: number): { y: number; label: string }[] {
  const step = niceStep((up + down) / KIB, Math.max(2, Math.floor((foot - HEAD) / 15)));
  const [from, to] = [-Math.floor(down / KIB / step), Math.floor(up / KIB / step)];
  return Array.from({ length: to - from + 1 }, (_, k) => ({ y: zero - (from + k) * step * KIB * scale, label: num(Math.abs(from + k) * step, step < 1 ? 1 : 0) }));
}

/** Draws layers away from zero, each on those before it; gives the names of those that are thick enough now. */
function stack(x: Ctx, all: Rows, stacked: Layer[], px: (ms: number) => number, zero: number, scale: number): Name[] {
  const { count } = all;
  const xs = Array.from({ length: count }, (_, i) => Math.max(LEFT, px(at(all, i, 0))));
  let inner = new Array<number>(count).fill(zero);
  const names: Name[] = [];
  for (const { fields, fill, alpha, edge, name } of stacked) {
    const outer = inner.map((y, i) => y + sum(all, i, fields) * scale);
    outline(x, xs, outer);
    for (let i = count - 1; i >= 0; i--) x.lineTo(xs[i]!, inner[i]!);
    x.fillStyle = fill(x);
    x.globalAlpha = alpha;
    x.fill();
    x.globalAlpha = 1;
    outline(x, xs, outer);
    x.strokeStyle = edge;
    x.lineWidth = 1.2;
    x.stroke();
    const [from, to] = [inner[count - 1]!, outer[count - 1]!];
    const thick = Math.abs(to - from);
    if (thick >= NAMED) names.push({ y: (from + to) / 2, words: name, colour: colours().ink2, thick });
    inner = outer;
  }
  return names;
}

function outline(x: Ctx, xs: number[], ys: number[]): void {
  x.beginPath();
  for (let i = 0; i < xs.length; i++) x.lineTo(xs[i]!, ys[i]!);
}

/** What the link carries at most, where that is near enough to be seen. */
function caps(x: Ctx, { up, down }: Setting, zero: number, scale: number, most: [up: number, down: number], right: number): Name[] {
  const names: Name[] = [];
  x.strokeStyle = colours().warn;
  x.lineWidth = 1.2;
  x.setLineDash([5, 4]);
  for (const [cap, greatest, way] of [
    [up, most[0], -1],
    [down, most[1], 1],
  ] as const) {
    if (!(cap > 0 && cap * KIB <= greatest)) continue;
    const y = crisp(zero + way * cap * KIB * scale);
    line(x, LEFT, y, right, y);
    names.push({ y, words: `${t.cap} ${num(cap, 1)}`, colour: colours().warn, thick: Infinity });
  }
  x.setLineDash([]);
  return names;
}
