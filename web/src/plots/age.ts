// How old the newest sample is, against the delay that others are drawn at. Where age passes delay, frames starve: hatched.

import { num } from '../format.ts';
import { blockKey } from '../glyphs.ts';
import { text } from '../strings.ts';
import { type Rows, Section, type View, at, stats } from '../view.ts';
import { AgeColumn as F, drawnFor, windows } from './figures.ts';
import { type Figure, type Plot, type Probes, ROWS, type Setting, spread, steps } from './plot.ts';

const WINDOW_MS = windows.age;
const STEP_MS = WINDOW_MS / ROWS;

const t = text.instruments.age;

export const age: Plot = {
  id: 'age',
  wide: true,
  key: [[blockKey('--c-warn', true), t.key.starved]],
  read,
  rows,
};

const drawn = (view: View): Rows => drawnFor(view.section(Section.Age), view.section(Section.Frames));

function read(view: View, probes: Probes, { interpolates }: Setting): Figure | undefined {
  const s = spread(probes['others.age']);
  if (!Number.isFinite(s.now)) return undefined;
  const rows = drawn(view);
  const delay = stats(rows, F.Delay).now;
  const figures = { now: num(s.now), detail: text.meanMax(num(s.mean), num(s.max)) };
  if (!interpolates) return { ...figures, bad: false, summary: t.alone(s) };
  return { ...figures, bad: s.now > delay, summary: t.summary(s, delay, stats(rows, F.Needs).now) };
}

function rows(view: View): string[][] {
  const all = drawn(view);
  return steps(all, STEP_MS).map((i, k) => [num((-k * STEP_MS) / 1000, 2), ...[F.Age, F.Delay, F.Needs].map((field) => num(i === undefined ? NaN : at(all, i, field)))]);
}
