// Two people in one room of a real relay, each with a page of their own.

import { type Browser, firefox } from '@playwright/test';
import { existsSync } from 'node:fs';
import { expect, test } from './bench.ts';
import { create, guest, isIn, join, places, table } from './online.ts';
import { Relay, program } from './relay.ts';

test.skip(!program, 'no relay: set RELAY, or build it with `cargo build -p afterimage-server --bin relay`');

// Three pages of a real game on a machine that others use.
test.describe.configure({ timeout: 120_000 });

/** What a page that was just loaded says comes when its parts are there, on a machine that others use. */
const LATE = { timeout: 20_000 };

let relay: Relay;
test.beforeEach(async () => void (relay = await Relay.start()));
test.afterEach(async ({}, info) => {
  if (info.status !== info.expectedStatus) console.log(relay.log.slice(-30).join(''));
  await relay.stop('SIGKILL');
});

/** Holds a key on one page and looks on the other how far the avatar goes in a second. */
async function moves(a: Browser, b: Browser, choices: ['wt' | 'ws', 'wt' | 'ws']): Promise<void> {
  const ada = await guest(a, relay.url, 'Ada', choices[0]);
  const code = await create(ada.page);
  const jo = await guest(b, relay.url, 'Jo', choices[1]);
  await join(jo.page, relay.url, code);
  await isIn(ada.page, choices[0] === 'wt' ? /WebTransport/ : /WebSocket/);
  await isIn(jo.page, choices[1] === 'wt' ? /WebTransport/ : /WebSocket/);
  await expect.poll(() => table(jo.page)).toHaveLength(2);
  for (const [who, other] of [
    [ada.page, jo.page],
    [jo.page, ada.page],
  ] as const) {
    await expect.poll(() => places(other, 1)).toHaveLength(1);
    const from = (await places(other, 1))[0]!;
    // Towards the wall that is farther.
    const key = from[0] > 20 ? 'a' : 'd';
    await who.locator('#c-you').focus();
    await who.keyboard.down(key);
    await expect.poll(async () => Math.abs(((await places(other, 1))[0]?.[0] ?? from[0]) - from[0]), { timeout: 1000, intervals: [50] }).toBeGreaterThan(0.5);
    await who.keyboard.up(key);
    await who.keyboard.press('Escape');
  }
  await ada.close();
  await jo.close();
}

test('two pages in one room, one on each transport: a key held on one moves its avatar on the other within a second', async ({ browser }) => {
  await moves(browser, browser, ['wt', 'ws']);
});

test('the same with Firefox', async ({ browser }) => {
  const path = [process.env['FIREFOX'], '/usr/bin/firefox', '/usr/bin/firefox-esr', firefox.executablePath()].find((p) => p && existsSync(p));
  test.skip(!path, 'Firefox is not installed');
  const other = await firefox.launch({ executablePath: path! });
  try {
    await moves(other, browser, ['wt', 'ws']);
  } finally {
    await other.close();
  }
});

