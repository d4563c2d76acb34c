// How many commands each tick of the server finds waiting, and how many your clock aims at; below, how far your clock bends for it.

import { num, signed } from '../format.ts';
import { text } from '../strings.ts';
import { Section, type View, at, stats } from '../view.ts';
import { DepthColumn as D, emptyTicks, windows } from './figures.ts';
import { type Figure, type Plot, type Probes, ROWS, spread, steps } from './plot.ts';

const WINDOW_MS = windows.depth;
const STEP_MS = WINDOW_MS / ROWS;

const t = text.instruments.depth;

export const depth: Plot = {
  id: 'depth',
  wide: false,
  key: [],
  read,
  rows,
};

function read(view: View, probes: Probes): Figure | undefined {
  const s = spread(probes['input.depth']);
  if (!Number.isFinite(s.now)) return undefined;
  const all = view.section(Section.Depth);
  const empty = emptyTicks(all, WINDOW_MS);
  return {
    now: num(s.now),
    bad: s.now < 1,
    detail: `${text.meanMax(num(s.mean, 1), num(s.max))} ${t.empty(empty)}`,
    summary: t.summary(s, stats(all, D.Target).now, probes['clock.bend']?.now ?? NaN, empty),
  };
}

function rows(view: View): string[][] {
  const all = view.section(Section.Depth);
  return steps(all, STEP_MS).map((i, k) => {
    const value = (field: number) => (i === undefined ? NaN : at(all, i, field));
    return [num((-k * STEP_MS) / 1000, 2), num(value(D.Depth)), num(value(D.Target), 1), signed(value(D.Bend), 2)];
  });
}
