// How far each screen is from the truth of the instant that it draws. The quiet lines are the naive figures, against the newest
// truth; they are an order larger, so the axis goes by the square root.

import { figure, num } from '../format.ts';
import { text } from '../strings.ts';
import { Section, type View, at } from '../view.ts';
import { ERRORS, windows } from './figures.ts';
import { type Figure, type Plot, type Probes, ROWS, spread, steps } from './plot.ts';

const WINDOW_MS = windows.error;
const STEP_MS = WINDOW_MS / ROWS;

const t = text.instruments.error;

export const error: Plot = {
  id: 'error',
  wide: false,
  key: [],
  read,
  rows,
};

function read(_view: View, probes: Probes): Figure | undefined {
  const [own, others, ownNaive, othersNaive] = ['own.error', 'others.error', 'own.error_naive', 'others.error_naive'].map((id) => spread(probes[id])) as Spreads;
  if (![own, others, ownNaive, othersNaive].some(({ now }) => Number.isFinite(now))) return undefined;
  return {
    now: figure(own.now),
    bad: false,
    detail: text.meanMax(`${short(own.mean)}, ${short(others.mean)}`, `${short(own.max)}, ${short(others.max)}`),
    summary: t.summary(own, others, ownNaive.now, othersNaive.now),
  };
}

/** At most two digits that count: the second line is short. */
const short = (v: number) => num(v, v < 0.005 ? 0 : v < 0.995 ? 2 : v < 9.95 ? 1 : 0);

type Spread = ReturnType<typeof spread>;
type Spreads = [Spread, Spread, Spread, Spread];

function rows(view: View): string[][] {
  const all = view.section(Section.Error);
  return steps(all, STEP_MS).map((i, k) => [num((-k * STEP_MS) / 1000, 1), ...ERRORS.map((field) => figure(i === undefined ? NaN : at(all, i, field)))]);
}
