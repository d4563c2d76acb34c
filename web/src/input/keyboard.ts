// Keys held, by what they are bound to.

import { type Bindings, WAYS, actionOf, bitOf, codeOf } from './binding.ts';
import type { Held } from './pad.ts';

export class Keyboard {
  private readonly down = new Set<string>();

  constructor(private readonly bindings: () => Bindings) {}

  /** Whether this key is one of ours; if so, it is held or let go. A key is let go whatever is held beside it by then; with a modifier
   *  none is taken. */
  key(e: KeyboardEvent, down: boolean): boolean {
    if (down && (e.ctrlKey || e.metaKey || e.altKey)) return false;
    const code = codeOf(e.code);
    if (!actionOf(this.bindings(), code)) return false;
    if (!down) this.down.delete(code);
    else if (!e.repeat) this.down.add(code);
    return true;
  }

  release(): void {
    this.down.clear();
  }

  held(): Held {
    const held = { x: 0, y: 0, buttons: 0 };
    for (const code of this.down) {
      const action = actionOf(this.bindings(), code);
      if (!action) continue;
      const [x, y] = WAYS[action] ?? [0, 0];
      held.x += x;
      held.y += y;
      held.buttons |= bitOf(action);
    }
    // Two keys of one way are no faster than one.
    held.x = Math.sign(held.x);
    held.y = Math.sign(held.y);
    return held;
  }
}
