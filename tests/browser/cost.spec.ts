import type { Page } from '@playwright/test';
import { expect, test } from './bench.ts';
import { at, work } from './work.ts';

/** A frame of 60 a second has 16.7 ms; a quarter of it is the page's. */
const MOST_MS = 4;
const WINDOW_MS = 4000;
const WINDOWS = 6;

/**
 * What all but the dearest twentieth of frames stay below, in the best window. By the processor's clock the time of other processes does
 * not count, but they still take caches and half a core, so that the same work takes longer while they run. They never make it
 * shorter: one window within the bound shows what the work is, and further ones are asked for only where the first was not.
 */
async function p95(page: Page, what: string): Promise<number> {
  const seen: number[] = [];
  for (let i = 0; i < WINDOWS && !(Math.min(...seen) < MOST_MS); i++) {
    const frames = await work(page, WINDOW_MS);
    expect(frames.length, 'the page draws').toBeGreaterThan(30);
    seen.push(at(frames, 0.95));
    test.info().annotations.push({ type: what, description: `median ${at(frames, 0.5).toFixed(2)} ms, p95 ${at(frames, 0.95).toFixed(2)} ms, ${frames.length} frames` });
  }
  return Math.min(...seen);
}

test.describe('a frame', () => {
  // On a machine that others use too, the same windows cost a quarter more from one minute to the next: a further try comes at another time.
  test.describe.configure({ retries: 3 });

  test('costs the main thread less than 4 ms with its five instruments, and less than twice that with everything unfolded', async ({ bench, page }) => {
    test.setTimeout(150_000);
    await bench.open('#v=1&view.open=');
    await page.waitForTimeout(4000);
    expect(await p95(page, 'as the page opens')).toBeLessThan(MOST_MS);

    for (const summary of await page.locator('.psec > summary, .figs > summary').all()) await summary.click();
    await expect(page.locator('.psec:not([open]), .figs:not([open])')).toHaveCount(0);
    // Every control and the table of sixty probes are more rows to write and to lay out.
    expect(await p95(page, 'with everything unfolded')).toBeLessThan(MOST_MS * 2);
  });
});

test('the first picture is there within a second, before the lab is', async ({ page, baseURL }) => {
  // The best of three: the first start of a browser reads its own files too.
  const painted: number[] = [];
  for (let i = 0; i < 3; i++) {
    await page.goto('about:blank');
    await page.route('**/*.wasm', () => {});
    await page.goto(baseURL);
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    painted.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]!.startTime));
    await page.unroute('**/*.wasm');
  }
  test.info().annotations.push({ type: 'first picture', description: painted.map((ms) => `${ms.toFixed(0)} ms`).join(', ') });
  expect(Math.min(...painted)).toBeLessThan(1000);
});

test('an hour at speed 50 takes no more memory than its first minute', async ({ bench, page }) => {
  test.setTimeout(400_000);
  await bench.open('#v=1');
  const cdp = await page.context().newCDPSession(page);
  const taken = async () => {
    await cdp.send('HeapProfiler.collectGarbage');
    const { usedSize } = await cdp.send('Runtime.getHeapUsage');
    const { module, world } = await page.evaluate(() => window.afterimage!.memory());
    return { module, world, script: usedSize, elements: await page.locator('*').count() };
  };
  // Fifty frames' worth of time for each picture; a minute takes 72 of them.
  const minute = () =>
    page.evaluate(async () => {
      for (let i = 0; i < 72; i++) {
        await window.afterimage!.run(50 / 60);
        await new Promise(requestAnimationFrame);
      }
    });
  await minute();
  const first = await taken();
  for (let i = 1; i < 60; i++) await minute();
  const last = await taken();
  test.info().annotations.push({ type: 'memory', description: JSON.stringify({ first, last }) });
  const { now } = await page.evaluate(() => ({ now: window.afterimage!.view()![1]! }));
  expect(now).toBeGreaterThan(3590);
  // The past is kept up to its bound, and a module's memory never shrinks: what grows is the holes between its pieces.
  expect(last.world).toBeLessThanOrEqual(64 * 2 ** 20);
  expect(last.module).toBeLessThan(first.module * 1.06);
  expect(last.script - first.script).toBeLessThan(2 * 2 ** 20);
  expect(Math.abs(last.elements - first.elements)).toBeLessThan(50);
});
