// Every probe in one table, most asked for first. It is filled only while it is open.

import { h } from '../dom.ts';
import { figure } from '../format.ts';
import type { Catalogue, ProbeInfo } from '../protocol.ts';
import { text } from '../strings.ts';
import type { Probes } from './plot.ts';
import { Rows } from './rows.ts';

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
  private readonly rows = new Rows();
  private ids: string[] = [];

  constructor(host: HTMLElement, stale: () => void) {
    const t = text.figures;
    const head = h('tr', {}, ...[t.name, t.now, t.mean, t.max, t.total].map((name) => h('th', { scope: 'col', text: name })));
    const toggled = () => {
      this.rows.forget();
      stale();
    };
    this.details = h(
      'details',
      { class: 'figs', id: 'figures', ontoggle: toggled },
      h('summary', {}, h('b', { text: t.label }), h('span', { text: t.sub })),
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t.label }, h('table', {}, h('thead', {}, head), this.rows.body)),
    );
    host.append(this.details);
  }

  set(catalogue: Catalogue): void {
    const rank = (id: string) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);
    const probes = [...catalogue.probes].sort((a, b) => rank(a.id) - rank(b.id));
    this.ids = probes.map(({ id }) => id);
    this.rows.clear();
    for (const probe of probes) this.rows.add(h('th', { scope: 'row' }, probe.label, ' ', h('small', { text: unitOf(probe) })), 4, probe.help);
  }

  /** Takes figures; `still`: says them at once. */
  take(probes: Probes, now: number, still: boolean): void {
    if (!this.details.open || !(still || this.rows.due(now))) return;
    const figures = this.ids.map((id) => {
      const r = probes[id];
      return r ? [figure(r.now), figure(r.mean), figure(r.max), r.total === null ? '' : figure(r.total)] : [];
    });
    this.rows.take(figures, now, still);
  }

  get owesRows(): boolean {
    return this.details.open && this.rows.owes;
  }

  sayRows(): void {
    this.rows.say();
  }
}

/** A count's unit is its own name; only bytes say more. */
function unitOf({ kind, unit, label }: ProbeInfo): string {
  if (kind === 'counted') return text.figures.perSecond(unit === 'B' ? 'B' : '');
  return unit.length > 2 && label.toLowerCase().includes(unit.toLowerCase()) ? '' : unit;
}
