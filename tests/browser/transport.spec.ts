import { createHash } from 'node:crypto';
import type { Page } from '@playwright/test';
import { expect, test } from './bench.ts';

/** Every canvas as it is, and the text beside it. */
async function picture(page: Page): Promise<string> {
  const all = await page.evaluate(async () => (await window.afterimage!.settled(), [
    ...[...document.querySelectorAll('canvas')].map((c) => c.toDataURL()),
    document.querySelector('.transport')!.textContent,
    document.querySelector('.scope')!.textContent,
    document.querySelector('#feed')!.textContent,
  ]));
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

const now = (page: Page) =>
  page.evaluate(() => {
    const view = window.afterimage!.view()!;
    return view[1]! * 1000 + view[2]!;
  });
const tick = (page: Page) => page.evaluate(() => window.afterimage!.view()![3]!);

test('pause means that nothing moves; a step is one tick', async ({ bench, page }) => {
  await bench.open();
  await page.waitForTimeout(1500);
  const moving = await picture(page);
  await page.waitForTimeout(100);
  expect(await picture(page)).not.toBe(moving);

  await page.keyboard.press('Space');
  await expect(page.locator('#play')).toHaveAccessibleName('Play');
  await page.waitForTimeout(300);
  const still = await picture(page);
  const at = await tick(page);
  await page.waitForTimeout(700);
  expect(await picture(page)).toBe(still);

  await page.keyboard.press('ArrowRight');
  await expect.poll(() => tick(page)).toBe(at + 1);
  await page.getByRole('button', { name: 'Step one tick' }).click();
  await expect.poll(() => tick(page)).toBe(at + 2);
  await expect(page.locator('#tick')).toHaveText(`tick ${at + 2}`);
});

test('the clock keeps the chosen speed', async ({ bench, page }) => {
  await bench.open();
  const pace = async () => {
    const run = await page.evaluate(
      () =>
        new Promise<[number, number]>((resolve) => {
          const first = { t: 0, v: 0 };
          const stop = window.afterimage!.watch((view) => {
            const t = performance.now();
            const v = view[1]! * 1000 + view[2]!;
            if (!first.t) [first.t, first.v] = [t, v];
            else if (t - first.t > 3000) {
              stop();
              resolve([v - first.v, t - first.t]);
            }
          });
        }),
    );
    return run[0] / run[1];
  };
  // The clock may lose what a stalled frame cost and never gains; a picture may come late at either end of the three seconds.
  const full = await pace();
  expect(full).toBeGreaterThan(0.7);
  expect(full).toBeLessThan(1.1);
  await page.keyboard.press('[');
  await expect(page.getByRole('radio', { name: '1/2' })).toBeChecked();
  const half = await pace();
  expect(half).toBeGreaterThan(0.35);
  expect(half).toBeLessThan(0.55);
  await page.locator('#speed input[value="0.01"]').check();
  expect(await pace()).toBeLessThan(0.012);
  await page.locator('#speed input[value="0.001"]').check();
  const slowest = await pace();
  expect(slowest).toBeGreaterThan(0.0005);
  expect(slowest).toBeLessThan(0.0012);
  // A script may ask for more than the page offers.
  await page.evaluate(() => window.afterimage!.speed(8));
  const fast = await pace();
  expect(fast).toBeGreaterThan(4);
  expect(fast).toBeLessThan(8.8);
});

test('a click on the transport leaves the keys to the page; whoever comes by keyboard stays', async ({ bench, page }) => {
  await bench.open();
  const state = () => page.evaluate(() => window.afterimage!.state());
  await page.locator('#restart').click();
  await page.keyboard.press('Space');
  expect((await state()).playing).toBe(false);
  await page.locator('#speed label', { hasText: '1/4' }).click();
  await expect(page.locator('.transport :focus')).toHaveCount(0);
  await page.keyboard.press(']');
  expect((await state()).speed).toBe(0.5);
  await page.locator('#play').focus();
  await page.keyboard.press('Space');
  expect((await state()).playing).toBe(true);
  await expect(page.locator('#play')).toBeFocused();
});

test('what is pressed elsewhere keeps Space and leaves the other keys to time', async ({ bench, page }) => {
  await bench.open();
  const state = () => page.evaluate(() => window.afterimage!.state());
  const chip = page.getByRole('button', { name: 'Truth', exact: true });
  await chip.click();
  await expect(chip).toBeFocused();
  await page.keyboard.press('[');
  expect((await state()).speed).toBe(0.5);
  await page.keyboard.press('ArrowRight');
  expect((await state()).playing).toBe(false);
  const at = await tick(page);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => tick(page)).toBe(at + 1);
  await page.keyboard.press('Space');
  await expect(chip).toHaveAttribute('aria-pressed', 'true');
  expect((await state()).playing).toBe(false);
  // In the list of keys a key is a key.
  await page.locator('#keys').click();
  await page.locator('#keys-close').focus();
  await page.keyboard.press(']');
  expect((await state()).speed).toBe(0.5);
});

