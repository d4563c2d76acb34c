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
