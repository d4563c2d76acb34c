import { describe, expect, it } from 'vitest';
import { LayoutError, M, MarkKind, Section, View, at, stats } from './view.ts';

/** A buffer with these sections, each rows of equal length, laid out one behind the other. */
function buffer(sections: number[][][], { layout = 2, seconds = 1, ms = 234.5 } = {}): Float32Array {
  const out = [layout, seconds, ms, 79, sections.length, 250, 60_000, 3];
  let offset = 8 + sections.length * 3;
  for (const rows of sections) {
    const stride = rows[0]?.length ?? 0;
    out.push(offset, rows.length, stride);
    offset += rows.length * stride;
  }
  return new Float32Array(out.concat(sections.flat(2)));
}
const all = (...first: number[][][]) => [...first, ...Array.from({ length: 10 - first.length }, () => [] as number[][])];

describe('View', () => {
  it('finds its sections through the header', () => {
    const view = new View(buffer(all([[MarkKind.You, 1.5, 2.5, 0, 0.5, 1, 0, 7]], [], [[1, 4, 5, 0, 0.5, 1, 2, 8], [2, 6, 7, 0, 0.5, 1, 0, 9]])));
    expect(view).toMatchObject({ now: 1234.5, tick: 79, behind: 250, kept: 60_000, forks: 3 });
    expect(view.section(Section.Server).count).toBe(0);
    const other = view.section(Section.Other);
    expect(other.count).toBe(2);
    expect(at(other, 1, M.X)).toBe(6);
    expect(at(view.section(Section.You), 0, M.Key)).toBe(7);
  });

  it('knows the instant to a microsecond after an hour and after a hundred', () => {
    for (const seconds of [3600, 360_000]) expect(new View(buffer(all(), { seconds, ms: 123.456 })).now).toBeCloseTo(seconds * 1000 + 123.456, 3);
  });

  it('takes a wider row than it knows', () => {
    const view = new View(buffer(all([[0, 1, 2, 3, 4, 5, 6, 7, 99], [1, 8, 9, 3, 4, 5, 6, 7, 99]])));
    expect(at(view.section(Section.You), 1, M.X)).toBe(8);
  });

  it('refuses another layout and a section that runs past the end', () => {
    expect(() => new View(buffer(all(), { layout: 1 }))).toThrow(LayoutError);
    expect(() => new View(new Float32Array(2))).toThrow(LayoutError);
    const cut = buffer(all([[0, 1, 2, 3, 4, 5, 6, 7]]));
    expect(() => new View(cut.subarray(0, cut.length - 1))).toThrow(LayoutError);
  });
});

describe('stats', () => {
  it('gives the newest, the mean and the greatest, and skips what was not measured', () => {
    const view = new View(buffer(all([[0, 2], [0, NaN], [0, 6], [0, 4]])));
    expect(stats(view.section(Section.You), 1)).toEqual({ now: 4, mean: 4, max: 6, count: 3 });
    expect(stats(view.section(Section.Server), 1).count).toBe(0);
  });
});
