import { describe, expect, it } from 'vitest';
import { AT_REST, merge, stick } from './pad.ts';

describe('a stick', () => {
  it('rests within its dead zone, is full at its rim and never beyond, and grows between', () => {
    expect(stick(5, -5, 8, 44)).toEqual([0, 0]);
    expect(stick(0, -400, 8, 44)).toEqual([0, -1]);
    expect(Math.hypot(...stick(200, 150, 8, 44))).toBeCloseTo(1);
    expect(stick(26, 0, 8, 44)[0]).toBeCloseTo(0.5);
    expect(stick(NaN, 0, 8, 44)).toEqual([0, 0]);
  });
});

describe('the pad', () => {
  const keys = { x: 1, y: 0, buttons: 1 };

  it('holds what all hands hold, and no axis beyond one', () => {
    expect(merge([keys, { x: 0.5, y: -0.5, buttons: 2 }], undefined, () => undefined)).toEqual({ ...AT_REST, x: 1, y: -0.5, buttons: 3 });
  });

  it('aims where the last to aim does, and nowhere before there is a picture', () => {
    const mouse = { x: 0, y: 0, buttons: 0, at: [30, 40] as const };
    expect(merge([keys, mouse], mouse, (x, y) => [x / 10, y / 10])).toMatchObject({ aimX: 3, aimY: 4 });
    expect(merge([keys, mouse], mouse, () => undefined)).toMatchObject({ aimX: NaN, aimY: NaN });
    const way = merge([keys], { ...keys, along: [0, -0.5] }, () => undefined);
    expect(way.aimX).toBe(0);
    expect(way.aimY).toBeLessThan(-1e4);
  });
});
