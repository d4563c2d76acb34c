import type { Page } from '@playwright/test';
import { expect, lab, test } from './bench.ts';

/** Nobody else on the stage, and an even link: what moves is what was pressed. */
const ALONE = '#v=1&seed=4&bots=0&link.up.jitter=0&link.down.jitter=0&link.up.loss=0&link.down.loss=0';

const state = (page: Page) => page.evaluate(() => window.afterimage!.state());

/** What is held, as the next picture comes with it. */
const pad = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<{ x: number; y: number; aimX: number; aimY: number; buttons: number }>((resolve) => {
        const stop = window.afterimage!.watch((_, p) => {
          stop();
          resolve({ ...p });
        });
      }),
  );

/** A gamepad that the test holds; installed before the page. */
const stubGamepad = (page: Page) =>
  page.addInitScript(() => {
    const held = { axes: [0, 0, 0, 0], buttons: Array.from({ length: 17 }, () => ({ pressed: false, touched: false, value: 0 })) };
    const stub = { ...held, id: 'stub', index: 0, connected: false, mapping: 'standard', timestamp: 0 };
    navigator.getGamepads = () => [stub.connected ? (stub as unknown as Gamepad) : null];
    Object.assign(window, {
      plug(yes: boolean) {
        stub.connected = yes;
        dispatchEvent(Object.assign(new Event(yes ? 'gamepadconnected' : 'gamepaddisconnected'), { gamepad: stub }));
      },
      hold(axes: number[], ...pressed: number[]) {
        stub.axes = axes;
        stub.buttons.forEach((b, i) => Object.assign(b, { pressed: pressed.includes(i), value: Number(pressed.includes(i)) }));
      },
    });
  });
type Stubbed = Window & { plug(yes: boolean): void; hold(axes: number[], ...pressed: number[]): void };
const plug = (page: Page, yes: boolean) => page.evaluate((y) => (window as unknown as Stubbed).plug(y), yes);
const hold = (page: Page, axes: number[], ...pressed: number[]) => page.evaluate(([a, p]) => (window as unknown as Stubbed).hold(a, ...p), [axes, pressed] as const);

test('a gamepad takes the stage by a button, moves, aims, fires and dashes, and lets go as it is unplugged', async ({ bench, page }) => {
  await stubGamepad(page);
  await bench.open(ALONE);
  await plug(page, true);
  await expect(page.locator('#toast')).toContainText('Gamepad connected');
  // A stick alone takes nothing: worn ones drift.
  await hold(page, [1, 0, 0, 0]);
  await page.waitForTimeout(100);
  expect((await state(page)).driving).toBe(false);
  await hold(page, [1, 0, 0, 0], 7);
  await expect.poll(async () => (await state(page)).driving).toBe(true);
  await expect(page.locator('#c-you')).toBeFocused();
  await expect.poll(() => pad(page)).toMatchObject({ x: 1, y: 0, buttons: 1 });
  await hold(page, [0.1, -0.1, 0, -1], 1);
  await expect.poll(() => pad(page)).toMatchObject({ x: 0, y: 0, buttons: 2 });
  const { aimX, aimY } = await pad(page);
  expect(Math.abs(aimX)).toBeLessThan(1);
  expect(aimY).toBeLessThan(-1000);
  // Unplugged in the middle of a press, it holds nothing; the stage is still played.
  await plug(page, false);
  await expect(page.locator('#toast')).toContainText('Gamepad disconnected');
  await expect.poll(() => pad(page)).toMatchObject({ x: 0, y: 0, buttons: 0 });
  expect((await state(page)).driving).toBe(true);
  await plug(page, true);
  await hold(page, [0, 0, 0, 0], 8);
  await expect.poll(async () => (await state(page)).driving).toBe(false);
});

test('a gamepad that fires does so on the server', async ({ bench, page }) => {
  await stubGamepad(page);
  await bench.open(ALONE);
  const fired = () => page.evaluate(async () => (await window.afterimage!.hash()).readings.probes['shots.fired']!.total!);
  await page.locator('#c-you').focus();
  await page.keyboard.press('Enter');
  await page.evaluate(() => window.afterimage!.run(2));
  const before = await fired();
  await plug(page, true);
  await hold(page, [0, 0, 1, 0], 0);
  await expect.poll(fired).toBeGreaterThan(before);
});

test('while a field has the focus a gamepad is left alone', async ({ bench, page }) => {
  await stubGamepad(page);
  await bench.open(ALONE);
  await page.locator('#seed').focus();
  await plug(page, true);
  await hold(page, [0, 0, 0, 0], 0);
  await page.waitForTimeout(150);
  expect((await state(page)).driving).toBe(false);
});

