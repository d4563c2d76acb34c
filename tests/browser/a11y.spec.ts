import type { Page } from '@playwright/test';
import { violations } from './axe.ts';
import { expect, lab, test } from './bench.ts';

const ALL = '#v=1&view.open=link,server,input,prediction,interpolation,rewind&interp.policy=measured';
const stop = (page: Page) => page.evaluate(() => document.body.hasAttribute('data-paused') || document.getElementById('play')!.click());

for (const scheme of ['dark', 'light'] as const)
  test(`axe finds nothing at any width, in any tab, ${scheme}`, async ({ bench, page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await bench.open(ALL);
    await stop(page);
    const found: string[] = [];
    for (const [width, height, tabs, ids] of [
      [1440, 900, '', ['']],
      [1280, 720, '', ['']],
      [1024, 768, 'ptabs', ['les', 'ctl']],
      [390, 844, 'mtabs', ['ctl', 'les', 'inst']],
      [320, 640, 'mtabs', ['ctl', 'les', 'inst']],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const id of ids) {
        if (id) await page.locator(`#${tabs} input[value=${id}]`).check();
        // The scheme changes colours and nothing else.
        found.push(...(await violations(page, scheme === 'dark' ? undefined : ['color-contrast'])).map((v) => `${width} ${id} ${v}`));
      }
    }
    expect(found).toEqual([]);
  });

test('axe finds nothing while thumbs play, nor in the list of keys, nor with a notice', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(`${baseURL}#v=1&nonsense=1`);
  await lab(page);
  await page.locator('#c-you').tap();
  await expect(page.locator('#touch')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.locator('#keys').tap();
  expect(await violations(page)).toEqual([]);
  await context.close();
});

test('axe finds nothing with a packet open, a plot as its table, and every figure shown', async ({ bench, page }) => {
  await bench.open('#v=1&link.up.latency=300');
  await page.waitForTimeout(600);
  await stop(page);
  for (const button of await page.locator('.inst .tbl').all()) await button.click();
  await expect(page.locator('.inst table')).toHaveCount(5);
  await page.locator('.figs summary').click();
  expect(await violations(page)).toEqual([]);
  await page.locator('#lane').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.locator('#packet')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await violations(page)).toEqual([]);
});

test('targets are large enough: 24 px, and for fingers 36', async ({ browser, baseURL }) => {
  for (const [width, least] of [
    [1440, 24],
    [390, 36],
  ] as const) {
    const context = await browser.newContext({ viewport: { width, height: 844 }, hasTouch: width < 860 });
    const page = await context.newPage();
    await page.goto(`${baseURL}${ALL}`);
    await lab(page);
    await stop(page);
    const small: string[] = [];
    for (const tab of ['inst', 'ctl', 'les']) {
      if (width < 860) await page.locator(`#mtabs input[value=${tab}]`).check();
      small.push(
        ...(await page.evaluate((min) => {
          // A box and its label are one target; a phrase in a sentence is exempt, and as tall as its line.
          const targets = [...document.querySelectorAll<HTMLElement>('button:not(.say), select, summary, input')].filter((el) => el.checkVisibility({ visibilityProperty: true }) && !el.closest('dialog'));
          return targets.flatMap((el) => {
            const box = (el.matches('[type=checkbox]') ? ((el as HTMLInputElement).labels?.[0] ?? el) : el).getBoundingClientRect();
            return Math.min(box.width, box.height) < min - 0.5 && box.width > 1 ? [`${el.id || el.className || el.outerHTML.slice(0, 90)}: ${box.width} x ${box.height}`] : [];
          });
        }, least)),
      );
    }
    expect(small, `${width}`).toEqual([]);
    await context.close();
  }
});

