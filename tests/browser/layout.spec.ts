import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './bench.ts';

for (const [width, height] of [
  [1440, 900],
  [1280, 720],
  [1024, 768],
] as const)
  test(`${width} x ${height}: nothing scrolls but the panel, and everything is in sight`, async ({ bench, page }) => {
    await page.setViewportSize({ width, height });
    await bench.open();
    const over = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      return [scrollWidth - innerWidth, scrollHeight - innerHeight];
    });
    expect(over).toEqual([0, 0]);
    for (const id of ['c-you', 'c-server', 'c-other', 'lane', 'plot-lagometer', 'plot-age', 'plot-error']) {
      const box = await page.locator(`#${id}`).boundingBox();
      expect(box, id).not.toBeNull();
      expect(box!.height, id).toBeGreaterThan(50);
      expect(box!.y + box!.height, id).toBeLessThanOrEqual(height + 1);
    }
  });

test('390 x 844: one column, nothing wider than the screen', async ({ bench, page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await bench.open();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await expect(page.locator('#c-you')).toBeVisible();
  await expect(page.locator('#c-server')).toBeHidden();
  await page.locator('#panetabs input[value=server]').check();
  await expect(page.locator('#c-server')).toBeVisible();
  await page.locator('#mtabs input[value=ctl]').check();
  await expect(page.getByRole('slider', { name: 'Delay, ms' })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test('320 px wide: nothing wider than the screen', async ({ bench, page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await bench.open('#view.tab=ctl');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
});

for (const scheme of ['dark', 'light'] as const)
  for (const width of [1440, 390])
    for (const tab of ['inst', 'ctl', 'les'])
      test(`axe: nothing serious at ${width}, ${scheme}, ${tab}`, async ({ bench, page }) => {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
        await bench.open(`#view.tab=${tab}&view.open=link,server,input,prediction,interpolation,rewind&interp.policy=measured`);
        await page.locator('#play').click();
        const { violations } = await new AxeBuilder({ page }).analyze();
        const bad = violations.filter((v) => v.impact === 'serious' || v.impact === 'critical');
        expect(bad.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' | ')}`)).toEqual([]);
      });

test('the stage is dark in both schemes, the chrome follows', async ({ bench, page }) => {
  const ground = () =>
    page.evaluate(() => ['.scope', '.panel'].map((s) => getComputedStyle(document.querySelector(s)!).backgroundColor));
  await bench.open();
  const dark = await ground();
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await ground();
  expect(light[0]).toBe(dark[0]);
  expect(light[1]).not.toBe(dark[1]);
});
