import { gzipSync } from 'node:zlib';
import { expect, lab, test } from './bench.ts';

test('loads without a complaint, and draws the lab', async ({ bench, page }) => {
  await bench.open();
  await expect(page.locator('#conn')).toContainText('round trip');
  await expect(page.locator('#feed li').first()).toBeVisible();
  await expect(page.locator('.psec')).not.toHaveCount(0);
  expect(bench.complaints).toEqual([]);
});

test('the first picture does not wait for the module', async ({ page, baseURL }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/*.wasm', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(baseURL);
  await expect(page.getByRole('heading', { name: 'You', exact: true })).toBeVisible();
  await expect(page.locator('.lesson h2')).not.toBeEmpty();
  // The ground is drawn: the canvas is not one colour.
  const colours = () =>
    page.evaluate(() => {
      const x = window.copied('c-you');
      return new Set(new Uint32Array(x.getImageData(0, 0, x.canvas.width, x.canvas.height).data.buffer)).size;
    });
  await expect.poll(colours).toBeGreaterThan(2);
  expect(await page.evaluate(() => window.afterimage?.view())).toBeNull();
  release();
  await lab(page);
});

test('JavaScript and CSS are at most 80 KiB gzipped', async ({ bench, page, baseURL }) => {
  const asked = new Set<string>();
  page.on('request', (request) => /\.(js|css)(\?|$)/.test(request.url()) && request.url().startsWith(baseURL) && asked.add(request.url()));
  await bench.open();
  // Page, style, worker, and the script of the module.
  await expect.poll(() => asked.size).toBeGreaterThanOrEqual(4);
  const sizes = new Map<string, number>();
  // A browser does not hand out what its workers were given.
  for (const url of asked) sizes.set(url, gzipSync(await (await page.request.get(url)).body(), { level: 9 }).length);
  const total = [...sizes.values()].reduce((sum, n) => sum + n, 0);
  expect(total, JSON.stringify([...sizes])).toBeLessThanOrEqual(80 * 1024);
});

test('a browser without WebAssembly is told so, in words', async ({ page, baseURL }) => {
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'WebAssembly'));
  await page.goto(baseURL);
  await expect(page.locator('[data-notice=fault]')).toContainText('WebAssembly');
  await expect(page.locator('[data-notice=fault]').getByRole('button', { name: 'Copy link' })).toBeVisible();
  await expect(page.locator('.lesson h2')).toBeVisible();
});

test('a module that does not come is told, and reloading is offered', async ({ page, baseURL }) => {
  await page.route('**/*.wasm', (route) => route.abort());
  await page.goto(baseURL);
  const notice = page.locator('[data-notice=fault]');
  await expect(notice).toContainText('could not be loaded');
  await page.unroute('**/*.wasm');
  await notice.getByRole('button', { name: 'Reload' }).click();
  await lab(page);
});

test('a page whose script did not come says so without it, and reloading keeps the link', async ({ page, baseURL }) => {
  await page.route('**/assets/index-*.js', (route) => route.fulfill({ status: 404 }));
  await page.goto(`${baseURL}#v=1&seed=5`);
  const lost = page.locator('#lost');
  await expect(lost).toContainText('the server may have newer ones');
  await page.unroute('**/assets/index-*.js');
  await lost.getByRole('button', { name: 'Reload' }).click();
  await lab(page);
  await expect(lost).toBeHidden();
  expect((await page.evaluate(() => window.afterimage!.state())).seed).toBe(5);
});

test('a worker that did not come is told with what may be the matter, and reloading is offered', async ({ page, baseURL }) => {
  await page.route('**/assets/worker-*.js', (route) => route.fulfill({ status: 404 }));
  await page.goto(`${baseURL}#v=1&seed=5`);
  const notice = page.locator('[data-notice=fault]');
  await expect(notice).toContainText('the server may have newer files than this page');
  await page.unroute('**/assets/worker-*.js');
  await notice.getByRole('button', { name: 'Reload' }).click();
  await lab(page);
  expect((await page.evaluate(() => window.afterimage!.state())).seed).toBe(5);
});

test('a painter that did not come is told, and reloading is offered', async ({ page, baseURL }) => {
  await page.route('**/assets/painter-*.js', (route) => route.fulfill({ status: 404 }));
  await page.goto(`${baseURL}#v=1&seed=5`);
  const notice = page.locator('[data-notice=fault]');
  await expect(notice).toContainText('the server may have newer files than this page');
  await page.unroute('**/assets/painter-*.js');
  await notice.getByRole('button', { name: 'Reload' }).click();
  await lab(page);
  expect((await page.evaluate(() => window.afterimage!.state())).seed).toBe(5);
});

