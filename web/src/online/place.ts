// Where the page is: in page, or online, in the lobby or in a room. Decides what is shown, asks the worker, and says what comes of it.

import type { Bridge } from '../bridge.ts';
import { byId, choose, h, say } from '../dom.ts';
import { glyph } from '../glyphs.ts';
import type { Notices, Way } from '../notice.ts';
import type { Param, Readings, Value } from '../protocol.ts';
import type { Settings } from '../settings.ts';
import { text } from '../strings.ts';
import { toast } from '../words.ts';
import type { View } from '../view.ts';
import { Api } from './api.ts';
import { inviteLink, showCode } from './code.ts';
import type { OnlineTell } from './host.ts';
import { Lobby } from './lobby.ts';
import { NetGraph } from './netgraph.ts';
import { RoomPanel } from './panel.ts';
import type { Stand } from './session.ts';
import { store } from './store.ts';
import { changes } from './talk.ts';
import { OTHER_BUILD, online as t } from '../strings/online.ts';
import type { Choice, Room } from './words.ts';

const NOTICE = 'online';
const SPEAK_EVERY_MS = 2000;
/** What the host sets for all; the rest of the server is as the relay has it. */
const HOSTS = ['server.snapshots', 'rewind.on', 'rewind.cap', 'bots'];
/** What acts on one's own side alone. */
const OWN = /^(link|input|predict|interp)\./;
/** The codes of a refusal that is about the seat, not about this page. */
const PLAY_ELSEWHERE = ['full', 'declined'];

/** Which page this is, as the relay names it: by its script; empty while developing. */
const ownBuild = /index-([\w-]+)\.js$/.exec(document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '')?.[1] ?? '';

export interface PlaceHost {
  /** Another place: hands off, nothing of the one before is shown any more. */
  moved(): void;
  /** A room's client is there, or gone: `buttons` of its scene. */
  entered(scene: string, watch: boolean): void;
  /** The net graph is there, to be drawn on. */
  graph(canvas: HTMLCanvasElement): void;
}

export class Place {
  /** The page is online, in a room or in the lobby. */
  active = false;
  private readonly api = new Api(location.href);
  private readonly lobby: Lobby;
  private readonly panel: RoomPanel;
  readonly graph = new NetGraph();
  private stand: Stand | undefined;
  private room: Room | undefined;
  private readings: Readings | undefined;
  private spokenAt = -Infinity;
  private unsaid: string[] = [];

  constructor(
    private readonly bridge: Bridge,
    private readonly notices: Notices,
    private readonly settings: () => Settings,
    private readonly host: PlaceHost,
  ) {
    this.lobby = new Lobby({
      api: this.api,
      enter: (code, watch, secret) => this.enter(code, watch, secret),
      choose: (choice) => this.choose(choice),
      cannot,
      served: (build) => {
        if (build && ownBuild && build !== ownBuild) this.notices.show('build', t.otherBuild, [{ label: text.reload, go: () => location.reload() }]);
      },
      scenes: () => this.settings().model?.catalogue.scenes ?? [],
      scene: () => this.settings().pageScene,
    });
    this.panel = new RoomPanel({
      invite: () => void this.invite(),
      leave: () => this.leave(),
      choose: (choice) => this.choose(choice),
      say: (word) => this.bridge.online({ o: 'say', word }),
      record: () => {
        this.bridge.online({ o: 'record' });
        toast(t.recordedAfresh);
      },
      save: () => this.bridge.online({ o: 'recording' }),
    });
    byId('bench').append(this.lobby.root);
    byId('c-you').after(this.graph.root);
    host.graph(this.graph.canvas);
    byId('o-chiproom').append(h('button', { class: 'btn', type: 'button', id: 'o-invite-s', text: t.inviteShort, onclick: () => void this.invite() }));
    addEventListener('pagehide', () => this.active && this.bridge.online({ o: 'suspend' }));
    // Back from the browser's own store of pages.
    addEventListener('pageshow', (e) => e.persisted && this.inRoom && this.bridge.online({ o: 'again' }));
    document.addEventListener('visibilitychange', () => this.inRoom && this.bridge.online({ o: 'hidden', on: document.hidden }));
    this.sayPlace();
  }

  /** In a room, or on the way into one: pictures are its. */
  get inRoom(): boolean {
    return this.stand !== undefined;
  }

  get panelRoot(): HTMLElement {
    return this.panel.root;
  }

  get watching(): boolean {
    return this.stand?.watch ?? false;
  }

  // ---- moving

  /** What the address asks for: a room, the lobby, or the page alone. */
  follow({ online, room }: { online: boolean; room: string | undefined }): void {
    if (!online) {
      if (this.active) this.go('page');
      return;
    }
    if (room && this.stand?.room === room) return;
    const seat = store.seat;
    if (room && seat?.room === room) {
      // A reload, or the tab came back: the seat is ours.
      this.activate();
      this.join(room);
      return;
    }
    if (this.stand) this.end();
    this.activate();
    this.lobby.show(room);
    this.sayPlace();
  }

