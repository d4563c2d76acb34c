// Whoever plays: the hands on the stage, the keys that they use, and the line under the stage that says how. The bot plays while nobody does.

import type { Bridge } from './bridge.ts';
import { byId } from './dom.ts';
import { Hands } from './input/hands.ts';
import { Keys } from './input/keys.ts';
import { AT_REST } from './input/pad.ts';
import type { Stick } from './input/touch.ts';
import type { Pad } from './protocol.ts';
import { text } from './strings.ts';
import { sayHint, sayPresses, toast } from './words.ts';

export class Player {
  /** What is held now. */
  pad: Pad = AT_REST;
  readonly keys: Keys;
  private readonly hands: Hands;
  private names: readonly string[] = [];
  /** What is shown is behind live. */
  private inPast = false;
  /** Fingers play, or did last. */
  private fingers = false;
  /** Whether the character is in a room, or there is none. */
  private online: 'no' | 'plays' | 'watches' = 'no';

  /** `toWorld` turns pixels of your pane to metres. */
  constructor(
    private readonly bridge: Bridge,
    toWorld: (x: number, y: number) => [number, number] | undefined,
  ) {
    this.keys = new Keys(() => this.hint());
    const presses = [0, 1].flatMap((i) => [...document.querySelectorAll<HTMLElement>(`[data-press="${i}"]`)]);
    this.hands = new Hands(byId<HTMLCanvasElement>('c-you'), () => this.keys.now, { stick: byId('stick'), knob: byId('knob'), buttons: presses }, {
      pad: (pad) => this.bridge.pad((this.pad = pad)),
      taken: (yes) => {
        this.pad = AT_REST;
        this.bridge.autopilot(!yes);
        this.hint();
      },
      fingers: (yes) => {
        this.fingers = yes;
        this.hint();
      },
      gamepad: (there, standard) => toast(there ? text.gamepad.here(standard) : text.gamepad.gone),
      toWorld,
    });
    this.hint();
  }

  get drives(): boolean {
    return this.hands.drives;
  }

  /** The thumb on the stage, while there is one. */
  get stick(): Stick | undefined {
    return this.hands.stick;
  }

  /** Another world: hands off, and its buttons have these names. */
  begins(names: readonly string[]): void {
    this.hands.release();
    this.names = names;
    this.keys.name(names);
    sayPresses(names);
    this.hint();
  }

  /** In a room, watching one, or in page. */
  goes(online: 'no' | 'plays' | 'watches'): void {
    this.online = online;
    this.hint();
  }

  /** Says what acting would do where what is shown is behind live. */
  past(yes: boolean): void {
    if (yes === this.inPast) return;
    this.inPast = yes;
    this.hint();
  }

  /** The past that was acted in had hands of its own on the character: those of now take over. */
  takeOver(): void {
    if (!this.hands.drives) this.bridge.autopilot(true);
  }

  leave(): void {
    this.hands.leave();
  }

  /** Once a frame. */
  poll(): void {
    this.hands.poll();
  }

  private hint(): void {
    sayHint({ driving: this.hands?.drives ?? false, online: this.online, fingers: this.fingers, past: this.inPast }, this.keys.labels(), this.names);
  }
}
