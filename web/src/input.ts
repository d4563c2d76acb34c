// Keyboard, mouse and touch on the stage. Keys are taken only while it has the focus; Esc gives them back; losing the focus or the
// sight of the page lets go of everything, and that is sent too.

import type { Pad } from './protocol.ts';

/** Hands off. */
export const AT_REST: Pad = { x: 0, y: 0, aimX: NaN, aimY: NaN, buttons: 0 };

const MOVES: Record<string, [x: number, y: number]> = {
  KeyW: [0, -1],
  ArrowUp: [0, -1],
  KeyS: [0, 1],
  ArrowDown: [0, 1],
  KeyA: [-1, 0],
  ArrowLeft: [-1, 0],
  KeyD: [1, 0],
  ArrowRight: [1, 0],
};
/** Button bit by key: the scene's first and second button. */
const BUTTONS: Record<string, number> = { KeyF: 1, KeyJ: 1, ShiftLeft: 2, ShiftRight: 2, KeyK: 2 };
/** A thumb this far from where it touched down moves at full speed; nearer than the dead zone, not at all. */
const STICK = 44;
const DEAD = 8;

export interface Hold {
  pad(pad: Pad): void;
  /** Someone took the keys, or gave them back. */
  taken(yes: boolean): void;
  /** Canvas pixels to metres; undefined before there is a picture. */
  toWorld(x: number, y: number): [number, number] | undefined;
}

/** Where a thumb rests and where it began, in canvas pixels: for drawing the stick. */
export interface Stick {
  fromX: number;
  fromY: number;
  x: number;
  y: number;
}

export class Hands {
  private readonly keys = new Set<string>();
  private mouseButtons = 0;
  /** The click that takes the keys fires nothing, until it is over. */
  private taking = false;
  private aim: [number, number] | undefined;
  private driving = false;
  private last: Pad = AT_REST;
  private thumb: (Stick & { id: number }) | undefined;
  private aimFinger: number | undefined;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly hold: Hold,
  ) {
    canvas.addEventListener('keydown', (e) => this.key(e, true));
    canvas.addEventListener('keyup', (e) => this.key(e, false));
    canvas.addEventListener('blur', () => this.release());
    canvas.addEventListener('contextmenu', (e) => e.preventDefault());
    canvas.addEventListener('pointerdown', (e) => this.down(e));
    canvas.addEventListener('pointermove', (e) => this.move(e));
    canvas.addEventListener('pointerup', (e) => this.up(e));
    canvas.addEventListener('pointercancel', (e) => this.up(e));
    addEventListener('blur', () => this.release());
    document.addEventListener('visibilitychange', () => document.hidden && this.release());
  }

  get drives(): boolean {
    return this.driving;
  }

  get stick(): Stick | undefined {
    return this.thumb;
  }

  /** Lets go of every key and button and gives the body back to the bot. */
  release(): void {
    this.keys.clear();
    this.mouseButtons = 0;
    this.aim = undefined;
    this.thumb = undefined;
    this.aimFinger = undefined;
    if (!this.driving) return;
    this.driving = false;
    this.last = AT_REST;
    this.hold.pad(AT_REST);
    this.hold.taken(false);
  }

  private take(): void {
    if (this.driving) return;
    this.driving = true;
    this.hold.taken(true);
  }

  private key(e: KeyboardEvent, down: boolean): void {
    if (e.code === 'Escape' && down) {
      this.release();
      this.canvas.blur();
      return;
    }
    // A key is let go whatever is held beside it by then; with a modifier none is taken.
    if (down && (e.ctrlKey || e.metaKey || e.altKey)) return;
    const enter = e.code === 'Enter';
    if (!enter && !MOVES[e.code] && !BUTTONS[e.code]) return;
    // Repeats are taken too, or the page would scroll while an arrow is held.
    e.preventDefault();
    e.stopPropagation();
    if (down) this.take();
    if (enter || e.repeat) return;
    if (down) this.keys.add(e.code);
    else this.keys.delete(e.code);
    this.send();
  }

  private down(e: PointerEvent): void {
    const began = this.driving;
    this.canvas.focus({ preventScroll: true });
    this.take();
    this.canvas.setPointerCapture(e.pointerId);
    const [px, py] = this.local(e);
    if (e.pointerType === 'mouse') {
      this.aim = [px, py];
      this.taking = !began;
      this.mouse(e);
    } else {
      e.preventDefault();
      if (!this.thumb && px < this.canvas.clientWidth / 2) this.thumb = { id: e.pointerId, fromX: px, fromY: py, x: px, y: py };
      else {
        this.aimFinger = e.pointerId;
        this.aim = [px, py];
        if (began) this.mouseButtons |= 1;
      }
    }
    this.send();
  }

  private move(e: PointerEvent): void {
    if (!this.driving) return;
    const at = this.local(e);
    if (this.thumb?.id === e.pointerId) [this.thumb.x, this.thumb.y] = at;
    else if (e.pointerType === 'mouse') {
      this.aim = at;
      this.mouse(e);
    } else if (this.aimFinger === e.pointerId) this.aim = at;
    else return;
    this.send();
  }

  private up(e: PointerEvent): void {
    if (this.thumb?.id === e.pointerId) this.thumb = undefined;
    else if (this.aimFinger === e.pointerId) {
      this.aimFinger = undefined;
      this.mouseButtons &= ~1;
    } else if (e.pointerType === 'mouse') this.mouse(e);
    this.send();
  }

  /** What the mouse holds: a second button that is pressed or let go while the first is held comes as a move. */
  private mouse(e: PointerEvent): void {
    if (e.buttons === 0) this.taking = false;
    // Of a mouse's buttons the left is the scene's first, the right its second.
    this.mouseButtons = this.taking ? 0 : e.buttons & 3;
  }

  private local(e: PointerEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  }

  private send(): void {
    if (!this.driving) return;
    const pad = this.now();
    const { last } = this;
    if (Object.is(pad.x, last.x) && Object.is(pad.y, last.y) && Object.is(pad.aimX, last.aimX) && Object.is(pad.aimY, last.aimY) && pad.buttons === last.buttons) return;
    this.last = pad;
    this.hold.pad(pad);
  }

  private now(): Pad {
    let [x, y, buttons] = [0, 0, this.mouseButtons];
    for (const key of this.keys) {
      const move = MOVES[key];
      if (move) [x, y] = [x + move[0], y + move[1]];
      buttons |= BUTTONS[key] ?? 0;
    }
    if (this.thumb) [x, y] = stickAxes(this.thumb);
    [x, y] = [Math.max(-1, Math.min(1, x)), Math.max(-1, Math.min(1, y))];
    const aim = this.aim && this.hold.toWorld(...this.aim);
    return { x, y, aimX: aim?.[0] ?? NaN, aimY: aim?.[1] ?? NaN, buttons };
  }
}

/** A thumb's axes, -1 to 1, on a circle. */
export function stickAxes({ fromX, fromY, x, y }: Stick): [number, number] {
  const [dx, dy] = [x - fromX, y - fromY];
  const d = Math.hypot(dx, dy);
  if (d < DEAD) return [0, 0];
  const share = Math.min(1, (d - DEAD) / (STICK - DEAD)) / d;
  return [dx * share, dy * share];
}
