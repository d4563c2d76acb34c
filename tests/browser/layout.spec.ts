import type { Page } from '@playwright/test';
import { expect, lab, test } from './bench.ts';

/** Everything open, and a rule chosen, so that each control is there. */
const ALL = '#v=1&view.open=link,server,input,prediction,interpolation,rewind';

/** Text that is cut: wider than its box, or higher than one of a set size, which hides what is over. What scrolls by itself is not cut. */
const cut = (page: Page) =>
  page.evaluate(() => {
    const contains = (el: Element) => /strict|paint/.test(getComputedStyle(el).contain);
    const hides = (el: Element) => ['hidden', 'clip'].includes(getComputedStyle(el).overflowX) || contains(el);
    const seen = (el: Element) => el.checkVisibility({ visibilityProperty: true }) && getComputedStyle(el).clipPath === 'none' && !el.matches('.vh, .vh *, .skip, canvas, svg *, option');
    const told = (el: Element) => {
      const { id, className } = el;
      return `${el.tagName.toLowerCase()}${id ? `#${id}` : className ? `.${String(className)}` : ''}: ${el.textContent?.slice(0, 60)}`;
    };
    const found: string[] = [];
    for (const el of document.querySelectorAll('body *')) {
      if (!seen(el) || ![...el.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent?.trim())) continue;
      if (el instanceof HTMLElement && hides(el) && el.scrollWidth > el.clientWidth + 1) found.push(told(el));
      if (el instanceof HTMLElement && contains(el) && el.scrollHeight > el.clientHeight + 1) found.push(told(el));
      // Or it reaches over the edge of what holds and hides it.
      const box = el.getBoundingClientRect();
      for (let up = el.parentElement; up && up !== document.body; up = up.parentElement) {
        if (['auto', 'scroll'].includes(getComputedStyle(up).overflowX)) break;
        const over = up.getBoundingClientRect();
        if (hides(up) && box.right > over.right + 1) found.push(told(el));
        if (contains(up) && !up.matches('.feed ol, .scroll, .lesson, .panel') && box.bottom > over.bottom + 1) found.push(told(el));
      }
      if (box.right > innerWidth + 1 && !el.closest('.legend')) found.push(`off the screen: ${told(el)}`);
    }
    return [...new Set(found)];
  });

/** Each figure over a pane as long as it can get, while time stands: a link may stall for many seconds. */
async function longest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await window.afterimage!.settled();
    document.getElementById('r-you')!.innerHTML = 'others \u221212345 ms<small>, starved</small>';
    document.getElementById('r-server')!.textContent = 'tick 1234567';
    document.getElementById('r-other')!.textContent = 'you \u221212345 ms';
  });
}

/** How much wider and higher than the screen the page is. */
const over = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    return [scrollWidth - innerWidth, scrollHeight - innerHeight];
  });

const CANVASES = ['c-you', 'c-server', 'c-other', 'lane', 'tape'];

for (const [width, height] of [
  [2560, 1440],
  [1920, 1080],
  [1440, 900],
  [1401, 720],
  [1310, 720],
  [1280, 720],
  [1240, 720],
  [1024, 768],
] as const)
  test(`${width} x ${height}: nothing scrolls but the panel, nothing is cut, everything is in sight`, async ({ bench, page }) => {
    await page.setViewportSize({ width, height });
    await bench.open(ALL);
    await page.locator('#c-you').click();
    expect(await over(page)).toEqual([0, 0]);
    expect(await cut(page)).toEqual([]);
    for (const canvas of [...CANVASES.map((id) => page.locator(`#${id}`)), ...(await page.locator('.inst canvas').all())]) {
      const box = (await canvas.boundingBox())!;
      const name = await canvas.getAttribute('id');
      expect(box, `${name}`).not.toBeNull();
      expect(box.height, `${name}`).toBeGreaterThan(45);
      expect(box.y + box.height, `${name}`).toBeLessThanOrEqual(height + 1);
    }
    expect(await page.locator('.lesson').isVisible()).toBe(width >= 1240);
    await page.locator('#play').click();
    await longest(page);
    expect(await cut(page), 'with the longest figures').toEqual([]);
    expect(await page.locator('#scenes').isVisible()).toBe(width > 1400);
  });

for (const [width, height] of [
  [860, 900],
  [640, 360],
  [390, 844],
  [320, 640],
] as const)
  test(`${width} x ${height}: nothing is wider than the screen, nothing is cut, in any tab`, async ({ bench, page }) => {
    await page.setViewportSize({ width, height });
    await bench.open(ALL);
    await page.locator('#c-you').click();
    expect(await cut(page), 'played').toEqual([]);
    // A name that gives way to its short form is still a name.
    for (const name of await page.locator('.pane:visible h2').allInnerTexts()) expect(name).not.toBe('');
    const tabs = width < 860 ? 'mtabs' : 'ptabs';
    for (const tab of width < 860 ? ['inst', 'ctl', 'les'] : ['les', 'ctl']) {
      await page.locator(`#${tabs} input[value=${tab}]`).check();
      expect((await over(page))[0], tab).toBe(0);
      expect(await cut(page), tab).toEqual([]);
    }
  });

