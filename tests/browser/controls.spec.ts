import type { Param } from '../../web/src/protocol.ts';
import { expect, test } from './bench.ts';

/** The two ends of a control, without what needs a file. */
function ends(p: Param): [string | number | boolean, string | number | boolean] {
  if (p.kind === 'toggle') return [false, true];
  if (p.kind === 'choice') return [p.choices![0]!.id, p.choices!.filter((c) => !c.needs).at(-1)!.id];
  return [p.min!, p.max!];
}

test('each control, from its least to its most on one seed, moves the probe that it names in the direction that it names', async ({ bench, page }) => {
  test.setTimeout(240_000);
  await bench.open('#v=1&seed=7');
  await page.locator('#play').click();
  const params = await page.evaluate(() => window.afterimage!.catalogue()!.params);
  expect(params.length).toBeGreaterThan(20);
  for (const param of params) {
    const [low, high] = ends(param);
    const [at, to] = await page.evaluate(
      async ([id, given, a, b]) => {
        const run = (value: typeof a) => window.afterimage!.measure({ scene: 'arena', seed: 7, config: { ...given, [id]: value }, seconds: 60 });
        return [await run(a), await run(b)] as const;
      },
      [param.id, param.given ?? {}, low, high] as const,
    );
    expect.soft(to.hash, `${param.id} changes nothing`).not.toBe(at.hash);
    expect.soft(param.moves?.length, `${param.id} names no probe`).toBeGreaterThan(0);
    for (const { probe, direction } of param.moves ?? []) {
      const [from, then] = [at, to].map((m) => m.readings.probes[probe]!);
      // Counts by their sum, everything else by what all but the greatest twentieth stay below; both of the whole run. What is
      // alike to the breadth of a bar is told apart by the mean of the last seconds.
      const sum = (r: typeof from) => r!.p95 ?? r!.total ?? Number.NaN;
      const alike = from!.p95 !== null && from!.p95 === then!.p95;
      const [before, after] = [from, then].map((r) => (alike ? (r!.mean ?? Number.NaN) : sum(r))) as [number, number];
      const what = `${param.id} from ${low} to ${high}: ${probe} ${before} to ${after}, named ${direction}`;
      if (direction === 'up') expect.soft(after, what).toBeGreaterThan(before);
      else expect.soft(after, what).toBeLessThan(before);
    }
  }
});

test('every setting has a control that sets it, live, and the number beside it follows', async ({ bench, page }) => {
  test.setTimeout(120_000);
  await bench.open('#v=1&view.open=link,server,input,prediction,interpolation,rewind,replication');
  await page.locator('.more summary').click();
  const params = await page.evaluate(() => window.afterimage!.catalogue()!.params);
  const value = (id: string) => page.evaluate((key) => window.afterimage!.state().config[key], id);
  for (const param of params) {
    const control = page.locator(`#psecs [data-k="${param.id}"]`);
    const [low, high] = ends(param);
    const wanted = param.default === high ? low : high;
    // What another setting has to allow is allowed first.
    const needs = param.requires;
    const now = needs && (await value(needs.id));
    if (needs?.above !== undefined && !(Number(now) > needs.above)) await page.locator(`#psecs [data-k="${needs.id}"][type=range]`).fill(String(needs.above + 1));
    if (needs?.values?.some((v) => v === now) === false) await page.locator(`#psecs [data-k="${needs.id}"] input[value="${needs.values[0]}"]`).check();
    if (param.kind === 'range') {
      await control.and(page.locator('[type=range]')).fill(String(wanted));
      await expect(control.and(page.locator('[type=number]'))).toHaveValue(String(wanted));
    } else if (param.kind === 'toggle') await control.setChecked(wanted === true);
    else await control.locator(`input[value="${wanted}"]`).check();
    await expect.poll(() => value(param.id), param.id).toBe(wanted);
    await page.locator('#reset').click();
    await expect.poll(() => value(param.id), `${param.id} after reset`).toBe(param.default);
  }
});

