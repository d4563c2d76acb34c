// The instruments: each with its figures in words beside the picture.

import { Surface } from '../canvas.ts';
import { h, say, sayRich } from '../dom.ts';
import { NONE, figure, num } from '../format.ts';
import { blockKey, glyph, lineKey } from '../glyphs.ts';
import type { Catalogue, Readings } from '../protocol.ts';
import { text } from '../strings.ts';
import { Section, type View } from '../view.ts';
import { drawAge } from './age.ts';
import { drawError } from './error.ts';
import { ageFigures, drawnFor, errorFigures, lagometerFigures, measured } from './figures.ts';
import { drawLagometer } from './lagometer.ts';

interface Figure {
  now: string;
  /** The figure is past its limit. */
  bad: boolean;
  detail: string;
  /** Figures beside the words of the key, in its order. */
  keyed?: string[];
  /** The picture in a sentence. */
  summary: string;
}

interface Instrument {
  label: string;
  surface: Surface;
  now: HTMLOutputElement;
  unit: string;
  detail: HTMLElement;
  keyed: HTMLElement[];
  draw(surface: Surface, view: View, interpolates: boolean): void;
  read(view: View, interpolates: boolean): Figure | undefined;
}

/** What of the figures' table is most asked for comes first. */
const FIRST = [
  'others.starved',
  'own.corrections',
  'input.response',
  'input.lost',
  'input.repeated',
  'input.skipped',
  'input.depth',
  'shots.hit',
  'shots.granted',
  'shots.denied',
  'shots.miss',
  'shots.behind_cover',
  'packets.lost',
  'packets.late',
  'bytes.up',
  'bytes.down',
  'clock.rtt',
  'clock.jitter',
  'clock.bend',
];

export class Instruments {
  private readonly all: Instrument[] = [];
  private readonly body = h('tbody');
  private readonly cells = new Map<string, HTMLTableCellElement[]>();

  constructor(host: HTMLElement) {
    const t = text.instruments;
    this.add(host, 'lagometer', 'w', [
      [blockKey('--c-truth', false), t.lagometer.key.snapshot],
      [glyph('late'), t.lagometer.key.late],
      [glyph('lost'), t.lagometer.key.lost],
    ], drawLagometer, readLagometer);
    this.add(host, 'age', 'w', [
      [lineKey('--c-other'), t.age.key.age],
      [lineKey('--c-truth', '4 3'), t.age.key.delay],
      [blockKey('--c-warn', true), t.age.key.starved],
    ], drawAge, readAge);
    this.add(host, 'error', 'e', [
      [lineKey('--c-you'), t.error.key.own],
      [lineKey('--c-other', '6 2'), t.error.key.others],
      [lineKey('--ink-3', '2 2'), t.error.key.naive],
    ], drawError, readError);
    host.append(this.table());
  }

  private add(
    host: HTMLElement,
    id: keyof typeof text.instruments,
    size: string,
    key: [SVGElement, string][],
    draw: Instrument['draw'],
    read: Instrument['read'],
  ): void {
    const { label, sub, unit } = text.instruments[id];
    const now = h('output', { class: 'now', id: `now-${id}` });
    const detail = h('span', { class: 'mm', id: `detail-${id}`, text: text.noSamples });
    const keyed = key.map(() => h('b'));
    const canvas = h('canvas', { id: `plot-${id}`, role: 'img', 'aria-label': label });
    host.append(
      h(
        'figure',
        { class: `inst ${size}` },
        h(
          'figcaption',
          {},
          h('div', {}, h('h3', { text: label }, h('span', { text: sub })), now),
          h('div', {}, detail, h('span', { class: 'key' }, ...key.map(([picture, word], i) => h('span', {}, picture, word, keyed[i])))),
        ),
        canvas,
      ),
    );
    this.all.push({ label, surface: new Surface(canvas), now, unit, detail, keyed, draw, read });
  }

