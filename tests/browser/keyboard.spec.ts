import type { Page } from '@playwright/test';
import { expect, test } from './bench.ts';

const text = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');
/** Starved frames a second of the last three. */
const starved = (page: Page) => page.evaluate(async () => (await window.afterimage!.hash()).readings.probes['others.starved']!.mean ?? 0);

for (const [width, height] of [
  [1440, 900],
  [1024, 768],
  [390, 844],
] as const)
  test(`by keyboard alone, from load to starved frames and their cure in a dozen keys (${width} wide)`, async ({ bench, page }) => {
    await page.setViewportSize({ width, height });
    await bench.open();
    await expect(page.locator('.psec').first()).toBeAttached();
    let keys = 0;
    const press = async (...names: string[]) => {
      for (const name of names) {
        await page.keyboard.press(name);
        keys++;
      }
    };
    await page.evaluate(() => window.afterimage!.run(6));
    expect(await starved(page)).toBe(0);

    await press('Tab', 'Tab');
    expect(await text(page)).toBe('Skip to the lesson');
    // To the third lesson, and on to its phrases.
    await press('Enter', 'Enter', 'Enter', 'Tab', 'Tab');
    expect(await text(page)).toBe('raise jitter to 60 ms');
    await press('Enter', 'Tab');
    expect(await text(page)).toBe('send 20 snapshots a second');
    await press('Enter');
    await page.evaluate(() => window.afterimage!.run(6));
    expect(await starved(page)).toBeGreaterThan(3);
    await expect(page.locator('#feed')).toContainText('samples ran out');

    await press('Tab');
    expect(await text(page)).toBe('240 ms');
    await press('Enter');
    await page.evaluate(() => window.afterimage!.run(8));
    expect(await starved(page)).toBeLessThan(1);
    expect(keys).toBeLessThanOrEqual(12);
  });

test('the skip links lead to the stage, the lesson and the controls, also where those are behind a tab', async ({ bench, page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await bench.open();
  await expect(page.locator('.psec').first()).toBeAttached();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.locator('#c-you')).toBeFocused();
  await page.locator('.skip').nth(2).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('#psecs summary').first()).toBeFocused();
  await expect(page.locator('#psecs summary').first()).toBeInViewport();
  await page.locator('.skip').nth(1).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Next lesson' })).toBeFocused();
  expect(page.url()).not.toContain('#lesson');
});

test('turning a lesson keeps the focus', async ({ bench, page }) => {
  await bench.open('#v=1&view.lesson=2');
  const next = page.getByRole('button', { name: 'Next lesson' });
  const previous = page.getByRole('button', { name: 'Previous lesson' });
  await previous.focus();
  await page.keyboard.press('Enter');
  // At the first lesson there is no way back: the title has the focus.
  await expect(page.locator('#lesson h2')).toBeFocused();
  await next.focus();
  await page.keyboard.press('Enter');
  await expect(next).toBeFocused();
});
