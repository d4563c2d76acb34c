// A button pressed and let go between two ticks of a slowed clock must still be seen by one tick.

import type { Pad } from './protocol.ts';

export const AT_REST: Pad = { x: 0, y: 0, aimX: NaN, aimY: NaN, buttons: 0 };
/** A client's clock may run this much slower than the server's (drift 5 %, pacing 5 %, and some to spare). */
const SLOW = 1.15;

export class Latch {
  private pad = AT_REST;
  private owed = 0;
  private leftUs = 0;

  /** The hands moved. Returns the pad to hand on: what is held, and what was pressed since no tick has seen it. */
  set(pad: Pad, tickHz: number): Pad {
    const pressed = pad.buttons & ~this.pad.buttons;
    if (pressed) {
      this.owed |= pressed;
      this.leftUs = (1e6 / tickHz) * SLOW;
    }
    this.pad = pad;
    return { ...pad, buttons: pad.buttons | this.owed };
  }

  /** Virtual time passed. Returns the pad to hand on where a latched button is to be let go. */
  ran(us: number): Pad | undefined {
    if (!this.owed) return undefined;
    this.leftUs -= us;
    if (this.leftUs > 0) return undefined;
    const stale = this.owed & ~this.pad.buttons;
    this.owed = 0;
    return stale ? this.pad : undefined;
  }
}
