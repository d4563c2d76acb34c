import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import type { Measured } from '../../web/src/protocol.ts';
import { expect, test } from './bench.ts';

const IDS = ['lagometer', 'age', 'depth', 'error', 'bandwidth'];
const EVEN = 'link.up.jitter=0&link.down.jitter=0&link.up.loss=0&link.down.loss=0';

/** Opens the page standing still, so many seconds into its world. */
async function at(page: Page, open: (fragment: string) => Promise<void>, fragment: string, seconds: number): Promise<Measured['readings']['probes']> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await open(`#v=1&seed=7${fragment}`);
  await page.evaluate((s) => window.afterimage!.run(s), seconds);
  await page.locator('#step').click();
  await expect(page.locator('#clock')).toHaveText(new RegExp(`^00:0?${Math.floor(seconds)}\\.`));
  return (await page.evaluate(() => window.afterimage!.hash())).readings.probes;
}

/** The numbers of a text, with the page's minus sign. */
const numbers = async (page: Page, id: string) => [...(await page.locator(`#${id}`).innerText()).matchAll(/\u2212?\d+(?:\.\d+)?/g)].map(([n]) => Number(n.replace('\u2212', '-')));
const round = (v: number | null | undefined, decimals = 0) => Number((v ?? NaN).toFixed(decimals)) + 0;

/** How many points of a plot have this colour, nearly. */
const points = (page: Page, id: string, [r, g, b]: [number, number, number]) =>
  page.evaluate(
    async ([plot, red, green, blue]) => {
      await window.afterimage!.settled();
      const x = window.copied(`plot-${plot}`);
      const { data } = x.getImageData(0, 0, x.canvas.width, x.canvas.height);
      let found = 0;
      for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i]! - red) + Math.abs(data[i + 1]! - green) + Math.abs(data[i + 2]! - blue) < 30) found++;
      return found;
    },
    [id, r, g, b] as const,
  );
const YELLOW: [number, number, number] = [0xf0, 0xe4, 0x42];
const WHITE: [number, number, number] = [0xff, 0xff, 0xff];

test('each instrument says now, mean and most as the probes have them', async ({ bench, page }) => {
  const p = await at(page, bench.open, '', 12);
  const KIB = 1024;
  for (const [id, probe] of [
    ['lagometer', 'others.spare'],
    ['age', 'others.age'],
  ] as const) {
    expect(await numbers(page, `now-${id}`), id).toEqual([round(p[probe]!.now)]);
    expect(await numbers(page, `detail-${id}`), id).toEqual([round(p[probe]!.mean), round(p[probe]!.max)]);
  }
  const depth = p['input.depth']!;
  expect(await numbers(page, 'now-depth')).toEqual([depth.now]);
  expect((await numbers(page, 'detail-depth')).slice(0, 2)).toEqual([round(depth.mean, 1), depth.max]);
  const [own, others] = [p['own.error']!, p['others.error']!];
  expect((await numbers(page, 'now-error'))[0]).toBeCloseTo(own.now!, 3);
  const error = await numbers(page, 'detail-error');
  for (const [i, v] of [own.mean, others.mean, own.max, others.max].entries()) expect(Math.abs(error[i]! - v!)).toBeLessThan(0.06);
  const [up, down] = [p['bytes.up']!, p['bytes.down']!];
  expect(await numbers(page, 'now-bandwidth')).toEqual([round(up.now! / KIB, 1), round(down.now! / KIB, 1)]);
  expect(await numbers(page, 'detail-bandwidth')).toEqual([up.mean, down.mean, up.max, down.max].map((v) => round(v! / KIB, 1)));
  // Every probe, in its table.
  await page.locator('#figures summary').click();
  const trip = page.locator('#figures tr', { hasText: 'Round trip' }).locator('td');
  await expect(trip.nth(0)).toHaveText(String(round(p['clock.rtt']!.now)));
  await expect(trip.nth(2)).toHaveText(String(round(p['clock.rtt']!.max)));
  // And in a sentence, with the figure behind each picture.
  await expect(page.locator('#plot-bandwidth')).toHaveAccessibleDescription(new RegExp(`others down ${round(p['bytes.down.others']!.now! / KIB, 1)}`));
  await expect(page.locator('#plot-error')).toHaveAccessibleDescription(/square root/);
});

test('a delay that is too short is hatched, and marked against what is needed', async ({ bench, page }) => {
  await at(page, bench.open, '&interp.delay=300', 6);
  expect(await points(page, 'age', YELLOW)).toBe(0);
  await expect(page.locator('#now-age')).not.toHaveAttribute('data-bad');
  const p = await at(page, bench.open, '&interp.delay=90&link.down.jitter=60', 6);
  expect(p['others.starved']!.total).toBeGreaterThan(50);
  expect(await points(page, 'age', YELLOW)).toBeGreaterThan(20);
  expect(await points(page, 'lagometer', YELLOW)).toBeGreaterThan(100);
  await expect(page.locator('#now-lagometer')).toHaveAttribute('data-bad', '');
  await expect(page.locator('#plot-age')).toHaveAccessibleDescription(/the link needs 176\.$/);
});

