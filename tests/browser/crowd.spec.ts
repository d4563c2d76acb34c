// The crowd alone, with marks of ours: both ways of drawing show the same, and the graphics card may go.

import { fileURLToPath } from 'node:url';
import { type Page, expect, test } from '@playwright/test';
import { build } from 'vite';
import type { Crowd } from '../../web/src/paint/crowd/crowd.ts';

interface Brought {
  Crowd: typeof Crowd;
}
declare global {
  interface Window {
    crowd: Brought;
  }
}

let code = '';
test.beforeAll(async () => {
  const entry = fileURLToPath(new URL('crowd.entry.ts', import.meta.url));
  const built = await build({ configFile: false, logLevel: 'error', build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'crowd' } } });
  const [bundle] = Array.isArray(built) ? built : [built];
  if (!bundle || !('output' in bundle)) throw new Error('nothing was built');
  code = bundle.output[0].code.replace('var crowd =', 'window.crowd =');
});

/** What is drawn of 3,000 marks in a grid, 12 units apart, kind by kind: how, the colours at some places, and ms a picture. */
async function drawn(page: Page, way: 'gl' | 'stamps' | 'lost' | 'restored', shows = 15) {
  return page.evaluate(
    async ([way, shows]) => {
      const [w, h, across, apart] = [700, 620, 56, 12];
      const rows = { data: new Float32Array(24 + 3000 * 8), offset: 24, count: 3000, stride: 8 };
      for (let i = 0; i < 3000; i++) rows.data.set([12 + (i % 4), (i % across) * apart, Math.floor(i / across) * apart, 0, 4, 0, i % 40 === 0 ? 1 : 0, i], 24 + i * 8);
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [w, h];
      const x = canvas.getContext('2d', { willReadFrequently: true })!;
      const colours = { other: '#E69F00', ink2: '#9AA3AE', mute: '#8A939E', bg: '#0B0D10' } as never;
      const own = new OffscreenCanvas(1, 1);
      // Held, or the browser would collect it while it waits for its context.
      Object.assign(window, { own });
      if (way === 'stamps') own.getContext('2d');
      const crowd = new window.crowd.Crowd(() => own, true);
      const cam = { scale: 1, x: 10, y: 10 };
      const draw = () => {
        x.fillStyle = '#0B0D10';
        x.fillRect(0, 0, w, h);
        crowd.draw(x, rows, cam, { w, h, width: w, height: h }, shows, colours);
        return crowd.by;
      };
      const by = [draw()];
      if (way === 'lost' || way === 'restored') {
        const gone = own.getContext('webgl2')!.getExtension('WEBGL_lose_context')!;
        const heard = (name: string) => new Promise((resolve) => own.addEventListener(name, resolve, { once: true }));
        const lost = heard('webglcontextlost');
        gone.loseContext();
        await lost;
        // It can be given back once everybody has heard.
        await new Promise((resolve) => setTimeout(resolve));
        by.push(draw());
        if (way === 'restored') {
          const back = heard('webglcontextrestored');
          gone.restoreContext();
          await back;
          by.push(draw());
        }
      }
      const began = performance.now();
      for (let i = 0; i < 20; i++) draw();
      const ms = (performance.now() - began) / 20;
      const at = (i: number, dx = 0) => [...x.getImageData(10 + (i % across) * apart + dx, 10 + Math.floor(i / across) * apart, 1, 1).data.slice(0, 3)];
      // The hearts of one mark of each kind, a dead one's, and a place where there is nothing.
      return { by, ms, seen: { enemy: at(4), stand: at(1), hole: at(2), pellet: at(3), dead: at(40), nothing: at(3, 6) } };
    },
    [way, shows] as const,
  );
}

const [ORANGE, MUTE, GROUND] = [[230, 159, 0], [138, 147, 158], [11, 13, 16]];
const SEEN = { enemy: ORANGE, stand: GROUND, hole: GROUND, pellet: MUTE, dead: GROUND, nothing: GROUND };

test.beforeEach(async ({ page }) => {
  await page.goto('about:blank');
  await page.evaluate(code);
});

for (const way of ['gl', 'stamps'] as const)
  test(`3,000 marks are drawn by ${way === 'gl' ? 'the graphics card' : 'stamps'}, each kind as it looks`, async ({ page }) => {
    const { by, seen, ms } = await drawn(page, way);
    expect(by).toEqual([way]);
    expect(seen).toEqual(SEEN);
    test.info().annotations.push({ type: 'ms a picture', description: ms.toFixed(2) });
    console.log(`${way}: ${ms.toFixed(2)} ms a picture of 3,000`);
  });

test('a kind that is switched off is not drawn, the others are', async ({ page }) => {
  for (const way of ['gl', 'stamps'] as const) expect((await drawn(page, way, 0b0001)).seen).toEqual({ ...SEEN, pellet: GROUND });
});

test('where the context is lost stamps take its place, and it theirs once it is back', async ({ page }) => {
  const lost = await drawn(page, 'lost');
  expect(lost).toMatchObject({ by: ['gl', 'stamps'], seen: SEEN });
  expect(await drawn(page, 'restored')).toMatchObject({ by: ['gl', 'stamps', 'gl'], seen: SEEN });
});