test('there is one score, on both pages; who leaves is told of, and the room is one smaller', async ({ browser }) => {
  const ada = await guest(browser, relay.url, 'Ada', 'wt');
  const code = await create(ada.page, 4);
  const jo = await guest(browser, relay.url, 'Jo', 'ws');
  await join(jo.page, relay.url, code);
  await expect(ada.page.locator('#toast')).toHaveText('Jo joined.');
  // Somebody shoots at what stands nearest until it counts.
  const aim = async () => {
    const [you, bots] = [(await places(jo.page, 0))[0], await places(jo.page, 2)];
    const box = (await jo.page.locator('#c-you').boundingBox())!;
    const [w, h] = [box.width, box.height];
    if (!you || !bots.length) return;
    const [nx, ny] = bots.sort((p, q) => Math.hypot(p[0] - you[0], p[1] - you[1]) - Math.hypot(q[0] - you[0], q[1] - you[1]))[0]!;
    const [x0, y0, x1, y1] = await jo.page.evaluate(() => window.afterimage!.catalogue()!.scenes[0]!.bounds);
    const scale = Math.min(w / (x1 - x0), h / (y1 - y0));
    await jo.page.mouse.move(box.x + w / 2 + (nx - (x0 + x1) / 2) * scale, box.y + h / 2 + (ny - (y0 + y1) / 2) * scale);
  };
  await aim();
  await jo.page.locator('#c-you').focus();
  await jo.page.keyboard.press('Enter');
  await jo.page.mouse.down();
  const scores = async (page: typeof ada.page) => (await table(page)).map((row) => row[4]).join();
  await expect
    .poll(async () => (await aim(), /[1-9]/.test(await scores(jo.page))), { timeout: 30_000, intervals: [100] })
    .toBe(true);
  await jo.page.mouse.up();
  await jo.page.keyboard.press('Escape');
  await expect.poll(async () => (await scores(ada.page)) === (await scores(jo.page))).toBe(true);
  await jo.page.locator('#o-leave').click();
  await expect(jo.page.locator('#lobby')).toBeVisible();
  await expect(ada.page.locator('#toast')).toHaveText('Jo left.', { timeout: 5000 });
  await expect.poll(() => table(ada.page)).toHaveLength(1);
  await ada.close();
  await jo.close();
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`a relay that is restarted (${signal}): both are back, or told within 5 s, with a way on`, async ({ browser }) => {
    const ada = await guest(browser, relay.url, 'Ada', 'wt');
    const code = await create(ada.page);
    const jo = await guest(browser, relay.url, 'Jo', 'ws');
    await join(jo.page, relay.url, code);
    await relay.stop(signal);
    const restarted = relay.again();
    const began = Date.now();
    for (const { page } of [ada, jo]) {
      await expect(page.getByRole('alert')).toContainText(/restarting|lost|not answer|room is gone|Nothing was heard/, { timeout: 5000 - (Date.now() - began) });
      await expect(page.locator('#conn')).not.toHaveText(/WebTransport|WebSocket/);
    }
    await restarted;
    for (const { page } of [ada, jo]) await expect(page.getByRole('alert')).toContainText('The room is gone', { timeout: 10_000 });
    await ada.page.getByRole('button', { name: 'Back to the rooms' }).click();
    await create(ada.page);
    await ada.close();
    await jo.close();
  });

test('a page that is reloaded keeps its seat: its number, its score, its room', async ({ browser }) => {
  const ada = await guest(browser, relay.url, 'Ada', 'wt');
  const code = await create(ada.page);
  const jo = await guest(browser, relay.url, 'Jo', 'ws');
  await join(jo.page, relay.url, code);
  for (const { page } of [ada, jo]) {
    const before = await table(page);
    await page.reload();
    await isIn(page);
    await expect(page.locator('#o-roomcode')).toHaveText(`${code.slice(0, 3)}-${code.slice(3)}`);
    await expect.poll(async () => (await table(page)).map((row) => row[0])).toEqual(before.map((row) => row[0]));
  }
  // Nobody was doubled.
  await expect.poll(() => table(ada.page)).toHaveLength(2);
  await ada.close();
  await jo.close();
});

test('a hidden tab keeps its seat and says that it is hidden', async ({ browser }) => {
  const ada = await guest(browser, relay.url, 'Ada', 'wt');
  const code = await create(ada.page);
  const jo = await guest(browser, relay.url, 'Jo', 'ws');
  await join(jo.page, relay.url, code);
  const hide = (yes: boolean) =>
    ada.page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, yes);
  await hide(true);
  await expect.poll(async () => (await table(jo.page)).find((row) => row[0]!.includes('Ada'))?.[0]).toContain('tab hidden');
  // Longer than the relay waits for who says nothing.
  await jo.page.waitForTimeout(12_000);
  await expect.poll(() => table(jo.page)).toHaveLength(2);
  await hide(false);
  await expect.poll(async () => (await table(jo.page)).find((row) => row[0]!.includes('Ada'))?.[0]).not.toContain('hidden');
  await isIn(ada.page, /WebTransport/);
  await ada.close();
  await jo.close();
});

