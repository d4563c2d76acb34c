// What the instruments say in numbers, over the rows that they draw.

import { type Rows, at, stats } from '../view.ts';

/** How far back each picture goes, ms. The lagometer's is the shortest: at 64 snapshots a second a bar must still be a bar. Half of what is kept of the depth: a tick must still be a step. */
export const windows = { lagometer: 1500, age: 3000, depth: 3000, error: 6000, bandwidth: 6000 };

/** What became of a snapshot, where it was not simply heard. */
export const enum Heard {
  Lost = 1,
  Late = 2,
}

export interface LagometerFigures {
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
  return { starvedPercent: (starved / s.count) * 100, longestMs };
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

export const enum DepthColumn {
  T = 0,
  Depth = 1,
  Target = 2,
  Bend = 3,
}

/** Ticks of the server that found no command waiting, in the last so many ms. */
export function emptyTicks(rows: Rows, windowMs: number): number {
  let empty = 0;
  for (let i = 0; i < rows.count; i++) if (at(rows, i, DepthColumn.T) >= -windowMs && at(rows, i, DepthColumn.Depth) < 1) empty++;
  return empty;
}

export const enum ErrorColumn {
  Own = 1,
  Others = 2,
  OwnNaive = 3,
  OthersNaive = 4,
}
export const ERRORS = [ErrorColumn.Own, ErrorColumn.Others, ErrorColumn.OwnNaive, ErrorColumn.OthersNaive] as const;

export const enum TrafficColumn {
  UpInputs = 1,
  UpHeaders = 2,
  UpOther = 3,
  DownOwn = 4,
  DownOthers = 5,
  DownEvents = 6,
  DownHeaders = 7,
  DownOther = 8,
}
export const UP = [TrafficColumn.UpInputs, TrafficColumn.UpHeaders, TrafficColumn.UpOther] as const;
export const DOWN = [TrafficColumn.DownOwn, TrafficColumn.DownOthers, TrafficColumn.DownEvents, TrafficColumn.DownHeaders, TrafficColumn.DownOther] as const;

/** Bytes of a KiB. */
export const KIB = 1024;

/** The sum of some columns of a row. */
export function sum(rows: Rows, row: number, fields: readonly number[]): number {
  let all = 0;
  for (const field of fields) all += at(rows, row, field);
  return all;
}

/** Heights, ascending, moved as little as keeps them so far apart and between top and foot; where there are too many, the foot holds. */
export function apart(heights: number[], top: number, foot: number, gap: number): number[] {
  const ys = heights.map((y) => Math.min(Math.max(y, top), foot));
  for (let i = 1; i < ys.length; i++) ys[i] = Math.max(ys[i]!, ys[i - 1]! + gap);
  // What was pushed over the foot comes back up, and pushes those above it.
  for (let i = ys.length - 1, most = foot; i >= 0; i--, most = ys[i + 1]! - gap) ys[i] = Math.min(ys[i]!, most);
  return ys;
}
