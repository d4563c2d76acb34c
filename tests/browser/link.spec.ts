import type { Page } from '@playwright/test';
import { expect, lab, test } from './bench.ts';

/** Runs the world on the page from its first tick to the same virtual second, and gives its hash. */
async function hashAt(page: Page, seconds: number): Promise<string> {
  return page.evaluate(async (s) => {
    const { measure, state } = window.afterimage!;
    const { scene, seed, config } = state();
    return (await measure({ scene, seed, config, seconds: s })).hash;
  }, seconds);
}

test('a copied link gives the same bytes', async ({ bench, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await bench.open();
  const plain = await hashAt(page, 10);
  await page.locator('#seed').fill('77');
  await page.locator('#seed').press('Enter');
  await page.getByRole('slider', { name: 'Latency down, ms' }).fill('140');
  await page.getByRole('slider', { name: 'Delay, ms' }).fill('215');
  await page.locator('.psec[data-group=server] summary').click();
  await page.getByRole('slider', { name: 'Snapshot rate, Hz' }).fill('20');
  await page.getByRole('button', { name: 'Rewound' }).click();
  await page.getByRole('button', { name: 'Copy link' }).click();
  await expect(page.locator('#toast')).toContainText('Link copied');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain('#v=1&scene=arena&seed=77&');
  expect(link).toContain('link.down.latency=140');
  expect(link).not.toContain('link.up.latency');
  const here = await hashAt(page, 10);
  expect(here).not.toBe(plain);

  const other = await context.newPage();
  await other.goto(link);
  await lab(other);
  expect(await hashAt(other, 10)).toBe(here);
  await expect(other.getByRole('button', { name: 'Rewound' })).toHaveAttribute('aria-pressed', 'false');
  await expect(other.locator('[data-notice]')).toHaveCount(0);

  // Not only in a run beside the page's: the world on two pages, opened by the link and stopped at one instant, is one world.
  const onPage = async () => {
    const tab = await context.newPage();
    await tab.emulateMedia({ reducedMotion: 'reduce' });
    await tab.goto(link);
    await lab(tab);
    const { hash } = await tab.evaluate(() => window.afterimage!.run(10));
    await tab.close();
    return hash;
  };
  expect(await onPage()).toBe(await onPage());
});

test('what a link says that cannot be taken is listed to the reader', async ({ bench, page }) => {
  await bench.open('#v=1&scene=arena&seed=3&link.up.lag=4&interp.delay=900&predict.on=perhaps');
  const notice = page.locator('[data-notice=link]');
  await expect(notice).toContainText('3 things in this link');
  await expect(notice).toContainText('link.up.lag is not a setting of this build');
  await expect(notice).toContainText('interp.delay was 900, 600 is the nearest it takes');
  await expect(notice).toContainText('predict.on cannot be \u201cperhaps\u201d');
  expect(await page.evaluate(() => window.afterimage!.state().config['interp.delay'])).toBe(600);
  await notice.getByRole('button', { name: 'Dismiss' }).click();
  await expect(notice).toHaveCount(0);
});

test('another link in the same tab is followed; the bar follows the controls', async ({ bench, page }) => {
  await bench.open('#v=1&scene=arena&seed=3');
  await page.evaluate(() => (location.hash = '#v=1&scene=arena&seed=8&interp.delay=300'));
  await expect.poll(() => page.evaluate(() => window.afterimage!.state().seed)).toBe(8);
  await expect(page.getByRole('spinbutton', { name: 'Delay, ms' })).toHaveValue('300');
  await page.getByRole('spinbutton', { name: 'Delay, ms' }).fill('95');
  await expect.poll(() => page.url()).toContain('interp.delay=95');
});
