import { describe, expect, it } from 'vitest';
import { CATALOGUE } from './catalogue.fixture.ts';
import { Model } from './controls/model.ts';
import { LOOK, decode, encode, sceneOf, parseSeed, type Link } from './link.ts';
import { text } from './strings.ts';

const model = new Model(CATALOGUE);
const link = (more: Partial<Link> = {}): Link => ({ scene: 'arena', seed: 1, config: model.defaults(), look: LOOK, online: false, room: undefined, ...more });

describe('encode', () => {
  it('names version, scene and seed, and only what differs from the default', () => {
    expect(encode(link(), model)).toBe('v=1&scene=arena&seed=1');
    const config = { ...model.defaults(), 'interp.delay': 190, 'predict.on': false, 'link.carrier': 'websocket', 'clock.drift': -2.5 };
    expect(encode(link({ config, seed: 7 }), model)).toBe(
      'v=1&scene=arena&seed=7&link.carrier=websocket&clock.drift=-2.5&predict.on=false&interp.delay=190',
    );
  });

  it('comes back as it was, the view too', () => {
    const was = link({
      scene: 'rink',
      seed: 4294967295,
      config: { ...model.defaults(), 'link.up.loss': 12, 'interp.policy': 'measured' },
      look: { pane: 'server', tab: 'ctl', lesson: 2, explain: false, hide: ['truth', 'samples'], open: ['link'] },
    });
    const { problems, ...back } = decode(`#${encode(was, model)}`, model);
    expect(problems).toEqual([]);
    expect({ ...back, config: { ...model.defaults(), ...back.config } }).toEqual(was);
  });
});

describe('where the page is', () => {
  it('is in the link: the lobby, or a room by its code, however that is written', () => {
    expect(encode(link({ online: true }), model)).toBe('v=1&scene=arena&seed=1&place=online');
    expect(encode(link({ online: true, room: 'BCDFGH' }), model)).toBe('v=1&scene=arena&seed=1&room=BCDFGH');
    expect(decode('#v=1&room=bcd-fgh', model)).toMatchObject({ online: true, room: 'BCDFGH', problems: [] });
    expect(decode('#place=online', model)).toMatchObject({ online: true, room: undefined, problems: [] });
  });

  it('is the lobby where the code is none, and that is told', () => {
    expect(decode('#room=HELLO', model)).toMatchObject({ online: true, room: undefined, problems: [{ kind: 'bad', key: 'room', value: 'HELLO' }] });
  });
});

