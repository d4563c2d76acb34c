// The control panel, made from the catalogue: a section a group, a row a setting.

import { choose, h, s, say, sayRich, segment } from '../dom.ts';
import { clamp } from '../paint/canvas.ts';
import type { Config, Needs, Param, Value } from '../protocol.ts';
import { text } from '../strings.ts';
import type { Model, Row } from './model.ts';
import type { TraceRow } from './trace.ts';

/** Open when the page is new: what the delay must cover, and the delay. */
const OPEN = ['link.up.latency', 'interp.delay'];
const DELAY = 'interp.delay';
const FLASH_MS = 900;

export interface Chosen {
  set(id: string, value: Value): void;
  preset(id: string): void;
  /** Sections were opened or closed. */
  opened(): void;
}

export class Panel {
  private config: Config;
  private readonly sections = new Map<string, HTMLDetailsElement>();
  private readonly budget = h('p', { class: 'budget', id: 'budget' });
  private need: HTMLElement | undefined;

  constructor(
    private readonly host: HTMLElement,
    private readonly model: Model,
    private readonly chosen: Chosen,
    open: string[] | null,
    private readonly trace: TraceRow,
  ) {
    this.config = model.defaults();
    const { groups } = model.catalogue;
    const root = h(
      'div',
      {},
      ...groups.filter((g) => model.rows(g.id).length > 0).map((g) => this.section(g.id, g.label, open ? open.includes(g.id) : this.opensAtFirst(g.id))),
    );
    root.addEventListener('input', (e) => this.input(e.target as HTMLInputElement));
    root.addEventListener('change', (e) => this.settle(e.target as HTMLInputElement));
    host.replaceChildren(root);
  }

  /** The sections that are open. */
  open(): string[] {
    return [...this.sections].filter(([, d]) => d.open).map(([id]) => id);
  }

  private opensAtFirst(group: string): boolean {
    return OPEN.some((id) => this.model.param(id)?.group === group);
  }

  private section(group: string, label: string, open: boolean): HTMLElement {
    const body = h('div', { class: 'pbody' });
    const presets = this.model.presets(group);
    if (presets.length) body.append(this.presets(group));
    let fold: HTMLElement | undefined;
    let pairs = false;
    for (const row of this.model.rows(group)) {
      if (row.kind === 'pair' && !pairs) {
        pairs = true;
        body.append(columns());
      }
      if (row.fold) fold ??= body.appendChild(h('details', { class: 'more' }, h('summary', {}, text.more, h('span')), h('div'))).lastElementChild as HTMLElement;
      const place = row.fold && fold ? fold : body;
      place.append(this.row(row));
      if (row.kind !== 'single') continue;
      if (row.param.id === DELAY) place.append(this.budget);
      if (row.param.choices?.some((c) => c.needs)) place.append(this.trace.row);
    }
    const details = h('details', { class: 'psec', 'data-group': group, open }, h('summary', {}, h('b', { text: label }), h('span')), body);
    details.addEventListener('toggle', () => this.chosen.opened());
    this.sections.set(group, details);
    return details;
  }

  private presets(group: string): HTMLElement {
    const buttons = this.model.presets(group).map((p) =>
      h('button', { type: 'button', 'data-preset': p.id, 'aria-pressed': 'false', text: p.label, onclick: () => this.chosen.preset(p.id) }),
    );
    return h('div', {}, h('div', { class: 'presets', role: 'group', 'aria-label': text.linkPreset }, ...buttons), h('p', { class: 'help source' }));
  }

  private row(row: Row): HTMLElement {
    if (row.kind === 'pair') {
      const { up, down, label, unit } = row;
      const say = (which: string) => text.upDown(label, which, unit);
      return h('div', { class: 'ctl two', 'data-c': up.id, 'data-also': down.id }, name(up), ...this.range(up, say(text.up)), ...this.range(down, say(text.down)), help(up, h('span', { class: 'needs' })));
    }
    const { param } = row;
    const full = param.unit ? `${param.label}, ${param.unit}` : param.label;
    const needs = h('span', { class: 'needs' });
    switch (param.kind) {
      case 'toggle': {
        const box = h('input', { type: 'checkbox', id: `t-${param.id}`, 'data-k': param.id });
        return h('div', { class: 'ctl tog', 'data-c': param.id }, box, h('label', { class: 'lb', for: box.id, title: param.help, text: param.label }), needs, help(param));
      }
      case 'choice': {
        const seg = segment(`o-${param.id}`, param.label, param.choices ?? [], String(param.default), (id) => this.chosen.set(param.id, id), { 'data-k': param.id });
        return h('div', { class: 'ctl opt', 'data-c': param.id }, h('span', { class: 'lb', title: param.help, text: param.label }), seg, help(param, needs));
      }
      case 'range':
        return h('div', { class: 'ctl', 'data-c': param.id }, name(param), ...this.range(param, full), help(param, needs));
    }
  }

