// Several scenes: chosen in the header, each with a module of its own.

import { expect, lab, test } from './bench.ts';

const state = (page: import('@playwright/test').Page) => page.evaluate(() => window.afterimage!.state());

test('a scene is chosen by keyboard: its module comes, the link stays as it is, and the address has both', async ({ bench, page }) => {
  const modules: string[] = [];
  page.on('request', (request) => request.url().endsWith('.wasm') && modules.push(request.url()));
  await bench.open('#v=1&scene=arena&seed=5&link.up.latency=140&link.down.loss=7&horde.enemies=300');
  await expect(page.locator('[data-notice=link]')).toContainText('is a setting of Horde, and not of this scene');
  expect(modules).toHaveLength(1);
  const button = page.locator('#scenes').getByRole('button', { name: 'Horde' });
  await button.focus();
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await state(page)).scene).toBe('horde');
  await expect.poll(() => modules.length).toBe(2);
  expect(new Set(modules).size).toBe(2);
  const { config, seed } = await state(page);
  expect({ seed, up: config['link.up.latency'], loss: config['link.down.loss'] }).toEqual({ seed: 5, up: 140, loss: 7 });
  expect(config).toHaveProperty(['horde.enemies']);
  await expect(button).toHaveAttribute('aria-current', 'true');
  await expect(page.locator('.psec[data-group=scene]')).toBeVisible();
  await expect.poll(() => page.evaluate(() => location.hash)).toMatch(/scene=horde&seed=5&.*link\.up\.latency=140/);
  expect(bench.complaints).toEqual([]);

  // The same by the link alone, in a new page.
  await page.reload();
  await lab(page);
  expect(await state(page)).toMatchObject({ scene: 'horde', seed: 5, config: { 'link.up.latency': 140 } });
  await page.locator('#scenes').getByRole('button', { name: 'Arena' }).click();
  await expect.poll(async () => (await state(page)).scene).toBe('arena');
  await lab(page);
  expect((await state(page)).config).not.toHaveProperty(['horde.enemies']);
  await expect(page.locator('.psec[data-group=scene]')).toHaveCount(0);
});

test('a module that does not come is told by its scene, and the way back is there', async ({ bench, page }) => {
  await bench.open('#v=1&seed=5');
  await page.route('**/horde_bg-*.wasm', (route) => route.abort());
  await page.locator('#scenes').getByRole('button', { name: 'Horde' }).click();
  const notice = page.locator('[data-notice=fault]');
  await expect(notice).toContainText('Horde could not be loaded');
  await notice.getByRole('button', { name: 'Back to Arena' }).click();
  await lab(page);
  expect((await state(page)).scene).toBe('arena');
  await expect(notice).toBeHidden();
  await page.locator('#scenes').getByRole('button', { name: 'Horde' }).click();
  await expect(notice).toBeVisible();
  await page.unroute('**/horde_bg-*.wasm');
  await notice.getByRole('button', { name: 'Try again' }).click();
  await expect(notice).toBeHidden();
  await lab(page);
  expect((await state(page)).scene).toBe('horde');
});
