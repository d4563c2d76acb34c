import { describe, expect, it } from 'vitest';
import { text } from './strings.ts';
import { cast } from './summary.ts';

/** Marks of a pane: kind, x, y, dead. */
const rows = (...marks: [kind: number, x: number, y: number, dead?: boolean][]) => ({
  data: new Float32Array(marks.flatMap(([kind, x, y, dead]) => [kind, x, y, 0, 0, 0, dead ? 1 : 0, 0])),
  offset: 0,
  count: marks.length,
  stride: 8,
});

describe('the summary of a pane', () => {
  it('counts who lives and says how far the nearest is', () => {
    expect(cast(rows([0, 1, 1], [1, 4, 5], [2, 1, 3], [2, 1, 1.5, true], [3, 1, 1]))).toEqual({ others: 1, bots: 1, nearest: 2 });
    expect(cast(rows([2, 1, 3])).nearest).toBeNaN();
  });

  it('says one and many', () => {
    expect(text.cast({ others: 1, bots: 1, nearest: 2 }, 'm')).toBe('The other player and 1 bot stand; the nearest is 2.0 m from you.');
    expect(text.cast({ others: 0, bots: 8, nearest: NaN }, 'm')).toBe('8 bots stand.');
    expect(text.cast({ others: 0, bots: 0, nearest: NaN }, 'm')).toBe('Nobody else stands.');
  });
});
