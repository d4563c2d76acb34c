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
/**
 * The ages with the delay that each frame was really drawn for, age plus spare, in place of the one that was asked for: on a link that
 * stalls, the client's idea of the present lags, and its delay is longer than chosen. So age passes delay just where the lagometer starves.
 */
export function drawnFor(ages: Rows, frames: Rows): Rows {
  const { count, stride } = ages;
  const data = ages.data.slice(ages.offset, ages.offset + count * stride);
  let f = frames.count - 1;
  for (let i = count - 1; i >= 0; i--) {
    const t = at(ages, i, AgeColumn.T);
    while (f >= 0 && at(frames, f, 0) > t) f--;
    if (f < 0) break;
    if (at(frames, f, 0) === t) data[i * stride + AgeColumn.Delay] = at(ages, i, AgeColumn.Age) + at(frames, f, 1);
  }
  return { data, offset: 0, count, stride };
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

/** Whether there is anything to draw: while nothing of the drawn instants is known yet, the naive figures may be. */
export function measured(f: ErrorFigures): boolean {
  return f.own.count + f.others.count + f.ownNaive.count + f.othersNaive.count > 0;
}
