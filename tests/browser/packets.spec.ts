// Packets under a finger: opened, read to the last bit, dropped, held, sent twice.

import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { type Mark, type PacketName, marksOf } from '../../web/src/lane/marks.ts';
import { Section, View } from '../../web/src/view.ts';
import { expect, test } from './bench.ts';

/** A link that does nothing of itself, so that what happens was done here. */
const QUIET = '#v=1&seed=7&link.up.loss=0&link.down.loss=0&link.up.jitter=0&link.down.jitter=0';

/** Every packet in flight as the lane draws it. */
async function marks(page: Page): Promise<Mark[]> {
  const view = new View(new Float32Array(Object.values(await page.evaluate(() => window.afterimage!.view()!))));
  return marksOf(view.section(Section.Packets), (await page.locator('#lane').boundingBox())!.width);
}

/** One of yours, about half way, with others behind it. */
async function one(page: Page, line: number, cargo: number): Promise<Mark> {
  const flying = (await marks(page)).filter((mark) => mark.line === line && mark.cargo === cargo && mark.fate === 0);
  expect(flying.length).toBeGreaterThan(3);
  return flying[Math.floor(flying.length / 2)]!;
}

const of = async (page: Page, { line, number }: PacketName) => (await marks(page)).filter((mark) => mark.line === line && mark.number === number);

const tickOf = (page: Page): Promise<number> => page.evaluate(() => window.afterimage!.view()![3]!);

/** Opens the page at full flow, standing, its last picture on the screen, so that a packet is still where it was looked for. */
async function stand(page: Page, open: () => Promise<void>): Promise<void> {
  await open();
  await page.locator('#play').click();
  const { tick } = (await page.evaluate(() => window.afterimage!.run(2))).readings;
  await page.locator('#step').click();
  await expect.poll(() => tickOf(page)).toBe(tick + 1);
  expect((await marks(page)).length).toBeGreaterThan(10);
}

async function click(page: Page, mark: Mark): Promise<void> {
  await page.locator('#lane').click({ position: { x: mark.x, y: mark.y } });
  await expect(page.locator('#packet')).toBeVisible();
  await expect(page.locator('#packet-title')).toHaveText(new RegExp(` ${mark.number}$`));
}

/** The bits of the rows that belong to no group, and those of the groups: as the table adds them up. */
async function bitsOf(page: Page) {
  // The card opens at once, its rows come from the lab.
  await expect(page.locator('#packet tfoot')).toBeVisible();
  return page.evaluate(() => {
    const cell = (row: Element) => Number(row.children[1]!.textContent);
    const rows = [...document.querySelectorAll('#packet tbody:not(.group) tr')].map(cell);
    const groups = [...document.querySelectorAll('#packet tbody.group')].map((group) => {
      const [head, ...inner] = [...group.querySelectorAll('tr')].map(cell);
      return { head: head!, sum: inner.reduce((a, b) => a + b, 0) };
    });
    const all = [...rows, ...groups.map(({ head }) => head)].reduce((a, b) => a + b, 0);
    return { all, groups, said: Number(document.querySelector('#packet tfoot td')!.textContent) };
  });
}

test('a click on a packet stops the clock and shows it bit by bit', async ({ bench, page }) => {
  await stand(page, () => bench.open(QUIET));
  await page.locator('#speed input[value="0.01"]').check({ force: true });
  await page.locator('#play').click();
  await expect(page.locator('body')).not.toHaveAttribute('data-paused', '');
  // It moves on while the pointer is on its way there.
  await expect(async () => {
    const { x, y } = await one(page, 0, 0);
    await page.locator('#lane').click({ position: { x, y } });
    await expect(page.locator('#packet-title')).toHaveText(/^Input /, { timeout: 500 });
  }).toPass();
  await expect(page.locator('body')).toHaveAttribute('data-paused', '');
  const number = Number((await page.locator('#packet-title').innerText()).split(' ')[1]);
  const [input] = (await of(page, { line: 0, number })) as [Mark];
  await expect(page.locator('#packet-sizes')).toHaveText(`${input.bytes} B, ${input.bytes * 8} bits, +28 B UDP/IP, you to server`);
  await expect(page.locator('#packet-says')).toHaveText(/^in flight, due in \d+ ms$/);
  const bits = await bitsOf(page);
  expect(bits.all).toBe(input.bytes * 8);
  expect(bits.said).toBe(bits.all);
  expect(bits.groups.length).toBeGreaterThan(1);
  for (const { head, sum } of bits.groups) expect(sum).toBe(head);
  await expect(page.locator('#packet')).toContainText('newest snapshot seen');

  await page.keyboard.press('Escape');
  await expect(page.locator('#packet')).toBeHidden();
  await expect(page.locator('#lane')).toBeFocused();
  const snapshot = await one(page, 1, 1);
  await click(page, snapshot);
  const told = await bitsOf(page);
  expect([told.all, told.said]).toEqual([snapshot.bytes * 8, snapshot.bytes * 8]);
  // Folded but for the first; a fold opens.
  const second = page.locator('#packet .group button').nth(1);
  await expect(second).toHaveAttribute('aria-expanded', 'false');
  await second.click();
  await expect(page.locator('#packet .group').nth(1)).toContainText('was changing before');
  await page.locator('#packet-close').click();
  await expect(page.locator('#packet')).toBeHidden();
  expect(bench.complaints).toEqual([]);
});

