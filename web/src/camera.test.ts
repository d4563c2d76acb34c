import { describe, expect, it } from 'vitest';
import { Eye, REACH, fit, toUnits, toPixels } from './camera.ts';

describe('the camera', () => {
  const world = [-16, -12, 16, 12] as const;

  it('shows the whole world whatever the shape of the pane', () => {
    for (const [w, h] of [
      [290, 242],
      [390, 244],
      [600, 120],
    ] as const) {
      const cam = fit(world, w, h);
      const [left, top] = toPixels(cam, -16, -12);
      const [right, bottom] = toPixels(cam, 16, 12);
      expect(Math.min(left, top)).toBeGreaterThanOrEqual(0);
      expect(right).toBeLessThanOrEqual(w);
      expect(bottom).toBeLessThanOrEqual(h - 16);
      expect((right - left) / (bottom - top)).toBeCloseTo(32 / 24);
    }
  });

  it('goes back from a pixel to the metre under it', () => {
    const cam = fit(world, 290, 242);
    const [x, y] = toUnits(cam, ...toPixels(cam, 3.5, -7.25));
    expect([x, y].map((v) => v.toFixed(6))).toEqual(['3.500000', '-7.250000']);
  });
});

describe('an eye', () => {
  const WORLD = [0, 0, 4000, 4000] as const;
  const rows = (...marks: [kind: number, x: number, y: number][]) => ({ data: new Float32Array(marks.flatMap((m) => [...m, 0, 0, 0, 0, 0])), offset: 0, count: marks.length, stride: 8 });
  const seen = (x: number, y: number, kind = 0) => new Eye(0).camera(WORLD, rows([12, 9, 9], [kind, x, y]), 600, 400);

  it('looks at the whole of a world that fits', () => {
    expect(new Eye(0).camera([0, 0, 40, 30], rows([0, 1, 1]), 600, 400)).toEqual(fit([0, 0, 40, 30], 600, 400));
  });

  it('follows its body through a large one, and shows so much of it', () => {
    const cam = seen(2000, 1500);
    expect(cam.scale).toBe(600 / REACH);
    expect(toPixels(cam, 2000, 1500)).toEqual([300, 200]);
    expect(toUnits(cam, ...toPixels(cam, 1700, 1400))).toEqual([1700, 1400]);
  });

  it('stops at the edge, and stays where it was while its body is not there', () => {
    const cam = seen(5, 3990);
    expect(toPixels(cam, 0, 4000)).toEqual([6, 394]);
    const eye = new Eye(0);
    const before = eye.camera(WORLD, rows([0, 2000, 2000]), 600, 400);
    expect(eye.camera(WORLD, rows([1, 100, 100]), 600, 400)).toEqual(before);
    expect(eye.camera(WORLD, undefined, 600, 400)).toEqual(before);
    expect(toPixels(seen(1, 1, 1), 2000, 2000)).toEqual([300, 200]);
  });
});
