// Every probe in one table, most asked for first. It is filled only while it is open.

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

/** Twice a second, all rows at once: the table is laid out once for all of them, and in one picture of thirty. */
const TABLE_MS = 500;

export class ProbeTable {
  private readonly details: HTMLDetailsElement;
  private readonly body = h('tbody');
  private rows: { id: string; cells: HTMLTableCellElement[]; said: string[] }[] = [];
  private saidAt = -Infinity;

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
  take(probes: Probes, now: number, still: boolean): void {
    if (!this.details.open || (!still && now - this.saidAt < TABLE_MS)) return;
    this.saidAt = now;
    for (const { id, cells, said } of this.rows) {
      const r = probes[id];
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
