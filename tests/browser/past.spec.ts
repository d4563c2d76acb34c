import type { Page } from '@playwright/test';
import { expect, test } from './bench.ts';

/** The world at one instant: its hash, its picture, its figures. */
const world = (page: Page) =>
  page.evaluate(async () => {
    const { hash, readings } = await window.afterimage!.hash();
    return { hash, readings: JSON.stringify(readings) };
  });

const header = (page: Page) => page.evaluate(() => [...window.afterimage!.view()!.slice(0, 8)]);

/** Goes so many ms back, and waits for the picture of it. */
async function seek(page: Page, behind: number): Promise<void> {
  await page.evaluate((behind) => window.afterimage!.seek(behind), behind);
  await expect.poll(async () => Math.round((await header(page))[5]!)).toBe(behind);
}

test('the past is what it was; what is done in it undoes what came after', async ({ bench, page }) => {
  await bench.open();
  await page.keyboard.press('Space');
  await page.evaluate(() => window.afterimage!.run(20));
  const then = await world(page);
  await page.evaluate(() => window.afterimage!.run(7));
  const live = await world(page);
  expect(then.hash).not.toBe(live.hash);

  await seek(page, 7000);
  expect(await world(page)).toEqual(then);
  const sinceThen = () => page.evaluate(async () => (await window.afterimage!.history()).filter((line) => line.t_ms > window.afterimage!.view()![1]! * 1000 + 999).length);
  expect(await sinceThen()).toBeGreaterThan(0);
  await page.evaluate(() => window.afterimage!.run(7));
  expect(await world(page)).toEqual(live);

  await seek(page, 7000);
  await page.evaluate(() => window.afterimage!.step(-1));
  await page.evaluate(() => window.afterimage!.step(1));
  await page.getByRole('button', { name: 'Drop next' }).first().click();
  await expect.poll(async () => (await header(page)).slice(5)).toEqual([0, expect.any(Number), 1]);
  expect(await sinceThen()).toBe(0);
  await page.evaluate(() => window.afterimage!.run(7));
  expect((await world(page)).hash).not.toBe(live.hash);
  expect(bench.complaints).toEqual([]);
});

test('settings are those of the instant that is shown', async ({ bench, page }) => {
  await bench.open();
  await page.keyboard.press('Space');
  await page.evaluate(() => window.afterimage!.run(2));
  const delay = page.getByRole('spinbutton', { name: 'Delay, ms' });
  const config = () => page.evaluate(() => window.afterimage!.state().config['interp.delay']);
  const before = await config();
  await delay.fill('40');
  await delay.press('Tab');
  await expect.poll(config).toBe(40);
  await page.evaluate(() => window.afterimage!.run(2));
  await seek(page, 3000);
  await expect.poll(config).toBe(before);
  await page.evaluate(() => window.afterimage!.live());
  await expect.poll(config).toBe(40);
});

test('a minute is kept in its bound, and an instant of it is there at once', async ({ bench, page }) => {
  await bench.open();
  await page.keyboard.press('Space');
  await page.evaluate(() => window.afterimage!.run(75));
  // Each instant several times, and the fastest of them: what a busy machine adds now and then is not the lab's.
  const took = await page.evaluate(async () => {
    const fastest = Array<number>(12).fill(Infinity);
    for (let n = 0; n < 5 * fastest.length; n++) {
      const instant = n % fastest.length;
      const began = performance.now();
      window.afterimage!.seek((instant * 7919) % 60_000);
      await window.afterimage!.hash();
      fastest[instant] = Math.min(fastest[instant]!, performance.now() - began);
    }
    return fastest;
  });
  expect(Math.max(...took)).toBeLessThan(100);
  await seek(page, 60_000);
  const { module, world } = await page.evaluate(() => window.afterimage!.memory());
  expect(world).toBeLessThanOrEqual(64 * 2 ** 20);
  expect(module).toBeLessThan(80 * 2 ** 20);
});

test('at a speed that no machine keeps up with, pictures go on coming', async ({ bench, page }) => {
  await bench.open();
  const frames = await page.evaluate(async () => {
    const at: number[] = [];
    window.afterimage!.speed(1e5);
    const stop = window.afterimage!.watch((view) => at.push(view[1]!));
    await new Promise((resolve) => setTimeout(resolve, 3000));
    stop();
    window.afterimage!.speed(1);
    return at;
  });
  expect(frames.length).toBeGreaterThan(10);
  // Each brings several times the eight ticks of one go, since it takes all the time that a picture may.
  expect(frames.at(-1)! - frames[0]!).toBeGreaterThan(frames.length * 0.25);
});
