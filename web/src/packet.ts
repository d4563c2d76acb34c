// The card of one packet: what it is, every bit of it, and what can be done to it. All words and values come from the lab.

import { h, say } from './dom.ts';
import { type Mark, isUp, isYours, type PacketName } from './lane/marks.ts';
import type { Inspected, Meddling, PacketField } from './protocol.ts';
import { text } from './strings.ts';

/** Room between the card and the window's edge. */
const EDGE = 8;
/** A piece of the ruler narrower than this part of it has no room for its number. */
const LEGIBLE = 1 / 24;

export interface CardActions {
  close(): void;
  meddle(what: Meddling): void;
  /** So many ticks on: time goes by the same keys as on the stage. */
  step(by: number): void;
}

/** What the card stands beside: a place across, and the rows of the window from top to bottom that stay in sight. */
export interface Beside {
  x: number;
  top: number;
  bottom: number;
}

export class Card {
  private readonly title = h('h3', { id: 'packet-title' });
  private readonly sizes = h('p', { id: 'packet-sizes' });
  private readonly says = h('p', { id: 'packet-says', role: 'status' });
  private readonly ruler = h('div', { class: 'ruler', 'aria-hidden': 'true' });
  private readonly table = h('table', {});
  private readonly scroll: HTMLElement;
  private readonly reason = h('p', { class: 'note', id: 'packet-why' });
  private readonly buttons: Record<Meddling, HTMLButtonElement>;
  /** What the table shows, to leave it alone while that stays. */
  private shown = '';
  /** Groups that the reader has opened or closed, by their names. */
  private readonly folded = new Map<string, boolean>();
  private name: PacketName | undefined;
  private beside: Beside = { x: 0, top: 0, bottom: 0 };

