import type { Page } from '@playwright/test';
import { expect, test } from './bench.ts';

/** What one picture is: where it stands, and the bytes of everything in it but that. */
interface Shown {
  /** The instant, us. */
  us: number;
  tick: number;
  /** How far behind live, ms. */
  behind: number;
  kept: number;
  forks: number;
  bytes: string;
}

/** Puts a recorder into the page: `shown(view)` takes one picture apart, `record()` keeps every one that comes. */
async function recorder(page: Page): Promise<void> {
  await page.evaluate(() => {
    const take = (view: Float32Array): Shown => {
      const words = new Uint32Array(view.buffer, view.byteOffset + 32, view.length - 8);
      let [a, b] = [0x811c9dc5, 0];
      for (const word of words) {
        a = Math.imul(a ^ word, 0x01000193);
        b = Math.imul(b ^ (word >>> 16), 0x85ebca6b) + word;
      }
      return { us: Math.round(view[1]! * 1e6 + view[2]! * 1e3), tick: view[3]!, behind: view[5]!, kept: view[6]!, forks: view[7]!, bytes: `${words.length}/${a}/${b}` };
    };
    const all: Shown[] = [];
    Object.assign(window, { shown: () => take(window.afterimage!.view()!), recorded: all });
    window.afterimage!.watch((view) => all.push(take(view)));
  });
}

declare global {
  interface Window {
    shown(): Shown;
    recorded: Shown[];
  }
}

const shown = (page: Page) => page.evaluate(() => window.shown());
const playing = (page: Page) => page.evaluate(() => window.afterimage!.state().playing);
const tape = (page: Page) => page.locator('#scrub');

/** Opens the page, lets it run for so long as fast as it goes, and stands still. */
async function paused(bench: { page: Page; open(fragment?: string): Promise<void> }, seconds: number, fragment = '#v=1&scene=arena&seed=7'): Promise<void> {
  const { page } = bench;
  await bench.open(fragment);
  await recorder(page);
  await page.locator('#play').click();
  await still(page);
  await page.evaluate(async (n) => {
    await window.afterimage!.run(n);
    window.afterimage!.live();
  }, seconds);
  await expect.poll(async () => (await shown(page)).us).toBeGreaterThan(seconds * 1e6);
}

/** What is shown once nothing moves any more: a picture may have been under way. */
async function still(page: Page): Promise<Shown> {
  let before = await shown(page);
  await expect(async () => {
    // What was asked for before time stood comes within this.
    await page.waitForTimeout(200);
    const now = await shown(page);
    const same = now.us === before.us;
    before = now;
    expect(same).toBe(true);
  }).toPass();
  return before;
}

/** Takes the handle of the tape and lets go of it so many ms behind live. */
async function drag(page: Page, behind: number, letGo = true): Promise<void> {
  const box = (await tape(page).boundingBox())!;
  const span = -Number(await tape(page).getAttribute('min'));
  const x = (ms: number) => box.x + 4 + (box.width - 8) * (1 - ms / span);
  const y = box.y + box.height / 2;
  await page.mouse.move(x((await shown(page)).behind), y);
  await page.mouse.down();
  await page.mouse.move(x(behind / 2), y);
  await page.mouse.move(x(behind), y, { steps: 5 });
  if (letGo) await page.mouse.up();
}

test('scrubbing back shows exactly what was', async ({ bench, page }) => {
  await bench.open('#v=1&scene=arena&seed=7&link.down.loss=5');
  await recorder(page);
  await page.waitForTimeout(7000);
  await page.keyboard.press('Space');
  const live = await still(page);
  const was = await page.evaluate((us) => window.recorded.filter((s) => s.us > us - 6e6 && s.us < us - 4e6), live.us);
  expect(was.length).toBeGreaterThan(30);
  for (const then of was.filter((_, i) => i % 10 === 0)) {
    await page.evaluate((ms) => window.afterimage!.seek(ms), (live.us - then.us) / 1000 + 0.0001);
    await expect.poll(async () => (await shown(page)).us).toBe(then.us);
    expect(await shown(page)).toMatchObject({ tick: then.tick, bytes: then.bytes });
  }
  await page.keyboard.press('l');
  await expect.poll(() => shown(page)).toMatchObject({ us: live.us, behind: 0, bytes: live.bytes });
});

test('a tick back and one forward is where it was', async ({ bench, page }) => {
  await paused(bench, 5);
  await page.getByRole('button', { name: 'Step back one tick' }).click();
  await expect.poll(async () => (await shown(page)).behind).toBeGreaterThan(0);
  const before = await shown(page);
  await page.locator('#step-back').press('Tab');
  await page.locator('body').evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('ArrowLeft');
  await expect.poll(async () => (await shown(page)).tick).toBe(before.tick - 1);
  expect((await shown(page)).bytes).not.toBe(before.bytes);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => shown(page)).toMatchObject({ us: before.us, tick: before.tick, bytes: before.bytes });
});

