// A mouse, or a pen: it aims where it points, its left button is the scene's first, its right the second.

import type { Held } from './pad.ts';

export class Mouse {
  private buttons = 0;
  private at: [number, number] | undefined;
  /** The click that takes the stage presses nothing, until it is over. */
  private taking = false;

  /** `took`: this press took the stage. */
  down(e: PointerEvent, at: [number, number], took: boolean): void {
    this.taking = took;
    this.move(e, at);
  }

  /** A second button that is pressed or let go while the first is held comes as a move. */
  move(e: PointerEvent, at: [number, number]): void {
    this.at = at;
    if (e.buttons === 0) this.taking = false;
    this.buttons = this.taking ? 0 : e.buttons & 3;
  }

  release(): void {
    this.buttons = 0;
    this.at = undefined;
    this.taking = false;
  }

  held(): Held {
    return { x: 0, y: 0, buttons: this.buttons, at: this.at };
  }
}
