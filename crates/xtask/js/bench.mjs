// How fast the lab runs in the page's own modules, in Node and, where $CHROMIUM says one, in Chromium.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { open, scenes } from './module.mjs';
import { measure } from './speed.mjs';

/** What is aimed at: times real time. Thousands of entities cost more than a handful. */
const AIMS = { arena: 200 };
const AIM = 40;

const row = (scene, where, speed) =>
  console.log(`${scene} in wasm, ${where.padEnd(24)} ${speed.toFixed(0).padStart(6)} x real time (aim ${AIMS[scene] ?? AIM})`);

const all = await scenes();
for (const scene of all) row(scene, `Node ${process.versions.node}`, measure((await open(scene)).Bench, scene));

if (process.env.CHROMIUM) {
  const { chromium } = await import('@playwright/test');
  const root = new URL('../../../', import.meta.url);
  const files = { '/speed.mjs': ['crates/xtask/js/speed.mjs', 'text/javascript'] };
  for (const scene of all) {
    files[`/${scene}.js`] = [`web/src/wasm/${scene}/${scene}.js`, 'text/javascript'];
    files[`/${scene}_bg.wasm`] = [`web/src/wasm/${scene}/${scene}_bg.wasm`, 'application/wasm'];
  }
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
    for (const scene of all) {
      const speed = await page.evaluate(async (scene) => {
        const [glue, { measure }] = await Promise.all([import(`/${scene}.js`), import('/speed.mjs')]);
        await glue.default();
        return measure(glue.Bench, scene);
      }, scene);
      row(scene, `Chromium ${browser.version()}`, speed);
    }
  } finally {
    await browser.close();
    server.close();
  }
}