  go(place: 'page' | 'online'): void {
    if ((place === 'online') === this.active) return;
    if (place === 'page') {
      if (this.stand) this.leave();
      this.active = false;
      this.lobby.hide();
      this.notices.hide(NOTICE);
      this.host.moved();
      this.settings().toPage();
    } else {
      this.activate();
      this.lobby.show();
    }
    this.sayPlace();
    this.settings().wrote();
  }

  private activate(): void {
    if (this.active) return;
    this.active = true;
    this.host.moved();
    this.sayPlace();
  }

  /** The room whose code belongs into the address. */
  get code(): string | undefined {
    return this.stand?.room;
  }

  private enter(room: string, watch: boolean, secret?: string): void {
    const seat = store.seat;
    const sets = seat?.sets ?? {};
    if (seat?.room !== room || secret !== undefined) store.seat = { room, watch, sets, ...(secret !== undefined && { host: secret }) };
    else store.seat = { ...seat, watch };
    this.join(room);
  }

  private join(room: string): void {
    const seat = store.seat;
    this.lobby.hide();
    this.room = undefined;
    this.notices.hide(NOTICE);
    const { watch = false, resume, host, sets = {} } = seat ?? {};
    const wish = { room, name: store.name || t.anonymous, watch, choice: store.choice, sets, ...(resume !== undefined && { resume }), ...(host !== undefined && { host }) };
    this.bridge.online({ o: 'join', base: location.href, wish });
  }

  /** Out of the room, with goodbye. */
  private leave(): void {
    this.bridge.online({ o: 'leave' });
    store.seat = undefined;
    this.end();
    if (this.active) this.lobby.show();
    this.sayPlace();
    this.settings().wrote();
  }

  /** The room is no longer shown. */
  private end(): void {
    this.stand = this.room = this.readings = undefined;
    this.notices.hide(NOTICE);
    this.settings().toPage();
    this.host.moved();
  }

  private choose(choice: Choice): void {
    store.choice = choice;
    if (this.inRoom) this.bridge.online({ o: 'choose', choice });
  }

  private async invite(): Promise<void> {
    if (!this.stand) return;
    try {
      await navigator.clipboard.writeText(inviteLink(location.href, this.stand.room));
      toast(t.invited);
    } catch {
      toast(t.inviteFailed);
    }
  }

  // ---- the worker tells

  hear(tell: OnlineTell): void {
    // What is still under way when the room was left is of no room.
    if (!this.active) return;
    switch (tell.o) {
      case 'stand':
        return this.onStand(tell.stand);
      case 'room':
        return this.onRoom(tell.room);
      case 'seat': {
        const { seat } = store;
        if (seat?.room === tell.room) store.seat = { ...seat, resume: tell.resume };
        return;
      }
      case 'wrong':
        this.notices.show(NOTICE, tell.sentence);
        return;
      case 'missing':
        this.notices.show(NOTICE, t.missing(tell.why), [{ label: text.reload, go: () => location.reload() }, { label: t.toLobby, go: () => this.leave() }], [], false);
        return;
      case 'recording':
        return save(tell.bytes, t.saveName(this.stand?.room ?? ''));
    }
  }

  private onStand(stand: Stand): void {
    if (!this.lobby.root.hidden) return;
    const before = this.stand;
    this.stand = stand;
    if (!before || (stand.scene && before.scene !== stand.scene)) {
      this.settings().toRoom(stand.scene, { locked: (p) => this.locked(p), set: (id, value) => this.setForAll(id, value), sets: (id, value) => keepSet(id, value) });
      this.host.entered(stand.scene, stand.watch);
      this.settings().wrote();
    }
    if (before?.host !== stand.host) this.settings().relock();
    this.panel.stand(stand, store.choice);
    say(byId('o-chipcode'), showCode(stand.room));
    this.sayChip();
    this.sayPlace();
    this.sayEnd(before, stand);
  }

  /** Why it is over or waits, with the ways on; and that it is well again. */
  private sayEnd(before: Stand | undefined, stand: Stand): void {
    const { phase, code } = stand;
    if (phase === 'in') {
      if (before?.phase !== 'in') {
        this.notices.hide(NOTICE);
        this.speak(before?.been ? t.back : t.isIn(stand));
      }
      return;
    }
    if (before?.phase === phase && before.attempt === stand.attempt && before.code === code) return;
    const end = t.end(stand);
    const lobby: Way = { label: t.toLobby, go: () => this.leave() };
    const again = (label: string): Way => ({ label, go: () => this.bridge.online({ o: 'again' }) });
    if (phase === 'waiting') {
      const says = (stand.been ? t.waits : t.waitsFirst)(end, stand.pause, stand.attempt);
      this.notices.show(NOTICE, says, [again(t.tryAgain), lobby], [], false);
    } else if (phase === 'over') {
      const ways: Way[] = [];
      if (OTHER_BUILD.has(code)) ways.push({ label: text.reload, go: () => location.reload() });
      else if (code === 'replaced') ways.push(again(t.playHere));
      else if (code === 'no_carrier') ways.push({ label: t.takeAuto, go: () => this.choose('auto') });
      else if (!['kicked', 'no_room', 'room_closed', 'closed'].includes(code)) ways.push(again(t.tryAgain));
      if (PLAY_ELSEWHERE.includes(code) && !stand.watch) ways.push({ label: t.watchInstead, go: () => this.enter(stand.room, true) });
      const says = code === 'no_carrier' && store.choice === 'wt' && stand.why ? t.wtOnly(t.why[stand.why]) : end;
      this.notices.show(NOTICE, says, [...ways, lobby], [], false);
      if (['kicked', 'no_room', 'room_closed', 'closed'].includes(code)) store.seat = undefined;
    }
  }

