// What the page costs the main thread, by the processor's clock: what other processes took in between does not count.

import type { Page } from '@playwright/test';

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  /** Processor time of the thread, us. */
  tdur?: number;
  args?: { name?: string };
}

/** Script, style, layout and paint: the page's own work. Compositing and rasterising are the browser's, on threads of their own where there is a GPU. */
const WORK = new Set(['FireAnimationFrame', 'HandlePostMessage', 'FunctionCall', 'TimerFire', 'EventDispatch', 'UpdateLayoutTree', 'Layout', 'PrePaint', 'Paint', 'Layerize', 'MinorGC', 'MajorGC']);

/** The main thread's work in each frame of the next `ms`, in ms of processor time, from the least to the most. */
export async function work(page: Page, ms: number): Promise<number[]> {
  const cdp = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const whole = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve));
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['devtools.timeline'], excludedCategories: ['*'] } });
  await page.waitForTimeout(ms);
  await cdp.send('Tracing.end');
  await whole;
  await cdp.detach();
  return frames(events);
}

function frames(events: TraceEvent[]): number[] {
  // The page's process is the one that draws; a browser has others in store.
  const drawn = events.find((e) => e.name === 'FireAnimationFrame');
  const main = events.filter((e) => e.ph === 'X' && e.pid === drawn?.pid && e.tid === drawn.tid && WORK.has(e.name)).sort((a, b) => a.ts - b.ts);
  const begins = main.filter((e) => e.name === 'FireAnimationFrame').map((e) => e.ts);
  const cost: number[] = begins.slice(1).map(() => 0);
  let frame = 0;
  let end = -Infinity;
  for (const e of main) {
    // What is inside another was counted with it.
    if (e.ts < end) continue;
    end = e.ts + (e.dur ?? 0);
    while (frame + 1 < begins.length && e.ts >= begins[frame + 1]!) frame++;
    if (e.ts >= begins[0]! && frame < cost.length) cost[frame]! += (e.tdur ?? e.dur ?? 0) / 1000;
  }
  return cost.sort((a, b) => a - b);
}

/** The value that this share of them stays below. */
export const at = (sorted: number[], share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** What the work below takes a core at the pace that bounds are meant for, ms: that of a machine that is its user's own. A shared one takes 8 to 12. */
const PACE_MS = 6;

/** How many times slower than that this machine is just now: by script that sorts and makes, and words that are laid out anew. */
export async function slowness(page: Page): Promise<number> {
  const beside = await page.context().newPage();
  const runs = await beside.evaluate(() => {
    const box = document.body.appendChild(document.createElement('div'));
    const run = (): number => {
      const start = performance.now();
      let x = 1;
      const made = Array.from({ length: 12_000 }, () => ({ key: (x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0) }));
      made.sort((a, b) => a.key - b.key);
      box.replaceChildren(...made.slice(0, 150).map(({ key }) => Object.assign(document.createElement('p'), { textContent: `${key} of ${x}` })));
      return box.offsetHeight > 0 ? performance.now() - start : Number.NaN;
    };
    return Array.from({ length: 40 }, run).sort((a, b) => a - b);
  });
  await beside.close();
  // A quarter of them: those that nothing came in between.
  return at(runs, 0.25) / PACE_MS;
}
