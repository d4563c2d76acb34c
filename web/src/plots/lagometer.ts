// Two clocks in one picture. Above: a bar for each frame drawn, down where samples were to spare, up where the frame starved.
// Below: a bar for each snapshot, as tall as it was old on arrival; an outlined cross where it was lost.

import { NONE, num } from '../format.ts';
import { glyph } from '../glyphs.ts';
import { text } from '../strings.ts';
import { Section, type View, at } from '../view.ts';
import { Heard, lagometerFigures, windows } from './figures.ts';
import { type Figure, type Plot, type Probes, ROWS, type Setting, spread } from './plot.ts';

const WINDOW_MS = windows.lagometer;
const STEP_MS = WINDOW_MS / ROWS;

const t = text.instruments.lagometer;

export const lagometer: Plot = {
  id: 'lagometer',
  wide: true,
  key: [
    [glyph('late'), t.key.late],
    [glyph('lost'), t.key.lost],
  ],
  read,
  rows,
};

function read(view: View, probes: Probes, { interpolates }: Setting): Figure | undefined {
  if (!interpolates) return { now: NONE, bad: false, detail: '', summary: text.notInterpolated };
  const spare = spread(probes['others.spare']);
  const f = lagometerFigures(view.section(Section.Frames));
  if (!f || !Number.isFinite(spare.now)) return undefined;
  return { now: num(spare.now), bad: spare.now < 0, detail: text.meanMax(num(spare.mean), num(spare.max)), summary: t.summary(spare, f.starvedPercent, f.longestMs) };
}

/** The least to spare of each step, and the snapshots that were due in it. */
function rows(view: View): string[][] {
  const frames = view.section(Section.Frames);
  const snapshots = view.section(Section.Snapshots);
  const least = new Array<number>(ROWS).fill(NaN);
  const heard = Array.from({ length: ROWS }, () => [0, 0, 0]);
  const oldest = new Array<number>(ROWS).fill(NaN);
  const step = (ms: number) => Math.floor(-ms / STEP_MS + 1e-6);
  for (let i = 0; i < frames.count; i++) {
    const k = step(at(frames, i, 0));
    const spare = at(frames, i, 1);
    if (k < ROWS && !(least[k]! <= spare)) least[k] = spare;
  }
  for (let i = 0; i < snapshots.count; i++) {
    const k = step(at(snapshots, i, 0));
    const fate = at(snapshots, i, 2);
    if (k >= ROWS) continue;
    heard[k]![fate]!++;
    if (fate !== Heard.Lost && !(oldest[k]! >= at(snapshots, i, 1))) oldest[k] = at(snapshots, i, 1);
  }
  return least.map((spare, k) => [num((-k * STEP_MS) / 1000, 3), num(spare), ...heard[k]!.map(String), num(oldest[k])]);
}