test.describe('what is refused is said in words, with a way on', () => {
  test('a page of an origin that the relay does not let in', async ({ browser }) => {
    const strict = await Relay.start('--origin', 'https://elsewhere.example');
    try {
      const { page, close } = await guest(browser, strict.url, 'Ada');
      await page.locator('#place input[value=online]').check();
      await page.locator('#o-create').click();
      await expect(page.locator('#lobby')).toContainText('This page\u2019s address is not one that the relay lets in', LATE);
      await page.goto(`${strict.url}#v=1&room=BCDFGH`);
      await page.locator('#o-join').click();
      await expect(page.getByRole('alert')).toContainText('not one that the relay lets in', LATE);
      await close();
    } finally {
      await strict.stop('SIGKILL');
    }
  });

  test('a name that the relay does not take', async ({ browser }) => {
    const { page, close } = await guest(browser, relay.url, 'Ada');
    const code = await create(page);
    // A page keeps to the rules of names by itself; a browser whose store says otherwise does not.
    const jo = await guest(browser, relay.url, '\u202EJo');
    await jo.page.goto(`${relay.url}#v=1&room=${code}`);
    await jo.page.locator('#o-join').click();
    await expect(jo.page.getByRole('alert')).toContainText('does not take this name', LATE);
    await jo.page.getByRole('button', { name: 'Back to the rooms' }).click();
    await expect(jo.page.locator('#lobby')).toBeVisible();
    await close();
    await jo.close();
  });

  test('no such room, a code that is none, a full room', async ({ browser }) => {
    const { page, close } = await guest(browser, relay.url, 'Ada');
    await page.goto(`${relay.url}#v=1&room=BCDFGH`);
    await page.locator('#o-join').click();
    await expect(page.getByRole('alert')).toContainText('no room with this code');
    await page.getByRole('button', { name: 'Back to the rooms' }).click();
    await page.locator('#o-code').fill('HELLO');
    await page.locator('#o-join').click();
    await expect(page.locator('#o-said')).toContainText('six letters');
    const code = await page.evaluate(async () => {
      const answer = await fetch('/api/rooms', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ scene: 'arena', public: true, seats: 1, bots: 0 }) });
      return ((await answer.json()) as { code: string }).code;
    });
    await page.locator('#o-code').fill(code);
    await page.locator('#o-join').click();
    await isIn(page);
    const jo = await guest(browser, relay.url, 'Jo');
    await jo.page.goto(`${relay.url}#v=1&room=${code}`);
    await jo.page.locator('#o-join').click();
    await expect(jo.page.getByRole('alert')).toContainText('full');
    await jo.page.getByRole('button', { name: 'Watch instead' }).click();
    await isIn(jo.page);
    await expect(jo.page.locator('#hint')).toHaveText('You are watching.');
    await close();
    await jo.close();
  });

  test('kicked, and a room that the host closed', async ({ browser }) => {
    const ada = await guest(browser, relay.url, 'Ada');
    const code = await create(ada.page);
    const jo = await guest(browser, relay.url, 'Jo');
    await join(jo.page, relay.url, code);
    await ada.page.getByRole('button', { name: 'Kick Jo' }).click();
    await expect(jo.page.getByRole('alert')).toContainText('sent you out');
    const mika = await guest(browser, relay.url, 'Mika');
    await join(mika.page, relay.url, code);
    await ada.page.locator('#o-close').click();
    await ada.page.locator('#o-close').click();
    await expect(mika.page.getByRole('alert')).toContainText('closed the room');
    await ada.close();
    await jo.close();
    await mika.close();
  });

  test('a seat that is played from another window: the first does not come back by itself', async ({ browser }) => {
    const ada = await guest(browser, relay.url, 'Ada');
    const code = await create(ada.page);
    const seat = await ada.page.evaluate(() => sessionStorage.getItem('afterimage.seat')!);
    const twin = await ada.page.context().newPage();
    await twin.addInitScript((kept) => sessionStorage.setItem('afterimage.seat', kept), seat);
    await twin.goto(`${relay.url}#v=1&room=${code}`);
    await isIn(twin);
    await expect(ada.page.getByRole('alert')).toContainText('another window');
    await ada.page.waitForTimeout(6000);
    await isIn(twin);
    expect(await table(twin)).toHaveLength(1);
    await ada.page.getByRole('button', { name: 'Play here' }).click();
    await isIn(ada.page);
    await expect(twin.getByRole('alert')).toContainText('another window');
    await ada.close();
  });

  test('WebTransport that cannot be: a wrong certificate, a wrong clock; the game goes on over WebSocket and says why', async ({ browser }) => {
    for (const [change, short, long] of [
      [{ hashes: ['ab'.repeat(32)] }, /WebSocket: WebTransport was refused|WebSocket: UDP is slow or blocked/, /WebTransport/],
      [{ from: 1, until: 2 }, /clock is off/, /Set the clock/],
    ] as const) {
      const { page, close } = await guest(browser, relay.url, 'Ada');
      await page.context().route('**/api/certificate', async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), ...change } });
      });
      await create(page);
      await expect(page.locator('#conn')).toHaveText(short);
      await expect(page.locator('#room')).toContainText(long);
      await close();
    }
  });

  test('no relay at this address, and a relay that went away', async ({ browser }) => {
    const { page, close } = await guest(browser, relay.url, 'Ada');
    await page.context().route('**/api/rooms', (route) => route.fulfill({ body: '<!doctype html>', contentType: 'text/html' }));
    await page.locator('#place input[value=online]').check();
    await expect(page.locator('#lobby')).toContainText('No relay answers at this address');
    await page.context().unroute('**/api/rooms');
    await relay.stop('SIGKILL');
    await expect(page.locator('#lobby')).toContainText('The relay does not answer', { timeout: 8000 });
    await page.locator('#place input[value=page]').check();
    await expect(page.locator('#c-server')).toBeVisible();
    await expect(page.locator('#conn')).toContainText('4G');
    await close();
  });
});

