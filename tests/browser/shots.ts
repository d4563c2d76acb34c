// Pictures of each view in three sizes and both schemes, at fixed instants of one seed, so that two builds can be laid side by side.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect, lab, test } from './bench.ts';
import { create } from './online.ts';

const FOLDER = process.env['SHOTS'] ?? fileURLToPath(new URL('../../target/shots', import.meta.url));
const SIZES = { wide: [1440, 900], middle: [1024, 768], phone: [390, 844] } as const;
type Size = keyof typeof SIZES;

/** Where the pictures stand, and a tick further: by then the plots are full, and the tape has half a minute. */
const AT_S = 35;
const ALL = 'view.open=link,server,input,prediction,interpolation,rewind';

interface View {
  name: string;
  /** After '#v=1&seed=7'. */
  fragment?: string;
  /** Without it: all three. */
  sizes?: Size[];
  /** What is done once the page stands at AT_S. */
  act?(page: Page): Promise<void>;
}

const VIEWS: View[] = [
  { name: 'bench' },
  { name: 'short', fragment: '&interp.delay=110&link.down.jitter=60' },
  { name: 'controls', fragment: `&${ALL}&view.tab=ctl` },
  { name: 'needs', fragment: `&${ALL}&view.tab=ctl&predict.on=false&interp.policy=measured&link.carrier=websocket` },
  ...[1, 2, 3].map((n): View => ({ name: `lesson-${n}`, fragment: `&view.tab=les&view.lesson=${n}`, ...(n > 1 && { sizes: ['middle', 'phone'] }) })),
  ...['server', 'other'].map((pane): View => ({ name: `pane-${pane}`, fragment: `&view.pane=${pane}`, sizes: ['phone'] })),
  { name: 'behind', act: lookBack },
  { name: 'keys', act: (page) => page.getByRole('button', { name: 'Keys' }).click() },
  { name: 'tables', fragment: '&view.tab=inst', act: openTables, sizes: ['wide'] },
  { name: 'take', fragment: '&view.open=take&view.tab=ctl', act: (page) => page.locator('.away .code').scrollIntoViewIfNeeded() },
  { name: 'packet', act: (page) => openPacket(page, 'Input') },
  { name: 'packet-snapshot', act: (page) => openPacket(page, 'Snapshot') },
  { name: 'notice', fragment: '&link.up.lag=4&interp.delay=900' },
];

for (const size of Object.keys(SIZES) as Size[])
  for (const scheme of ['dark', 'light'] as const)
    for (const view of VIEWS.filter(({ sizes }) => !sizes || sizes.includes(size)))
      test(`${view.name} ${size} ${scheme}`, async ({ page, baseURL }) => {
        const [width, height] = SIZES[size];
        await page.setViewportSize({ width, height });
        // With reduced motion the page begins paused: nothing runs but what is asked for here, so equal builds give equal pictures.
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
        await page.goto(`${baseURL}#v=1&seed=7${view.fragment ?? ''}`);
        await lab(page);
        await page.locator('[data-notice=reduced] button').last().click();
        await page.evaluate((seconds) => window.afterimage!.run(seconds), AT_S);
        await page.locator('#step').click();
        await expect(page.locator('#clock')).toHaveText(/^00:35\.0[1-9]/);
        await view.act?.(page);
        await page.mouse.move(0, 0);
        await shoot(page, `${view.name}-${width}-${scheme}`);
      });

test('waiting 1440 dark', async ({ page, baseURL }) => {
  await page.route('**/*.wasm', () => {});
  await page.goto(baseURL);
  await page.locator('#c-you').waitFor();
  await shoot(page, 'waiting-1440-dark');
});

// Nothing stands still there, so these are of any instant: of the relay that serves the page, which must be one.
for (const size of Object.keys(SIZES) as Size[])
  for (const scheme of ['dark', 'light'] as const)
    test(`online ${size} ${scheme}`, async ({ page, baseURL }) => {
      const [width, height] = SIZES[size];
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(baseURL);
      await lab(page);
      await page.locator('#place input[value=online]').check();
      await page.locator('#o-name').fill('Ada');
      await page.waitForTimeout(500);
      await shoot(page, `online-lobby-${width}-${scheme}`);
      await create(page, 4);
      await page.waitForTimeout(4000);
      await shoot(page, `online-${width}-${scheme}`);
      if (size === 'phone') await page.locator('#mtabs input[value=ctl]').check();
      else await page.locator('#o-fold').click();
      await page.waitForTimeout(500);
      await shoot(page, `online-more-${width}-${scheme}`);
      await page.locator('#o-leave').click();
    });

/** Opens the newest packet of yours of a kind. */
async function openPacket(page: Page, kind: string): Promise<void> {
  await page.locator('#lane').focus();
  const said = page.locator('#lane-said');
  for (let i = 0; i < 40 && !new RegExp(`^${kind} .*(you to|to you)`).test(await said.innerText()); i++) await page.keyboard.press(i ? 'ArrowLeft' : 'End');
  await page.keyboard.press('Enter');
  await expect(page.locator('#packet-title')).toHaveText(new RegExp(`^${kind} `));
}

/** Six seconds behind live, as if the tape had been dragged there. */
async function lookBack(page: Page): Promise<void> {
  await page.evaluate(() => window.afterimage!.seek(6200));
  await expect(page.locator('#clock')).toHaveText(/^00:28/);
}

/** Every plot as its table, and the table of every figure. */
async function openTables(page: Page): Promise<void> {
  for (const toggle of await page.locator('.tbl').all()) await toggle.click();
  await page.locator('.figs > summary').click();
}

/** Takes the picture once two looks in a row are alike: words, plots and sizes have then all followed. */
async function shoot(page: Page, name: string): Promise<void> {
  let before: Buffer | undefined;
  let now: Buffer = await page.screenshot();
  for (let look = 0; look < 10 && !before?.equals(now); look++) [before, now] = [now, await page.screenshot()];
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/${name}.png`, now);
}