test('what does not apply stays in sight, disabled, and names what it needs', async ({ bench, page }) => {
  await bench.open('#v=1&view.open=prediction,interpolation&view.explain=0');
  await page.getByRole('checkbox', { name: 'Predict own moves' }).uncheck();
  await expect(page.getByRole('checkbox', { name: 'Reconcile' })).toBeDisabled();
  await expect(page.locator('[data-c="predict.reconcile"]')).toContainText('needs Predict own moves');
  await expect(page.getByText('Off shows: corrections snap.')).toBeHidden();
  await expect(page.locator('[data-c="predict.smooth"]')).toContainText('needs Reconcile');
  await page.locator('input[value=measured]').check();
  await expect(page.getByRole('slider', { name: 'Delay, ms' })).toBeDisabled();
  await expect(page.locator('[data-c="interp.delay"]')).toContainText('needs Delay rule: Fixed');
  await expect(page.locator('#budget')).toContainText('The rule chooses for you.');
});

test('the budget is a sum, and short is said in words', async ({ bench, page }) => {
  await bench.open('#v=1');
  const budget = page.locator('#budget');
  await expect(budget).toContainText('needs 136 ms = 100 one way + 20 jitter + 16 send interval');
  await expect(budget).toContainText('160 ms leaves 24 ms to spare.');
  await page.getByRole('spinbutton', { name: 'Delay, ms' }).fill('100');
  await expect(budget).toContainText('100 ms is 36 ms short: expect starved frames.');
  await page.getByRole('slider', { name: 'Jitter down, ms' }).fill('60');
  await expect(budget).toContainText('76 ms short');
});

test('a preset sets both ways of the link, and is marked until something differs', async ({ bench, page }) => {
  await bench.open('#v=1');
  const lan = page.locator('[data-preset=lan]');
  await lan.click();
  await expect(lan).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('spinbutton', { name: 'Latency up, ms' })).toHaveValue('1');
  await expect(page.locator('.psec[data-group=link] summary').first()).toContainText('LAN: 1 ms, 0 % loss');
  await page.getByRole('slider', { name: 'Loss down, %' }).fill('3');
  await expect(lan).toHaveAttribute('aria-pressed', 'false');
  await expect(page.locator('.psec[data-group=link] summary').first()).toContainText('Custom: 1 ms, 0/3 % loss');
});

test('a preset leaves nothing of the link before, and the folded line says what is set', async ({ bench, page }) => {
  await bench.open('#v=1');
  const fold = page.locator('.more > summary');
  await expect(fold).toContainText('none');
  await page.locator('[data-preset=bufferbloat]').click();
  await expect(fold).toContainText('rate 8 kB/s, queue 500 ms');
  await page.locator('[data-preset=wifi]').click();
  await expect(fold).toContainText('burst 6');
  await fold.click();
  await page.locator('[data-c="link.vary"] input[value=ramp]').check();
  await expect(fold).toContainText('variation ramp');
  await expect(page.locator('#budget')).toContainText('= 20 one way + 10 jitter + 100 variation + 16 send interval');
  await page.locator('[data-preset=lan]').click();
  await expect(fold).toContainText('none');
  await expect(page.locator('[data-c="link.vary"] input[value=none]')).toBeChecked();
  await expect(page.locator('.psec[data-group=link] summary').first()).toContainText('LAN: 1 ms, 0 % loss');
  await expect(page.getByRole('slider', { name: 'Burst up, packets' })).toBeDisabled();
  await expect(page.locator('[data-c="link.up.burst"]')).toContainText('needs Loss above 0');
  await expect(page.locator('[data-c="link.up.queue"]')).toContainText('needs Rate above 0');
});

test('a trace is loaded by the keyboard, its faults are said in place, and a world that begins anew has it still', async ({ bench, page }) => {
  await bench.open('#v=1&link.up.loss=0&link.down.loss=0');
  const row = page.locator('.trace');
  await page.locator('.more > summary').click();
  const trace = page.locator('[data-c="link.vary"] input[value=trace]');
  await expect(trace).toBeDisabled();
  const load = async (name: string, csv: string) => {
    const chooser = page.waitForEvent('filechooser');
    await page.locator('#trace-load').focus();
    await page.keyboard.press('Enter');
    await (await chooser).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(csv) });
  };
  await load('ride.csv', 'time_ms,delay_ms,lost\n0,20,0\n100,soon,0\n');
  await expect(row).toContainText('ride.csv was not taken. line 3, column 2 (delay_ms): "soon" is not a number from 0 to 10000.');
  await expect(trace).toBeDisabled();
  await load('ride.csv', 'time_ms,delay_ms,lost\n0,20,0\n700,220,0\n1000,0,1\n1100,20,0\n');
  await expect(row).toContainText('ride.csv: 4 rows, 1.2 s, up to 220 ms, 8.3 % lost.');
  await expect(trace).toBeChecked();
  await expect(page.locator('#budget')).toContainText('+ 220 variation');
  const lost = async () => (await page.evaluate(async () => (await window.afterimage!.run(5)).readings.probes['packets.lost']!.total))!;
  expect(await lost()).toBeGreaterThan(10);
  await page.locator('#restart').click();
  expect(await lost()).toBeGreaterThan(10);
  await expect.poll(() => page.url()).toContain('link.vary=trace');
});

