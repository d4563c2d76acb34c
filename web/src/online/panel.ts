// The panel's sections of a room: its code, what carries it, who is there, what the host may do.

import { choose, h, say, segment } from '../dom.ts';
import { type Glyph, glyph } from '../glyphs.ts';
import { online as t } from '../strings/online.ts';
import { showCode } from './code.ts';
import type { Stand } from './session.ts';
import type { Choice, Guest, Room } from './words.ts';


export interface PanelHost {
  invite(): void;
  leave(): void;
  choose(choice: Choice): void;
  say(word: object): void;
  record(): void;
  save(): void;
}

interface Line {
  row: HTMLElement;
  cells: HTMLElement[];
  kick: HTMLButtonElement;
}

export class RoomPanel {
  readonly root: HTMLElement;
  private readonly code = h('p', { class: 'code', id: 'o-roomcode' });
  private readonly round = h('p', { class: 'note', id: 'o-round', role: 'status' });
  private readonly again = h('button', { class: 'btn', type: 'button', id: 'o-rematch', text: t.rematch, hidden: true, onclick: () => this.host.say({ t: 'rematch' }) });
  private readonly facts = { inUse: h('dd'), lost: h('dd'), largest: h('dd'), fallback: h('dd') };
  private readonly why = h('p', { class: 'note' });
  private readonly choice: HTMLElement;
  private readonly count = h('span');
  private readonly players = h('tbody', { id: 'o-players' });
  private readonly whoHost = h('dt');
  private readonly listed = h('input', { type: 'checkbox', id: 'o-listed', onchange: () => this.host.say({ t: 'public', on: this.listed.checked }) });
  private readonly shut = h('button', { class: 'btn', type: 'button', id: 'o-close', text: t.close, onclick: () => this.close() });
  private readonly hosts: HTMLElement;
  /** Where what just happened stands. */
  readonly foot = h('div');
  private readonly lines = new Map<number, Line>();
  private sure = 0;

  constructor(private readonly host: PanelHost) {
    this.choice = segment('o-via', t.change, t.choices, 'auto', (id) => this.host.choose(id as Choice), { id: 'o-via' });
    const section = (title: string, ...of: (Node | string)[]) => h('section', {}, h('h3', {}, title), ...of);
    const facts = (...of: [string | HTMLElement, HTMLElement | string][]) =>
      h('dl', { class: 'kv' }, ...of.map(([name, value]) => h('div', {}, typeof name === 'string' ? h('dt', { text: name }) : name, typeof value === 'string' ? h('dd', { text: value }) : value)));
    const head = h('tr', {}, ...[t.table.name, t.table.via, t.table.ping, t.table.loss, t.table.score].map((name) => h('th', { scope: 'col', text: name })), h('td', { class: 'out' }));
    const players = section(t.playersTitle, h('table', { class: 'players' }, h('thead', {}, head), this.players), this.round, h('div', { class: 'row' }, this.again));
    players.firstElementChild?.append(' ', this.count);
    this.hosts = h('div', { class: 'row' }, h('label', { class: 'ck' }, this.listed, h('span', { text: t.public })), this.shut);
    const { inUse, lost, largest, fallback } = this.facts;
    this.root = h(
      'div',
      { class: 'room', id: 'room', hidden: true },
      section(
        t.room,
        this.code,
        h('div', { class: 'row' }, h('button', { class: 'btn solid', type: 'button', id: 'o-invite', text: t.invite, onclick: () => this.host.invite() }), h('button', { class: 'btn', type: 'button', id: 'o-leave', text: t.leave, onclick: () => this.host.leave() })),
        this.hosts,
      ),
      section(t.transport, facts([t.inUse, inUse], [t.lostIs, lost], [t.largest, largest], [t.fallback, fallback]), this.why, this.choice),
      players,
      section(t.who, facts([this.whoHost, t.whoHostWhat], [t.whoAll, t.whoAllWhat])),
      section(t.record, h('p', { class: 'note', text: t.recordAbout }), h('div', { class: 'row' }, h('button', { class: 'btn', type: 'button', id: 'o-save', text: t.save, onclick: () => this.host.save() }), h('button', { class: 'btn', type: 'button', text: t.recordAfresh, onclick: () => this.host.record() }))),
      this.foot,
      section(t.onTop, h('p', { class: 'note', text: t.onTopAbout })),
    );
  }

