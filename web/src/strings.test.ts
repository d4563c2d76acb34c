import { describe, expect, it } from 'vitest';
import { text } from './strings.ts';

describe('the connection in a few words', () => {
  it('gives the round trip only while there is one', () => {
    expect(text.connection(undefined, null)).toBe('loading');
    expect(text.connection('4G', 224, 'playing')).toBe('4G, 224 ms');
    expect(text.connection('4G', null, 'playing')).toBe('4G');
    expect(text.connection('4G', 224, 'joining')).toBe('4G, joining');
    expect(text.connection('4G', null, 'disconnected')).toBe('4G, disconnected');
  });
});

/** String and template literals of a file, without its comments and imports. */
function literals(source: string): string[] {
  const found = source.matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?:import|export)[^;]*? from '[^']*'|(?<=[=(,:?&|!{}[\s])\/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n\\])+\/[a-z]*|'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g);
  return [...found].map((m) => m[1] ?? m[2] ?? m[3]).filter((literal) => literal !== undefined);
}

/** Whether a reader would take it for words: several of them, of letters alone, that are no attribute, selector, class or path. */
function isProse(literal: string): boolean {
  const text = literal.replace(/\$\{[^{}]*\}/g, ' ');
  return /^[^.#[<>(]*\p{L}{2,},? \p{L}{2,}/u.test(text) && !/[=:;{}]|\bpx\b|^M\d/.test(text);
}

/** Words that stand on a control or a mark, wherever the code puts them: a text, a label, a title. */
const SHOWN = /(?:\btext|\btitle|'aria-label'|\blabel|\bplaceholder)(?:: | = |\()(?:'|`)([^'`$]*\p{L}{2}[^'`]*)['`]/gu;

describe('what a reader sees', () => {
  const files = Object.entries(import.meta.glob<string>(['./**/*.ts', '!./strings.ts', '!./strings/**', '!./**/*.test.ts', '!./**/*.fixture.ts', '!./wasm/**'], { query: '?raw', import: 'default', eager: true }));

  it('is told from what only the code reads', () => {
    expect(literals("import a from 'No words here'; // 'Nor here'\nx = 'Copy the link'; y = /it's/; z = `${n} of them`")).toEqual(['Copy the link', '${n} of them']);
    expect(['Copy the link', 'lost, late', 'no samples yet', 'Packets in flight'].filter(isProse)).toHaveLength(4);
    expect(['(resolution: 2dppx)', 'M4 3h3v10H4z', '.seg input', 'KeyW', '600 11px ${family}'].filter(isProse)).toEqual([]);
    expect([...`h('b', { text: 'Copy' }); words(x, a)`.matchAll(SHOWN)].map((m) => m[1])).toEqual(['Copy']);
  });

  it('stands in strings.ts, or beside it, and nowhere else', () => {
    expect(files.length).toBeGreaterThan(30);
    const words = files.flatMap(([file, source]) =>
      [...literals(source.replace(/new (?:Layout)?Error\([^\n]*|\bclass: [^,]*/g, '')).filter(isProse), ...[...source.matchAll(SHOWN)].map((m) => m[1])].map((literal) => `${file}: ${literal}`),
    );
    expect(words).toEqual([]);
  });
});
