import { describe, expect, it } from 'vitest';
import { stickAxes } from './input.ts';

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
