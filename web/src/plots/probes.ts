// Every probe in one table, most asked for first. It is filled only while it is open.

import { h, say } from '../dom.ts';
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

export class ProbeTable {
  private readonly details: HTMLDetailsElement;
  private readonly body = h('tbody');
  private readonly cells = new Map<string, HTMLTableCellElement[]>();

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
    this.cells.clear();
    this.body.replaceChildren(
      ...probes.map((probe) => {
        const cells = [0, 1, 2, 3].map(() => h('td'));
        this.cells.set(probe.id, cells);
        return h('tr', { title: probe.help }, h('th', { scope: 'row' }, probe.label, ' ', h('small', { text: unitOf(probe) })), ...cells);
      }),
    );
  }

  say(probes: Probes): void {
    if (!this.details.open) return;
    for (const [id, cells] of this.cells) {
      const r = probes[id];
      const values = r ? [r.now, r.mean, r.max, r.total] : [];
      cells.forEach((cell, k) => say(cell, k === 3 && values[k] === null ? '' : figure(values[k])));
    }
  }
}

/** A count's unit is its own name; only bytes say more. */
function unitOf({ kind, unit, label }: ProbeInfo): string {
  if (kind === 'counted') return text.figures.perSecond(unit === 'B' ? 'B' : '');
  return unit.length > 2 && label.toLowerCase().includes(unit.toLowerCase()) ? '' : unit;
}
