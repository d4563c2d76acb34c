import { describe, expect, it } from 'vitest';
import type { Rows } from '../view.ts';
import { DOWN, UP, apart, drawnFor, emptyTicks, lagometerFigures, sum } from './figures.ts';
import { ROWS, settingOf, steps } from './plot.ts';

const rows = (stride: number, ...values: number[][]): Rows => ({ data: new Float32Array(values.flat()), offset: 0, count: values.length, stride });

describe('the lagometer', () => {
  it('counts starved frames and the longest run without a sample', () => {
    const spare = [20, -5, -21, 12, 12, -3, 30, 14];
    const f = lagometerFigures(rows(3, ...spare.map((ms, i) => [1000 + i * 16, ms, 160])))!;
    expect(f).toMatchObject({ starvedPercent: 37.5 });
    // From the last frame that had one: 32 ms over two starved frames.
    expect(f.longestMs).toBe(32);
  });

  it('does not take a frame that was not measured for a starved one', () => {
    expect(lagometerFigures(rows(3, [0, Number.NaN, 160], [16, Number.NaN, 160], [32, 8, 160]))).toMatchObject({ starvedPercent: 0, longestMs: 0 });
  });

  it('has nothing to say before the first frame', () => {
    expect(lagometerFigures(rows(3))).toBeUndefined();
  });
});

describe('the delay that a frame was drawn for', () => {
  it('is age and spare together, where the frame is still known, and never touches what it reads', () => {
    const ages = rows(4, [0, 100, 160, 136], [16, 140, 160, 136], [32, 180, 160, 136]);
    const frames = rows(3, [16, 30, 160], [32, -10, 160]);
    expect([...drawnFor(ages, frames).data]).toEqual([0, 100, 160, 136, 16, 140, 170, 136, 32, 180, 170, 136]);
    expect(ages.data[6]).toBe(160);
  });
});

describe('the input buffer', () => {
  it('counts the ticks that found nothing', () => {
    expect(emptyTicks(rows(4, [-3010, 0, 2, 0], [-40, 2, 2, 0], [-24, 0, 2, 1], [-8, 0, 2, 1]), 3000)).toBe(2);
  });
});

describe('traffic', () => {
  it('adds up each way by itself', () => {
    const all = rows(9, [-100, 1, 2, 4, 8, 16, 32, 64, 128]);
    expect([sum(all, 0, UP), sum(all, 0, DOWN)]).toEqual([7, 248]);
  });

  it('is held against what the link carries, where it is capped', () => {
    expect(settingOf({ 'link.up.rate': 0, 'link.down.rate': 64 })).toMatchObject({ up: 0, down: 62.5, interpolates: true });
    expect(settingOf({ 'interp.on': false }).interpolates).toBe(false);
  });
});

describe('the rows of a table', () => {
  it('are the newest of each step, newest first, and none where nothing was measured', () => {
    const found = steps(rows(1, [-460], [-210], [-150], [-120], [-20], [0.001]), 100);
    expect(found).toHaveLength(ROWS);
    expect(found.slice(0, 6)).toEqual([5, 3, 1, undefined, 0, undefined]);
  });
});

describe('labels in a margin', () => {
  it('stand at their own height where they can, and never nearer than they can be read', () => {
    expect(apart([20, 60], 6, 100, 14)).toEqual([20, 60]);
    expect(apart([20, 22, 90], 6, 100, 14)).toEqual([20, 34, 90]);
    expect(apart([-5, 96, 99, 140], 6, 100, 14)).toEqual([6, 72, 86, 100]);
  });
});
