import { describe, expect, it } from 'vitest';
import { clock, decimalsOf, figure, num, signed } from './format.ts';

describe('numbers', () => {
  it('have a true minus sign and never a negative zero', () => {
    expect(num(-160)).toBe('\u2212160');
    expect(num(-0.2)).toBe('0');
    expect(num(1.25, 1)).toBe('1.3');
    expect(num(NaN)).toBe('\u2013');
    expect(num(null)).toBe('\u2013');
  });

  it('carry a plus sign only above zero', () => {
    expect(signed(100)).toBe('+100');
    expect(signed(-100)).toBe('\u2212100');
    expect(signed(0.3)).toBe('0');
  });

  it('show three digits or so', () => {
    expect([0, 0.0003, 0.0123, 0.3456, 3.456, 12.34, 99.7, 1234].map(figure)).toEqual(['0', '<0.001', '0.012', '0.346', '3.46', '12.3', '100', '1234']);
  });

  it('show as many decimals as the step has', () => {
    expect([1, 0.5, 0.25, 5].map(decimalsOf)).toEqual([0, 1, 2, 0]);
  });
});

describe('clock', () => {
  it('shows minutes, seconds and milliseconds', () => {
    expect(clock(34_000)).toBe('00:34.000');
    expect(clock(59_999.6)).toBe('01:00.000');
    expect(clock(3_661_042)).toBe('1:01:01.042');
    expect(clock(-5)).toBe('00:00.000');
  });
});
