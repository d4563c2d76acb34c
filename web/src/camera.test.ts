import { describe, expect, it } from 'vitest';
import { fit, toMetres, toPixels } from './camera.ts';

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
    const [x, y] = toMetres(cam, ...toPixels(cam, 3.5, -7.25));
    expect([x, y].map((v) => v.toFixed(6))).toEqual(['3.500000', '-7.250000']);
  });
});