  private range(param: Param, label: string): HTMLElement[] {
    const { id, min, max, step } = param;
    const common = { 'data-k': id, min, max, step, 'aria-label': label };
    const wrap = h('span', { class: 'wrapr' }, h('input', { type: 'range', ...common }));
    if (id === DELAY) {
      this.need = h('i', { class: 'need', title: text.delayHandle });
      wrap.append(this.need);
    }
    return [wrap, h('input', { type: 'number', inputmode: step && step < 1 ? 'decimal' : 'numeric', ...common })];
  }

  private input(el: HTMLInputElement): void {
    const id = el.dataset['k'];
    const param = id && this.model.param(id);
    if (!param) return;
    if (el.type === 'checkbox') this.chosen.set(param.id, el.checked);
    else if (el.type === 'range' || el.type === 'number') {
      const value = this.model.parse(param, el.value);
      // Half a number is being typed: it counts once it is one, and within the range.
      if (value !== undefined && (el.type === 'range' || Number(el.value) === value)) this.chosen.set(param.id, value);
    }
  }

  /** Leaving a number field takes the nearest value that there is. */
  private settle(el: HTMLInputElement): void {
    const id = el.dataset['k'];
    const param = id && this.model.param(id);
    if (!param || el.type !== 'number') return;
    const value = this.model.parse(param, el.value) ?? this.config[param.id];
    el.value = String(value);
    if (value !== undefined && value !== this.config[param.id]) this.chosen.set(param.id, value);
  }

  /** Shows this configuration. */
  sync(config: Config): void {
    this.config = config;
    for (const [group, details] of this.sections) {
      const summary = details.querySelector('summary > span');
      if (summary) say(summary, this.model.summary(group, config));
      const now = this.model.presetOf(group, config);
      const source = details.querySelector('.source');
      if (source) say(source, now?.source ? text.source(now.source) : '');
      for (const b of details.querySelectorAll<HTMLElement>('[data-preset]')) b.setAttribute('aria-pressed', String(b.getAttribute('data-preset') === now?.id));
      const more = details.querySelector('.more summary span');
      if (more) say(more, this.model.folded(group, config));
    }
    for (const row of this.host.querySelectorAll<HTMLElement>('.ctl[data-c]')) this.syncRow(row);
  }

  private syncRow(row: HTMLElement): void {
    const param = this.model.param(row.dataset['c'] ?? '');
    if (!param) return;
    const also = this.model.param(row.dataset['also'] ?? '');
    for (const input of row.querySelectorAll('input')) {
      const id = input.dataset['k'];
      const of = id === also?.id && also ? also : param;
      const locked = this.model.locked(of);
      const missing = locked || this.model.missing(of, this.config);
      input.disabled = missing !== '';
      if (input.type === 'radio' || !id) continue;
      const value = this.config[id];
      if (input.type === 'checkbox') input.checked = value === true && (locked !== '' || !missing);
      else if (document.activeElement !== input || input.type === 'range' || Number(input.value) !== value) this.write(input, Number(value));
    }
    let missing = this.model.locked(param) || (also ? this.model.missingOf(param, also, this.config) : this.model.missing(param, this.config));
    row.classList.toggle('off', [...row.querySelectorAll('input')].every((input) => input.disabled));
    if (param.kind === 'choice') missing ||= this.syncChoice(row, param);
    const needs = row.querySelector('.needs');
    if (needs) say(needs, missing);
  }

