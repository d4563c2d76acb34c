// What just happened, newest first, as of the instant that is shown; the same in a polite live region at most once in two seconds.

import { h, say } from './dom.ts';
import { type Glyph, image } from './glyphs.ts';
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
  /** The items of `shown`, those too that were left out for want of room. */
  private items: HTMLElement[] = [];
  /** The list's height when they were measured last; another has room for others, so all are made again. */
  private height = 0;
  private anew = false;
  private spoken: LabEvent | undefined;
  private spokenAt = -Infinity;

  constructor(
    private readonly list: HTMLElement,
    private readonly live: HTMLElement,
    private readonly happened: Happened,
  ) {
    this.list.replaceChildren(nothing());
  }

  /** Whether what is shown is not what had happened at that instant. */
  owes(now: number): boolean {
    const { shown } = this;
    const lines = this.happened.sentences(now, SHOWN);
    return this.anew || lines.length !== shown.length || lines.some((line, i) => line !== shown[i]);
  }

  /** Shows what had happened at that instant. What stays is not made again: new lines come on top, the oldest go. */
  show(now: number): void {
    if (!this.owes(now)) return;
    const { shown } = this;
    const lines = this.happened.sentences(now, SHOWN);
    const fresh = this.anew ? -1 : lines.indexOf(shown[0]!);
    const follows = fresh >= 0 && lines.slice(fresh).every((line, i) => line === shown[i]);
    const added = lines.slice(0, follows ? fresh : SHOWN).map(item);
    const kept = follows ? this.items.slice(0, lines.length - fresh) : [];
    for (const old of this.items.slice(kept.length)) old.remove();
    this.anew = false;
    this.shown = lines;
    this.items = [...added, ...kept];
    if (follows) this.list.prepend(...added);
    else this.list.replaceChildren(...(added.length ? added : [nothing()]));
    this.items.slice(0, added.length + FRESH).forEach((li, i) => li.classList.toggle('fresh', i < FRESH));
    // Once it was laid out for the screen: to measure now would lay the page out for it alone.
    requestAnimationFrame(() => setTimeout(() => this.trim()));
  }

  /** Leaves only whole lines: what would be cut off is older anyway. All are measured before the first is taken out. */
  private trim(): void {
    const { clientHeight } = this.list;
    const cut = clientHeight > 0 ? this.items.filter((li, i) => i > 0 && li.isConnected && li.offsetTop + li.offsetHeight > clientHeight + 1) : [];
    for (const li of cut) li.remove();
    this.anew = clientHeight !== this.height;
    this.height = clientHeight;
  }

  /** Called with the page's text; says the newest line where the last one is long enough ago. */
  speak(nowMs: number): void {
    const newest = this.shown[0];
    if (!newest || newest === this.spoken || nowMs - this.spokenAt < SPEAK_EVERY_MS) return;
    say(this.live, newest.text);
    this.spoken = newest;
    this.spokenAt = nowMs;
  }
}

const item = (e: LabEvent) => h('li', {}, h('time', { text: text.seconds(e.t_ms) }), image(GLYPH[e.kind] ?? 'note'), h('span', { text: e.text }));

const nothing = () => h('li', { class: 'none', text: text.nothingYet });
