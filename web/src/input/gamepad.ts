// A gamepad of the standard layout: left stick or cross moves, right stick aims, the front buttons and triggers press.

import { type Held, stick } from './pad.ts';

/** Sticks at rest give up to so much: worn ones drift by a tenth and more. */
const DEAD = 0.18;
/** A trigger counts as pressed from here on, before its end. */
const PULLED = 0.4;
/** Places in the standard layout, by the scene's button: A and the right hand's, B and the left hand's. */
const PRESSES = [
  [0, 5, 7],
  [1, 4, 6],
] as const;
const CROSS: readonly (readonly [place: number, x: number, y: number])[] = [
  [12, 0, -1],
  [13, 0, 1],
  [14, -1, 0],
  [15, 1, 0],
];
/** Back, or select: gives the stage back, as Escape does. */
const BACK = 8;

const NOTHING: Held = { x: 0, y: 0, buttons: 0 };

/** What one gamepad holds. Of one without the standard layout only its first stick and two buttons can be told. */
function readGamepad({ axes, buttons, mapping }: Pick<Gamepad, 'axes' | 'buttons' | 'mapping'>): Held {
  const axis = (i: number): number => (Number.isFinite(axes[i]) ? (axes[i] as number) : 0);
  const pressed = (i: number): boolean => (buttons[i]?.pressed ?? false) || (buttons[i]?.value ?? 0) > PULLED;
  const standard = mapping === 'standard';
  let [x, y] = stick(axis(0), axis(1), DEAD, 1);
  let bits = 0;
  PRESSES.forEach((places, button) => {
    if (places.slice(0, standard ? places.length : 1).some(pressed)) bits |= 1 << button;
  });
  if (!standard) return { x, y, buttons: bits };
  for (const [place, dx, dy] of CROSS) if (pressed(place)) [x, y] = [x + dx, y + dy];
  const [ax, ay] = stick(axis(2), axis(3), DEAD, 1);
  return { x, y, buttons: bits, along: ax || ay ? [ax, ay] : undefined };
}

export class Gamepads {
  private now: Held = NOTHING;
  private before = 0;
  private backBefore = false;
  private there = 0;
  /** Something was pressed since the last poll that was not held before: that takes the stage. */
  pressed = false;
  /** Back was pressed since the last poll. */
  back = false;

  /** `said` is told of each one that comes or goes, and whether it is of the standard layout. */
  constructor(said: (there: boolean, standard: boolean) => void) {
    for (const [type, by] of [
      ['gamepadconnected', 1],
      ['gamepaddisconnected', -1],
    ] as const)
      addEventListener(type, ({ gamepad }: GamepadEvent) => {
        this.there = Math.max(0, this.there + by);
        said(by > 0, gamepad.mapping === 'standard');
      });
  }

  /** Once a frame, since a gamepad says nothing by itself; false where there is none. All that are there count together. */
  poll(): boolean {
    if (this.there === 0 && this.now === NOTHING) return false;
    this.now = NOTHING;
    let back = false;
    for (const pad of navigator.getGamepads()) {
      if (!pad?.connected) continue;
      const held = readGamepad(pad);
      this.now = { x: this.now.x + held.x, y: this.now.y + held.y, buttons: this.now.buttons | held.buttons, along: held.along ?? this.now.along };
      back ||= pad.mapping === 'standard' && (pad.buttons[BACK]?.pressed ?? false);
    }
    this.pressed = (this.now.buttons & ~this.before) !== 0;
    this.back = back && !this.backBefore;
    this.before = this.now.buttons;
    this.backBefore = back;
    return true;
  }

  /** Lets go; what is still held down counts again only once it was let go and pressed anew. */
  release(): void {
    this.now = NOTHING;
  }

  held(): Held {
    return this.now;
  }
}
