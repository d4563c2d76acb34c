// Fingers: a thumb on the left moves, one on the right aims and presses. On the canvas itself, or on the controls that lie beside it.

import { type Held, stick } from './pad.ts';

/** A thumb this far from where it touched down, in CSS pixels, moves at full speed; nearer than the dead zone, not at all. */
const RIM = 44;
const DEAD = 8;
/** A finger that moved less than this has tapped. */
const TAP = 10;
/** No finger has this number. */
const GONE = -1;

/** Where a thumb rests and where it began, in canvas pixels: for drawing the stick. */
export interface Stick {
  fromX: number;
  fromY: number;
  x: number;
  y: number;
}

interface Finger extends Stick {
  id: number;
}

/** The controls beside the canvas: a place for the thumb with its knob, and a button for each of the scene's. */
export interface TouchControls {
  stick: HTMLElement;
  knob: HTMLElement;
  buttons: readonly HTMLElement[];
}

/** A thumb's axes, -1 to 1, on a circle. */
const thumbAxes = ({ fromX, fromY, x, y }: Stick): [number, number] => stick(x - fromX, y - fromY, DEAD, RIM);

export class Touch {
  /** The thumb that moves, and whether it does so on the canvas. */
  private thumb: (Finger & { onCanvas: boolean }) | undefined;
  private aim: Finger | undefined;
  private aimPresses = false;
  /** Fingers on the buttons beside the canvas: dragged from there, they aim. */
  private readonly presses = new Map<number, Finger & { bit: number }>();
  private tap: Finger | undefined;

  /** `changed` is called after each move of a finger on the controls; `touched` when one comes down there. */
  constructor(
    private readonly controls: TouchControls | undefined,
    touched: () => void,
    changed: () => void,
  ) {
    if (!controls) return;
    this.listen(controls.stick, touched, changed, (finger) => (this.thumb ??= { ...finger, onCanvas: false }));
    controls.buttons.forEach((button, i) => this.listen(button, touched, changed, (finger) => this.presses.set(finger.id, { ...finger, bit: 1 << i })));
  }

  /** The thumb that is drawn on the canvas. */
  get drawn(): Stick | undefined {
    return this.thumb?.onCanvas ? this.thumb : undefined;
  }

  /** A finger on the canvas of a stage that is not played yet may be a tap, or the begin of scrolling. */
  wait(id: number, at: [number, number]): void {
    this.tap = finger(id, at);
  }

  /** Whether that finger has tapped. */
  tapped(id: number, at: [number, number]): boolean {
    const tap = this.tap?.id === id ? this.tap : undefined;
    if (tap) this.tap = undefined;
    return tap !== undefined && Math.hypot(at[0] - tap.fromX, at[1] - tap.fromY) < TAP;
  }

  /** A finger on the canvas: on the left half the thumb, else it aims there and presses the first button. */
  down(id: number, at: [number, number], left: boolean): void {
    if (left && !this.thumb) this.thumb = { ...finger(id, at), onCanvas: true };
    else {
      this.aim = finger(id, at);
      this.aimPresses = true;
    }
  }

  move(id: number, at: [number, number]): boolean {
    const moved = [this.thumb, this.aim, this.presses.get(id)].filter((one) => one?.id === id);
    for (const one of moved) if (one) [one.x, one.y] = at;
    return moved.length > 0;
  }

  up(id: number): boolean {
    const had = this.thumb?.id === id || this.aim?.id === id || this.presses.has(id);
    if (this.thumb?.id === id) this.thumb = undefined;
    // The body goes on looking where the finger was.
    if (this.aim?.id === id) [this.aim.id, this.aimPresses] = [GONE, false];
    this.presses.delete(id);
    return had;
  }

  release(): void {
    this.thumb = this.aim = this.tap = undefined;
    this.aimPresses = false;
    this.presses.clear();
    this.show();
  }

  held(): Held {
    const [x, y] = this.thumb ? thumbAxes(this.thumb) : [0, 0];
    let buttons = this.aimPresses ? 1 : 0;
    let along: [number, number] | undefined;
    for (const press of this.presses.values()) {
      buttons |= press.bit;
      const way = thumbAxes(press);
      if (way[0] || way[1]) along = way;
    }
    if (along) return { x, y, buttons, along };
    return { x, y, buttons, at: this.aim && [this.aim.x, this.aim.y] };
  }

  /** Moves the knob under the thumb and marks the buttons that are held. */
  private show(): void {
    if (!this.controls) return;
    const [x, y] = this.thumb && !this.thumb.onCanvas ? thumbAxes(this.thumb) : [0, 0];
    this.controls.knob.style.translate = `${x * RIM}px ${y * RIM}px`;
    this.controls.buttons.forEach((button, i) => button.toggleAttribute('data-held', [...this.presses.values()].some((press) => press.bit === 1 << i)));
  }

  private listen(element: HTMLElement, touched: () => void, changed: () => void, down: (finger: Finger) => void): void {
    const then = () => {
      this.show();
      changed();
    };
    element.addEventListener('pointerdown', (e) => {
      // The focus stays on the stage: without it the hands would let go.
      e.preventDefault();
      element.setPointerCapture(e.pointerId);
      touched();
      down(finger(e.pointerId, [e.clientX, e.clientY]));
      then();
    });
    element.addEventListener('pointermove', (e) => this.move(e.pointerId, [e.clientX, e.clientY]) && then());
    for (const end of ['pointerup', 'pointercancel'] as const) element.addEventListener(end, (e) => this.up(e.pointerId) && then());
    element.addEventListener('contextmenu', (e) => e.preventDefault());
  }
}

const finger = (id: number, [x, y]: [number, number]): Finger => ({ id, fromX: x, fromY: y, x, y });
