// What a session rides on: packets of the netcode and words in JSON, both ways. It carries bytes and reads none of them.

import type { Via } from './words.ts';

export interface Ear {
  /** A frame of the netcode; the bytes are the ear's. */
  packet(bytes: Uint8Array): void;
  word(json: string): void;
  /** It is over, by whomever; said once, and not after `close`. */
  gone(): void;
}

export interface Carrier {
  readonly via: Via;
  /** The largest packet that may be lost, bytes; undefined where the carrier sets no bound of its own. */
  readonly largest: number | undefined;
  /** False while what was given to it waits to be sent: nothing that can be newer should be given to it. */
  readonly writable: boolean;
  /** From now on; what came before is told now. */
  listen(ear: Ear): void;
  word(json: string): void;
  /** `keep`: it must not be lost. The bytes are copied. */
  packet(bytes: Uint8Array, keep: boolean): void;
  /** Ends it once what was given to it is on its way. */
  close(): void;
}

/** A carrier under way. */
export interface Opening {
  carrier: Promise<Carrier>;
  /** It is not wanted any more, whether or not it is there. */
  cancel(): void;
}

/** Keeps what is heard until somebody listens. */
export class Hearing {
  private ear: Ear | undefined;
  private early: ((ear: Ear) => void)[] = [];
  private over = false;

  listen(ear: Ear): void {
    this.ear = ear;
    for (const tell of this.early.splice(0)) tell(ear);
  }

  tell(what: (ear: Ear) => void): void {
    if (this.over) return;
    if (this.ear) what(this.ear);
    else this.early.push(what);
  }

  /** Over: tells so, and nothing after it. */
  gone(): void {
    this.tell((ear) => ear.gone());
    this.over = true;
  }

  /** Whoever closes it knows. */
  stop(): void {
    this.over = true;
  }
}
