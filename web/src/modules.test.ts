import { describe, expect, it } from 'vitest';
import { FIRST, type Glue, Modules } from './modules.ts';

const at = (scene: string) => `./wasm/${scene}/${scene}.js`;

/** Modules that are counted as they are fetched; a scene of `missing` does not come the first time. */
function modules(scenes: string[], missing: string[] = []) {
  const fetched: string[] = [];
  const glue = (scene: string) => ({ default: () => Promise.resolve({ memory: scene }), Bench: scene }) as unknown as Glue;
  const load = (scene: string) => () => {
    const lost = missing.includes(scene) && !fetched.includes(scene);
    fetched.push(scene);
    return lost ? Promise.reject(new Error('404')) : Promise.resolve(glue(scene));
  };
  return { fetched, of: new Modules(Object.fromEntries(scenes.map((scene) => [at(scene), load(scene)]))) };
}

describe('the modules', () => {
  it('are fetched one a scene, once each', async () => {
    const { of, fetched } = modules([FIRST, 'rink']);
    const [rink, again] = await Promise.all([of.load('rink'), of.load('rink')]);
    expect(again).toBe(rink);
    expect(rink).toMatchObject({ Bench: 'rink', memory: 'rink' });
    expect(fetched).toEqual(['rink']);
  });

  it('are the first one where there is no such scene', async () => {
    const { of, fetched } = modules([FIRST, 'rink']);
    expect(await of.load('')).toBe(await of.load('nowhere'));
    await of.load('../rink/rink');
    expect(fetched).toEqual([FIRST]);
  });

  it('are asked for again where one did not come', async () => {
    const { of, fetched } = modules([FIRST, 'rink'], ['rink']);
    await expect(of.load('rink')).rejects.toThrow('404');
    await expect(of.load('rink')).resolves.toMatchObject({ Bench: 'rink' });
    expect(fetched).toEqual(['rink', 'rink']);
  });
});
