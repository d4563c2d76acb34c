import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Pad } from '../protocol.ts';
import { type Bindings, DEFAULTS } from './binding.ts';
import { Hands } from './hands.ts';

/** Hands over a canvas that is none, what they hold, and a way to touch them. */
function hands(bindings: Bindings = DEFAULTS) {
  const page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  const canvas = Object.assign(new EventTarget(), {
    clientWidth: 300,
    focus: () => undefined,
    blur: () => undefined,
    setPointerCapture: () => undefined,
    getBoundingClientRect: () => ({ left: 0, top: 0 }),
  });
  const document = Object.assign(new EventTarget(), { hidden: false, activeElement: canvas, body: {}, hasFocus: () => true });
  vi.stubGlobal('document', document);
  const pads: (object | null)[] = [];
  vi.stubGlobal('navigator', { getGamepads: () => pads });
  const held: { pad?: Pad; taken?: boolean; fingers?: boolean } = {};
  const it = new Hands(canvas as unknown as HTMLCanvasElement, () => bindings, undefined, {
    pad: (pad) => (held.pad = pad),
    taken: (yes) => (held.taken = yes),
    fingers: (yes) => (held.fingers = yes),
    gamepad: () => undefined,
    toWorld: (x, y) => [x, y],
  });
  const send = (type: string, fields: object, to: EventTarget = canvas) => to.dispatchEvent(Object.assign(new Event(type), fields));
  return {
    held,
    document,
    it,
    key: (type: string, code: string, ctrlKey = false) => send(type, { code, ctrlKey }),
    mouse: (type: string, buttons: number) => send(type, { pointerType: 'mouse', pointerId: 1, clientX: 3, clientY: 4, buttons }),
    finger: (type: string, id: number, x: number, y: number) => send(type, { pointerType: 'touch', pointerId: id, clientX: x, clientY: y, buttons: 1 }),
    /** A gamepad of the standard layout, with these axes and this button held. */
    gamepad(axes: number[], button = -1) {
      if (!pads.length) send('gamepadconnected', { gamepad: { mapping: 'standard' } }, page);
      pads[0] = { connected: true, mapping: 'standard', axes, buttons: Array.from({ length: 17 }, (_, i) => ({ pressed: i === button, value: 0 })) };
      it.poll();
    },
    page,
  };
}

describe('hands', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('let a key go while a modifier is held, and take none with one', () => {
    const { held, key } = hands();
    key('keydown', 'KeyD');
    expect(held.pad?.x).toBe(1);
    key('keyup', 'KeyD', true);
    expect(held.pad?.x).toBe(0);
    key('keydown', 'KeyA', true);
    expect(held.pad?.x).toBe(0);
  });

  it('take the second mouse button while the first is held, and fire nothing with the click that takes the stage', () => {
    const { held, mouse } = hands();
    mouse('pointerdown', 1);
    expect(held.taken).toBe(true);
    mouse('pointermove', 3);
    expect(held.pad?.buttons).toBe(0);
    mouse('pointerup', 0);
    mouse('pointerdown', 1);
    expect(held.pad?.buttons).toBe(1);
    mouse('pointermove', 3);
    expect(held.pad?.buttons).toBe(3);
    mouse('pointermove', 1);
    expect(held.pad?.buttons).toBe(1);
    mouse('pointerup', 0);
    expect(held.pad?.buttons).toBe(0);
  });

  it('obey the keys that were chosen', () => {
    const { held, key } = hands({ ...DEFAULTS, right: ['KeyL'] });
    key('keydown', 'KeyD');
    expect(held.pad).toBeUndefined();
    key('keydown', 'KeyL');
    expect(held.pad?.x).toBe(1);
  });

  it.each(['blur', 'hidden', 'Escape'])('send the release of everything on %s', (how) => {
    const { held, key, page, document } = hands();
    key('keydown', 'KeyD');
    key('keydown', 'KeyF');
    expect(held.pad).toMatchObject({ x: 1, buttons: 1 });
    if (how === 'blur') page.dispatchEvent(new Event('blur'));
    else if (how === 'Escape') key('keydown', 'Escape');
    else {
      document.hidden = true;
      document.dispatchEvent(new Event('visibilitychange'));
    }
    expect(held).toMatchObject({ taken: false, pad: { x: 0, y: 0, buttons: 0 } });
  });

  it('take the stage with a tap, and not with a finger that scrolls', () => {
    const { held, finger } = hands();
    finger('pointerdown', 1, 50, 50);
    finger('pointercancel', 1, 50, 50);
    finger('pointerdown', 2, 50, 50);
    finger('pointerup', 2, 50, 90);
    expect(held.taken).toBeUndefined();
    finger('pointerdown', 3, 50, 50);
    finger('pointerup', 3, 52, 50);
    expect(held).toMatchObject({ taken: true, fingers: true });
  });

  it('move with the left thumb while the right one aims and fires, and hide what is for thumbs at the first key', () => {
    const { held, finger, key } = hands();
    finger('pointerdown', 1, 50, 50);
    finger('pointerup', 1, 50, 50);
    finger('pointerdown', 2, 50, 50);
    finger('pointermove', 2, 50, 200);
    finger('pointerdown', 3, 250, 60);
    expect(held.pad).toEqual({ x: 0, y: 1, aimX: 250, aimY: 60, buttons: 1 });
    finger('pointerup', 3, 250, 60);
    finger('pointerup', 2, 50, 200);
    expect(held.pad).toEqual({ x: 0, y: 0, aimX: 250, aimY: 60, buttons: 0 });
    key('keydown', 'KeyD');
    expect(held.fingers).toBe(false);
  });

  it('take the stage with a gamepad button, aim with its right stick, and leave with Back', () => {
    const { held, gamepad } = hands();
    gamepad([1, 0, 0, 0]);
    expect(held.taken).toBeUndefined();
    gamepad([1, 0, 0, -1], 7);
    expect(held.taken).toBe(true);
    expect(held.pad).toMatchObject({ x: 1, y: 0, buttons: 1 });
    expect(held.pad!.aimY).toBeLessThan(-1000);
    gamepad([0.1, 0.1, 0, 0]);
    expect(held.pad).toEqual({ x: 0, y: 0, aimX: NaN, aimY: NaN, buttons: 0 });
    gamepad([0, 0, 0, 0], 8);
    expect(held.taken).toBe(false);
  });

  it('ask no gamepad while a field has the focus', () => {
    const { held, gamepad, document } = hands();
    (document as { activeElement: unknown }).activeElement = {};
    gamepad([0, 0, 0, 0], 0);
    expect(held.taken).toBeUndefined();
  });
});
