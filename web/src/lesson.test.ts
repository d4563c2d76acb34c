import { describe, expect, it } from 'vitest';
import { parse } from './lesson.ts';
import { text } from './strings.ts';
import { lessons } from './strings/lessons.ts';

const every = Object.values(lessons).flat();

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

  it('tells what a phrase does from what it sets', () => {
    expect(parse('[Pause](do=pause), then')[0]).toEqual({ kind: 'deed', text: 'Pause', deed: 'pause', after: ',' });
    const sets = every.flatMap((l) => [...l.paragraphs, l.falsify]).flatMap(parse).flatMap((part) => (part.kind === 'phrase' ? part.sets : []));
    expect(sets.length).toBeGreaterThan(20);
    for (const [id, value] of sets) {
      expect(id).not.toBe('do');
      expect(value).toBeTruthy();
    }
  });

  it('leaves no markup behind in any lesson', () => {
    const all = every.flatMap((l) => [...l.paragraphs, l.takeaway, l.falsify]);
    for (const source of all) for (const part of parse(source)) if (part.kind === 'text') expect(part.text).not.toMatch(/[[\]{}*]/);
  });
});

describe('how far in the past others are drawn', () => {
  it('is the setting only where no rule chooses', () => {
    const config = { 'interp.on': true, 'interp.policy': 'fixed', 'interp.delay': 160 };
    expect(text.lessonDelay(config, 161.4)).toBe('160 ms');
    expect(text.lessonDelay({ ...config, 'interp.policy': 'target' }, 229.25)).toBe('229 ms (by the rule)');
    expect(text.lessonDelay({ ...config, 'interp.policy': 'target' }, null)).toBe('as far as the rule says');
    expect(text.lessonDelay({ ...config, 'interp.on': false }, null)).toBe('not at all');
  });
});
