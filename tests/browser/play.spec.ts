import type { Page } from '@playwright/test';
import { expect, test } from './bench.ts';

const TICK_MS = 1000 / 64;
/** An even link: what is measured is the path, and not the luck of a packet. */
const EVEN = 'bots=0&link.up.jitter=0&link.down.jitter=0&link.up.loss=0&link.down.loss=0';

const state = (page: Page) => page.evaluate(() => window.afterimage!.state());

/** Where You stands in each pane, by the marks of a view buffer; installed in the page. */
async function track(page: Page): Promise<void> {
  await page.evaluate(() => {
    const you = (v: Float32Array, pane: number): number => {
      const [offset, count, stride] = [v[8 + pane * 3]!, v[9 + pane * 3]!, v[10 + pane * 3]!];
      for (let i = 0; i < count; i++) if (v[offset + i * stride] === 0) return v[offset + i * stride + 1]!;
      return Number.NaN;
    };
    const rows: number[][] = [];
    (window as unknown as { rows: number[][] }).rows = rows;
    window.afterimage!.watch((v, pad) => rows.push([v[1]! * 1000 + v[2]!, pad.x, you(v, 0), you(v, 1), you(v, 2)]));
  });
}

for (const latency of [30, 100])
  test(`a key held moves you on your screen within a frame, on the server after one way, on the other's after its delay (${latency} ms)`, async ({ bench, page }) => {
    await bench.open(`#v=1&seed=4&${EVEN}&link.up.latency=${latency}&link.down.latency=${latency}`);
    const stage = page.locator('#c-you');
    await stage.focus();
    // Enter takes the keys and moves nothing: the bot stops, and everyone comes to rest.
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await state(page)).driving).toBe(true);
    await page.evaluate(() => window.afterimage!.run(3));
    for (let i = 0; i < 3; i++) await page.keyboard.press('[');
    expect((await state(page)).speed).toBe(0.1);
    await track(page);
    await page.waitForTimeout(200);
    await page.keyboard.down('d');
    await page.waitForTimeout((latency + 200) * 10);
    const { panes, probes } = (await page.evaluate(() => window.afterimage!.hash())).readings;
    await page.keyboard.up('d');
    const rows = await page.evaluate(() => (window as unknown as { rows: number[][] }).rows);

    const pressed = rows.findIndex((r) => r[1] === 1);
    expect(pressed).toBeGreaterThan(0);
    const rest = rows[pressed - 1]!;
    const moved = [2, 3, 4].map((column) => rows.findIndex((r, i) => i >= pressed && Math.abs(r[column]! - rest[column]!) > 0.001));
    for (const i of moved) expect(i).toBeGreaterThanOrEqual(0);
    const at = (row: number) => rows[row]![0]! - rest[0]!;
    const frame = Math.max(...rows.slice(1).map((r, i) => r[0]! - rows[i]![0]!));
    const [you, server, other] = moved.map(at) as [number, number, number];

    // The frame in flight when the key went down, the frame that took it, and the tick that it waited for.
    expect(you).toBeLessThanOrEqual(2 * frame + TICK_MS);
    // One way, and the commands that wait in the server's queue before it.
    const waits = (probes['input.depth']!.mean! - 1) * TICK_MS;
    expect(Math.abs(server - you - (latency + waits))).toBeLessThanOrEqual(TICK_MS + frame);
    // From there the other player's own one way, snapshot and delay: what its screen is behind the server. Its picture blends from the
    // tick before the one that moved, so it may begin a tick sooner.
    const behind = panes.other.you_ms! - panes.you.ahead_ms!;
    expect(behind).toBeGreaterThan(25 + TICK_MS);
    expect(other - server).toBeGreaterThanOrEqual(behind - TICK_MS - frame);
    expect(other - server).toBeLessThanOrEqual(behind + TICK_MS + frame);
  });

test('without prediction the same key waits a round trip', async ({ bench, page }) => {
  await bench.open(`#v=1&seed=4&${EVEN}&predict.on=false`);
  await page.locator('#c-you').focus();
  await page.keyboard.press('Enter');
  await page.evaluate(() => window.afterimage!.run(3));
  await page.keyboard.press('[');
  await track(page);
  await page.keyboard.down('d');
  await page.waitForTimeout(1000);
  await page.keyboard.up('d');
  const rows = await page.evaluate(() => (window as unknown as { rows: number[][] }).rows);
  const pressed = rows.findIndex((r) => r[1] === 1);
  const moved = rows.findIndex((r, i) => i >= pressed && Math.abs(r[2]! - rows[pressed]![2]!) > 0.001);
  expect(rows[moved]![0]! - rows[pressed]![0]!).toBeGreaterThan(190);
});