test('where a worker cannot draw the page does, and the pictures are the same', async ({ bench, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const pictures = async () => {
    await bench.open('#v=1&seed=5');
    await page.evaluate(() => window.afterimage!.run(5));
    await page.locator('#step').click();
    await expect(page.locator('#clock')).toHaveText(/^00:05\./);
    return page.evaluate(async () => {
      await window.afterimage!.settled();
      return [...document.querySelectorAll('canvas')].filter((c) => c.checkVisibility()).map((c) => [c.id, c.toDataURL()]);
    });
  };
  const apart = await pictures();
  expect(apart.length).toBeGreaterThanOrEqual(10);
  for (const [id, picture] of apart) expect(picture!.length, id).toBeGreaterThan(1500);
  // No browser that we test with is without: it is taken away.
  await page.addInitScript(() => Reflect.deleteProperty(HTMLCanvasElement.prototype, 'transferControlToOffscreen'));
  await page.goto('about:blank');
  const here = await pictures();
  expect(await page.evaluate(() => typeof (globalThis as { afterimagePainter?: unknown }).afterimagePainter)).toBe('function');
  for (const [i, [id, picture]] of here.entries()) expect(picture === apart[i]![1], id).toBe(true);
  expect(bench.complaints).toEqual([]);
});

test('a page and a lab of different builds do not go on together', async ({ page, baseURL }) => {
  await page.route('**/assets/index-*.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(/(["'`])0\.1\.0\1/, '"0.0.9"') });
  });
  await page.goto(baseURL);
  const notice = page.locator('[data-notice=fault]');
  await expect(notice).toContainText('of different builds');
  await expect(notice.getByRole('button', { name: 'Reload' })).toBeVisible();
  expect(await page.evaluate(() => window.afterimage!.view())).toBeNull();
});

test('a lab that takes long is told, and comes all the same', async ({ page, baseURL }) => {
  test.setTimeout(60_000);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/*.wasm', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(baseURL);
  await expect(page.locator('[data-notice=slow]')).toContainText('not there after 10 s', { timeout: 15_000 });
  release();
  await lab(page);
  await expect(page.locator('[data-notice]')).toHaveCount(0);
});

test('a lab that does not answer is told; it may answer yet, or a new one takes its place', async ({ page, baseURL }) => {
  test.setTimeout(60_000);
  // After thirty steps of time the worker is busy with something else.
  await page.route('**/assets/worker-*.js', async (route) => {
    const response = await route.fetch();
    const busy = 'let fuse=30;const burn=()=>{if(--fuse==0){const t=performance.now();while(performance.now()-t<8000);}};';
    await route.fulfill({ response, body: busy + (await response.text()).replaceAll('.advance(', '.advance((burn(),0)||') });
  });
  await page.goto(`${baseURL}#v=1&seed=5&interp.delay=210`);
  const notice = page.locator('[data-notice=silent]');
  await expect(notice).toContainText('has not answered for 5 s', { timeout: 15_000 });
  await expect(notice).toHaveCount(0, { timeout: 15_000 });
  await page.reload();
  await expect(notice).toBeVisible({ timeout: 15_000 });
  await page.unroute('**/assets/worker-*.js');
  await notice.getByRole('button', { name: 'Start again' }).click();
  await expect.poll(() => page.evaluate(() => window.afterimage!.view()?.[3] ?? 0), { timeout: 4000 }).toBeGreaterThan(0);
  expect(await page.evaluate(() => window.afterimage!.state())).toMatchObject({ seed: 5, config: { 'interp.delay': 210 } });
});

test('a browser that keeps nothing runs the page all the same', async ({ bench, page }) => {
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    for (const store of ['localStorage', 'sessionStorage'] as const) Object.defineProperty(window, store, { get: refuse });
  });
  await bench.open('#v=1&seed=5');
  await expect(page.locator('#now-age')).toContainText('ms');
  expect(bench.complaints).toEqual([]);
});

test('a lab that traps is told; the link keeps the state and there is a way on', async ({ page, baseURL }) => {
  // The worker is served with a trap in it, once: after thirty steps of time the module "stops".
  let trapped = false;
  await page.route(/worker[^/]*\.js/, async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    if (trapped) return route.fulfill({ response, body });
    trapped = true;
    const bomb = 'let fuse=30;const burn=()=>{if(--fuse<0)throw new WebAssembly.RuntimeError("unreachable")};';
    return route.fulfill({ response, body: bomb + body.replaceAll('.advance(', '.advance((burn(),0)||') });
  });
  await page.goto(`${baseURL}#v=1&scene=arena&seed=5&interp.delay=210`);
  const notice = page.locator('[data-notice=fault]');
  await expect(notice).toContainText('stopped in the middle (unreachable)');
  expect(page.url()).toContain('seed=5&interp.delay=210');
  await notice.getByRole('button', { name: 'Copy link' }).click();
  const [again] = await Promise.all([page.waitForResponse(/worker[^/]*\.js/), notice.getByRole('button', { name: 'Start again' }).click()]);
  await again.finished();
  await expect(notice).toHaveCount(0);
  await expect(page.locator('#now-age')).toContainText('ms');
  expect(await page.evaluate(() => window.afterimage?.state())).toMatchObject({ seed: 5, config: { 'interp.delay': 210 } });
});

test('Online comes when it is first asked for; where it does not, that is said and the bench goes on', async ({ bench, page }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await bench.open('#v=1&seed=5');
  expect(asked.filter((url) => /\/(place|host)-/.test(url))).toEqual([]);
  await page.route('**/assets/place-*.js', (route) => route.fulfill({ status: 404 }));
  const online = page.locator('#place').getByRole('radio', { name: 'Online' });
  await online.click();
  const notice = page.locator('[data-notice=online]');
  await expect(notice).toContainText('Online could not be loaded');
  await expect.poll(() => page.evaluate(() => location.hash)).toContain('seed=5');
  await notice.getByRole('button', { name: 'Stay in page' }).click();
  await expect(notice).toBeHidden();
  await expect(page.locator('#place').getByRole('radio', { name: 'In page' })).toBeChecked();
  await expect.poll(() => page.evaluate(() => window.afterimage!.view()![1])).toBeGreaterThan(1);
});