  constructor(
    private readonly root: HTMLElement,
    private readonly on: CardActions,
  ) {
    const { drop, hold, twice, close, fields } = text.packet;
    const button = (what: Meddling, label: string) => h('button', { class: 'btn', type: 'button', 'data-meddle': what, 'aria-describedby': 'packet-why', text: label, onclick: (e: Event) => this.press(e, what) });
    this.buttons = { drop: button('drop', drop), hold: button('hold', hold), twice: button('twice', twice) };
    this.scroll = h('div', { class: 'fields', role: 'group', 'aria-label': fields, tabindex: 0 }, this.table);
    root.append(
      h('header', {}, this.title, this.sizes, this.says, h('button', { class: 'ib', type: 'button', id: 'packet-close', 'aria-label': close, text: '\u00d7', onclick: () => on.close() })),
      this.ruler,
      this.scroll,
      h('div', { class: 'row' }, this.buttons.drop, this.buttons.hold, this.buttons.twice),
      this.reason,
    );
    root.addEventListener('keydown', (e) => this.key(e));
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  /** Shows the card empty, beside a strip of the window that it leaves in sight; `show` fills it. */
  open(mark: Mark, beside: Beside): void {
    this.name = mark;
    this.shown = '';
    this.folded.clear();
    say(this.title, text.packet.name(mark));
    for (const part of [this.sizes, this.says, this.reason]) say(part, '');
    this.ruler.replaceChildren();
    this.table.replaceChildren();
    this.root.hidden = false;
    this.beside = beside;
    this.place();
    this.root.focus({ preventScroll: true });
  }

  close(): void {
    this.root.hidden = true;
    this.name = undefined;
  }

  /** What the lab says of it now. What a packet said stays once it is over. */
  show(told: Inspected): void {
    const { name } = this;
    if (!name) return;
    if (told.bytes > 0) {
      say(this.title, told.title);
      say(this.sizes, text.packet.sizes(told, isYours(name), isUp(name)));
      this.fill(told, name);
    } else if (!this.shown) say(this.sizes, '');
    say(this.says, told.says);
    this.root.dataset['standing'] = told.standing;
    this.refuse(told);
    this.place();
  }

  /** Above the strip, or below where there is more room, and no higher than that. A narrow window has it as a sheet at its foot, by the style. */
  private place(): void {
    const { x, top, bottom } = this.beside;
    const { style } = this.root;
    const below = innerHeight - bottom;
    const above = top > below;
    style.setProperty('--h', `${(above ? top : below) - EDGE}px`);
    const { width, height } = this.root.getBoundingClientRect();
    style.setProperty('--x', `${Math.max(EDGE, Math.min(x - width / 2, innerWidth - width - EDGE))}px`);
    style.setProperty('--y', `${Math.max(EDGE, Math.min(above ? top - height : bottom, innerHeight - height - EDGE))}px`);
  }

  private fill(told: Inspected, name: PacketName): void {
    const now = JSON.stringify(told.fields);
    if (now === this.shown) return;
    const first = !this.shown;
    this.shown = now;
    this.ruler.replaceChildren(
      ...told.fields.map((field) =>
        h('i', { class: field.fields ? `body ${isYours(name) ? 'yours' : 'theirs'} ${isUp(name) ? 'up' : 'down'}` : field.value === '' ? 'pad' : 'head', style: `flex-grow: ${field.bits}`, text: field.bits >= told.bits * LEGIBLE ? String(field.bits) : '' }),
      ),
    );
    const { field, bits, value } = text.packet.columns;
    const groups = told.fields.filter((f) => f.fields);
    // One group among many is opened to begin with, so that nobody has to guess what is in them.
    if (first) for (const [i, group] of groups.entries()) this.folded.set(group.name, i > 0);
    const head = h('thead', {}, h('tr', {}, h('th', { scope: 'col', text: field }), h('th', { scope: 'col', text: bits }), h('th', { scope: 'col', text: value })));
    this.table.replaceChildren(head, ...bodies(told.fields).map((body) => (Array.isArray(body) ? h('tbody', {}, ...body.map(row)) : this.group(body))));
    this.table.append(h('tfoot', {}, h('tr', {}, h('th', { scope: 'row', text: text.packet.total }), h('td', { text: String(told.bits) }), h('td', { text: text.packet.bytes(told.bytes) }))));
  }

  private group(group: PacketField): HTMLElement {
    const folded = this.folded.get(group.name) ?? true;
    const body = h('tbody', { class: 'group' });
    const toggle = h('button', { type: 'button', 'aria-expanded': String(!folded), text: group.name });
    const inner = (group.fields ?? []).map(row);
    const fold = (yes: boolean) => {
      this.folded.set(group.name, yes);
      toggle.setAttribute('aria-expanded', String(!yes));
      for (const tr of inner) tr.hidden = yes;
    };
    toggle.addEventListener('click', () => fold(toggle.getAttribute('aria-expanded') === 'true'));
    body.append(h('tr', {}, h('th', { scope: 'row' }, toggle), h('td', { text: String(group.bits) }), h('td', { text: group.value })), ...inner);
    fold(folded);
    return body;
  }

  /** A button that cannot be used stays, with the focus on it perhaps, and says why. */
  private refuse({ refused }: Inspected): void {
    const reasons = new Map<string, string[]>();
    for (const [what, why] of Object.entries(refused) as [Meddling, string][]) {
      this.buttons[what].setAttribute('aria-disabled', String(why !== ''));
      if (why) reasons.set(why, [...(reasons.get(why) ?? []), text.packet[what]]);
    }
    say(this.reason, text.packet.why([...reasons], Object.keys(refused).length));
  }

  private press(e: Event, what: Meddling): void {
    if ((e.currentTarget as Element).getAttribute('aria-disabled') !== 'true') this.on.meddle(what);
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === 'Escape') this.on.close();
    else if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') this.on.step(e.key === 'ArrowRight' ? 1 : -1);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
}

/** Fields that follow each other together, each group alone. */
function bodies(fields: PacketField[]): (PacketField[] | PacketField)[] {
  const out: (PacketField[] | PacketField)[] = [];
  for (const field of fields) {
    const last = out.at(-1);
    if (field.fields) out.push(field);
    else if (Array.isArray(last)) last.push(field);
    else out.push([field]);
  }
  return out;
}

function row({ name, bits, value }: PacketField): HTMLTableRowElement {
  return h('tr', {}, h('th', { scope: 'row', text: name }), h('td', { text: String(bits) }), h('td', { text: value }));
}
