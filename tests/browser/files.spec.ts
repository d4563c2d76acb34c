import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect, test } from './bench.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The lab on the command line. */
const cli = (...args: string[]): string => execFileSync('cargo', ['run', '--quiet', '--package', 'afterimage-lab', '--', ...args], { cwd: ROOT, encoding: 'utf8' });

const state = (page: Page) => page.evaluate(() => window.afterimage!.state());
const file = (text: string) => ({ name: 'mine.json', mimeType: 'application/json', buffer: Buffer.from(text) });

/** Presses the button and hands out what the browser saved: its name and its text. */
async function save(page: Page): Promise<{ name: string; path: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save JSON' }).click()]);
  const path = await download.path();
  return { name: download.suggestedFilename(), path, text: readFileSync(path, 'utf8') };
}

test('what the page saves, the command line runs to the same hash, and the page loads back', async ({ bench, page }) => {
  test.setTimeout(180_000);
  await bench.open('#v=1&seed=23&interp.delay=125&link.down.jitter=45&predict.smooth=false&input.redundancy=2&view.open=take');
  const saved = await save(page);
  expect(saved.name).toBe('afterimage-arena-23.json');
  expect(JSON.parse(saved.text)).toEqual({ afterimage: 1, scene: 'arena', seed: 23, config: (await state(page)).config });
  const { hash } = await page.evaluate(() => {
    const { scene, seed, config } = window.afterimage!.state();
    return window.afterimage!.measure({ scene, seed, config, seconds: 20 });
  });
  const run = JSON.parse(cli('run', '--config', saved.path, '--seconds', '20', '--json')) as { hash: string };
  expect(run.hash).toBe(hash);
  expect(cli('config', '--config', saved.path)).toBe(saved.text);

  // Somewhere else, and back by the file.
  await page.goto(`${page.url().split('#')[0]}#v=1&seed=4&bots=2&view.open=take,interpolation`);
  await expect.poll(async () => (await state(page)).seed).toBe(4);
  await page.locator('#take-file').setInputFiles(saved.path);
  await expect(page.locator('#toast')).toContainText('loaded');
  await expect.poll(async () => (await save(page)).text).toBe(saved.text);
  await expect(page.getByRole('spinbutton', { name: 'Delay, ms' })).toHaveValue('125');
  await expect.poll(() => page.url()).toContain('seed=23&');
});

test('a file with a fault is refused in a sentence with its key, its value and the nearest name; nothing changes', async ({ bench, page }) => {
  await bench.open('#v=1&seed=5&view.open=take');
  const before = await state(page);
  const notice = page.locator('[data-notice=file]');
  for (const [text, sentence] of [
    ['{"config":{"interp.dely":90}}', 'there is no parameter "interp.dely"; the nearest is "interp.delay"'],
    ['{"config":{"bots":31}}', 'bots goes from 0 to 30 bots; 31 is outside'],
    ['{"afterimage":9}', 'version 9'],
    ['{"scene":"arna","config":{}}', 'the nearest is "arena"'],
    ['\u0000\u0001<script>', 'not a configuration'],
    [`{"bots":${' '.repeat(200_000)}1}`, 'at most 65536 bytes'],
  ] as const) {
    await page.locator('#take-file').setInputFiles(file(text));
    await expect(notice).toContainText(sentence);
    await expect(notice).toContainText('mine.json was not taken, and nothing changed');
  }
  expect(await state(page)).toEqual(before);
  await page.locator('#take-file').setInputFiles(file('{"bots": 3}'));
  await expect(notice).toHaveCount(0);
  await expect.poll(async () => (await state(page)).config['bots']).toBe(3);
  expect((await state(page)).seed).toBe(5);
});

test('a file dropped on the page is loaded', async ({ bench, page }) => {
  await bench.open('#v=1');
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['{"seed":77,"interp.delay":215}'], 'dropped.json'));
    return transfer;
  });
  await page.locator('#c-server').dispatchEvent('drop', { dataTransfer: data });
  await expect.poll(async () => (await state(page)).seed).toBe(77);
  await expect(page.locator('#toast')).toContainText('dropped.json loaded');
});

test('the settings stand there as Rust, follow the controls, and are copied', async ({ bench, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await bench.open('#v=1&seed=5&view.open=take,interpolation');
  const code = page.getByRole('region', { name: 'The settings as Rust' });
  await expect(code).toContainText('policy: DelayPolicy::Fixed(Micros::from_millis(160)),');
  await page.getByRole('slider', { name: 'Delay, ms' }).fill('215');
  await expect(code).toContainText('Micros::from_millis(215)');
  await page.getByRole('button', { name: 'Copy Rust' }).click();
  await expect(page.locator('#toast')).toContainText('Rust copied');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(cli('rust', '--set', 'interp.delay=215'));
});
