// What the instruments say in numbers, over the rows that they draw.

import { type Rows, at, stats } from '../view.ts';

export interface LagometerFigures {
  spare: number;
  mean: number;
  max: number;
  starvedPercent: number;
  longestMs: number;
}

/** Figures over the frames that the plot shows; undefined before the first. */
export function lagometerFigures(frames: Rows): LagometerFigures | undefined {
  const s = stats(frames, 1);
  if (!s.count) return undefined;
  let starved = 0;
  let longestMs = 0;
  let since = NaN;
  for (let i = 0; i < frames.count; i++) {
    const t = at(frames, i, 0);
    // What was not measured is not starved.
    if (!(at(frames, i, 1) < 0)) {
      since = NaN;
      continue;
    }
    starved++;
    if (Number.isNaN(since)) since = i > 0 ? at(frames, i - 1, 0) : t;
    longestMs = Math.max(longestMs, t - since);
  }
  return { spare: s.now, mean: s.mean, max: s.max, starvedPercent: (starved / s.count) * 100, longestMs };
}

export const enum AgeColumn {
  T = 0,
  Age = 1,
  Delay = 2,
  Needs = 3,
}
export interface AgeFigures {
  age: number;
  mean: number;
  max: number;
  delay: number;
  needs: number;
}

export function ageFigures(rows: Rows): AgeFigures | undefined {
  const age = stats(rows, AgeColumn.Age);
  if (!age.count) return undefined;
  return { age: age.now, mean: age.mean, max: age.max, delay: stats(rows, AgeColumn.Delay).now, needs: stats(rows, AgeColumn.Needs).now };
}

export const enum ErrorColumn {
  Own = 1,
  Others = 2,
  OwnNaive = 3,
  OthersNaive = 4,
}
export interface ErrorFigures {
  own: ReturnType<typeof stats>;
  others: ReturnType<typeof stats>;
  ownNaive: ReturnType<typeof stats>;
  othersNaive: ReturnType<typeof stats>;
}

export function errorFigures(rows: Rows): ErrorFigures {
  return { own: stats(rows, ErrorColumn.Own), others: stats(rows, ErrorColumn.Others), ownNaive: stats(rows, ErrorColumn.OwnNaive), othersNaive: stats(rows, ErrorColumn.OthersNaive) };
}

