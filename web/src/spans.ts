// When the screen was starved, kept for longer than the lab's own window: from its frames, so that a run shows while it lasts.

import { type Rows, at } from './view.ts';

export interface Span {
  from: number;
  to: number;
}

/** Two frames are at least this far apart, ms; the same frame seen from two instants differs by a rounding. */
const SAME_MS = 0.5;

export class StarvedSpans {
  private spans: Span[] = [];
  private lastAt = -Infinity;
  private starving = false;

  constructor(private readonly keepMs: number) {}

  /** Takes the frames that are newer than those before: t relative to `now`, spare ms (negative: starved). */
  add(frames: Rows, now: number): void {
    for (let i = 0; i < frames.count; i++) {
      const t = now + at(frames, i, 0);
      if (!(t > this.lastAt + SAME_MS)) continue;
      const starved = at(frames, i, 1) < 0;
      const last = this.spans[this.spans.length - 1];
      if (starved && this.starving && last) last.to = t;
      else if (starved) this.spans.push({ from: t, to: t });
      this.starving = starved;
      this.lastAt = t;
    }
    while (this.spans.length && this.spans[0]!.to < this.lastAt - this.keepMs) this.spans.shift();
  }

  /** What was later than that never happened. */
  forgetAfter(t: number): void {
    this.spans = this.spans.filter((span) => span.from <= t);
    const last = this.spans[this.spans.length - 1];
    this.starving = last !== undefined && last.to >= Math.min(t, this.lastAt);
    if (last) last.to = Math.min(last.to, t);
    this.lastAt = Math.min(this.lastAt, t);
  }

  clear(): void {
    this.spans = [];
    this.lastAt = -Infinity;
    this.starving = false;
  }

  get all(): readonly Span[] {
    return this.spans;
  }
}
