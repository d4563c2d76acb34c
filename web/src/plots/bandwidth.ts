// What goes over the wire, by what it says: up above zero, down below it, one layer on the other.

import { num } from '../format.ts';
import { text } from '../strings.ts';
import { Section, type View, at } from '../view.ts';
import { DOWN, KIB, UP, windows } from './figures.ts';
import { type Figure, type Plot, type Probes, ROWS, type Setting, spread, steps } from './plot.ts';

const WINDOW_MS = windows.bandwidth;
const STEP_MS = WINDOW_MS / ROWS;

const t = text.instruments.bandwidth;

export const bandwidth: Plot = { id: 'bandwidth', wide: false, key: [], read, rows };

const kib = (bytes: number) => num(bytes / KIB, 1);

function read(_view: View, probes: Probes, { up: mostUp, down: mostDown }: Setting): Figure | undefined {
  const [up, down] = ['bytes.up', 'bytes.down'].map((id) => spread(probes[id])) as [Spread, Spread];
  if (!(up.now + down.now > 0)) return undefined;
  const over = (now: number, most: number) => most > 0 && now / KIB > most;
  const kinds = Object.entries(t.kinds).map(([id, name]) => ({ name, now: probes[`bytes.${id}`]?.now ?? NaN }));
  return {
    now: t.now(kib(up.now), kib(down.now)),
    bad: over(up.now, mostUp) || over(down.now, mostDown),
    detail: text.meanMax(`${kib(up.mean)}, ${kib(down.mean)}`, `${kib(up.max)}, ${kib(down.max)}`),
    summary: t.summary(kib(up.now), kib(down.now), kinds.filter(({ now }) => now > 0).map(({ name, now }) => `${name} ${kib(now)}`)),
  };
}
type Spread = ReturnType<typeof spread>;

function rows(view: View): string[][] {
  const all = view.section(Section.Traffic);
  return steps(all, STEP_MS).map((i, k) => [num((-k * STEP_MS) / 1000, 1), ...[...UP, ...DOWN].map((field) => num(i === undefined ? NaN : at(all, i, field) / KIB, 2))]);
}