test('the first touch brings a stick and the buttons by their names, a key takes them away', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(baseURL + ALONE);
  await lab(page);
  await expect(page.locator('#touch')).toBeHidden();
  await page.locator('#c-you').tap();
  await expect.poll(async () => (await state(page)).driving).toBe(true);
  for (const name of ['fire', 'dash', 'Leave']) {
    const box = (await page.getByRole('button', { name, exact: true }).boundingBox())!;
    expect(Math.min(box.width, box.height), name).toBeGreaterThanOrEqual(44);
  }
  // Nothing of the world is under the thumbs.
  const stage = (await page.locator('#c-you').boundingBox())!;
  expect((await page.locator('#touch').boundingBox())!.y).toBeGreaterThanOrEqual(stage.y + stage.height);

  const cdp = await context.newCDPSession(page);
  const middle = async (selector: string) => {
    const { x, y, width, height } = (await page.locator(selector).boundingBox())!;
    return { x: x + width / 2, y: y + height / 2 };
  };
  const stick = await middle('#stick');
  const dash = await middle('[data-press="1"]');
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: { x: number; y: number }[]) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points.map((p, id) => ({ ...p, id })) });
  await touch('touchStart', stick);
  await touch('touchMove', { x: stick.x - 50, y: stick.y });
  await touch('touchStart', { x: stick.x - 50, y: stick.y }, dash);
  await expect.poll(() => pad(page)).toMatchObject({ x: -1, y: 0, buttons: 2 });
  await expect(page.locator('[data-press="1"]')).toHaveAttribute('data-held');
  // A thumb that is dragged from its button aims that way.
  await touch('touchMove', { x: stick.x - 50, y: stick.y }, { x: dash.x, y: dash.y - 60 });
  await expect.poll(async () => (await pad(page)).aimY).toBeLessThan(-1000);
  await touch('touchEnd');
  await expect.poll(() => pad(page)).toMatchObject({ x: 0, y: 0, buttons: 0 });

  await page.keyboard.press('d');
  await expect(page.locator('#touch')).toBeHidden();
  await page.locator('#c-you').tap();
  await page.getByRole('button', { name: 'Leave' }).tap();
  await expect.poll(async () => (await state(page)).driving).toBe(false);
  await context.close();
});

test('a finger scrolls the page over a stage that is not played, and not over one that is', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(baseURL + ALONE);
  await lab(page);
  const cdp = await context.newCDPSession(page);
  const swipe = async () => {
    const box = (await page.locator('#c-you').boundingBox())!;
    const [x, y] = [box.x + 300, box.y + 200];
    const at = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...ys: number[]) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints: ys.map((to) => ({ x, y: to })) });
    await at('touchStart', y);
    for (let moved = 20; moved <= 160; moved += 20) await at('touchMove', y - moved);
    await at('touchEnd');
    await page.waitForTimeout(200);
    return page.evaluate(() => scrollY);
  };
  /** To the top, once what the finger gave the page has run out. */
  const top = () =>
    expect(async () => {
      await page.evaluate(() => scrollTo(0, 0));
      await page.waitForTimeout(100);
      expect(await page.evaluate(() => scrollY)).toBe(0);
    }).toPass();
  expect(await swipe()).toBeGreaterThan(50);
  expect((await state(page)).driving).toBe(false);
  await top();
  await page.locator('#c-you').tap();
  await expect(page.locator('body')).toHaveAttribute('data-driving');
  // The compositor, which scrolls, hears of it with the next frames.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await swipe()).toBe(0);
  await context.close();
});

test('keys are given to other actions, and stay given', async ({ bench, page }) => {
  await bench.open(ALONE);
  await page.locator('#keys').click();
  const dialog = page.getByRole('dialog', { name: 'Keys on the stage' });
  const slot = (name: string) => dialog.getByRole('button', { name });
  await slot('dash, first key: Shift').click();
  await expect(dialog.getByRole('status')).toContainText('Press the key for dash');
  await page.keyboard.press('F5');
  await expect(dialog.getByRole('status')).toContainText('F5 cannot be given away');
  await page.keyboard.press('f');
  await expect(dialog.getByRole('status')).toContainText('F: dash. It was fire, which has J left.');
  // Escape ends the waiting first, and only then the dialog.
  await slot('Up, first key: W').click();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeVisible();
  await slot('Right, first key: D').click();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  await page.reload();
  await lab(page);
  await page.locator('#c-you').click();
  await expect(page.locator('#hint')).toContainText('F: dash');
  await page.keyboard.down('f');
  await page.keyboard.down('w');
  await expect.poll(() => pad(page)).toMatchObject({ y: -1, buttons: 2 });
  await page.keyboard.press('Escape');
  await page.locator('#keys').click();
  await dialog.getByRole('button', { name: 'Reset keys' }).click();
  await expect(slot('dash, first key: Shift')).toBeVisible();
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});

test('single keys on the page can be switched off, for who speaks to the machine', async ({ bench, page }) => {
  await bench.open(ALONE);
  const playing = async () => (await state(page)).playing;
  await page.keyboard.press('Space');
  expect(await playing()).toBe(false);
  await page.locator('#keys').click();
  await page.getByRole('checkbox', { name: 'Keys for time' }).uncheck();
  await page.locator('#keys-close').click();
  await page.reload();
  await lab(page);
  await page.keyboard.press('Space');
  expect(await playing()).toBe(true);
});

test('a browser that stores nothing says so, and the keys hold until the page goes', async ({ bench, page }) => {
  await page.addInitScript(() => Object.defineProperty(window, 'localStorage', { get: () => { throw new DOMException('denied', 'SecurityError'); } }));
  await bench.open(ALONE);
  await page.locator('#keys').click();
  await page.getByRole('button', { name: 'dash, first key: Shift' }).click();
  await page.keyboard.press('q');
  await expect(page.locator('#keys-said')).toContainText('stores nothing');
  await page.locator('#keys-close').click();
  await page.locator('#c-you').click();
  await page.keyboard.down('q');
  await expect.poll(() => pad(page)).toMatchObject({ buttons: 2 });
});

test('losing the sight of the page lets go of everything, sends that, pauses and says so', async ({ bench, page }) => {
  await bench.open(ALONE);
  await page.locator('#c-you').click();
  await page.keyboard.down('d');
  await expect.poll(() => pad(page)).toMatchObject({ x: 1 });
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  expect(await state(page)).toMatchObject({ driving: false, playing: false });
  await expect(page.getByRole('alert')).toContainText('the page was hidden');
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => false });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  const next = pad(page);
  await page.locator('#step').click();
  expect(await next).toMatchObject({ x: 0, y: 0, buttons: 0 });
});
