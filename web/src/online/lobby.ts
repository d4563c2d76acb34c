// Where nobody is in a room yet: a name, a room of one's own, a code from a friend, the public rooms.

import { choose, h, say, segment } from '../dom.ts';
import type { SceneInfo } from '../protocol.ts';
import { text } from '../strings.ts';
import { online as t } from '../strings/online.ts';
import { type Api, ApiError } from './api.ts';
import { readCode, showCode } from './code.ts';
import { store } from './store.ts';
import type { Choice, RoomLine } from './words.ts';

const ASK_EVERY_MS = 3000;
/** As many letters as the relay takes. */
const NAME_CHARS = 24;
const BOTS = [0, 2, 4, 8];

export interface LobbyHost {
  api: Api;
  /** A room of one's own was made, or one is to be entered. */
  enter(code: string, watch: boolean, host?: string): void;
  choose(choice: Choice): void;
  /** What this address cannot do, in a sentence; empty where it can do all. */
  cannot(): string;
  /** The relay serves this page now. */
  served(build: string): void;
  scenes(): SceneInfo[];
  scene(): string;
}

export class Lobby {
  readonly root: HTMLElement;
  private readonly name = h('input', { type: 'text', id: 'o-name', maxlength: NAME_CHARS, autocomplete: 'nickname', spellcheck: 'false', placeholder: t.anonymous, onchange: () => (store.name = this.name.value.trim()) });
  private readonly code = h('input', { type: 'text', id: 'o-code', autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false', 'aria-describedby': 'o-said' });
  private readonly listed = h('input', { type: 'checkbox', id: 'o-public', checked: true });
  private readonly bots = h('select', { id: 'o-bots' }, ...BOTS.map((n) => h('option', { value: n, text: String(n) })));
  private readonly scene = h('select', { id: 'o-scene' });
  private readonly said = h('p', { class: 'note', id: 'o-said', role: 'status' });
  private readonly limits = h('p', { class: 'note', id: 'o-limits' });
  private readonly list = h('tbody', { id: 'o-rooms' });
  private readonly none = h('p', { class: 'note', text: t.roomsLoad });
  private readonly transport: HTMLElement;
  private shown = '';
  private timer = 0;
  private busy = false;

  constructor(private readonly host: LobbyHost) {
    this.bots.value = '4';
    this.transport = segment('o-choice', t.transport, t.choices, 'auto', (id) => this.host.choose(id as Choice), { id: 'o-choice' });
    const row = (label: string, of: HTMLElement) => h('p', { class: 'field' }, h('label', { for: of.id, text: label }), of);
    const create = h(
      'form',
      { onsubmit: (e: Event) => (e.preventDefault(), void this.create()) },
      h('h3', { text: t.create }),
      h('p', { class: 'note', text: t.createAbout }),
      h('p', { class: 'field scene' }, h('label', { for: 'o-scene', text: text.scene }), this.scene),
      row(t.bots, this.bots),
      h('label', { class: 'ck' }, this.listed, h('span', { text: t.publicRoom })),
      h('div', { class: 'row' }, h('button', { class: 'btn solid', id: 'o-create', type: 'submit', text: t.create })),
    );
    const join = h(
      'form',
      { onsubmit: (e: Event) => (e.preventDefault(), this.join(false)) },
      h('h3', { text: t.joinTitle }),
      row(t.code, this.code),
      h('div', { class: 'row' }, h('button', { class: 'btn solid', id: 'o-join', type: 'submit', text: t.join }), h('button', { class: 'btn', id: 'o-watch', type: 'button', text: t.watch, onclick: () => this.join(true) })),
    );
    const { code, scene, players, watching, go } = t.columns;
    const head = h('tr', {}, ...[code, scene, players, watching, go].map((name) => h('th', { scope: 'col', text: name })));
    this.root = h(
      'section',
      { class: 'lobby', id: 'lobby', 'aria-labelledby': 'lobby-title', hidden: true },
      h(
        'div',
        {},
        h('h2', { id: 'lobby-title', text: t.title }),
        h('p', { class: 'about', text: t.about }),
        row(t.name, this.name),
        this.said,
        h('div', { class: 'two' }, join, create),
        h('section', { 'aria-label': t.rooms }, h('h3', { text: t.rooms }), h('table', {}, h('thead', {}, head), this.list), this.none),
        h('section', { 'aria-label': t.transport }, h('h3', { text: t.transport }), this.transport, h('p', { class: 'note', text: t.choiceAbout }), this.limits),
      ),
    );
  }

  /** Opens it, with the code that a link brought. */
  show(code?: string): void {
    const first = this.root.hidden;
    this.root.hidden = false;
    this.name.value = store.name;
    choose(this.transport, store.choice);
    say(this.limits, this.host.cannot());
    const scenes = this.host.scenes();
    this.scene.replaceChildren(...scenes.map(({ id, label }) => h('option', { value: id, text: label })));
    this.scene.value = this.host.scene();
    (this.scene.parentElement as HTMLElement).hidden = scenes.length < 2;
    if (code !== undefined) this.code.value = showCode(code);
    if (first) (store.name && code ? document.getElementById('o-join') : this.name)?.focus();
    this.fetch();
  }

  hide(): void {
    this.root.hidden = true;
    clearTimeout(this.timer);
  }

  /** Says something beside the name. */
  say(sentence: string): void {
    say(this.said, sentence);
  }

  private fetch(): void {
    clearTimeout(this.timer);
    if (this.root.hidden) return;
    this.timer = window.setTimeout(() => this.fetch(), ASK_EVERY_MS);
    if (document.hidden) return;
    this.host.api.rooms().then(
      ({ rooms, build }) => {
        this.fill(rooms);
        this.host.served(build);
      },
      (e: unknown) => this.fill([], sentence(e)),
    );
  }

  private fill(rooms: RoomLine[], instead: string = t.roomsNone): void {
    say(this.none, rooms.length ? '' : instead);
    const now = JSON.stringify(rooms);
    if (now === this.shown) return;
    this.shown = now;
    const focus = (document.activeElement as HTMLElement | null)?.dataset['enter'];
    this.list.replaceChildren(
      ...rooms.map((of) => {
        const code = showCode(of.code);
        const go = (label: string, says: string, watch: boolean) =>
          h('button', { class: 'btn sm', type: 'button', text: label, 'aria-label': says, 'data-enter': `${of.code}${watch}`, onclick: () => this.host.enter(of.code, watch) });
        const full = of.players >= of.seats;
        return h(
          'tr',
          {},
          h('th', { scope: 'row', text: code }),
          h('td', { text: of.scene }),
          h('td', { text: t.players(of.players, of.seats) }),
          h('td', { text: String(of.watching) }),
          h('td', {}, h('span', { class: 'row' }, full ? '' : go(t.join, t.joinOf(code), false), go(t.watch, t.watchOf(code), true))),
        );
      }),
    );
    if (focus) this.list.querySelector<HTMLElement>(`[data-enter="${focus}"]`)?.focus();
    (this.list.parentElement as HTMLElement).hidden = rooms.length === 0;
  }

  private join(watch: boolean): void {
    const code = readCode(this.code.value);
    this.code.toggleAttribute('aria-invalid', code === undefined);
    this.say(code === undefined ? t.codeWrong : '');
    if (code === undefined) this.code.focus();
    else this.host.enter(code, watch);
  }

  private async create(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.say('');
    try {
      const { code, host } = await this.host.api.create({ scene: this.scene.value || this.host.scene(), public: this.listed.checked, bots: Number(this.bots.value) });
      this.host.enter(code, false, host);
    } catch (e) {
      this.say(sentence(e));
    } finally {
      this.busy = false;
    }
  }
}

/** Why a request came to nothing, in words. */
const sentence = (e: unknown): string => {
  if (!(e instanceof ApiError)) throw e;
  return t.end({ code: e.code, sentence: e.sentence, been: false, why: undefined });
};
