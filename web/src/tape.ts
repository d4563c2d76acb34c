// The tape in words, and how far back it goes.

import type { Happened } from './happened.ts';
import type { StarvedSpans } from './spans.ts';
import { type TapeCounts, text } from './strings.ts';
import { ROW, spanOf } from './taped.ts';

const SAY_MS = 2000;

export class Tape {
  private saidAt = -Infinity;

  /** `width` in CSS pixels. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly happened: Happened,
    private readonly starved: StarvedSpans,
    private readonly width: () => number,
  ) {}

  /** How much of the past it shows, ms. */
  get span(): number {
    return spanOf(this.width()).span;
  }

  /** Says in words what the picture shows, up to the instant shown: once in two seconds, and with each picture while time stands. */
  summarize(now: number, wallMs: number, playing: boolean): void {
    if (playing && wallMs - this.saidAt < SAY_MS) return;
    this.saidAt = wallMs;
    const summary = text.tapeSummary(this.span / 1000, this.counts(now));
    const { canvas } = this;
    if (canvas.getAttribute('aria-label') !== summary) canvas.setAttribute('aria-label', summary);
  }

  private counts(now: number): TapeCounts {
    const counts = { loss: 0, missed: 0, correct: 0, starvedMs: 0, hit: 0, miss: 0 };
    const from = now - this.span;
    for (const { kind } of this.happened.between(from, now)) {
      if (ROW[kind] === 'loss') counts.loss++;
      if (kind === 'lost') counts.missed++;
      else if (kind === 'correction') counts.correct++;
      else if (kind === 'hit' || kind === 'granted') counts.hit++;
      else if (kind === 'miss' || kind === 'denied') counts.miss++;
    }
    for (const s of this.starved.all) counts.starvedMs += Math.max(0, Math.min(s.to, now) - Math.max(s.from, from));
    return counts;
  }
}
