// How fast the lab runs in the page's own module, in Node and, where $CHROMIUM says one, in Chromium.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { open } from './module.mjs';
import { measure } from './speed.mjs';

/** What is aimed at: times real time. */
const AIM = 200;

const row = (where, speed) =>
  console.log(`arena in wasm, ${where.padEnd(24)} ${speed.toFixed(0).padStart(6)} x real time (aim ${AIM})`);

row(`Node ${process.versions.node}`, measure((await open()).Bench));

if (process.env.CHROMIUM) {
  const { chromium } = await import('@playwright/test');
  const root = new URL('../../../', import.meta.url);
  const files = {
    '/speed.mjs': ['crates/xtask/js/speed.mjs', 'text/javascript'],
    '/afterimage.js': ['web/src/wasm/afterimage.js', 'text/javascript'],
    '/afterimage_bg.wasm': ['web/src/wasm/afterimage_bg.wasm', 'application/wasm'],
  };
  const server = createServer(async (request, response) => {
    const [file, type] = files[request.url] ?? [];
    response.setHeader('Content-Type', type ?? 'text/html');
    response.end(file ? await readFile(new URL(file, root)) : '<!doctype html>');
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const speed = await page.evaluate(async () => {
      const [glue, { measure }] = await Promise.all([import('/afterimage.js'), import('/speed.mjs')]);
      await glue.default();
      return measure(glue.Bench);
    });
    row(`Chromium ${browser.version()}`, speed);
  } finally {
    await browser.close();
    server.close();
  }
}