test('a packet dropped is lost on the lane, in the figures and in the feed', async ({ bench, page }) => {
  await stand(page, () => bench.open(QUIET));
  const input = await one(page, 0, 0);
  await click(page, input);
  await page.locator('[data-meddle=drop]').click();
  await expect(page.locator('#packet-says')).toHaveText(/^lost, was due in \d+ ms$/);
  expect((await of(page, input)).map(({ fate }) => fate)).toEqual([1]);
  await expect(page.locator('#feed')).toContainText(`input packet ${input.number} dropped by hand`);
  await expect(page.locator('#lane-stat')).toContainText('lost 1 of the last 100 up');
  // It keeps its fields, and nothing more can be done to it.
  expect((await bitsOf(page)).all).toBe(input.bytes * 8);
  await expect(page.locator('#packet-why')).toHaveText('Nothing can be done to it: it is lost.');
  await expect(page.locator('[data-meddle=drop]')).toBeFocused();
  await expect(page.locator('[data-meddle=drop]')).toHaveAttribute('aria-disabled', 'true');
});

test('a packet held is late, and one sent twice is doubled', async ({ bench, page }) => {
  await stand(page, () => bench.open(QUIET));
  const held = await one(page, 0, 0);
  await click(page, held);
  await page.locator('[data-meddle=hold]').click();
  await expect(page.locator('#packet-says')).toHaveText(/^late, due in 2\d\d ms$/);
  expect((await of(page, held)).map(({ fate }) => fate)).toEqual([2]);
  await expect(page.locator('#feed')).toContainText(`input packet ${held.number} held by hand for 200 ms`);
  await page.keyboard.press('Escape');

  const twice = await one(page, 1, 1);
  await click(page, twice);
  await page.locator('[data-meddle=twice]').click();
  await expect(page.locator('#packet-why')).toHaveText('Send twice: it is doubled as it is.');
  expect((await of(page, twice)).map(({ fate }) => fate)).toEqual([0, 3]);
  await expect(page.locator('#feed')).toContainText(`snapshot packet ${twice.number} sent twice by hand`);
});

test('the card stays on its packet while time is stepped, and keeps its fields once it has arrived', async ({ bench, page }) => {
  await stand(page, () => bench.open(QUIET));
  const input = await one(page, 0, 0);
  await click(page, input);
  const before = await page.locator('#packet table').innerText();
  for (let i = 0; i < 20 && !(await page.locator('#packet-says').innerText()).startsWith('arrived'); i++) {
    const clock = await page.locator('#clock').innerText();
    await page.locator('#packet').press('ArrowRight');
    await expect(page.locator('#clock')).not.toHaveText(clock);
  }
  await expect(page.locator('#packet-says')).toHaveText('arrived');
  await expect(page.locator('#packet-title')).toHaveText(`Input ${input.number}`);
  expect(await page.locator('#packet table').innerText()).toBe(before);
  await expect(page.locator('#packet-why')).toHaveText('Nothing can be done to it: it has arrived.');
  // The words follow the clock by a moment, so a tick more than it took may have gone by.
  await expect(async () => {
    await page.locator('#packet').press('ArrowLeft');
    await expect(page.locator('#packet-says')).toHaveText(/^in flight, due in \d+ ms$/, { timeout: 500 });
  }).toPass();
  for (let i = 0; i < 20 && !(await page.locator('#packet-says').innerText()).startsWith('not sent'); i++) await page.locator('#packet').press('ArrowLeft');
  await expect(page.locator('#packet-says')).toHaveText('not sent yet');
  expect(await page.locator('#packet table').innerText()).toBe(before);
  // Stepped by the button, it is left as from within.
  await page.locator('#step').click();
  await page.keyboard.press('Escape');
  await expect(page.locator('#packet')).toBeHidden();
  await expect(page.locator('#lane')).toBeFocused();
});

