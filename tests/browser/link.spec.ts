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

test('a link in which everything is set and looked at opens without a complaint and is kept as it is', async ({ bench, page }) => {
  await bench.open();
  const catalogue = await page.evaluate(() => window.afterimage!.catalogue()!);
  const other = catalogue.params.map((p) => [p.id, p.kind === 'toggle' ? String(p.default !== true) : p.kind === 'choice' ? p.choices!.find((c) => c.id !== p.default)!.id : String(p.max === p.default ? p.min : p.max)]);
  // Sections that this scene has nothing in are not there, and so not open.
  const here = catalogue.groups.filter((g) => catalogue.params.some((p) => p.group === g.id));
  const groups = [...here.map((g) => g.id), 'take'].join(',');
  const view = { 'view.pane': 'other', 'view.tab': 'ctl', 'view.lesson': '3', 'view.explain': '0', 'view.hide': 'you,truth,granted', 'view.open': groups };
  const link = new URLSearchParams({ v: '1', scene: 'arena', seed: '4294967295', ...Object.fromEntries(other), ...view });
  await page.evaluate((hash) => (location.hash = hash), `#${link}`);
  await expect.poll(async () => (await page.evaluate(() => window.afterimage!.state())).seed).toBe(4294967295);
  await expect(page.locator('[data-notice]')).toHaveCount(0);
  await page.waitForTimeout(600);
  const kept = new URLSearchParams(new URL(page.url()).hash.slice(1));
  kept.sort();
  link.sort();
  expect([...kept]).toEqual([...link]);
});

test('a link of another version, with keys said twice, too long or hostile, is told in a few lines and followed where it can be', async ({ bench, page }) => {
  await bench.open(`#v=2&seed=6&seed=7&scene=<img src=x onerror=alert(1)>&${'x.y=1&'.repeat(2000)}`);
  const notice = page.locator('[data-notice=link]');
  await expect(notice).toContainText('the link is of version 2, this page reads version 1');
  await expect(notice).toContainText('seed stands there twice, \u201c7\u201d was not taken');
  await expect(notice).toContainText('longer than 4096 characters');
  await expect(notice.locator('li')).toHaveCount(13);
  await expect(notice.locator('img')).toHaveCount(0);
  expect((await page.evaluate(() => window.afterimage!.state())).seed).toBe(6);
  expect(bench.complaints).toEqual([]);
});

test('a fader that is dragged writes the address once; a browser that refuses is asked again, and the link is right all the same', async ({ bench, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await bench.open('#v=1&scene=arena&seed=3');
  await page.waitForTimeout(600);
  await page.evaluate(() => {
    const { replaceState } = history;
    (window as unknown as { asked: number[] }).asked = [];
    history.replaceState = function (...args) {
      (window as unknown as { asked: number[] }).asked.push(performance.now());
      if (document.body.dataset['refuse']) throw new DOMException('too often', 'SecurityError');
      replaceState.apply(this, args);
    };
  });
  const asked = () => page.evaluate(() => (window as unknown as { asked: number[] }).asked.length);
  const delay = page.getByRole('slider', { name: 'Delay, ms' });
  for (let ms = 200; ms < 300; ms += 5) await delay.fill(String(ms));
  await expect.poll(() => page.url()).toContain('interp.delay=295');
  expect(await asked()).toBeLessThan(4);

  await page.evaluate(() => (document.body.dataset['refuse'] = 'yes'));
  await delay.fill('400');
  await page.getByRole('button', { name: 'Copy link' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('interp.delay=400');
  expect(page.url()).toContain('interp.delay=295');
  await page.evaluate(() => delete document.body.dataset['refuse']);
  await expect.poll(() => page.url(), { timeout: 10_000 }).toContain('interp.delay=400');
});
