// What the lab told, in its order: the tape paints it, the feed says it. Both show only what had happened at the instant that is shown.

import type { LabEvent } from './protocol.ts';

/** More than these are not kept: at the worst link, a minute of them. */
const KEEP = 4000;

/** A view says its instant in single precision: what happened that little later had happened. */
const SAME_MS = 0.05;

/** The kind of the line that says: somebody acted in the past. */
export const FORK = 'fork';

export class Happened {
  private list: LabEvent[] = [];

  /** Takes what is new. Where somebody acted in the past, what was told of later than that never happened. */
  add(events: LabEvent[]): void {
    for (const event of events) {
      const place = this.upTo(event.t_ms);
      if (event.kind === FORK) this.list.length = place;
      this.list.splice(place, 0, event);
    }
    if (this.list.length > KEEP) this.list.splice(0, this.list.length - KEEP);
  }

  clear(): void {
    this.list = [];
  }

  /** What had happened by then and no earlier than `from`, oldest first. */
  between(from: number, now: number): LabEvent[] {
    return this.list.slice(this.upTo(from), this.upTo(now));
  }

  /** The newest so many sentences at that instant, newest first. */
  sentences(now: number, most: number): LabEvent[] {
    const out: LabEvent[] = [];
    for (let i = this.upTo(now) - 1; i >= 0 && out.length < most; i--) {
      const event = this.list[i]!;
      if (event.text) out.push(event);
    }
    return out;
  }

  /** How many had happened by then. */
  private upTo(now: number): number {
    let [low, high] = [0, this.list.length];
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.list[mid]!.t_ms <= now + SAME_MS) low = mid + 1;
      else high = mid;
    }
    return low;
  }
}