test('fields are 16 px on a phone, so that iOS does not zoom', async ({ bench, page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await bench.open(`${ALL}&view.tab=ctl`);
  const sizes = await page.locator('input[type=number], input[type=text], select').evaluateAll((all) => all.filter((el) => el.checkVisibility()).map((el) => parseFloat(getComputedStyle(el).fontSize)));
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(16);
});

test('who asked for less motion finds the page paused, told so, with step beside it, and nothing that eases', async ({ bench, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await bench.open();
  await expect(page.getByRole('alert')).toContainText('less motion');
  const tick = () => page.locator('#tick').textContent();
  const before = await tick();
  await page.waitForTimeout(300);
  expect(await tick()).toBe(before);
  await page.locator('#step').click();
  await expect.poll(tick).not.toBe(before);
  const eases = await page.evaluate(() => [...document.querySelectorAll('*')].filter((el) => getComputedStyle(el).transitionDuration !== '0s' || getComputedStyle(el).animationName !== 'none').map((el) => el.className));
  expect(eases).toEqual([]);
});

test('in forced colours what is selected, focused and drawn can be told', async ({ bench, page }) => {
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'light' });
  await bench.open(ALL);
  await stop(page);
  const look = (selector: string) =>
    page.locator(selector).first().evaluate((el) => {
      const { backgroundColor, outlineStyle, outlineWidth, forcedColorAdjust } = getComputedStyle(el);
      return { backgroundColor, ring: outlineStyle === 'none' ? '' : outlineWidth, forcedColorAdjust };
    });
  const [chosen, other] = [await look('#speed input:checked + span'), await look('#speed input:not(:checked) + span')];
  expect(chosen.backgroundColor).not.toBe(other.backgroundColor);
  expect((await look('#c-you')).forcedColorAdjust).toBe('none');
  await page.locator('#speed input:checked').focus();
  await page.keyboard.press('ArrowRight');
  expect((await look('#speed input:checked + span')).ring).toBe('2px');
  await page.keyboard.press('Tab');
  expect((await look(':focus-visible')).ring).toBe('2px');
});

test('at 200 % zoom of 1280 x 720 there is one column, and the stage and the transport are in sight', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  await page.goto(baseURL);
  await lab(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(640);
  await page.locator('#c-you').scrollIntoViewIfNeeded();
  const box = (await page.locator('#c-you').boundingBox())!;
  expect(box.height).toBeGreaterThanOrEqual(180);
  await expect(page.locator('#play')).toBeInViewport();
  await context.close();
});

test('pictures have the pixels of the screen that they are on, also after the window is moved to another', async ({ bench, page }) => {
  await bench.open();
  await stop(page);
  const cdp = await page.context().newCDPSession(page);
  for (const ratio of [1, 1.25, 2, 3]) {
    await cdp.send('Emulation.setDeviceMetricsOverride', { width: 1280, height: 720, deviceScaleFactor: ratio, mobile: false });
    await expect
      .poll(() =>
        page.evaluate((r) => {
          const all = [...document.querySelectorAll('canvas')].filter((c) => c.checkVisibility());
          return all.flatMap((c) => {
            const { width, height } = c.getBoundingClientRect();
            return Math.abs(c.width - width * r) <= r && Math.abs(c.height - height * r) <= r ? [] : [`${c.id} ${c.width} of ${width * r}`];
          });
        }, ratio),
      )
      .toEqual([]);
  }
});

test('each pane says in words and numbers what it shows, at rest when paused and at most once in two seconds', async ({ bench, page }) => {
  await bench.open('#v=1&bots=3');
  await expect(page.locator('#c-you')).toHaveAccessibleDescription(/you \d+ ms ahead of the server and off by [\d.]+ m; others \d+ ms behind/);
  await expect(page.locator('#c-server')).toHaveAccessibleDescription(/tick \d+\. The other player and 3 bots stand/);
  await expect(page.locator('#c-other')).toHaveAccessibleDescription(/you \d+ ms behind the server/);
  const times = await page.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        const at: number[] = [];
        new MutationObserver(() => at.push(performance.now()) > 2 && resolve(at)).observe(document.getElementById('s-server')!, { childList: true, characterData: true, subtree: true });
      }),
  );
  expect(times[2]! - times[1]!).toBeGreaterThan(1900);
  // Paused, it is of the picture that stands.
  await stop(page);
  await page.locator('#step').click();
  const tick = async (id: string) => (await page.locator(id).textContent())!.match(/tick (\d+)/)![1];
  await expect.poll(async () => (await tick('#s-server')) === (await tick('#tick'))).toBe(true);
});
