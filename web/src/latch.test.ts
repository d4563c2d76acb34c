import { describe, expect, it } from 'vitest';
import { AT_REST, Latch } from './latch.ts';

const held = (buttons: number) => ({ ...AT_REST, buttons });

describe('Latch', () => {
  it('holds a quick press until a tick must have seen it', () => {
    const latch = new Latch();
    expect(latch.set(held(1), 50).buttons).toBe(1);
    expect(latch.set(held(0), 50).buttons).toBe(1);
    expect(latch.ran(15_000)).toBeUndefined();
    expect(latch.ran(10_000)).toEqual(held(0));
    expect(latch.ran(10_000)).toBeUndefined();
  });

  it('lets go at once what was held longer than a tick', () => {
    const latch = new Latch();
    latch.set(held(2), 50);
    expect(latch.ran(30_000)).toBeUndefined();
    expect(latch.set(held(0), 50).buttons).toBe(0);
  });

  it('never delays the axes', () => {
    const latch = new Latch();
    latch.set({ ...held(1), x: 1 }, 50);
    expect(latch.set({ ...held(0), x: -1 }, 50)).toMatchObject({ x: -1, buttons: 1 });
  });
});