test('keys are taken only on the stage; Escape and losing the focus give them back, released', async ({ bench, page }) => {
  await bench.open(`#v=1&${EVEN}`);
  await page.keyboard.down('d');
  expect((await state(page)).driving).toBe(false);
  await page.keyboard.up('d');
  await expect(page.locator('#hint')).toContainText('A bot drives.');

  await page.locator('#c-you').click();
  await expect(page.locator('#hint')).toContainText('Esc leaves, W A S D move, click: fire, Shift: dash.');
  await page.keyboard.down('d');
  await expect.poll(async () => (await state(page)).driving).toBe(true);
  await page.keyboard.press('Escape');
  expect((await state(page)).driving).toBe(false);
  await expect(page.locator('#c-you')).not.toBeFocused();
  await expect(page.locator('#hint')).toContainText('A bot drives.');
  await page.keyboard.up('d');

  // A key that was held while the focus went is not held when it comes back.
  await page.locator('#c-you').click();
  await page.keyboard.down('w');
  await page.locator('#seed').focus();
  expect((await state(page)).driving).toBe(false);
  await page.locator('#c-you').focus();
  await page.keyboard.press('Enter');
  const pad = await page.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        const stop = window.afterimage!.watch((_, p) => {
          stop();
          resolve([p.x, p.y, p.buttons]);
        });
      }),
  );
  expect(pad).toEqual([0, 0, 0]);
  await page.keyboard.up('w');
});

test('an arrow held on the stage does not scroll, nor step the clock', async ({ bench, page }) => {
  await page.setViewportSize({ width: 900, height: 600 });
  await bench.open('#v=1');
  await page.locator('#c-you').focus();
  const top = await page.evaluate(() => scrollY);
  await page.keyboard.down('ArrowDown');
  await page.keyboard.down('ArrowRight');
  await page.waitForTimeout(200);
  expect(await page.evaluate(() => scrollY)).toBe(top);
  expect(await state(page)).toMatchObject({ playing: true, driving: true });
});

/** Heading of You in its own pane. */
const heading = (page: Page) =>
  page.evaluate(() => {
    const v = window.afterimage!.view()!;
    for (let i = 0; i < v[9]!; i++) if (v[v[8]! + i * v[10]!] === 0) return v[v[8]! + i * v[10]! + 3]!;
    return Number.NaN;
  });

test('the mouse aims and fires; the click that takes the keys fires nothing', async ({ bench, page }) => {
  await bench.open(`#v=1&${EVEN}`);
  const box = (await page.locator('#c-you').boundingBox())!;
  await page.evaluate(() => {
    const held: number[] = [];
    (window as unknown as { held: number[] }).held = held;
    window.afterimage!.watch((_, pad) => held.push(pad.buttons));
  });
  await page.mouse.move(box.x + box.width - 8, box.y + box.height / 2);
  await page.mouse.down();
  await page.waitForTimeout(300);
  await page.mouse.up();
  expect((await state(page)).driving).toBe(true);
  const held = await page.evaluate(() => (window as unknown as { held: number[] }).held);
  expect(held.length).toBeGreaterThan(0);
  expect(Math.max(...held)).toBe(0);
  await page.evaluate(() => window.afterimage!.run(2));
  const fired = () => page.evaluate(async () => (await window.afterimage!.hash()).readings.probes['shots.fired']!.total!);
  const before = await fired();
  await page.mouse.move(box.x + box.width - 4, box.y + box.height / 2);
  await page.waitForTimeout(300);
  const right = await heading(page);
  await page.mouse.move(box.x + 4, box.y + box.height / 2);
  // From a corner the two edges of the pane are less than a right angle apart.
  await expect.poll(async () => Math.cos((await heading(page)) - right)).toBeLessThan(0.5);
  expect(await fired()).toBe(before);
  await page.mouse.down();
  await page.mouse.up();
  await expect.poll(fired).toBe(before + 1);
});

test('a thumb on the left moves, a touch on the right aims and fires', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(`${baseURL}#v=1&${EVEN}`);
  await page.waitForFunction(() => window.afterimage?.view() != null);
  const box = (await page.locator('#c-you').boundingBox())!;
  const cdp = await context.newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: [number, number][]) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x: box.x + x, y: box.y + y, id })) });
  // The first touch takes the stage.
  await touch('touchStart', [60, 150]);
  await touch('touchEnd');
  await expect.poll(async () => (await state(page)).driving).toBe(true);
  await expect(page.locator('#hint')).toContainText('Left thumb moves');
  const pad = () =>
    page.evaluate(
      () =>
        new Promise<{ x: number; y: number; aims: boolean; buttons: number }>((resolve) => {
          const stop = window.afterimage!.watch((_, p) => {
            stop();
            resolve({ x: p.x, y: p.y, aims: Number.isFinite(p.aimX), buttons: p.buttons });
          });
        }),
    );
  await touch('touchStart', [60, 150]);
  await touch('touchMove', [120, 150]);
  await expect.poll(async () => (await pad()).x).toBe(1);
  await touch('touchStart', [120, 150], [300, 60]);
  await expect.poll(pad).toMatchObject({ x: 1, aims: true, buttons: 1 });
  await touch('touchEnd');
  await expect.poll(pad).toMatchObject({ x: 0, y: 0, buttons: 0 });
  await context.close();
});