test('on WebSocket a packet dropped is sent again, and none is sent twice', async ({ bench, page }) => {
  await stand(page, () => bench.open(`${QUIET}&link.carrier=websocket`));
  const input = await one(page, 0, 0);
  await click(page, input);
  await expect(page.locator('#packet-sizes')).toContainText('+46 B WebSocket, TCP/IP');
  await expect(page.locator('#packet-why')).toHaveText('Send twice: a stream throws a second copy away.');
  await page.locator('[data-meddle=twice]').click({ force: true });
  await expect(page.locator('#feed')).not.toContainText('by hand');
  await page.locator('[data-meddle=drop]').click();
  await expect(page.locator('#packet-says')).toHaveText(/^lost and to be sent again, due in \d+ ms$/);
  await expect(page.locator('#feed')).toContainText('dropped by hand, to be sent again');
});

test('by keyboard alone: chosen in the order of sending, opened, dropped, left', async ({ bench, page }) => {
  await stand(page, () => bench.open(QUIET));
  await page.keyboard.press('Escape');
  await page.locator('#lane').focus();
  await page.keyboard.press('Home');
  await expect(page.locator('#lane-said')).toHaveText(/ 1 of \d+\.$/);
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('#lane-said')).toHaveText(/ 2 of \d+\.$/);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(page.locator('#packet')).toBeFocused();
  await expect(page.locator('#packet')).toHaveAccessibleName(/ \d+$/);
  await expect(page.locator('#packet tbody').first()).toBeVisible();
  const title = await page.locator('#packet-title').innerText();
  await page.keyboard.press('Tab');
  await expect(page.locator('#packet-close')).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press('Tab');
    if (await page.locator('[data-meddle=drop]').evaluate((el) => el === document.activeElement)) break;
  }
  await page.keyboard.press('Enter');
  await expect(page.locator('#packet-says')).toHaveText(/^lost/);
  await expect(page.locator('#packet-title')).toHaveText(title);
  await page.keyboard.press('Escape');
  await expect(page.locator('#lane')).toBeFocused();
  await expect(page.locator('#packet')).toBeHidden();
  // The clock's keys hold on the lane too, but for the arrows.
  await page.keyboard.press('Space');
  await expect(page.locator('body')).not.toHaveAttribute('data-paused', '');
  await page.keyboard.press('Space');
  await expect(page.locator('body')).toHaveAttribute('data-paused', '');
  await expect(page.locator('#lane')).toHaveAccessibleDescription(/Enter opens it.* In flight between you and the server: \d+ up, \d+ down\. Lost of the last 100: /);
});

test.describe('with a finger', () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

  test('a tap beside a packet opens it in a sheet that fits the screen', async ({ bench, page }) => {
    await stand(page, () => bench.open(QUIET));
    await page.locator('#lane').scrollIntoViewIfNeeded();
    const snapshot = await one(page, 1, 1);
    const lane = (await page.locator('#lane').boundingBox())!;
    await page.touchscreen.tap(lane.x + snapshot.x, lane.y + snapshot.y + 20);
    await expect(page.locator('#packet-title')).toHaveText(/^Snapshot \d+$/);
    const card = (await page.locator('#packet').boundingBox())!;
    const bar = (await page.locator('.transport').boundingBox())!;
    expect([card.x, card.width]).toEqual([0, 390]);
    expect(card.y).toBeGreaterThan(844 * 0.33);
    expect(card.y + card.height).toBeLessThanOrEqual(bar.y + 1);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    const { scrollHeight, clientHeight } = await page.locator('#packet .fields').evaluate(({ scrollHeight, clientHeight }) => ({ scrollHeight, clientHeight }));
    expect(scrollHeight).toBeGreaterThan(clientHeight);
    for (const button of await page.locator('#packet .row button, #packet-close').all()) expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(44);
    await page.locator('[data-meddle=hold]').tap();
    await expect(page.locator('#packet-says')).toHaveText(/^late/);
  });
});

for (const scheme of ['dark', 'light'] as const)
  for (const width of [1440, 390])
    test(`axe: nothing serious with a packet open at ${width}, ${scheme}`, async ({ bench, page }) => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await stand(page, () => bench.open(QUIET));
      await page.locator('#lane').focus();
      await page.keyboard.press('Enter');
      await expect(page.locator('#packet tbody').first()).toBeVisible();
      for (const act of ['', 'drop']) {
        if (act) await page.locator(`[data-meddle=${act}]`).click();
        const { violations } = await new AxeBuilder({ page }).analyze();
        const bad = violations.filter((v) => v.impact === 'serious' || v.impact === 'critical');
        expect(bad.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' | ')}`)).toEqual([]);
      }
    });
