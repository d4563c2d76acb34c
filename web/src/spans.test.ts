import { describe, expect, it } from 'vitest';
import { StarvedSpans } from './spans.ts';
import type { Rows } from './view.ts';

const frames = (...values: [t: number, spare: number][]): Rows => ({ data: new Float32Array(values.flat()), offset: 0, count: values.length, stride: 2 });

describe('starved spans', () => {
  it('shows a run while it lasts, and takes a frame once however often it is in the window', () => {
    const spans = new StarvedSpans(1000);
    spans.add(frames([0, 5], [16, -1], [32, -9]), 0);
    expect(spans.all).toEqual([{ from: 16, to: 32 }]);
    spans.add(frames([-984, -1], [-968, -9], [-952, -20]), 1000);
    expect(spans.all).toEqual([{ from: 16, to: 48 }]);
    spans.add(frames([64, 3], [80, Number.NaN], [96, -2]), 0);
    expect(spans.all).toEqual([
      { from: 16, to: 48 },
      { from: 96, to: 96 },
    ]);
  });

  it('forgets what has left the window, and everything when time begins again', () => {
    const spans = new StarvedSpans(1000);
    spans.add(frames([0, -1], [16, 2], [1200, -1]), 0);
    expect(spans.all).toEqual([{ from: 1200, to: 1200 }]);
    spans.clear();
    spans.add(frames([5, -1]), 0);
    expect(spans.all).toEqual([{ from: 5, to: 5 }]);
  });
});