  /** Checks the choice, says what it shows, and leaves out what needs a file that is not there; returns what the choice itself needs. */
  private syncChoice(row: HTMLElement, param: Param): string {
    const now = String(this.config[param.id]);
    const seg = row.querySelector('.seg');
    if (seg) choose(seg, now);
    const lacks = (id: string) => (this.trace.there ? '' : (param.choices?.find((c) => c.id === id)?.needs ?? ''));
    for (const input of row.querySelectorAll('input')) input.disabled ||= lacks(input.value) !== '' && input.value !== now;
    const shows = row.querySelector('.shows');
    if (shows) say(shows, param.choices?.find((c) => c.id === now)?.shows || param.off || '');
    const lack = lacks(now);
    return lack && text.needs(lack);
  }

  private write(input: HTMLInputElement, value: number): void {
    if (document.activeElement === input && input.type === 'number') return;
    if (input.value !== String(value)) input.value = String(value);
    if (input.type === 'range') input.style.setProperty('--v', `${((value - Number(input.min)) / (Number(input.max) - Number(input.min))) * 100}%`);
  }

  /** The sum under the delay, and its mark on the fader. */
  sayBudget(needs: Needs): void {
    const on = this.config['interp.on'] !== false;
    const delay = Number(this.config[DELAY]);
    const short = on && !needs.ruled && needs.spare_ms < 0;
    const verdict = !on
      ? text.budgetOff
      : needs.ruled
        ? text.budgetRuled
        : short
          ? text.budgetShort(delay, -needs.spare_ms)
          : text.budgetSpare(delay, needs.spare_ms) + this.lossNote(needs);
    const sum = text.budget(needs);
    if (this.budget.dataset['line'] !== sum + verdict) {
      this.budget.dataset['line'] = sum + verdict;
      const line = h('span');
      sayRich(line, sum);
      this.budget.replaceChildren(line, h('span', { class: 'v', text: verdict }));
    }
    this.budget.classList.toggle('warn', short);
    const max = Number(this.model.param(DELAY)?.max ?? 600);
    this.need?.style.setProperty('left', `calc(4px + (100% - 8px) * ${clamp(needs.total_ms / max, 0, 1)})`);
  }

  /** The sum knows neither loss nor queue: what they take, where there are any. */
  private lossNote(needs: Needs): string {
    const of = (name: string) => Number(this.config[`link.down.${name}`]);
    const queue = of('rate') > 0 ? text.budgetQueue(of('queue')) : '';
    if (!(of('loss') > 0)) return queue;
    return (this.config['link.carrier'] === 'websocket' ? text.budgetStall : text.budgetLoss(needs.interval_ms)) + queue;
  }

  /** Brings a control into sight and lights it once: something else has set it. */
  flash(id: string): void {
    this.light(`[data-c="${CSS.escape(id)}"], [data-also="${CSS.escape(id)}"]`);
  }

  /** The same for a preset. */
  flashPreset(id: string): void {
    this.light(`.presets:has([data-preset="${CSS.escape(id)}"])`);
  }

  private light(selector: string): void {
    const row = this.host.querySelector<HTMLElement>(selector);
    if (!row) return;
    for (let up = row.parentElement; up && up !== this.host; up = up.parentElement) if (up instanceof HTMLDetailsElement) up.open = true;
    row.classList.add('flash');
    setTimeout(() => row.classList.remove('flash'), FLASH_MS);
    row.scrollIntoView({ block: 'nearest' });
  }
}

function name({ label, unit, help }: Param): HTMLElement {
  // A count's unit may be its own name.
  const said = unit && !label.toLowerCase().includes(unit.toLowerCase());
  return h('span', { class: 'lb', title: help }, label, said ? ' ' : '', said ? h('i', { text: unit }) : '');
}

function help(param: Param, needs?: HTMLElement): HTMLElement {
  const why = param.kind === 'choice' ? h('span', { class: 'why shows' }) : h('span', { class: 'why', text: param.off || param.help });
  const parts = [why, param.restarts && h('span', { class: 'why', text: text.restarts }), needs];
  return h('p', { class: 'help' }, ...parts.flatMap((part) => (part ? [part, ' '] : [])));
}

function columns(): HTMLElement {
  const arrow = (d: string) => s('svg', { viewBox: '0 0 9 9', 'aria-hidden': 'true' }, s('path', { d, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.3 }));
  return h(
    'div',
    { class: 'ctl two hd', 'aria-hidden': 'true' },
    h('span', { class: 'u' }, arrow('M4.5 9V1M1 4.5L4.5 1 8 4.5'), text.up),
    h('span', { class: 'd' }, arrow('M4.5 0v8M1 4.5L4.5 8 8 4.5'), text.down),
  );
}