  private onRoom(room: Room): void {
    if (!this.stand) return;
    const before = this.room;
    this.room = room;
    this.panel.room(room, this.stand);
    this.settings().takeFromRoom(room.settings);
    if (before) for (const sentence of changes(before, room)) this.speak(sentence);
    this.sayChip();
  }

  // ---- settings

  /** Why a setting cannot be moved here; empty where it can. */
  private locked({ id }: Param): string {
    if (id === 'link.carrier') return t.locks.transport;
    if (OWN.test(id)) return '';
    if (HOSTS.includes(id)) return this.stand?.host ? '' : t.locks.host;
    return id.startsWith('clock.') ? t.locks.page : t.locks.relay;
  }

  /** Sets what is everybody's; whether it was such a setting. */
  private setForAll(id: string, value: Value): boolean {
    if (!HOSTS.includes(id)) return false;
    this.bridge.online({ o: 'say', word: { t: 'set', id, value } });
    return true;
  }

  // ---- what is said

  /** Eight times a second. */
  take(view: View, readings: Readings, now: number): void {
    this.readings = readings;
    if (!this.stand) return;
    const you = this.room?.players.find((p) => p.you);
    this.graph.say(view, readings, this.stand, you?.stalls ?? 0, now);
    this.sayChip();
    const [next] = this.unsaid;
    if (next === undefined || now - this.spokenAt < SPEAK_EVERY_MS) return;
    this.unsaid.shift();
    this.spokenAt = now;
    toast(next);
  }

  /** For a moment, and to who listens: one after the other, as the newest pictures bring the time for it. */
  private speak(sentence: string): void {
    this.unsaid.push(sentence);
    if (this.unsaid.length > 4) this.unsaid.shift();
  }

  sayChip(): void {
    if (!this.active) return;
    const conn = byId('conn');
    const line = this.chip();
    if (conn.dataset['line'] === line) return;
    conn.dataset['line'] = line;
    conn.title = this.stand?.why ? t.whyNow(this.stand.why, this.stand.skew) : '';
    conn.replaceChildren(glyph('disc'), h('span', { text: line }));
  }

  private chip(): string {
    const { stand } = this;
    if (!stand) return t.chipLobby;
    const code = showCode(stand.room);
    if (stand.phase !== 'in') return `${code}, ${t.chipStates[stand.phase]}`;
    if (stand.silent) return `${code}, ${t.chipQuiet(stand.silent)}`;
    const ping = this.readings?.probes['clock.rtt']?.now ?? null;
    return t.chip(code, ping, stand.via ?? '', stand.why ? t.whyShort[stand.why] : '');
  }

  private sayPlace(): void {
    const { dataset } = document.body;
    dataset['place'] = this.active ? 'online' : 'page';
    dataset['online'] = this.active && this.inRoom ? 'room' : 'lobby';
    choose(byId('place'), this.active ? 'online' : 'page');
    this.panel.root.hidden = !this.inRoom;
    // What just happened has its place beside the lesson, and in a room in the panel.
    const home = this.inRoom ? this.panel.foot : document.querySelector('.lesson');
    const feed = document.querySelector('.feed');
    if (feed && home && feed.parentElement !== home) home.append(feed);
    byId<HTMLSelectElement>('scene').disabled = this.active;
    for (const button of document.querySelectorAll<HTMLButtonElement>('[data-scene]')) button.disabled = this.active;
    byId<HTMLInputElement>('seed').disabled = this.active;
    say(byId('phead'), this.active ? t.place[1]!.label : text.controls);
    const tab = document.querySelector('#mtabs [value="ctl"] + span');
    if (tab) say(tab, this.active ? t.room : text.tabs.ctl);
    const leave = document.querySelector('.touch .leave');
    if (leave) say(leave, this.active ? t.letGo : text.leave);
    this.sayChip();
  }
}

/** What this address cannot do. */
function cannot(): string {
  if (!isSecureContext) return t.why.insecure;
  return typeof WebTransport === 'function' ? '' : t.why.browser;
}

function keepSet(id: string, value: Value): void {
  const { seat } = store;
  if (seat) store.seat = { ...seat, sets: { ...seat.sets, [id]: value } };
}

function save(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  if (bytes.length === 0) {
    toast(t.saveNone);
    return;
  }
  const href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  h('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
