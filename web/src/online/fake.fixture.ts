// A world for unit tests: time that a test moves, and carriers that open, speak and fall when it says so.

import type { Carrier, Ear, Opening } from './carrier.ts';
import type { Via } from './words.ts';

export class FakeTime {
  now = 0;
  private timers: { at: number; then: () => void }[] = [];

  after = (ms: number, then: () => void): (() => void) => {
    const timer = { at: this.now + ms, then };
    this.timers.push(timer);
    return () => (this.timers = this.timers.filter((t) => t !== timer));
  };

  /** Lets so much time pass, and everything that it brings. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      await settle();
      const next = this.timers.filter((t) => t.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.now = Math.max(this.now, next.at);
      this.timers = this.timers.filter((t) => t !== next);
      next.then();
    }
    this.now = end;
    await settle();
  }

  /** The machine sleeps: time goes on and no timer runs. */
  sleep(ms: number): void {
    this.now += ms;
  }
}

/** Every promise that can go on has. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

export class FakeCarrier implements Carrier {
  readonly largest: number | undefined;
  writable = true;
  closed = false;
  readonly words: Record<string, unknown>[] = [];
  readonly packets: { bytes: number[]; keep: boolean }[] = [];
  ear: Ear | undefined;

  constructor(readonly via: Via) {
    this.largest = via === 'wt' ? 1024 : undefined;
  }

  listen(ear: Ear): void {
    this.ear = ear;
  }

  word(json: string): void {
    this.words.push(JSON.parse(json) as Record<string, unknown>);
  }

  packet(bytes: Uint8Array, keep: boolean): void {
    this.packets.push({ bytes: [...bytes], keep });
  }

  close(): void {
    this.closed = true;
  }
}

/** An opening that a test decides about. */
export class FakeOpening implements Opening {
  cancelled = false;
  readonly made: FakeCarrier;
  readonly carrier: Promise<Carrier>;
  private decide!: { open: (c: Carrier) => void; fail: (e: Error) => void };

  constructor(via: Via) {
    this.made = new FakeCarrier(via);
    this.carrier = new Promise((open, fail) => (this.decide = { open, fail }));
  }

  open(): FakeCarrier {
    this.decide.open(this.made);
    return this.made;
  }

  fail(): void {
    this.decide.fail(new Error('refused'));
  }

  cancel(): void {
    this.cancelled = true;
  }
}