test('dragging the tape pauses and looks back; what lies ahead is dimmed; LIVE comes back and goes on', async ({ bench, page }) => {
  await bench.open('#v=1&scene=arena&seed=7&link.up.loss=8&link.down.loss=8');
  await recorder(page);
  await page.evaluate(() => window.afterimage!.run(30));
  await expect.poll(async () => (await shown(page)).us).toBeGreaterThan(30e6);
  /** How bright the tape is, left and right of the middle of its strip. */
  const brightness = () =>
    page.evaluate(async () => {
      await window.afterimage!.settled();
      const x = window.copied('tape');
      const { width, height } = x.canvas;
      const at = (from: number, to: number) => {
        const { data } = x.getImageData(from, 8, to - from, height - 16);
        return data.reduce((sum, v, i) => sum + (i % 4 === 3 ? 0 : v), 0) / data.length;
      };
      const strip = (share: number) => Math.round(66 + (width - 74) * share);
      // The last half minute: 12 s before the cursor and 12 s after it.
      return [at(strip(0.58), strip(0.73)), at(strip(0.77), strip(0.97))] as const;
    });
  await page.keyboard.press('Space');
  await expect.poll(() => playing(page)).toBe(false);
  // The picture has what half a minute brought: it comes after the pause.
  await expect(page.locator('#tape')).toHaveAccessibleName(/shown: \d{3,} packets lost/);
  const bright = await brightness();
  await page.keyboard.press('Space');
  await drag(page, 15_000, false);
  await expect.poll(async () => Math.abs((await shown(page)).behind - 15_000)).toBeLessThan(200);
  expect(await playing(page)).toBe(false);
  await expect(page.locator('#golive')).toHaveAttribute('aria-pressed', 'false');
  await expect(page.locator('#golive')).toContainText(/\u221215\.\d s/);
  await expect(tape(page)).toHaveAttribute('aria-valuetext', /^15\.\d s behind live$/);
  await expect(page.locator('#tape')).toHaveAccessibleName(/60 seconds before the instant shown: \d+ packets lost/);
  const dimmed = await brightness();
  expect(dimmed[1]).toBeLessThan(0.75 * bright[1]);
  expect(dimmed[0]).toBeGreaterThan(0.75 * bright[0]);
  // The feed is of the instant that is shown.
  const { us } = await shown(page);
  const newest = Number(await page.locator('#feed time').first().textContent());
  expect(newest).toBeLessThanOrEqual(us / 1e6 + 0.01);
  expect(newest).toBeGreaterThan(us / 1e6 - 5);
  // Let go in the past it stays there, and leaves the page its keys; at live it goes on.
  await page.mouse.up();
  await expect(tape(page)).not.toBeFocused();
  await page.waitForTimeout(200);
  expect((await shown(page)).us).toBe(us);
  await drag(page, 0);
  await expect.poll(() => playing(page)).toBe(true);
  await expect.poll(async () => (await shown(page)).us).toBeGreaterThan(us + 15_000_000);
  await expect(page.locator('#golive')).toHaveAttribute('aria-pressed', 'true');
});

test('played behind live it runs through what was, until it is live again', async ({ bench, page }) => {
  await bench.open();
  await recorder(page);
  await page.waitForTimeout(2500);
  const live = await page.evaluate(() => {
    const { us } = window.shown();
    window.afterimage!.seek(1000);
    return us;
  });
  await expect.poll(async () => (await shown(page)).behind).toBeGreaterThan(0);
  await expect.poll(async () => (await shown(page)).us).toBeGreaterThan(live + 300_000);
  const all = await page.evaluate(() => window.recorded);
  const back = all.findIndex((s) => s.behind > 0);
  const again = all.findIndex((s, i) => i > back && s.behind === 0);
  expect(again).toBeGreaterThan(back + 10);
  const first = new Map(all.slice(0, back).map((s) => [s.tick, s]));
  expect(all.slice(back, again).filter((s) => first.has(s.tick)).length).toBeGreaterThan(10);
  expect((await shown(page)).forks).toBe(0);
});

