// Online as everybody has to be able to use it: axe, widths, targets, the keyboard alone.

import { violations } from './axe.ts';
import { expect, test } from './bench.ts';
import { create, guest, isIn } from './online.ts';
import { Relay, program } from './relay.ts';

test.skip(!program, 'no relay: set RELAY, or build it with `cargo build -p afterimage-server --bin relay`');

test.describe.configure({ timeout: 120_000 });

let relay: Relay;
test.beforeEach(async () => void (relay = await Relay.start()));
test.afterEach(() => relay.stop('SIGKILL'));

const SIZES = [
  [1440, 900],
  [1024, 768],
  [390, 844],
  [320, 640],
] as const;

for (const scheme of ['dark', 'light'] as const)
  test(`axe finds nothing at any width, in the lobby, in a room, nor with a refusal, ${scheme}`, async ({ browser }) => {
    test.setTimeout(180_000);
    const { page, close } = await guest(browser, relay.url, 'Ada', 'auto', { colorScheme: scheme });
    const found: string[] = [];
    const look = async (where: string) => {
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        const tabs = where === 'room' && width < 860 ? ['ctl', 'inst'] : [''];
        for (const tab of tabs) {
          if (tab) await page.locator(`#mtabs input[value=${tab}]`).check();
          found.push(...(await violations(page)).map((v) => `${where} ${width} ${tab} ${v}`));
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          if (wide > width) found.push(`${where} ${width} ${tab} scrolls sideways to ${wide}`);
          const least = width < 860 ? 36 : 24;
          found.push(
            ...(await page.evaluate((min) => {
              const targets = [...document.querySelectorAll<HTMLElement>('#lobby :is(button, input, select), #room :is(button, input), .ng input, .top :is(button, input, select), .notice button')];
              return targets
                .filter((el) => el.checkVisibility({ visibilityProperty: true }))
                .flatMap((el) => {
                  const box = (el.matches('[type=checkbox]') ? ((el as HTMLInputElement).labels?.[0] ?? el) : el).getBoundingClientRect();
                  return Math.min(box.width, box.height) < min - 0.5 ? [`small: ${el.id || el.outerHTML.slice(0, 80)} ${box.width} x ${box.height}`] : [];
                });
            }, least)).map((v) => `${where} ${width} ${v}`),
          );
        }
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    };
    await page.locator('#place input[value=online]').check();
    await look('lobby');
    await create(page, 4);
    await page.locator('#o-fold').click();
    await look('room');
    await relay.stop('SIGKILL');
    await expect(page.getByRole('alert')).toBeVisible({ timeout: 8000 });
    await look('refused');
    expect(found).toEqual([]);
    await close();
  });

test('a room is made, played in and left with the keyboard alone', async ({ browser }) => {
  const { page, close } = await guest(browser, relay.url, 'Ada');
  const focus = () => page.evaluate(() => document.activeElement?.id ?? '');
  await page.locator('#place input:checked').focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('#lobby')).toBeVisible();
  await expect.poll(focus).toBe('o-name');
  for (let i = 0; i < 12 && (await focus()) !== 'o-create'; i++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await isIn(page);
  await page.locator('#c-you').focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('#hint')).toContainText('Esc leaves');
  await page.keyboard.press('Escape');
  for (let i = 0; i < 40 && (await focus()) !== 'o-leave'; i++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.locator('#lobby')).toBeVisible();
  await close();
});

test('on a phone, upright and on its side, the stage and what thumbs need are in sight', async ({ browser }) => {
  for (const [width, height] of [
    [390, 844],
    [844, 390],
  ] as const) {
    const { page, close } = await guest(browser, relay.url, 'Ada', 'auto', { viewport: { width, height }, hasTouch: true, isMobile: true });
    await create(page, 2);
    await page.locator('#c-you').scrollIntoViewIfNeeded();
    await page.locator('#c-you').tap();
    await expect(page.locator('.press').first()).toBeVisible();
    const stage = (await page.locator('#c-you').boundingBox())!;
    expect(Math.min(stage.width, stage.height)).toBeGreaterThanOrEqual(200);
    for (const press of await page.locator('.press:visible').all()) await expect(press).toBeInViewport();
    await close();
  }
});
