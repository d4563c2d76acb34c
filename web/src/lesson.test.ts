import { describe, expect, it } from 'vitest';
import { parse } from './lesson.ts';
import { lessons } from './strings.ts';

describe('lesson markup', () => {
  it('finds stress, values and phrases, and keeps punctuation with its phrase', () => {
    expect(parse('Draw **ahead**, then [a LAN](preset=lan), at {interp.delay} ms: *starved*.')).toEqual([
      { kind: 'text', text: 'Draw ' },
      { kind: 'strong', text: 'ahead' },
      { kind: 'text', text: ', then ' },
      { kind: 'phrase', text: 'a LAN', sets: [['preset', 'lan']], after: ',' },
      { kind: 'text', text: ' at ' },
      { kind: 'value', id: 'interp.delay' },
      { kind: 'text', text: ' ms: ' },
      { kind: 'stress', text: 'starved' },
      { kind: 'text', text: '.' },
    ]);
  });

  it('reads several settings of one phrase', () => {
    expect(parse('[slow](link.up.latency=300;link.down.latency=300)')).toEqual([
      { kind: 'phrase', text: 'slow', sets: [['link.up.latency', '300'], ['link.down.latency', '300']], after: '' },
    ]);
  });

  it('leaves no markup behind in any lesson', () => {
    const all = lessons.flatMap((l) => [...l.paragraphs, l.takeaway, l.falsify]);
    for (const source of all) for (const part of parse(source)) if (part.kind === 'text') expect(part.text).not.toMatch(/[[\]{}*]/);
  });
});