describe('decode', () => {
  it('takes an empty fragment as the defaults', () => {
    expect(decode('', model)).toEqual({ scene: 'arena', seed: 1, config: {}, look: LOOK, online: false, room: undefined, problems: [] });
  });

  it('clamps what is out of range and tells', () => {
    const { config, problems } = decode('#interp.delay=900&link.up.loss=-4', model);
    expect(config).toEqual({ 'interp.delay': 600, 'link.up.loss': 0 });
    expect(problems).toEqual([
      { kind: 'clamped', key: 'interp.delay', value: '900', taken: '600' },
      { kind: 'clamped', key: 'link.up.loss', value: '-4', taken: '0' },
    ]);
  });

  it('lists unknown keys, values of the wrong kind and another version, and takes the rest', () => {
    const { config, seed, problems } = decode('#v=9&seed=-1&link.up.lag=3&predict.on=maybe&scene=moon&interp.delay=200', model);
    expect(config).toEqual({ 'interp.delay': 200 });
    expect(seed).toBe(1);
    expect(problems).toEqual([
      { kind: 'version', value: '9' },
      { kind: 'bad', key: 'seed', value: '-1' },
      { kind: 'unknown', key: 'link.up.lag' },
      { kind: 'bad', key: 'predict.on', value: 'maybe' },
      { kind: 'bad', key: 'scene', value: 'moon' },
    ]);
  });

  it('says of a setting of other scenes whose it is, wherever the link names its scene', () => {
    const catalogue = { ...CATALOGUE, params: [...CATALOGUE.params, { ...CATALOGUE.params[0]!, id: 'rink.pucks', scenes: ['rink'] }] };
    const read = (fragment: string) => decode(fragment, new Model(catalogue, sceneOf(fragment) || 'arena'));
    expect(read('#rink.pucks=3').problems).toEqual([{ kind: 'elsewhere', key: 'rink.pucks', scenes: ['Rink'] }]);
    expect(read('#rink.pucks=3&scene=rink')).toMatchObject({ scene: 'rink', config: { 'rink.pucks': 3 }, problems: [] });
  });

  it('tells a view that there is not, as it does a setting', () => {
    const { look, problems } = decode('#view.pane=sky&view.lesson=zero&view.tab=ctl&view.explain=no', model);
    expect(look).toEqual({ ...LOOK, tab: 'ctl' });
    expect(problems).toEqual([
      { kind: 'bad', key: 'view.pane', value: 'sky' },
      { kind: 'bad', key: 'view.lesson', value: 'zero' },
      { kind: 'bad', key: 'view.explain', value: 'no' },
    ]);
  });

  it('takes what is said first where a key stands there twice, and tells the second', () => {
    const { config, seed, problems } = decode('#seed=3&interp.delay=200&seed=4&interp.delay=100', model);
    expect([seed, config]).toEqual([3, { 'interp.delay': 200 }]);
    expect(problems).toEqual([
      { kind: 'twice', key: 'seed', value: '4' },
      { kind: 'twice', key: 'interp.delay', value: '100' },
    ]);
  });

  it('reads no more than a link of ours can have, and no half of a pair', () => {
    const long = `#seed=3&${'view.hide=truth&'.repeat(255)}interp.delay=200`;
    expect(long.length).toBeGreaterThan(4096);
    const { seed, config, problems } = decode(long, model);
    expect([seed, config]).toEqual([3, {}]);
    expect(problems[0]).toEqual({ kind: 'long', most: 4096 });
    expect(text.problems(problems)).toHaveLength(13);
    expect(text.problems(problems).at(-1)).toMatch(/^and \d+ more$/);
    const all = Object.fromEntries(CATALOGUE.params.map((p) => [p.id, p.kind === 'range' ? p.max! : p.kind === 'choice' ? p.choices![1]!.id : false]));
    expect(encode(link({ config: all, look: { ...LOOK, hide: Object.keys(text.legend), open: CATALOGUE.groups.map((g) => g.id) } }), model).length).toBeLessThan(4096 / 3);
  });

  it('takes of a list what there is, and tells that there is more', () => {
    const { look, problems } = decode('#view.hide=truth,fog,truth&view.open=&view.lesson=99', model);
    expect(look).toEqual({ ...LOOK, hide: ['truth'], open: [] });
    expect(problems.map((p) => 'key' in p && p.key)).toEqual(['view.hide', 'view.lesson']);
  });

  it('says a stranger\u2019s text in a line, whatever it is', () => {
    const { problems } = decode(`#${'k'.repeat(500)}=1&scene=${'<img>'.repeat(100)}&__proto__=1&constructor=2`, model);
    for (const line of text.problems(problems)) expect(line.length).toBeLessThan(120);
    expect(problems.map((p) => p.kind)).toEqual(['unknown', 'bad', 'unknown', 'unknown']);
  });

  it('survives text that is no fragment of ours', () => {
    expect(decode('#%E0%A4%A&=&&x', model).problems.map((p) => p.kind)).toContain('unknown');
    expect(decode('#v=1.0', model).problems).toEqual([{ kind: 'version', value: '1.0' }]);
  });
});

describe('parseSeed', () => {
  it('takes whole numbers of 32 bits only', () => {
    expect(parseSeed('42')).toBe(42);
    expect(parseSeed('4294967296')).toBeUndefined();
    expect(parseSeed('1.5')).toBeUndefined();
    expect(parseSeed('')).toBeUndefined();
  });
});
