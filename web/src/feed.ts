// What just happened, newest first, as of the instant that is shown; the same in a polite live region at most once in two seconds.

import { h } from './dom.ts';
import { type Glyph, glyph } from './glyphs.ts';
import type { Happened } from './happened.ts';
import type { LabEvent } from './protocol.ts';
import { text } from './strings.ts';

const SHOWN = 14;
const FRESH = 2;
const SPEAK_EVERY_MS = 2000;

const GLYPH: Record<string, Glyph> = {
  lost: 'lost',
  losses: 'lost',
  late: 'late',
  stalls: 'late',
  doubled: 'doubled',
  correction: 'correction',
  starved: 'starved',
  hit: 'hit',
  granted: 'granted',
  denied: 'denied',
  miss: 'miss',
  behind: 'behind',
  hurt: 'hurt',
  fork: 'fork',
};

export class Feed {
  private shown: LabEvent[] = [];
  private spoken: LabEvent | undefined;
  private spokenAt = -Infinity;

  constructor(
    private readonly list: HTMLElement,
    private readonly live: HTMLElement,
    private readonly happened: Happened,
  ) {
    this.list.replaceChildren(nothing());
  }

  /** Shows what had happened at that instant. */
  show(now: number): void {
    const lines = this.happened.sentences(now, SHOWN);
    if (lines.length === this.shown.length && lines.every((line, i) => line === this.shown[i])) return;
    this.shown = lines;
    const items = lines.map((e, i) =>
      h('li', { class: i < FRESH ? 'fresh' : '' }, h('time', { text: text.seconds(e.t_ms) }), glyph(GLYPH[e.kind] ?? 'note'), h('span', { text: e.text })),
    );
    this.list.replaceChildren(...(items.length ? items : [nothing()]));
    // Once it was laid out for the screen: to measure now would lay the page out for it alone.
    requestAnimationFrame(() => setTimeout(() => this.trim(items)));
  }

  /** Leaves only whole lines: what would be cut off is older anyway. All are measured before the first is taken out. */
  private trim(items: HTMLElement[]): void {
    const { clientHeight } = this.list;
    const cut = clientHeight > 0 ? items.filter((item, i) => i > 0 && item.isConnected && item.offsetTop + item.offsetHeight > clientHeight + 1) : [];
    for (const item of cut) item.remove();
  }

  /** Called with the page's text; says the newest line where the last one is long enough ago. */
  speak(nowMs: number): void {
    const newest = this.shown[0];
    if (!newest || newest === this.spoken || nowMs - this.spokenAt < SPEAK_EVERY_MS) return;
    this.live.textContent = newest.text;
    this.spoken = newest;
    this.spokenAt = nowMs;
  }
}

const nothing = () => h('li', { class: 'none', text: text.nothingYet });
