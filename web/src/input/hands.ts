// All hands on the stage, as one pad. Keys are taken only while the stage has the focus; Escape gives them back; losing the focus or
// the sight of the page lets go of everything, and that is sent too.

import type { Pad } from '../protocol.ts';
import type { Bindings } from './binding.ts';
import { Gamepads } from './gamepad.ts';
import { Keyboard } from './keyboard.ts';
import { Mouse } from './mouse.ts';
import { AT_REST, type Held, merge, samePad } from './pad.ts';
import { type Stick, Touch, type TouchControls } from './touch.ts';

export interface Hold {
  pad(pad: Pad): void;
  /** Someone took the stage, or gave it back. */
  taken(yes: boolean): void;
  /** Fingers play, so that controls for them belong on the screen; or something else does. */
  fingers(yes: boolean): void;
  /** A gamepad came or went. */
  gamepad(there: boolean, standard: boolean): void;
  /** Canvas pixels to metres; undefined before there is a picture. */
  toWorld(x: number, y: number): [number, number] | undefined;
}

interface Device {
  held(): Held;
  release(): void;
}

export class Hands {
  private readonly keyboard: Keyboard;
  private readonly mouse = new Mouse();
  private readonly touch: Touch;
  private readonly gamepads: Gamepads;
  private readonly devices: readonly Device[];
  /** Whose aim counts: who aimed last. */
  private aims: Device | undefined;
  private driving = false;
  private byFinger = false;
  private last: Pad = AT_REST;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    bindings: () => Bindings,
    controls: TouchControls | undefined,
    private readonly hold: Hold,
  ) {
    this.keyboard = new Keyboard(bindings);
    this.touch = new Touch(
      controls,
      () => this.finger(),
      () => this.aim(this.touch),
    );
    this.gamepads = new Gamepads((there, standard) => hold.gamepad(there, standard));
    this.devices = [this.keyboard, this.mouse, this.touch, this.gamepads];
    canvas.addEventListener('keydown', (e) => this.key(e, true));
    canvas.addEventListener('keyup', (e) => this.key(e, false));
    canvas.addEventListener('blur', () => this.release());
    canvas.addEventListener('contextmenu', (e) => e.preventDefault());
    canvas.addEventListener('pointerdown', (e) => this.down(e));
    canvas.addEventListener('pointermove', (e) => this.move(e));
    canvas.addEventListener('pointerup', (e) => this.up(e, true));
    canvas.addEventListener('pointercancel', (e) => this.up(e, false));
    addEventListener('blur', () => this.release());
    document.addEventListener('visibilitychange', () => document.hidden && this.release());
  }

  get drives(): boolean {
    return this.driving;
  }

  get stick(): Stick | undefined {
    return this.touch.drawn;
  }

  /** Lets go of every key and button and gives the body back to the bot. */
  release(): void {
    for (const device of this.devices) device.release();
    this.aims = undefined;
    if (!this.driving) return;
    this.driving = false;
    this.last = AT_REST;
    this.hold.pad(AT_REST);
    this.hold.taken(false);
  }

  /** Gives the stage back: what Escape does, for hands without one. */
  leave(): void {
    this.release();
    this.canvas.blur();
  }

  /** Once a frame. Of the devices only gamepads have to be asked, and only while the focus is on nothing else. */
  poll(): void {
    const { gamepads } = this;
    const focus = document.activeElement;
    if (!document.hasFocus() || (focus !== this.canvas && focus !== document.body && focus !== null)) return;
    if (!gamepads.poll()) return;
    if (!this.driving) {
      if (gamepads.pressed) this.take(false);
      else return;
    } else if (gamepads.back) {
      this.leave();
      return;
    }
    if (gamepads.held().along) this.aims = gamepads;
    this.send();
  }

  private take(byFinger: boolean): void {
    if (document.activeElement !== this.canvas) this.canvas.focus({ preventScroll: true });
    if (byFinger !== this.byFinger) this.hold.fingers((this.byFinger = byFinger));
    if (this.driving) return;
    this.driving = true;
    this.hold.taken(true);
  }

  private finger(): void {
    this.take(true);
  }

  private aim(device: Device): void {
    const { at, along } = device.held();
    if (at || along) this.aims = device;
    this.send();
  }

  private key(e: KeyboardEvent, down: boolean): void {
    if (e.code === 'Escape' && down) {
      this.leave();
      return;
    }
    const enter = e.code === 'Enter' && !e.ctrlKey && !e.metaKey && !e.altKey;
    if (!enter && !this.keyboard.key(e, down)) return;
    // Repeats are taken too, or the page would scroll while an arrow is held.
    e.preventDefault();
    e.stopPropagation();
    if (down) this.take(false);
    this.send();
  }

  private down(e: PointerEvent): void {
    const at = this.local(e);
    if (e.pointerType === 'touch') {
      if (!this.driving) {
        this.touch.wait(e.pointerId, at);
        return;
      }
      e.preventDefault();
      this.canvas.setPointerCapture(e.pointerId);
      this.finger();
      this.touch.down(e.pointerId, at, at[0] < this.canvas.clientWidth / 2);
      this.aim(this.touch);
      return;
    }
    const took = !this.driving;
    this.canvas.setPointerCapture(e.pointerId);
    this.take(false);
    this.mouse.down(e, at, took);
    this.aim(this.mouse);
  }

  private move(e: PointerEvent): void {
    if (!this.driving) return;
    const at = this.local(e);
    if (e.pointerType === 'touch') {
      if (this.touch.move(e.pointerId, at)) this.aim(this.touch);
      return;
    }
    this.take(false);
    this.mouse.move(e, at);
    this.aim(this.mouse);
  }

  private up(e: PointerEvent, whole: boolean): void {
    const at = this.local(e);
    if (e.pointerType === 'touch') {
      if (this.touch.tapped(e.pointerId, at) && whole && !this.driving) this.finger();
      else this.touch.up(e.pointerId);
    } else this.mouse.move(e, at);
    this.send();
  }

  private local(e: PointerEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  }

  private send(): void {
    if (!this.driving) return;
    const pad = merge(
      this.devices.map((device) => device.held()),
      this.aims?.held(),
      this.hold.toWorld,
    );
    if (samePad(pad, this.last)) return;
    this.last = pad;
    this.hold.pad(pad);
  }
}