  private table(): HTMLElement {
    const t = text.figures;
    const head = h('tr', {}, ...[t.name, t.now, t.mean, t.max, t.total].map((name, i) => h('th', { scope: 'col', class: i ? 'n' : '', text: name })));
    return h(
      'section',
      { class: 'inst figs', 'aria-label': t.label },
      h('header', {}, h('h3', { text: t.label }, h('span', { text: t.sub }))),
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t.label }, h('table', {}, h('thead', {}, head), this.body)),
    );
  }

  /** The probes that there are, most asked for first. */
  setProbes(catalogue: Catalogue): void {
    const rank = (id: string) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);
    const probes = [...catalogue.probes].sort((a, b) => rank(a.id) - rank(b.id));
    this.cells.clear();
    this.body.replaceChildren(
      ...probes.map((probe) => {
        const cells = [0, 1, 2, 3].map(() => h('td', { class: 'n' }));
        this.cells.set(probe.id, cells);
        // A count's unit is its own name; only bytes say more.
        const own = probe.label.toLowerCase().includes(probe.unit.toLowerCase());
        const unit = probe.kind === 'counted' ? text.figures.perSecond(probe.unit === 'B' ? 'B' : '') : own && probe.unit.length > 2 ? '' : probe.unit;
        return h('tr', { title: probe.help }, h('th', { scope: 'row' }, probe.label, ' ', h('small', { text: unit })), ...cells);
      }),
    );
  }

  /** How many pictures there are. */
  get count(): number {
    return this.all.length;
  }

  /** Draws one picture; without a view, its empty ground. */
  draw(index: number, view: View | undefined, interpolates: boolean): void {
    const i = this.all[index];
    if (view) i?.draw(i.surface, view, interpolates);
    else i?.surface.begin();
  }

  /** Eight times a second. */
  say(view: View, readings: Readings | undefined, interpolates: boolean): void {
    for (const i of this.all) {
      const f = i.read(view, interpolates);
      if (!f) {
        // Of a world that has just begun: no figure of the one before may stand.
        sayRich(i.now, '');
        i.now.removeAttribute('data-bad');
        sayRich(i.detail, text.noSamples);
        i.surface.canvas.setAttribute('aria-label', `${i.label}: ${text.noSamples}`);
        for (const figures of i.keyed) say(figures, '');
        continue;
      }
      sayRich(i.now, `${f.now} ~${i.unit}~`);
      i.now.toggleAttribute('data-bad', f.bad);
      sayRich(i.detail, f.detail);
      f.keyed?.forEach((figures, k) => i.keyed[k] && say(i.keyed[k], figures));
      i.surface.canvas.setAttribute('aria-label', f.summary);
    }
    if (!readings) return;
    for (const [id, cells] of this.cells) {
      const r = readings.probes[id];
      const values = r ? [r.now, r.mean, r.max, r.total] : [];
      cells.forEach((cell, k) => say(cell, k === 3 && values[k] === null ? '' : figure(values[k])));
    }
  }
}

function readLagometer(view: View, interpolates: boolean): Figure | undefined {
  if (!interpolates) return { now: NONE, bad: false, detail: '', summary: `${text.instruments.lagometer.label}: ${text.notInterpolated}` };
  const f = lagometerFigures(view.section(Section.Frames));
  return (
    f && {
      now: num(f.spare),
      bad: f.spare < 0,
      detail: text.lagometerFigures(f.mean, f.max),
      summary: text.lagometerSummary(f.spare, f.starvedPercent, f.longestMs),
    }
  );
}

function readAge(view: View, interpolates: boolean): Figure | undefined {
  const f = ageFigures(drawnFor(view.section(Section.Age), view.section(Section.Frames)));
  return (
    f && {
      now: num(f.age),
      bad: interpolates && f.age > f.delay,
      detail: text.ageFigures(f.mean, f.max),
      summary: interpolates ? text.ageSummary(f.age, f.delay, f.needs) : text.ageAloneSummary(f.age),
    }
  );
}

function readError(view: View): Figure | undefined {
  const f = errorFigures(view.section(Section.Error));
  if (!measured(f)) return undefined;
  const pair = (s: { mean: number; max: number }) => `${figure(s.mean)}, ${figure(s.max)}`;
  return {
    now: figure(f.own.now),
    bad: false,
    detail: text.errorFigures,
    keyed: [pair(f.own), pair(f.others), pair(f.othersNaive)],
    summary: text.errorSummary(f.own.now, f.others.now, f.othersNaive.now),
  };
}