test('390 x 844: one column, a tab for each pane and each part, the transport within reach', async ({ bench, page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await bench.open();
  for (const pane of ['server', 'other', 'you']) {
    await page.locator(`#panetabs input[value=${pane}]`).check();
    for (const id of ['you', 'server', 'other']) expect(await page.locator(`#c-${id}`).isVisible(), `${id} under ${pane}`).toBe(id === pane);
  }
  await page.locator('#mtabs input[value=ctl]').check();
  await expect(page.getByRole('slider', { name: 'Delay, ms' })).toBeVisible();
  await page.evaluate(() => scrollTo(0, 1e6));
  await expect(page.locator('#play')).toBeInViewport();
  // What has the focus is never under the header or the transport.
  await page.locator('#explain').focus();
  for (let i = 0; ; i++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement === document.body)) {
      expect(i).toBeGreaterThan(30);
      break;
    }
    const [top, bottom, name] = await page.evaluate(() => {
      const { top, bottom } = document.activeElement!.getBoundingClientRect();
      return [top, bottom, document.activeElement!.outerHTML.slice(0, 80)] as const;
    });
    expect(top, name).toBeGreaterThanOrEqual(48);
    expect(bottom, name).toBeLessThanOrEqual(844 - 68);
  }
});

test('little height: the page scrolls instead of squeezing what is on it', async ({ bench, page }) => {
  await page.setViewportSize({ width: 1280, height: 600 });
  await bench.open();
  expect((await over(page))[1]).toBeGreaterThan(0);
  expect((await page.locator('#bench').boundingBox())!.height).toBe(640);
});

for (const width of [1440, 1280, 1024])
  test(`a packet leaves from under You and lands under Server (${width})`, async ({ bench, page }) => {
    await page.setViewportSize({ width, height: 800 });
    await bench.open();
    await page.locator('#play').click();
    // The colour on the lane under the middle of each pane: the marks of You and of the other player.
    const under = await page.evaluate(async () => {
      await window.afterimage!.settled();
      const lane = document.getElementById('lane') as HTMLCanvasElement;
      const { left } = lane.getBoundingClientRect();
      const ratio = lane.width / lane.clientWidth;
      const x = window.copied('lane');
      return ['you', 'server', 'other'].map((id) => {
        const box = document.getElementById(`c-${id}`)!.getBoundingClientRect();
        const middle = (box.left + box.right) / 2 - left;
        const [r, g, b] = x.getImageData((middle + (id === 'server' ? 5 : 0)) * ratio, 35 * ratio, 1, 1).data;
        return [r!, g!, b!];
      });
    });
    expect(under[0]).toEqual([0x56, 0xb4, 0xe9]);
    expect(Math.min(...under[1]!)).toBeGreaterThan(150);
    expect(under[2]).toEqual([0xe6, 0x9f, 0x00]);
  });

test('the stage is dark in both schemes, the chrome follows', async ({ bench, page }) => {
  const ground = () => page.evaluate(() => ['.scope', '.panel', '.pane header', '.inst'].map((s) => getComputedStyle(document.querySelector(s)!).backgroundColor));
  const picture = () =>
    page.evaluate(async () => (await window.afterimage!.settled(), ['c-you', 'lane', 'tape'].map((id) => [...window.copied(id).getImageData(1, 1, 1, 1).data])));
  await bench.open();
  const dark = [await ground(), await picture()];
  await page.emulateMedia({ colorScheme: 'light' });
  await page.reload();
  await lab(page);
  const light = [await ground(), await picture()];
  expect(light[1]).toEqual(dark[1]);
  expect(light[0]![1]).not.toEqual(dark[0]![1]);
  for (const i of [0, 2, 3]) expect(light[0]![i]).toEqual(dark[0]![i]);
});

test('a legend chip takes its overlay out of every pane, and the link keeps it', async ({ bench, page }) => {
  await bench.open();
  await page.locator('#play').click();
  const count = () =>
    page.evaluate(async () => (await window.afterimage!.settled(), ['c-you', 'c-other'].map((id) => {
      const x = window.copied(id);
      const { data } = x.getImageData(0, 0, x.canvas.width, x.canvas.height);
      let white = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i]! > 250 && data[i + 1]! > 250 && data[i + 2]! > 250) white++;
      return white;
    })));
  const before = await count();
  const chip = page.getByRole('button', { name: 'Truth', exact: true });
  await chip.click();
  await expect(chip).toHaveAttribute('aria-pressed', 'false');
  await expect.poll(async () => (await count()).map((n, i) => n < before[i]! / 2)).toEqual([true, true]);
  await expect.poll(() => page.evaluate(() => location.hash)).toContain('truth');
});
