// The page under test, with what every test needs: its console, its hook, and marks by name.

import { type Page, test as base, expect } from '@playwright/test';
import type { Hook } from '../../web/src/hook.ts';

export { expect };

export interface Bench {
  page: Page;
  /** Opens the page with this fragment and waits for the first picture of the lab. */
  open(fragment?: string): Promise<void>;
  /** Errors and warnings that the console has said. */
  complaints: string[];
}

declare global {
  interface Window {
    /** What a canvas shows: the page's own are drawn on by a worker, so their pixels are those of a copy. */
    copied(id: string): CanvasRenderingContext2D;
  }
}

function installCopied(): void {
  window.copied = (id) => {
    const canvas = document.getElementById(id) as HTMLCanvasElement;
    const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
    const x = copy.getContext('2d')!;
    x.drawImage(canvas, 0, 0);
    return x;
  };
}

export const test = base.extend<{ bench: Bench; baseURL: string }>({
  page: async ({ page }, use) => {
    await page.addInitScript(installCopied);
    await use(page);
  },
  baseURL: async ({}, use) => {
    const url = process.env['BASE_URL'];
    if (!url) throw new Error('BASE_URL is not set');
    await use(url.endsWith('/') ? url : `${url}/`);
  },
  bench: async ({ page, baseURL }, use) => {
    const complaints: string[] = [];
    page.on('console', (m) => ['error', 'warning'].includes(m.type()) && complaints.push(m.text()));
    page.on('pageerror', (e) => complaints.push(e.message));
    await use({
      page,
      complaints,
      async open(fragment = '') {
        await page.goto(baseURL + fragment);
        await lab(page);
      },
    });
  },
});

/** Waits until the lab has drawn itself. */
export async function lab(page: Page): Promise<void> {
  await page.waitForFunction(() => (window as { afterimage?: Hook }).afterimage?.view() != null);
}
