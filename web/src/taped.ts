// What the tape shows of what happened, and how far back it goes.

import type { drawn } from './strings/drawn.ts';

export type RowName = keyof typeof drawn.tapeRows;

/** Which row an event belongs to, by its kind. */
export const ROW: Record<string, RowName> = {
  lost: 'loss',
  resent: 'loss',
  late: 'loss',
  correction: 'correct',
  hit: 'shots',
  granted: 'shots',
  denied: 'shots',
  miss: 'shots',
  behind: 'shots',
  hurt: 'shots',
};
const LONG_MS = 60_000;
const SHORT_MS = 10_000;
/** A strip narrower than this is a phone's: it has no room for a minute, nor for the names of the rows. */
const NARROW = 300;

/** How much of the past a strip of that width shows, ms; a narrow one is short. */
export const spanOf = (width: number): { span: number; short: boolean } => (width < NARROW ? { span: SHORT_MS, short: true } : { span: LONG_MS, short: false });

/** Where the tape stands. */
export interface Stand {
  /** The instant shown, ms. */
  now: number;
  /** How far behind live it is, and how far back from live the past is kept, ms. */
  behind: number;
  kept: number;
}
