import type { Page } from '@playwright/test';
import { expect, test } from './bench.ts';
import { at, slowness, work } from './work.ts';

/** A frame of 60 a second has 16.7 ms; a quarter of it is the page's, on a core that is as fast as `slowness` takes for given. */
const MOST_MS = 4;
/** The same with thousands in the picture. */
const CROWDED_MS = 8;
/** How much dearer a frame may be with everything unfolded: what two windows of the same page differ by, and its rows' words. */
const TOLERANCE = 1.35;
const WINDOW_MS = 4000;
const WINDOWS = 6;

/** What all but the dearest twentieth of frames stay below, in one window, on a core that is not `slow` times slower. */
async function p95(page: Page, what: string, slow: number): Promise<number> {
  const frames = await work(page, WINDOW_MS);
  expect(frames.length, 'the page draws').toBeGreaterThan(30);
  const [median, most] = [at(frames, 0.5), at(frames, 0.95)];
  const description = `median ${median.toFixed(2)} ms, p95 ${most.toFixed(2)} ms, ${frames.length} frames; ${slow.toFixed(2)} times slower`;
  console.log(`${what}: ${description}`);
  return most / slow;
}

/** Opens or shuts every section of controls and the table of every figure. */
async function unfold(page: Page, open: boolean): Promise<void> {
  await page.evaluate((yes) => document.querySelectorAll<HTMLDetailsElement>('.psec, .more, .figs').forEach((details) => (details.open = yes)), open);
  await expect(page.locator(open ? ':is(.psec, .more, .figs):not([open])' : ':is(.psec, .more, .figs)[open]')).toHaveCount(0);
  // What the unfolding itself costs is no frame's work.
  await page.waitForTimeout(700);
}

test.describe('a frame', () => {
  // On a machine that others use too, the same windows cost a quarter more from one minute to the next: a further try comes at another time.
  test.describe.configure({ retries: 3 });

  test('costs the main thread less than 4 ms, and no more with everything unfolded', async ({ bench, page }) => {
    test.setTimeout(150_000);
    await bench.open('#v=1&view.open=');
    await page.waitForTimeout(4000);
    // By the processor's clock the time of other processes does not count, but they still take caches and half a core, so that the same
    // work takes longer while they run. They never make it shorter: the best window shows what the work is. The two are taken in turns,
    // so that both have the same neighbours, and further ones only while it is not shown yet. How fast the machine itself is differs by
    // half from day to day, so it is asked beside them.
    let [folded, unfolded] = [Infinity, Infinity];
    const shown = () => folded < MOST_MS && unfolded < Math.min(MOST_MS, folded * TOLERANCE);
    for (let i = 0; i < WINDOWS && !shown(); i++) {
      const slow = await slowness(page);
      await unfold(page, false);
      folded = Math.min(folded, await p95(page, 'as the page opens', slow));
      await unfold(page, true);
      unfolded = Math.min(unfolded, await p95(page, 'with everything unfolded', slow));
    }
    expect(folded).toBeLessThan(MOST_MS);
    expect(unfolded).toBeLessThan(MOST_MS);
    expect(unfolded / folded).toBeLessThan(TOLERANCE);
  });

  test('costs the main thread less than 8 ms with 3,000 enemies in three panes', async ({ bench, page }) => {
    test.setTimeout(150_000);
    await bench.open('#v=1&scene=horde&horde.enemies=3000&interest.on=false');
    await page.waitForTimeout(4000);
    // In every pane, and not in the server's alone.
    const enemies = await page.evaluate(() => {
      const view = window.afterimage!.view()!;
      return [0, 1, 2].map((pane) => {
        const [offset, count, stride] = [0, 1, 2].map((i) => view[8 + pane * 3 + i]!) as [number, number, number];
        return Array.from({ length: count }, (_, i) => view[offset + i * stride]!).filter((kind) => kind === 12).length;
      });
    });
    expect(Math.min(...enemies), JSON.stringify(enemies)).toBeGreaterThan(2000);
    let best = Infinity;
    for (let i = 0; i < WINDOWS && best >= CROWDED_MS; i++) best = Math.min(best, await p95(page, 'with 3,000 enemies', await slowness(page)));
    expect(best).toBeLessThan(CROWDED_MS);
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
  // 72 seconds where the machine keeps up; one that others use too takes longer.
  test.setTimeout(400_000);
  await bench.open('#v=1');
  const cdp = await page.context().newCDPSession(page);
  const taken = async () => {
    await cdp.send('HeapProfiler.collectGarbage');
    const { usedSize } = await cdp.send('Runtime.getHeapUsage');
    const { module, world } = await page.evaluate(() => window.afterimage!.memory());
    return { module, world, script: usedSize, elements: await page.locator('*').count() };
  };
  /** Plays until so many seconds of the world have passed, and stands still there. */
  const play = async (seconds: number) => {
    await page.locator('#play').click();
    await page.waitForFunction((s) => window.afterimage!.view()![1]! >= s, seconds, { polling: 200, timeout: 0 });
    await page.locator('#play').click();
    await page.waitForTimeout(500);
  };
  await page.locator('#play').click();
  await page.evaluate(() => window.afterimage!.speed(50));
  const began = Date.now();
  await play(60);
  const first = await taken();
  await play(3600);
  const last = await taken();
  test.info().annotations.push({ type: 'memory', description: `${JSON.stringify({ first, last })}, ${((Date.now() - began) / 1000).toFixed(0)} s` });
  // The past is kept up to its bound, and a module's memory never shrinks: what grows is the holes between its pieces.
  expect(last.world).toBeLessThanOrEqual(64 * 2 ** 20);
  expect(last.module).toBeLessThan(first.module * 1.06);
  expect(last.script - first.script).toBeLessThan(2 * 2 ** 20);
  expect(Math.abs(last.elements - first.elements)).toBeLessThan(50);
});
