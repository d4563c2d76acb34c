// What just happened, newest first; the same in a polite live region at most once in two seconds.

import { h } from './dom.ts';
import { type Glyph, glyph } from './glyphs.ts';
import type { LabEvent } from './protocol.ts';
import { text } from './strings.ts';

const SHOWN = 14;
const FRESH = 2;
const SPEAK_EVERY_MS = 2000;

const GLYPH: Record<string, Glyph> = {
  lost: 'lost',
  late: 'late',
  correction: 'correction',
  starved: 'starved',
  hit: 'hit',
  granted: 'granted',
  denied: 'denied',
  miss: 'miss',
  behind: 'behind',
  hurt: 'hurt',
};

export class Feed {
  private events: LabEvent[] = [];
  private spokenAt = -Infinity;
  private unspoken: string | undefined;

  constructor(
    private readonly list: HTMLElement,
    private readonly live: HTMLElement,
  ) {
    this.clear();
  }

  clear(): void {
    this.events = [];
    this.unspoken = undefined;
    this.list.replaceChildren(h('li', { class: 'none', text: text.nothingYet }));
  }

  add(events: LabEvent[]): void {
    const newest = events.at(-1);
    if (!newest) return;
    this.events = [...events.slice(-SHOWN).reverse(), ...this.events].slice(0, SHOWN);
    this.unspoken = newest.text;
    this.list.replaceChildren(
      ...this.events.map((e, i) =>
        h('li', { class: i < FRESH ? 'fresh' : '' }, h('time', { text: text.seconds(e.t_ms) }), glyph(GLYPH[e.kind] ?? 'note'), h('span', { text: e.text })),
      ),
    );
    // Only whole lines: what would be cut off is older anyway.
    if (this.list.clientHeight > 0) while (this.list.scrollHeight > this.list.clientHeight + 1 && this.list.children.length > 1) this.list.lastChild?.remove();
  }

  /** Called with the page's text; says the newest line where the last one is long enough ago. */
  speak(nowMs: number): void {
    if (this.unspoken === undefined || nowMs - this.spokenAt < SPEAK_EVERY_MS) return;
    this.live.textContent = this.unspoken;
    this.unspoken = undefined;
    this.spokenAt = nowMs;
  }
}
