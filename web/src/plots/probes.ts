// Every probe in one table, most asked for first. It is filled only while it is open, and a few rows a picture.

import { h } from '../dom.ts';
import { figure } from '../format.ts';
import type { Catalogue, ProbeInfo } from '../protocol.ts';
import { text } from '../strings.ts';
import type { Probes } from './plot.ts';

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

/** Rows a picture: all of them within the eighth of a second that figures stand. */
const ROWS = 8;

export class ProbeTable {
  private readonly details: HTMLDetailsElement;
  private readonly body = h('tbody');
  private rows: { id: string; cells: HTMLTableCellElement[]; said: string[] }[] = [];
  private probes: Probes = {};
  /** Rows that have not said these figures yet; they end at the last. */
  private unsaid = 0;

  constructor(host: HTMLElement, stale: () => void) {
    const t = text.figures;
    const head = h('tr', {}, ...[t.name, t.now, t.mean, t.max, t.total].map((name) => h('th', { scope: 'col', text: name })));
    this.details = h(
      'details',
      { class: 'figs', id: 'figures', ontoggle: stale },
      h('summary', {}, h('b', { text: t.label }), h('span', { text: t.sub })),
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t.label }, h('table', {}, h('thead', {}, head), this.body)),
    );
    host.append(this.details);
  }

  set(catalogue: Catalogue): void {
    const rank = (id: string) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);
    const probes = [...catalogue.probes].sort((a, b) => rank(a.id) - rank(b.id));
    this.rows = probes.map(({ id }) => ({ id, cells: [0, 1, 2, 3].map(() => h('td')), said: [] }));
    this.body.replaceChildren(
      ...probes.map((probe, i) => {
        const { cells } = this.rows[i]!;
        return h('tr', { title: probe.help }, h('th', { scope: 'row' }, probe.label, ' ', h('small', { text: unitOf(probe) })), ...cells);
      }),
    );
  }

  /** Takes figures; `still`: says them at once. */
  take(probes: Probes, still: boolean): void {
    this.probes = probes;
    if (still || !this.unsaid) this.unsaid = this.rows.length;
    if (still) this.say(this.rows.length);
  }

  /** Says the figures of the next rows. */
  say(most = ROWS): void {
    if (!this.details.open) return;
    const from = this.rows.length - this.unsaid;
    this.unsaid = Math.max(0, this.unsaid - most);
    for (const { id, cells, said } of this.rows.slice(from, from + most)) {
      const r = this.probes[id];
      const values = r ? [r.now, r.mean, r.max, r.total] : [];
      cells.forEach((cell, k) => {
        const text = k === 3 && values[k] === null ? '' : figure(values[k]);
        if (said[k] !== text) cell.textContent = said[k] = text;
      });
    }
  }
}

/** A count's unit is its own name; only bytes say more. */
function unitOf({ kind, unit, label }: ProbeInfo): string {
  if (kind === 'counted') return text.figures.perSecond(unit === 'B' ? 'B' : '');
  return unit.length > 2 && label.toLowerCase().includes(unit.toLowerCase()) ? '' : unit;
}