test('a notice that is dismissed by keyboard gives the focus back', async ({ bench, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await bench.open('#v=1&link.up.lag=4');
  await expect(page.locator('#notices .notice')).toHaveCount(2);
  await page.locator('#explain').focus();
  await page.locator('[data-notice=reduced] button').last().focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-notice=link] button').last()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('#notices .notice')).toHaveCount(0);
  await expect(page.locator('#explain')).toBeFocused();
});

test('transport keys stay out of fields and modifiers', async ({ bench, page }) => {
  await bench.open();
  await page.locator('#seed').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('[');
  expect(await page.evaluate(() => window.afterimage!.state())).toMatchObject({ playing: true, speed: 1 });
  await page.locator('#seed').blur();
  await page.keyboard.press('Control+[');
  expect(await page.evaluate(() => window.afterimage!.state().speed)).toBe(1);
});

test('a hidden page pauses, says so, and lets go of the keys', async ({ bench, page }) => {
  await bench.open();
  await page.locator('#c-you').focus();
  await page.keyboard.down('d');
  await expect.poll(() => page.evaluate(() => window.afterimage!.state().driving)).toBe(true);
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    Object.defineProperty(document, 'hidden', { value: false, configurable: true });
  });
  await expect(page.locator('[data-notice=hidden]')).toContainText('Paused');
  expect(await page.evaluate(() => window.afterimage!.state())).toMatchObject({ playing: false, driving: false });
  const at = await now(page);
  await page.waitForTimeout(300);
  expect(await now(page)).toBe(at);
  await page.locator('[data-notice=hidden]').getByRole('button', { name: 'Play' }).click();
  await expect.poll(() => now(page)).toBeGreaterThan(at);
});

test('less motion: it starts paused', async ({ bench, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await bench.open();
  expect(await page.evaluate(() => window.afterimage!.state().playing)).toBe(false);
  await expect(page.locator('[data-notice=reduced]')).toBeVisible();
});

test.describe('any display', () => {
  // Another process on the machine may have the processor for a while.
  test.describe.configure({ retries: 2 });

  for (const hz of [30, 240])
    test(`at ${hz} pictures a second time goes as fast as at 60, and the words change no oftener`, async ({ bench, page }) => {
      await page.addInitScript((rate) => {
        // A display of its own: frames come by a timer, at the times that they are due.
        let due = performance.now();
        window.requestAnimationFrame = (draw) => {
          Object.assign(window, { asked: ((window as { asked?: number }).asked ?? 0) + 1 });
          due = Math.max(due + 1000 / rate, performance.now() - 100);
          return window.setTimeout(() => draw(performance.now()), Math.max(0, due - performance.now()));
        };
      }, hz);
      await bench.open();
      const run = await page.evaluate(
        () =>
          new Promise<{ virtual: number; wall: number; frames: number; words: number }>((resolve) => {
            const asked = () => (window as unknown as { asked: number }).asked;
            const first = { t: 0, v: 0, asked: 0 };
            let words = 0;
            new MutationObserver(() => words++).observe(document.getElementById('tick')!, { childList: true, characterData: true, subtree: true });
            const stop = window.afterimage!.watch((view) => {
              const [t, v] = [performance.now(), view[1]! * 1000 + view[2]!];
              if (!first.t) [first.t, first.v, first.asked, words] = [t, v, asked(), 0];
              if (t - first.t < 3000) return;
              stop();
              resolve({ virtual: v - first.v, wall: t - first.t, frames: asked() - first.asked, words });
            });
          }),
      );
      // A stall of more than a tenth of a second is no time of the lab's; a step for each picture would be out by half, or by three.
      expect(Math.abs(run.virtual / run.wall - 1)).toBeLessThan(0.15);
      expect(run.words).toBeLessThanOrEqual(3 * 8 + 2);
      const rate = (run.frames / run.wall) * 1000;
      if (hz === 30) expect(rate).toBeLessThan(33);
      else expect(rate).toBeGreaterThan(65);
    });
});
