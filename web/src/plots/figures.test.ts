import { describe, expect, it } from 'vitest';
import type { Rows } from '../view.ts';
import { ageFigures, drawnFor, errorFigures, lagometerFigures, measured } from './figures.ts';

const rows = (stride: number, ...values: number[][]): Rows => ({ data: new Float32Array(values.flat()), offset: 0, count: values.length, stride });

describe('the lagometer', () => {
  it('counts starved frames and the longest run without a sample', () => {
    const spare = [20, -5, -21, 12, 12, -3, 30, 14];
    const f = lagometerFigures(rows(3, ...spare.map((ms, i) => [1000 + i * 16, ms, 160])))!;
    expect(f).toMatchObject({ spare: 14, max: 30, starvedPercent: 37.5 });
    // From the last frame that had one: 32 ms over two starved frames.
    expect(f.longestMs).toBe(32);
  });

  it('does not take a frame that was not measured for a starved one', () => {
    expect(lagometerFigures(rows(3, [0, Number.NaN, 160], [16, Number.NaN, 160], [32, 8, 160]))).toMatchObject({ spare: 8, starvedPercent: 0, longestMs: 0 });
  });

  it('has nothing to say before the first frame', () => {
    expect(lagometerFigures(rows(3))).toBeUndefined();
  });
});

describe('age against delay', () => {
  it('reads the newest of each and the mean and greatest age', () => {
    expect(ageFigures(rows(4, [0, 100, 160, 136], [16, 140, 161, 136]))).toEqual({ age: 140, mean: 120, max: 140, delay: 161, needs: 136 });
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

describe('the error', () => {
  it('has something to say while only the naive figures are known', () => {
    const n = Number.NaN;
    expect(measured(errorFigures(rows(5, [0, n, n, n, 0.4])))).toBe(true);
    expect(measured(errorFigures(rows(5, [0, n, n, n, n])))).toBe(false);
  });
});
