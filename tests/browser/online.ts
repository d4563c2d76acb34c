// Pages in a room: each in a context of its own, as two people's are.

import type { Browser, BrowserContextOptions, Page } from '@playwright/test';
import { expect, lab } from './bench.ts';

export type Choice = 'auto' | 'wt' | 'ws';

export interface Guest {
  page: Page;
  close(): Promise<void>;
}

/** A page of the relay, with that name and choice in its browser's store. */
export async function guest(browser: Browser, url: string, name: string, choice: Choice = 'auto', options: BrowserContextOptions = {}): Promise<Guest> {
  const context = await browser.newContext(options);
  await context.addInitScript(
    ([who, via]) => {
      localStorage.setItem('afterimage.name', who!);
      if (via !== 'auto') localStorage.setItem('afterimage.transport', via!);
    },
    [name, choice],
  );
  const page = await context.newPage();
  await page.goto(url);
  await lab(page);
  return { page, close: () => context.close() };
}

/** Makes a room from the lobby; its code. */
export async function create(page: Page, bots = 0): Promise<string> {
  await page.locator('#place input[value=online]').check();
  await page.locator('#o-bots').selectOption(String(bots));
  await page.locator('#o-create').click();
  await isIn(page);
  return (await page.locator('#o-roomcode').textContent())!.replace('-', '');
}

/** Follows an invite link. */
export async function join(page: Page, url: string, code: string): Promise<void> {
  await page.goto(`${url}#v=1&room=${code}`);
  await page.locator('#o-join').click();
  await isIn(page);
}

/** In the room and drawn there. */
export async function isIn(page: Page, via = /WebTransport|WebSocket/): Promise<void> {
  await expect(page.locator('#conn')).toHaveText(via, { timeout: 20_000 });
}

/** Where the marks of a kind stand on your screen: 0 you, 1 other players, 2 bots. */
export const places = (page: Page, kind: number): Promise<[number, number][]> =>
  page.evaluate((wanted) => {
    const v = window.afterimage!.view();
    if (!v) return [];
    const [offset, count, stride] = [v[8]!, v[9]!, v[10]!];
    const out: [number, number][] = [];
    for (let i = 0; i < count; i++) if (v[offset + i * stride] === wanted) out.push([v[offset + i * stride + 1]!, v[offset + i * stride + 2]!]);
    return out;
  }, kind);

/** The table of players: name and tags, via, ping, loss, score. */
export const table = (page: Page): Promise<string[][]> => page.locator('#o-players tr').evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent!.trim())));
