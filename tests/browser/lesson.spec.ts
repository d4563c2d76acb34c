import type { Page } from '@playwright/test';
import type { Reading } from '../../web/src/protocol.ts';
import { expect, test } from './bench.ts';

const say = (page: Page, name: string) => page.locator('#lesson').getByRole('button', { name, exact: true });
/** Runs on until the figures are of what is set now: 4 s for the picture to get there, and the 3 s that figures are of. */
const figures = (page: Page): Promise<Record<string, Reading>> => page.evaluate(async () => (await window.afterimage!.run(8)).readings.probes);

for (const [scene, lessons] of [['arena', 3], ['horde', 2]] as const)
  test(`every phrase of every lesson of the ${scene} sets what it says, is marked, and is refused by nothing`, async ({ bench, page }) => {
    test.setTimeout(120_000);
    await bench.open(`#v=1&scene=${scene}&seed=7`);
    for (let lesson = 1; lesson <= lessons; lesson++) {
      await expect(page.locator('#lesson')).toContainText(`Lesson ${lesson} of ${lessons}`);
      const phrases = page.locator('#lesson .say[aria-pressed]');
      const count = await phrases.count();
      expect(count).toBeGreaterThan(4);
      for (let i = 0; i < count; i++) {
        await phrases.nth(i).click();
        await expect(phrases.nth(i)).toHaveAttribute('aria-pressed', 'true');
      }
      if (lesson < lessons) await page.getByRole('button', { name: 'Next lesson' }).click();
    }
    await expect(page.locator('[data-notice]')).toHaveCount(0);
    expect(bench.complaints).toEqual([]);
  });

test('lesson 1: a LAN closes the gaps, 2G opens them, and a phrase stops the clock', async ({ bench, page }) => {
  await bench.open('#v=1&seed=7&view.lesson=1');
  const gap = async () => (await figures(page))['others.error_naive']!.mean!;
  const usual = await gap();
  await say(page, 'a LAN').click();
  const near = await gap();
  await say(page, '2G').click();
  const far = await gap();
  expect(near).toBeLessThan(usual / 2);
  expect(far).toBeGreaterThan(usual * 2);
  await say(page, 'Pause').click();
  expect((await page.evaluate(() => window.afterimage!.state())).playing).toBe(false);
  await say(page, 'play').click();
  expect((await page.evaluate(() => window.afterimage!.state())).playing).toBe(true);
  await say(page, 'Turn prediction off').click();
  expect((await figures(page))['input.response']!.mean).toBeGreaterThan(1000);
});

test('lesson 2: lost inputs are corrected, copies buy them back, and a slow link alone costs nothing', async ({ bench, page }) => {
  await bench.open('#v=1&seed=7&view.lesson=2');
  await say(page, '10 % loss up').click();
  await say(page, 'one copy of each').click();
  const lossy = await figures(page);
  expect(lossy['input.lost']!.mean).toBeGreaterThan(1);
  await say(page, 'twelve').click();
  const bought = await figures(page);
  expect(bought['input.lost']!.mean).toBeLessThan(lossy['input.lost']!.mean! / 4);
  await say(page, 'a tenth of the speed').click();
  expect((await page.evaluate(() => window.afterimage!.state())).speed).toBe(0.1);
  await say(page, 'at full speed').click();
  await say(page, 'Make the link slower').click();
  const slow = await figures(page);
  expect(slow['clock.rtt']!.mean).toBeGreaterThan(550);
  expect(slow['input.response']!.mean).toBeLessThan(20);
  await say(page, 'go back').click();
  await expect(page.locator('.psec[data-group=link] summary').first()).toContainText('4G: 100 ms, 4 % loss');
});

test('lesson 3: jitter and a low rate starve, a delay or a rule buys it back, and the text says which delay it is', async ({ bench, page }) => {
  await bench.open('#v=1&seed=7&view.lesson=3');
  const starved = async () => (await figures(page))['others.starved']!.mean!;
  const lesson = page.locator('#lesson');
  await say(page, 'a delay of 160 ms').click();
  await expect(lesson).toContainText('drawn 160 ms in the past');
  expect(await starved()).toBe(0);
  await say(page, 'raise jitter to 60 ms').click();
  await say(page, 'send 20 snapshots a second').click();
  expect(await starved()).toBeGreaterThan(5);
  await say(page, '240 ms').click();
  await expect(lesson).toContainText('drawn 240 ms in the past');
  // What is lost costs an interval more, now and then.
  expect(await starved()).toBeLessThan(1);
  await say(page, 'a rule').click();
  expect(await starved()).toBeLessThan(2);
  await expect(lesson).toContainText(/drawn 2\d\d ms \(by the rule\) in the past/);
  const age = async () => (await figures(page))['others.age']!.mean!;
  const before = await age();
  await say(page, 'Slow the way up').click();
  expect(Math.abs((await age()) - before)).toBeLessThan(10);
});