  stand(stand: Stand, choice: Choice): void {
    const { via = '', why } = stand;
    say(this.code, showCode(stand.room));
    say(this.facts.inUse, t.inUseIs[via] ?? '\u2013');
    say(this.facts.lost, t.lostAs[via] ?? '\u2013');
    say(this.facts.largest, t.bytes(stand.largest));
    say(this.facts.fallback, t.fallbackIs[via] ?? '\u2013');
    say(this.why, why ? t.whyNow(why, stand.skew) : '');
    choose(this.choice, choice);
    this.hosts.hidden = !stand.host;
    document.body.toggleAttribute('data-host', stand.host);
  }

  room(room: Room, stand: Stand): void {
    const players = [...room.players].sort((a, b) => a.player - b.player);
    say(this.count, `${t.players(players.length, stand.seats)}${room.watching ? `, ${t.watching(room.watching)}` : ''}`);
    for (const [player, line] of this.lines) {
      if (players.some((p) => p.player === player)) continue;
      line.row.remove();
      this.lines.delete(player);
    }
    for (const guest of players) this.line(guest);
    // By number, whoever came back last; nothing is moved that stands where it should, or the focus would be lost.
    players.forEach(({ player }, i) => {
      const { row } = this.lines.get(player)!;
      if (this.players.children[i] !== row) this.players.insertBefore(row, this.players.children[i] ?? null);
    });
    const hosting = players.find((p) => p.host);
    say(this.whoHost, t.whoHost(hosting?.you ?? false, hosting?.name ?? ''));
    this.listed.checked = room.public;
    const over = room.phase === 'over';
    say(this.round, over ? t.roundOver(room.round, best(players)) : t.round(room.round, room.leftMs));
    const asked = players.find((p) => p.you)?.rematch ?? false;
    this.again.hidden = !over || stand.watch;
    this.again.disabled = asked;
    say(this.again, asked ? t.rematchAsked : t.rematch);
  }

  private line(guest: Guest): void {
    let line = this.lines.get(guest.player);
    if (!line) {
      const kick = h('button', { class: 'btn sm', type: 'button', text: t.kick, onclick: () => this.host.say({ t: 'kick', player: guest.player }) });
      const cells = [h('th', { scope: 'row' }), ...[0, 1, 2, 3].map(() => h('td'))];
      line = { cells, kick, row: h('tr', {}, ...cells, h('td', { class: 'out' }, kick)) };
      this.lines.set(guest.player, line);
      this.players.append(line.row);
    }
    const { cells, kick } = line;
    const name = guest.you ? t.you : guest.name || t.nameless;
    const tags = (['host', 'away', 'hidden', 'rematch'] as const).filter((tag) => guest[tag]).map((tag) => t.tags[tag]);
    const said = `${name} ${tags.join(', ')}`;
    if (cells[0]!.dataset['said'] !== said) {
      cells[0]!.dataset['said'] = said;
      const sign: Glyph = guest.you ? 'you' : 'other';
      cells[0]!.replaceChildren(glyph(sign), name, ' ', h('small', { text: tags.join(', ') }));
    }
    const gone = guest.away;
    say(cells[1]!, t.viaShort[guest.via] ?? guest.via);
    say(cells[2]!, t.ms(gone ? null : guest.ping));
    // On a stream nothing is lost: it stands still, and that is counted.
    say(cells[3]!, gone ? t.loss(null) : guest.via === 'ws' ? t.stalls(guest.stalls) : t.loss(guest.loss));
    say(cells[4]!, String(guest.score));
    kick.setAttribute('aria-label', t.kickOf(guest.name || t.nameless));
    kick.hidden = guest.you;
  }

  /** Once to be asked, twice to do it. */
  private close(): void {
    clearTimeout(this.sure);
    if (this.shut.textContent === t.closeSure) {
      this.host.say({ t: 'close' });
      say(this.shut, t.close);
      return;
    }
    say(this.shut, t.closeSure);
    this.sure = window.setTimeout(() => say(this.shut, t.close), 4000);
  }
}

/** Who has won, in words; empty where nobody played. */
export function best(players: readonly Guest[]): string {
  const top = Math.max(...players.map((p) => p.score));
  const winners = players.filter((p) => p.score === top);
  if (!winners.length) return '';
  const [first] = winners;
  return winners.length > 1 || !first ? t.draw : t.wins(first.name || t.nameless, top);
}