test('the input buffer has a target while the clock is paced, and bends towards it', async ({ bench, page }) => {
  await at(page, bench.open, '&clock.drift=2', 12);
  const white = await points(page, 'depth', WHITE);
  await expect(page.locator('#plot-depth')).toHaveAccessibleDescription(/aims at 2\.\d and runs \u2212[12]\.\d+ percent fast/);
  await at(page, bench.open, '&clock.drift=2&input.pacing=false', 12);
  await expect(page.locator('#plot-depth')).toHaveAccessibleDescription(/The clock is not paced/);
  expect(await points(page, 'depth', WHITE)).toBeLessThan(white / 4);
});

/** The body of an instrument's table. */
const rows = (page: Page, id: string) => page.locator(`#table-${id} tbody tr`).evaluateAll((all) => all.map((row) => [...row.children].map((cell) => Number(cell.textContent!.replace('\u2212', '-')))));

test('fewer snapshots cost bandwidth down, by kind, and none up', async ({ bench, page }) => {
  const newest = async (hz: number) => {
    await at(page, bench.open, `&${EVEN}&server.snapshots=${hz}`, 9);
    await page.getByRole('button', { name: 'Bandwidth as a table' }).click();
    await expect.poll(async () => (await rows(page, 'bandwidth')).length).toBe(20);
    return (await rows(page, 'bandwidth'))[0]!;
  };
  const [, inputs, , , own, others, , headers] = (await newest(64)) as number[];
  const [, fewInputs, , , fewOwn, fewOthers, , fewHeaders] = (await newest(16)) as number[];
  expect(fewInputs! / inputs!).toBeGreaterThan(0.9);
  for (const [few, many] of [
    [fewOwn, own],
    [fewOthers, others],
    [fewHeaders, headers],
  ])
    expect(few! / many!).toBeLessThan(0.5);
});

test('a table holds the rows that the picture draws, by keyboard, and nothing while it is closed', async ({ bench, page }) => {
  await at(page, bench.open, '', 9);
  for (const id of IDS) expect(await page.locator(`#table-${id} tbody tr`).count(), id).toBe(0);
  const button = page.getByRole('button', { name: 'Input buffer at the server as a table' });
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(button).toHaveAttribute('aria-expanded', 'true');
  await expect(page.locator('#plot-depth')).toBeHidden();
  await expect.poll(async () => (await rows(page, 'depth')).length).toBe(20);
  const drawn = await page.evaluate(() => {
    const v = window.afterimage!.view()!;
    const [offset, count, stride] = [v[8 + 8 * 3]!, v[9 + 8 * 3]!, v[10 + 8 * 3]!];
    return Array.from({ length: count }, (_, i) => [...v.slice(offset + i * stride, offset + (i + 1) * stride)]);
  });
  for (const [k, [t, waiting, target, bend]] of (await rows(page, 'depth')).entries()) {
    expect(t).toBeCloseTo(-k * 0.15, 2);
    const row = drawn.filter((r) => r[0]! <= -k * 150 + 0.01).at(-1)!;
    expect(waiting).toBe(row[1]);
    expect(target).toBeCloseTo(row[2]!, 1);
    expect(bend).toBeCloseTo(row[3]!, 2);
  }
  await page.keyboard.press('Enter');
  await expect(page.locator('#plot-depth')).toBeVisible();
});

test('nothing moves while time stands, tables neither; a sentence moves once in two seconds', async ({ bench, page }) => {
  await bench.open('#v=1');
  for (const name of ['Lagometer', 'Bandwidth']) await page.getByRole('button', { name: `${name} as a table` }).click();
  await page.locator('#figures summary').click();
  const said = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let changes = 0;
        new MutationObserver((all) => (changes += all.length)).observe(document.getElementById('sum-age')!, { childList: true, characterData: true, subtree: true });
        setTimeout(() => resolve(changes), 5000);
      }),
  );
  expect(said).toBeGreaterThan(0);
  expect(said).toBeLessThanOrEqual(3);
  await page.locator('#play').click();
  await page.waitForTimeout(300);
  const still = () => page.evaluate(async () => (await window.afterimage!.settled(), [document.querySelector('#insts')!.textContent, document.querySelector('#figures')!.textContent, ...[...document.querySelectorAll<HTMLCanvasElement>('.inst canvas')].map((c) => c.toDataURL())]));
  const before = await still();
  await page.waitForTimeout(700);
  expect(await still()).toEqual(before);
});

test('before anything was measured each says so', async ({ bench, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await bench.open('#v=1&link.up.latency=300&link.down.latency=300');
  await page.locator('#step').click();
  for (const id of IDS) {
    await expect(page.locator(`#detail-${id}`)).toHaveText('no samples yet');
    await expect(page.locator(`#now-${id}`)).toHaveText('');
  }
});

test('who does not interpolate has no delay and cannot starve', async ({ bench, page }) => {
  await at(page, bench.open, '&interp.on=false', 6);
  await expect(page.locator('#plot-age')).toHaveAccessibleDescription(/Others are not interpolated/);
  await expect(page.locator('#plot-lagometer')).toHaveAccessibleDescription(/Others are not interpolated/);
  expect((await numbers(page, 'now-age')).length).toBe(1);
});

test('axe finds nothing with every table open, wide and narrow', async ({ bench, page }) => {
  await at(page, bench.open, '', 6);
  for (const button of await page.locator('.tbl').all()) await button.click();
  await page.locator('#figures summary').click();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const { violations } = await new AxeBuilder({ page }).include('#insts').include('#figs').analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`), `${width}`).toEqual([]);
  }
});
