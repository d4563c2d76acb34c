// What an instrument says: its figures from the probes, its rows. paint/plots draws it.

import type { Config, Reading } from '../protocol.ts';
import type { text } from '../strings.ts';
import { type Rows, type View, at } from '../view.ts';

export type PlotId = keyof typeof text.instruments;

/** What of the settings decides how a figure is read. */
export interface Setting {
  /** Whether others are drawn between two samples. Where they are not there is no delay, and no frame can starve. */
  interpolates: boolean;
  /** What the link carries each way at most, KiB/s; 0 where it is not capped. */
  up: number;
  down: number;
}

export function settingOf(config: Config): Setting {
  const cap = (way: string) => ((Number(config[`link.${way}.rate`]) || 0) * 1000) / 1024;
  return { interpolates: config['interp.on'] !== false, up: cap('up'), down: cap('down') };
}

export interface Figure {
  now: string;
  /** The figure is past its limit. */
  bad: boolean;
  detail: string;
  /** The picture in a sentence. */
  summary: string;
}

export type Probes = Record<string, Reading>;

export interface Plot {
  id: PlotId;
  /** Takes half of a row and not a third. */
  wide: boolean;
  /** What a texture means; lines are named in the margin. */
  key: [picture: SVGElement, word: string][];
  /** Undefined before there is anything to say. */
  read(view: View, probes: Probes, setting: Setting): Figure | undefined;
  /** The newest rows, newest first: the time in seconds, then as the columns in strings.ts. */
  rows(view: View): string[][];
}

/** Rows of a table: what is read at a glance. */
export const ROWS = 20;

/**
 * For each of the last steps, newest first, the newest row at or before its end that is not older than the step before; undefined where
 * there is none.
 */
export function steps(rows: Rows, stepMs: number): (number | undefined)[] {
  let i = rows.count - 1;
  return Array.from({ length: ROWS }, (_, k) => {
    // A row at the instant itself may lie a rounding after it.
    while (i >= 0 && at(rows, i, 0) > -k * stepMs + 0.01) i--;
    return i >= 0 && at(rows, i, 0) > -(k + 1) * stepMs ? i : undefined;
  });
}

export function spread(reading: Reading | undefined): { now: number; mean: number; max: number } {
  const { now, mean, max } = reading ?? {};
  return { now: now ?? NaN, mean: mean ?? NaN, max: max ?? NaN };
}