test('a key pressed in the past forks there: what came later is gone, and that is said', async ({ bench, page }) => {
  await paused(bench, 20, '#v=1&scene=arena&seed=7&link.down.loss=5');
  const live = await shown(page);
  await drag(page, 6000);
  await expect.poll(async () => (await shown(page)).behind).toBeGreaterThan(5000);
  const then = await shown(page);
  await expect(page.locator('#hint')).toContainText('Acting here undoes what came after');
  await page.locator('#c-you').focus();
  expect((await shown(page)).forks).toBe(0);
  await page.keyboard.down('d');
  await expect.poll(async () => (await shown(page)).forks).toBe(1);
  const forked = await shown(page);
  expect(forked).toMatchObject({ us: then.us, behind: 0 });
  await expect(page.locator('#feed li').first()).toContainText(/you acted (5|6)(\.\d)? s back: what came after it is gone/);
  await expect(page.locator('#toast')).toContainText(/You acted/);
  await expect(page.locator('#hint')).not.toContainText('undoes');
  await expect(page.locator('#forks')).toHaveText('1 fork');
  const later = (await page.locator('#feed time').allTextContents()).map(Number).filter((s) => s > then.us / 1e6 + 0.01);
  expect(later).toEqual([]);
  // It goes on from there as another world, and the way to the right that the key asked for is gone.
  await page.keyboard.press('Space');
  await expect.poll(async () => (await shown(page)).us).toBeGreaterThan(then.us + 500_000);
  await page.keyboard.up('d');
  expect((await shown(page)).us).toBeLessThan(live.us);
});

test('a fork in a past with a key held lets go of the key: whoever plays now goes on', async ({ bench, page }) => {
  await bench.open();
  await recorder(page);
  await page.locator('#c-you').focus();
  await page.keyboard.down('d');
  await page.waitForTimeout(1500);
  await page.keyboard.up('d');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Space');
  await still(page);
  await page.evaluate(async () => {
    await window.afterimage!.run(2);
    window.afterimage!.seek(2800);
  });
  await expect.poll(async () => (await shown(page)).behind).toBeGreaterThan(2500);
  await page.getByRole('button', { name: 'Drop next' }).first().click();
  await expect.poll(async () => (await shown(page)).forks).toBe(1);
  // A bot goes to many places; a key to the right that nobody lets go of ends at a wall.
  const heights = new Set<number>();
  for (let i = 0; i < 12; i++) {
    await page.evaluate(async () => {
      await window.afterimage!.run(0.5);
      window.afterimage!.live();
    });
    await page.waitForTimeout(80);
    heights.add(
      await page.evaluate(() => {
        const view = window.afterimage!.view()!;
        const [at, rows, stride] = [view[8]!, view[9]!, view[10]!];
        for (let row = 0; row < rows; row++) if (view[at + row * stride] === 0) return Math.round(view[at + row * stride + 2]! * 4);
        return NaN;
      }),
    );
  }
  expect(heights.size).toBeGreaterThan(5);
});

test('a control moved in the past forks too, and the panel shows the settings of the instant', async ({ bench, page }) => {
  await paused(bench, 5);
  const delay = page.locator('#psecs [data-k="interp.delay"][type=number]');
  await delay.fill('240');
  await delay.press('Enter');
  await page.evaluate(() => window.afterimage!.run(5));
  await tape(page).focus();
  await page.evaluate(() => window.afterimage!.seek(7000));
  await expect.poll(() => page.evaluate(() => window.afterimage!.state().config['interp.delay'])).not.toBe(240);
  await expect(delay).not.toHaveValue('240');
  expect((await shown(page)).forks).toBe(0);
  await delay.fill('80');
  await delay.press('Enter');
  await expect.poll(async () => (await shown(page)).forks).toBe(1);
  await expect(page.locator('#forks')).toHaveText('1 fork');
  await page.locator('#restart').click();
  await expect(page.locator('#forks')).toHaveText('');
});

test('the tape by keyboard alone', async ({ bench, page }) => {
  await paused(bench, 70);
  await tape(page).focus();
  await expect(tape(page)).toHaveAccessibleName('Scrub the tape');
  await expect(tape(page)).toHaveAttribute('aria-valuetext', 'live');
  const live = await shown(page);
  await page.keyboard.press('PageDown');
  await page.keyboard.press('PageDown');
  await expect.poll(async () => Math.round((await shown(page)).behind)).toBe(2000);
  await expect(tape(page)).toHaveAttribute('aria-valuetext', '2.0 s behind live');
  const { tick } = await shown(page);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(async () => (await shown(page)).tick).toBe(tick - 1);
  await page.keyboard.press('PageUp');
  await expect.poll(async () => (await shown(page)).behind).toBeLessThan(1100);
  await page.keyboard.press('Home');
  await expect.poll(async () => (await shown(page)).behind).toBeGreaterThan(59_000);
  await page.keyboard.press('End');
  await expect.poll(() => shown(page)).toMatchObject({ us: live.us, behind: 0 });
});

test('on a phone the tape is of ten seconds, and a thumb drags it', async ({ bench, page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await paused(bench, 20);
  await expect(tape(page)).toHaveAttribute('min', '-10000');
  await drag(page, 5000);
  await expect.poll(async () => Math.abs((await shown(page)).behind - 5000)).toBeLessThan(300);
  await page.locator('#golive').click();
  await expect.poll(async () => (await shown(page)).behind).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(tape(page)).toHaveAttribute('min', '-60000');
});
