// One instrument of the page: a title with its figure, a picture that a hidden sentence describes, and its rows as a table on demand.

import { h, say, sayRich } from '../dom.ts';
import { text } from '../strings.ts';
import type { View } from '../view.ts';
import type { Plot, Probes, Setting } from './plot.ts';
import { Rows } from './rows.ts';

/** A summary that is read out must stand still for a while. */
const SUMMARY_MS = 2000;

export class Instrument {
  readonly root: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly now = h('output', { class: 'now' });
  private readonly detail = h('span', { class: 'mm', text: text.noSamples });
  private readonly summary = h('p', { class: 'vh' });
  private readonly toggle: HTMLButtonElement;
  private readonly table: HTMLElement;
  private readonly rows = new Rows();
  private shown = '';
  private summaryAt = -Infinity;
  private sentence: string = text.noSamples;

  /** `turned`: the picture came back in place of the table, or went; it has to be drawn. */
  constructor(
    readonly plot: Plot,
    private readonly turned: () => void,
  ) {
    const { id, wide, key } = plot;
    const { label, short, sub, columns } = text.instruments[id];
    this.now.id = `now-${id}`;
    this.detail.id = `detail-${id}`;
    this.summary.id = `sum-${id}`;
    this.canvas = h('canvas', { id: `plot-${id}`, role: 'img', 'aria-label': label, 'aria-describedby': this.summary.id });
    this.toggle = h('button', { type: 'button', class: 'tbl', 'aria-label': text.asTable(label), 'aria-expanded': 'false', 'aria-controls': `table-${id}`, text: text.table, onclick: () => this.turn() });
    const head = h('tr', {}, ...[text.time, ...columns].map((name) => h('th', { scope: 'col', text: name })));
    this.table = h('div', { class: 'scroll', id: `table-${id}`, role: 'region', 'aria-label': text.asTable(label), tabindex: 0, hidden: true }, h('table', {}, h('thead', {}, head), this.rows.body));
    const keys = h('span', { class: 'key' }, ...key.map(([picture, word]) => h('span', {}, picture, word)));
    const title = h('div', {}, h('h3', {}, h('span', { class: 'long', text: label }), h('span', { class: 'short', text: short }), h('span', { class: 'sub', text: sub })), this.now);
    this.root = h('figure', { class: wide ? 'inst w' : 'inst', 'data-inst': id }, h('figcaption', {}, title, h('div', {}, this.detail, keys)), this.toggle, this.canvas, this.table, this.summary);
    this.root.addEventListener('focusin', () => this.describe());
    this.describe();
  }

  /** Eight times a second; `still` where time stands, so that nothing is left for later. */
  say(view: View, probes: Probes, setting: Setting, now: number, still: boolean): void {
    const f = this.plot.read(view, probes, setting);
    // Of a world that has just begun: no figure of the one before may stand.
    sayRich(this.now, f ? `${f.now} ~${this.unit(probes)}~` : '');
    this.now.toggleAttribute('data-bad', f?.bad ?? false);
    sayRich(this.detail, f?.detail ?? text.noSamples);
    this.sentence = f?.summary ?? text.noSamples;
    if (still || now - this.summaryAt >= SUMMARY_MS) {
      this.summaryAt = now;
      this.describe();
    }
    if (this.open && (still || this.rows.due(now))) this.fill(this.plot.rows(view), now, still);
  }

  /** A length's is the scene's: then the columns say it too. */
  private unit(probes: Probes): string {
    const { id } = this.plot;
    const { unit, columns } = text.instruments[id];
    if (id !== 'error') return unit;
    const of = probes['own.error']?.unit ?? unit;
    if (of !== this.shown) for (const [i, name] of columns.entries()) say(this.table.querySelectorAll('th')[i + 1]!, text.inUnit(name, of));
    this.shown = of;
    return of;
  }

  get owesRows(): boolean {
    return this.open && this.rows.owes;
  }

  sayRows(): void {
    this.rows.say();
  }

  private get open(): boolean {
    return !this.table.hidden;
  }

  private turn(): void {
    this.table.hidden = this.open;
    this.canvas.hidden = this.open;
    this.toggle.setAttribute('aria-expanded', String(this.open));
    this.rows.forget();
    this.turned();
  }

  private describe(): void {
    say(this.summary, this.sentence);
  }

  private fill(figures: string[][], now: number, still: boolean): void {
    while (this.rows.count < figures.length) this.rows.add(undefined, figures[0]!.length);
    this.rows.take(figures, now, still);
  }
}
