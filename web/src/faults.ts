// What can go wrong with the lab, said in words, each with a way on. The link keeps the state through all of it.

import type { Fault } from './bridge.ts';
import type { Notices, Way } from './notice.ts';
import { text } from './strings.ts';

/** A lab that is not there by then is said to be slow; it may still come. */
const SLOW_MS = 10_000;

export interface FaultHost {
  /** A new worker in place of the one that is gone, with what is set. */
  again(): void;
  /** The same with every setting at its default. */
  afresh(): void;
  copy(): void;
}

export class Faults {
  private timer = 0;

  constructor(
    private readonly notices: Notices,
    private readonly host: FaultHost,
  ) {}

  say(when: Fault, message: string): void {
    clearTimeout(this.timer);
    this.notices.hide('slow');
    const fell = when === 'trap' || when === 'silent';
    this.notices.show(when === 'silent' ? 'silent' : 'fault', sentence(when, message), fell ? [...this.restarts(), this.copying()] : [reloading(), this.copying()], [], false);
  }

  /** The module of another scene did not come: it may the next time, and the one before is still there. */
  sayScene(label: string, message: string, before: Way): void {
    this.came();
    const ways = [{ label: text.tryAgain, go: () => this.host.again() }, { ...before, label: text.backTo(before.label) }, this.copying()];
    this.notices.show('fault', text.sceneFailed(label, message), ways, [], false);
  }

  /** The browser cannot do it at all: the link can be taken to one that can. */
  sayNoWasm(): void {
    this.notices.show('fault', text.noWasm, [this.copying()], [], false);
  }

  /** The lab was asked for: says so where it takes long. */
  waits(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.notices.show('slow', text.slow, [reloading()]), SLOW_MS);
  }

  /** It is there. */
  came(): void {
    clearTimeout(this.timer);
    this.notices.hide('slow');
  }

  private restarts(): Way[] {
    return [
      { label: text.again, go: () => this.host.again() },
      { label: text.afresh, go: () => this.host.afresh() },
    ];
  }

  private copying(): Way {
    return { label: text.copy, go: () => this.host.copy(), stays: true };
  }
}

const reloading = (): Way => ({ label: text.reload, go: () => location.reload() });

function sentence(when: Fault, message: string): string {
  switch (when) {
    case 'trap':
      return text.trapped(message);
    case 'silent':
      return text.silent;
    case 'load':
      return text.loadFailed(message);
    case 'worker':
      return message ? text.loadFailed(message) : text.noWorker;
    case 'layout':
      return text.otherBuild;
  }
}
