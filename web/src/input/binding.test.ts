import { describe, expect, it } from 'vitest';
import { DEFAULTS, actionOf, bind, bitOf, codeOf, isFree, read } from './binding.ts';

describe('keys', () => {
  it('do one thing each: what had one before loses it, and is named', () => {
    const { bindings, from } = bind(DEFAULTS, 'button1', 0, 'KeyF');
    expect(from).toBe('button0');
    expect(bindings.button0).toEqual(['KeyJ']);
    expect(bindings.button1).toEqual(['KeyF', 'KeyK']);
    expect(actionOf(bindings, 'KeyF')).toBe('button1');
  });

  it('change places within an action without doubling', () => {
    expect(bind(DEFAULTS, 'up', 0, 'ArrowUp').bindings.up).toEqual(['ArrowUp']);
    expect(bind(DEFAULTS, 'up', 1, 'KeyW').bindings.up).toEqual(['KeyW']);
    expect(bind({ ...DEFAULTS, up: [] }, 'up', 1, 'KeyI').bindings.up).toEqual(['KeyI']);
  });

  it('leave Escape, Tab, Enter and the modifiers of the browser alone', () => {
    for (const code of ['Escape', 'Tab', 'Enter', 'ControlLeft', 'MetaRight', 'AltLeft', 'F5', 'Unidentified', '']) expect(isFree(code), code).toBe(false);
    for (const code of ['KeyQ', 'Space', 'Shift', 'Digit1', 'BracketLeft', 'Numpad4']) expect(isFree(code), code).toBe(true);
    expect(codeOf('ShiftRight')).toBe('Shift');
  });

  it('are read from whatever was stored', () => {
    for (const stored of [null, '', 'null', '[]', '7', '{"up":7}', '{']) expect(read(stored)).toEqual(DEFAULTS);
    expect(read(JSON.stringify({ ...DEFAULTS, up: ['KeyI'] })).up).toEqual(['KeyI']);
    // Not free, twice, too many, not a text; and a default that is used elsewhere now.
    const read1 = read('{"up":["Tab","KeyI","KeyI",3,"KeyO","KeyP"],"left":["KeyI","KeyF"]}');
    expect(read1.up).toEqual(['KeyI', 'KeyO']);
    expect(read1.left).toEqual(['KeyF']);
    expect(read1.button0).toEqual(['KeyJ']);
  });

  it('press by bit', () => {
    expect([bitOf('up'), bitOf('button0'), bitOf('button1')]).toEqual([0, 1, 2]);
  });
});
