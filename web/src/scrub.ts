// The handle on the tape: a native range over its picture. Dragging looks at the past; so do the arrows, a tick at a time.

import { text } from './strings.ts';
import type { Tape } from './tape.ts';
import type { Stand } from './taped.ts';

const PAGE_MS = 1000;
/** The share of the tape at its end that is live: some pixels, or nobody's finger would find it. */
const LIVE_SHARE = 0.005;

export interface Scrubbing {
  /** To look at that instant, ms behind live. */
  seek(behind: number): void;
  /** Where the page is on its way to, ms behind live. */
  heading(): number;
  /** So many ticks, back where it is below zero. */
  step(ticks: number): void;
  live(): void;
  /** The reader has let go of the handle that far behind live. */
  letGo(behind: number): void;
}

export class Scrub {
  private held = false;
  /** It had the focus before it was taken. */
  private focused = false;
  private stand: Stand = { now: 0, behind: 0, kept: 0 };

  constructor(
    private readonly range: HTMLInputElement,
    private readonly tape: Tape,
    private readonly on: Scrubbing,
  ) {
    range.addEventListener('pointerdown', () => this.take());
    range.addEventListener('input', () => on.seek(this.wanted()));
    range.addEventListener('change', () => this.release());
    range.addEventListener('pointerup', () => this.release());
    range.addEventListener('pointercancel', () => this.release());
    range.addEventListener('keydown', (e) => this.key(e));
  }

  /** Where the handle is, ms behind live; never farther back than what is kept. */
  private wanted(): number {
    const behind = -Number(this.range.value);
    return behind < LIVE_SHARE * this.tape.span ? 0 : Math.min(this.reach, behind);
  }

  /** How far back the handle goes, ms behind live. */
  private get reach(): number {
    return Math.min(this.stand.kept, this.tape.span);
  }

  private take(): void {
    this.held = true;
    this.focused = this.range.matches(':focus');
  }

  private release(): void {
    if (!this.held) return;
    this.held = false;
    // A finger or the mouse leaves the page's keys to the page; whoever came by keyboard stays.
    if (!this.focused) this.range.blur();
    this.on.letGo(this.wanted());
    this.say(this.stand);
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const behind = this.on.heading();
    const keys: Record<string, () => void> = {
      ArrowLeft: () => this.on.step(-1),
      ArrowDown: () => this.on.step(-1),
      ArrowRight: () => this.on.step(1),
      ArrowUp: () => this.on.step(1),
      PageDown: () => this.on.seek(Math.min(this.reach, behind + PAGE_MS)),
      PageUp: () => (behind > PAGE_MS ? this.on.seek(behind - PAGE_MS) : this.on.live()),
      Home: () => this.on.seek(this.reach),
      End: () => this.on.live(),
    };
    const act = keys[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  }

  /** Follows the instant that is shown; a handle that is held stays under the finger. */
  say(stand: Stand): void {
    this.stand = stand;
    const { range } = this;
    const min = String(-this.tape.span);
    if (range.min !== min) range.min = min;
    if (!this.held) range.value = String(-stand.behind);
    const words = text.behindLive(stand.behind);
    if (range.getAttribute('aria-valuetext') !== words) range.setAttribute('aria-valuetext', words);
  }
}