test('a link that was made with a trace says that it is not in it', async ({ bench, page }) => {
  await bench.open('#v=1&link.vary=trace');
  await expect(page.locator('#notices')).toContainText('load its CSV under Link, More impairments');
  await expect(page.locator('[data-c="link.vary"]')).toContainText('needs a trace: load a CSV');
});

test('a number field takes what is in range, and on leaving the nearest that there is', async ({ bench, page }) => {
  await bench.open('#v=1');
  const delay = page.getByRole('spinbutton', { name: 'Delay, ms' });
  const value = () => page.evaluate(() => window.afterimage!.state().config['interp.delay']);
  await delay.fill('9999');
  expect(await value()).toBe(160);
  await delay.press('Tab');
  await expect(delay).toHaveValue('600');
  expect(await value()).toBe(600);
  await delay.fill('');
  await delay.press('Tab');
  await expect(delay).toHaveValue('600');
});

test('a lesson\u2019s phrase sets, is marked as set, and lights its control', async ({ bench, page }) => {
  await bench.open('#v=1&view.lesson=3&view.open=rewind');
  await page.getByRole('button', { name: '240 ms' }).click();
  await expect(page.getByRole('button', { name: '240 ms' })).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('spinbutton', { name: 'Delay, ms' })).toHaveValue('240');
  await expect(page.getByRole('spinbutton', { name: 'Delay, ms' })).toBeInViewport();
  await expect(page.locator('.lesson-body')).toContainText('240 ms in the past');
});

test('a phrase that sets a preset opens its section and lights it', async ({ bench, page }) => {
  await bench.open('#v=1&view.lesson=1&view.open=rewind');
  await page.getByRole('button', { name: 'a LAN' }).click();
  await expect(page.locator('.presets')).toHaveClass(/flash/);
  await expect(page.locator('.psec[data-group=link]')).toHaveAttribute('open', '');
  await expect(page.locator('[data-preset=lan]')).toHaveAttribute('aria-pressed', 'true');
});

test('drop, spike and dark do what they say', async ({ bench, page }) => {
  await bench.open('#v=1&link.up.loss=0&link.down.loss=0&link.up.jitter=0&link.down.jitter=0');
  const lost = () => page.evaluate(async () => (await window.afterimage!.hash()).readings.probes['packets.lost']!.total!);
  await page.waitForTimeout(500);
  expect(await lost()).toBe(0);
  await page.getByRole('button', { name: 'Drop next' }).click();
  await expect.poll(lost).toBe(2);
  await page.getByRole('button', { name: 'Go dark 3 s' }).click();
  await expect(page.locator('#toast')).toContainText('Nothing passes for 3 s.');
  await page.waitForTimeout(1500);
  expect(await lost()).toBeGreaterThan(50);
  await expect(page.locator('#now-lagometer')).toHaveAttribute('data-bad', '');
});

test('overlays are toggled in every pane', async ({ bench, page }) => {
  await bench.open('#v=1');
  // Before the first snapshots there is nobody to draw but on the server.
  await page.waitForFunction(() => (window.afterimage?.view()?.[1] ?? 0) >= 2);
  await page.locator('#play').click();
  const pixels = () => page.evaluate(() => ['you', 'server', 'other'].map((id) => (document.getElementById(`c-${id}`) as HTMLCanvasElement).toDataURL()));
  // Paused, but the picture under way may still come: it stands once two looks are alike.
  let before: string[] = [];
  await expect
    .poll(async () => {
      const last = before;
      before = await pixels();
      return before.every((pane, i) => pane === last[i]);
    })
    .toBe(true);
  await page.locator('[data-lg=bot]').click();
  await expect.poll(async () => (await pixels()).every((pane, i) => pane !== before[i])).toBe(true);
  await expect(page.locator('[data-lg=bot]')).toHaveAttribute('aria-pressed', 'false');
  await expect.poll(() => page.url()).toContain('view.hide=bot');
});
