import { afterEach, describe, expect, it, vi } from 'vitest';
import { Hands, stickAxes } from './input.ts';
import type { Pad } from './protocol.ts';

const stick = (x: number, y: number) => ({ fromX: 100, fromY: 100, x: 100 + x, y: 100 + y });

describe('the thumb stick', () => {
  it('rests within the dead zone', () => {
    expect(stickAxes(stick(5, -5))).toEqual([0, 0]);
  });

  it('is full at its rim and never beyond, in every direction', () => {
    expect(stickAxes(stick(44, 0))[0]).toBeCloseTo(1);
    expect(stickAxes(stick(0, -400))).toEqual([0, -1]);
    expect(Math.hypot(...stickAxes(stick(200, 150)))).toBeCloseTo(1);
  });

  it('grows between', () => {
    expect(stickAxes(stick(26, 0))[0]).toBeCloseTo(0.5);
  });
});

describe('hands', () => {
  afterEach(() => vi.unstubAllGlobals());

  /** Hands over a canvas that is none, what they hold, and a way to touch them. */
  function hands() {
    vi.stubGlobal('addEventListener', () => undefined);
    vi.stubGlobal('document', new EventTarget());
    const canvas = Object.assign(new EventTarget(), {
      focus: () => undefined,
      setPointerCapture: () => undefined,
      getBoundingClientRect: () => ({ left: 0, top: 0 }),
    });
    const held: { pad?: Pad } = {};
    new Hands(canvas as unknown as HTMLCanvasElement, { pad: (pad) => (held.pad = pad), taken: () => undefined, toWorld: (x, y) => [x, y] });
    const send = (type: string, fields: object) => canvas.dispatchEvent(Object.assign(new Event(type), fields));
    return {
      held,
      key: (type: string, code: string, ctrlKey = false) => send(type, { code, ctrlKey }),
      mouse: (type: string, buttons: number) => send(type, { pointerType: 'mouse', pointerId: 1, clientX: 3, clientY: 4, buttons }),
    };
  }

  it('lets a key go while a modifier is held, and takes none with one', () => {
    const { held, key } = hands();
    key('keydown', 'KeyD');
    expect(held.pad?.x).toBe(1);
    key('keyup', 'KeyD', true);
    expect(held.pad?.x).toBe(0);
    key('keydown', 'KeyA', true);
    expect(held.pad?.x).toBe(0);
  });

  it('takes the second mouse button while the first is held, and fires nothing with the click that takes the keys', () => {
    const { held, mouse } = hands();
    mouse('pointerdown', 1);
    expect(held.pad?.buttons).toBe(0);
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
});
