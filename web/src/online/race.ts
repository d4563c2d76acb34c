// Which carrier is taken: what the browser, the address, the relay and the player allow, and of what is left whichever is there first.

import type { Carrier, Opening } from './carrier.ts';
import type { Certificate, Choice, Via } from './words.ts';

/** WebTransport's head start. Where UDP is blocked its `ready` hangs for 4 to 30 s, so nobody waits for it. */
export const HEAD_START_MS = 800;
/** Neither is there by then: nothing will be. */
const GIVE_UP_MS = 10_000;

/**
 * Why WebTransport is not used: the player chose, the address is not secure, the browser has none, the relay has none, this computer's
 * clock is outside the certificate's time; it was refused, it was not there in time, it opened and nothing came over it.
 */
export type Why = 'chosen' | 'insecure' | 'browser' | 'relay' | 'clock' | 'refused' | 'late' | 'mute';

/** What is known before anything is tried. */
export interface Known {
  choice: Choice;
  /** The page came from where WebTransport is allowed. */
  secure: boolean;
  /** The browser has it. */
  browser: boolean;
  /** The relay offers it. */
  offered: boolean;
  certificate: Certificate | undefined;
  /** This computer's time, ms since 1970. */
  now: number;
  /** It opened the last time, and nothing came over it. */
  mute: boolean;
}

/** Whether this computer's time lies outside the certificate's, so that the browser refuses it. */
export const wrongClock = (certificate: Certificate, now: number): boolean => now < certificate.from || now > certificate.until;

/** What speaks against WebTransport; undefined where nothing does. */
export function against({ choice, secure, browser, offered, certificate, now, mute }: Known): Why | undefined {
  if (choice === 'ws') return 'chosen';
  if (!secure) return 'insecure';
  if (!browser) return 'browser';
  if (!offered || !certificate) return 'relay';
  if (wrongClock(certificate, now)) return 'clock';
  if (mute && choice === 'auto') return 'mute';
  return undefined;
}

export interface Won {
  carrier: Carrier;
  /** Why it is not WebTransport. */
  why: Why | undefined;
}

/** Rejects with this where no carrier came about: why each did not. */
export class NoCarrier extends Error {
  constructor(readonly why: Why | undefined) {
    super(`no carrier: ${why ?? ''}`);
  }
}

type After = (ms: number, then: () => void) => () => void;

/**
 * Opens what may be opened: WebTransport first, WebSocket when that fails or its head start is over. The first that is open is the one;
 * the other is closed before a word went over it.
 */
export function race(choice: Choice, why: Why | undefined, open: Record<Via, () => Opening>, after: After): Promise<Won> {
  return new Promise((resolve, reject) => {
    const under = new Map<Via, Opening>();
    const lost = new Set<Via>();
    let over = false;
    let cause = why;
    const timers: (() => void)[] = [];
    const end = (winner?: Via) => {
      over = true;
      for (const cancel of timers) cancel();
      for (const [via, opening] of under) if (via !== winner) opening.cancel();
    };
    const fail = () => {
      if (over) return;
      end();
      reject(new NoCarrier(cause));
    };
    const start = (via: Via) => {
      if (over || under.has(via)) return;
      const opening = open[via]();
      under.set(via, opening);
      opening.carrier.then(
        (carrier) => {
          if (over) return;
          end(via);
          resolve({ carrier, why: via === 'wt' ? undefined : cause });
        },
        () => {
          lost.add(via);
          if (via === 'wt') {
            cause ??= 'refused';
            if (choice === 'auto') start('ws');
          }
          if (lost.size === under.size) fail();
        },
      );
    };
    timers.push(after(GIVE_UP_MS, fail));
    if (why === undefined) start('wt');
    else if (choice === 'wt') fail();
    else start('ws');
    if (choice !== 'auto' || why !== undefined) return;
    timers.push(
      after(HEAD_START_MS, () => {
        cause ??= 'late';
        start('ws');
      }),
    );
  });
}
