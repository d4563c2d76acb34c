import { describe, expect, it } from 'vitest';
import { Model } from './model.ts';
import { CATALOGUE } from '../catalogue.fixture.ts';

const model = new Model(CATALOGUE);

describe('rows', () => {
  it('joins up and down of one thing into one row and folds the rarer ones', () => {
    const rows = model.rows('link');
    expect(rows.map((r) => (r.kind === 'pair' ? r.label : r.param.id) + (r.fold ? ' folded' : ''))).toEqual([
      'Latency',
      'Loss',
      'Burst folded',
      'Reorder folded',
      'link.carrier',
      'link.vary folded',
      'link.vary.depth folded',
    ]);
  });
});

describe('what applies', () => {
  it('names the nearest setting that is missing, also when that one is off for a reason of its own', () => {
    const config = { ...model.defaults(), 'predict.on': false };
    expect(model.missing(model.param('predict.on')!, config)).toBe('');
    expect(model.missing(model.param('predict.reconcile')!, config)).toBe('needs Predict own moves');
    expect(model.missing(model.param('predict.smooth')!, config)).toBe('needs Reconcile');
  });

  it('names the choice that a setting needs', () => {
    const config = { ...model.defaults(), 'interp.policy': 'measured' };
    expect(model.missing(model.param('interp.delay')!, config)).toBe('needs Delay rule: Fixed');
    expect(model.missing(model.param('interp.delay')!, model.defaults())).toBe('');
    expect(model.missing(model.param('interp.delay')!, { ...model.defaults(), 'interp.on': false })).toBe('needs Interpolate others');
  });
});

describe('what needs a value', () => {
  it('names the least that another setting must pass, with its way', () => {
    const burst = model.param('link.down.burst')!;
    expect(model.missing(burst, model.defaults())).toBe('');
    expect(model.missing(burst, { ...model.defaults(), 'link.down.loss': 0 })).toBe('needs Loss down above 0');
  });

  it('names all the choices that would do', () => {
    const depth = model.param('link.vary.depth')!;
    expect(model.missing(depth, model.defaults())).toBe('needs Variation: Wave or Ramp');
    expect(model.missing(depth, { ...model.defaults(), 'link.vary': 'ramp' })).toBe('');
  });
});

describe('values', () => {
  it('clamps to the range and snaps to the step', () => {
    const delay = model.param('interp.delay')!;
    expect(model.parse(delay, '900')).toBe(600);
    expect(model.parse(delay, '-3')).toBe(0);
    expect(model.parse(delay, '162')).toBe(160);
    expect(model.parse(delay, '')).toBeUndefined();
    expect(model.parse(delay, 'soon')).toBeUndefined();
  });

  it('keeps a step of a half exact', () => {
    expect(model.parse(model.param('clock.drift')!, '-2.74')).toBe(-2.5);
  });

  it('takes only the choices and toggles that exist', () => {
    expect(model.parse(model.param('interp.policy')!, 'psychic')).toBeUndefined();
    expect(model.parse(model.param('predict.on')!, 'false')).toBe(false);
    expect(model.parse(model.param('predict.on')!, 'off')).toBeUndefined();
  });
});

describe('folded rows', () => {
  it('says those that are not as by default, and apply', () => {
    const config = model.defaults();
    expect(model.folded('link', config)).toBe('none');
    const set = { ...config, 'link.up.burst': 2, 'link.up.reorder': 1, 'link.down.reorder': 1 };
    expect(model.folded('link', set)).toBe('burst 2/1, reorder 1 %');
    expect(model.folded('link', { ...set, 'link.up.loss': 0, 'link.down.loss': 0 })).toBe('reorder 1 %');
    expect(model.folded('link', { ...config, 'link.vary': 'wave' })).toBe('variation wave');
    expect(model.folded('link', { ...config, 'link.vary.depth': 20 })).toBe('none');
  });

  it('names what both ways lack once', () => {
    const [up, down] = [model.param('link.up.burst')!, model.param('link.down.burst')!];
    const config = { ...model.defaults(), 'link.up.loss': 0 };
    expect(model.missingOf(up, down, config)).toBe('needs Loss up above 0');
    expect(model.missingOf(up, down, { ...config, 'link.down.loss': 0 })).toBe('needs Loss above 0');
  });
});

describe('presets and summaries', () => {
  it('knows the preset that the values equal, however they came', () => {
    const config = { ...model.defaults(), 'link.up.latency': 1, 'link.down.latency': 1, 'link.up.loss': 0, 'link.down.loss': 0 };
    expect(model.presetOf('link', config)?.id).toBe('lan');
    expect(model.presetOf('link', { ...config, 'link.up.loss': 1 })).toBeUndefined();
  });

  it('says a closed section in one line', () => {
    const config = model.defaults();
    expect(model.summary('link', config)).toBe('4G: 100 ms, 4 % loss');
    const bad = { ...config, 'link.up.burst': 6, 'link.down.rate': 8, 'link.up.rate': 0, 'link.vary': 'ramp' };
    expect(model.summary('link', bad)).toBe('4G: 100 ms, 4 % loss, bursts of 6/1, 0/8 kB/s, ramp');
    expect(model.summary('link', { ...config, 'link.up.latency': 30 })).toBe('Custom: 30/100 ms, 4 % loss');
    expect(model.summary('predict', { ...config, 'predict.on': false })).toBe('off: you wait a round trip');
    expect(model.summary('interp', config)).toBe('160 ms, fixed');
    expect(model.summary('interp', { ...config, 'interp.policy': 'measured' })).toBe('Measured');
    expect(model.summary('interp', { ...config, 'interp.policy': 'target' })).toBe('at most 0.5 % starved');
    expect(model.summary('clock', config)).toBe('drift 0.0 %');
    const slow = { ...config, 'server.tick': 10, 'server.snapshots': 64 };
    expect(model.summary('server', slow)).toBe('10 Hz tick, 10 Hz snapshots, 8 bots');
    const horde = { 'server.tick': 10, 'server.snapshots': 64, 'horde.players': 6 };
    expect(model.summary('server', horde)).toBe('10 Hz tick, 10 Hz snapshots, 6 bots');
  });
});

describe('a scene', () => {
  const catalogue = {
    ...CATALOGUE,
    params: [
      ...CATALOGUE.params.map((p) => (p.id === 'link.up.loss' ? { ...p, defaults: { rink: 9 } } : p)),
      { ...CATALOGUE.params[0]!, id: 'rink.pucks', label: 'Pucks', scenes: ['rink'], default: 3 },
    ],
  };
  const [arena, rink] = [new Model(catalogue, 'arena'), new Model(catalogue, 'rink')];

  it('has its own settings and its own defaults', () => {
    expect(arena.param('rink.pucks')).toBeUndefined();
    expect(arena.defaults()).not.toHaveProperty('rink.pucks');
    expect(rink.defaults()).toMatchObject({ 'rink.pucks': 3, 'link.up.loss': 9 });
    expect(arena.defaults()['link.up.loss']).toBe(4);
    expect(arena.elsewhere('rink.pucks')).toEqual(['Rink']);
    expect([arena.elsewhere('interp.delay'), rink.elsewhere('rink.pucks'), arena.elsewhere('no.such')]).toEqual([[], [], []]);
  });

  it('takes over from another what was set there, where it has it too', () => {
    const set = { ...rink.defaults(), 'rink.pucks': 8, 'link.up.latency': 300 };
    expect(rink.carried(set, arena)).toEqual({ 'link.up.latency': 300 });
    expect(rink.carried(rink.defaults(), arena)).toEqual({});
  });
});
