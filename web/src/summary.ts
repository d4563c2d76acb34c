// What each pane shows, in words with numbers: for who cannot see it. Read at will, never spoken by itself.

import { byId, say } from './dom.ts';
import type { Readings } from './protocol.ts';
import { text } from './strings.ts';
import { Flag, M, MarkKind, type Rows, Section, type View, at } from './view.ts';

const EVERY_MS = 2000;
const PANES = ['you', 'server', 'other'] as const;

/** Who is drawn in a pane. */
export interface Cast {
  others: number;
  bots: number;
  /** From you to the nearest of them, metres; NaN where there is none. */
  nearest: number;
}

export class Summaries {
  private saidAt = -Infinity;

  constructor() {
    // Whoever comes to the stage is told of it as it is.
    byId('c-you').addEventListener('focus', () => (this.saidAt = -Infinity));
  }

  /** Once in two seconds, and with each picture while time stands. */
  say(view: View, readings: Readings, nowMs: number, playing: boolean): void {
    if (playing && nowMs - this.saidAt < EVERY_MS) return;
    this.saidAt = nowMs;
    PANES.forEach((id, i) => say(byId(`s-${id}`), text.paneSummary[id](readings, cast(view.section((Section.You + i) as Section)))));
  }
}

export function cast(rows: Rows): Cast {
  const cast: Cast = { others: 0, bots: 0, nearest: Infinity };
  const places: [kind: number, x: number, y: number][] = [];
  for (let i = 0; i < rows.count; i++) {
    const kind = at(rows, i, M.Kind);
    if (kind <= MarkKind.Bot && !(at(rows, i, M.Flags) & Flag.Dead)) places.push([kind, at(rows, i, M.X), at(rows, i, M.Y)]);
  }
  const you = places.find(([kind]) => kind === MarkKind.You);
  for (const [kind, x, y] of places) {
    if (kind === MarkKind.You) continue;
    if (kind === MarkKind.Bot) cast.bots++;
    else cast.others++;
    if (you) cast.nearest = Math.min(cast.nearest, Math.hypot(x - you[1], y - you[2]));
  }
  if (!Number.isFinite(cast.nearest)) cast.nearest = NaN;
  return cast;
}