test('the host sets what is everybody\u2019s, the others see it and why they cannot', async ({ browser }) => {
  const ada = await guest(browser, relay.url, 'Ada');
  const code = await create(ada.page);
  const jo = await guest(browser, relay.url, 'Jo');
  await join(jo.page, relay.url, code);
  const snapshots = (page: typeof ada.page) => page.locator('input[type=number][data-k="server.snapshots"]');
  for (const { page } of [ada, jo]) await page.locator('[data-group=server] > summary').click();
  await expect(snapshots(jo.page)).toBeDisabled();
  await expect(jo.page.locator('[data-c="server.snapshots"]')).toContainText('the host sets it');
  await expect(jo.page.locator('[data-c="server.tick"]')).toContainText('the relay sets it');
  await snapshots(ada.page).fill('32');
  await expect(snapshots(jo.page)).toHaveValue('32');
  // One's own side stays one's own.
  await jo.page.locator('[data-group=link] > summary').click();
  const latency = jo.page.locator('input[type=number][data-k="link.up.latency"]');
  if (!(await latency.isVisible())) await jo.page.locator('[data-group=link] > summary').click();
  await latency.fill('120');
  await expect.poll(async () => Number(/(\d+) ms/.exec((await jo.page.locator('#conn').textContent())!)?.[1]), { timeout: 10_000 }).toBeGreaterThan(100);
  await expect(ada.page.locator('input[type=number][data-k="link.up.latency"]')).toHaveValue('0');
  await ada.close();
  await jo.close();
});

test('in page and back: the run in page waits where it was, with its settings', async ({ browser }) => {
  const { page, close } = await guest(browser, `${relay.url}#v=1&seed=7&interp.delay=190`, 'Ada');
  await create(page);
  expect(page.url()).toContain('room=');
  await page.locator('#o-leave').click();
  await page.locator('#place input[value=page]').check();
  await expect.poll(() => page.url()).toMatch(/seed=7&interp\.delay=190(&view|$)/);
  expect((await page.evaluate(() => window.afterimage!.state())).config['interp.delay']).toBe(190);
  await expect(page.locator('#golive')).toBeVisible();
  await close();
});

test('a packet log can be saved', async ({ browser }) => {
  const { page, close } = await guest(browser, relay.url, 'Ada');
  await create(page);
  await page.waitForTimeout(1000);
  const download = page.waitForEvent('download');
  await page.locator('#o-save').click();
  expect((await download).suggestedFilename()).toMatch(/^afterimage-.*\.packets$/);
  await close();
});

