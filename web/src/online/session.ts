// One player's time in a room: the ticket, the race of carriers, the netcode's client on the winner, and coming back when it is lost.
// Runs in the worker, by timers of its own, so that a hidden tab keeps its seat. Time, sockets and the client come from outside.

import type { Config, Readings, Value } from '../protocol.ts';
import type { Api } from './api.ts';
import { ApiError } from './api.ts';
import type { Carrier, Opening } from './carrier.ts';
import { Pump } from './pump.ts';
import { NoCarrier, type Why, against, race } from './race.ts';
import type { Certificate, Choice, Room, Ticket, Via } from './words.ts';
import { readWord } from './words.ts';

/** What the module's client does; the netcode is all in there. */
export interface Client {
  handle(bytes: Uint8Array, nowUs: number): void;
  advance(nowUs: number): void;
  /** The next frame to send, valid until the next call; undefined where there is none now. */
  poll(nowUs: number): { bytes: Uint8Array; keep: boolean } | undefined;
  waitUs(nowUs: number): number;
  setWritable(on: boolean): void;
  /** Empty, or the sentence of what was wrong. */
  reconnect(via: Via, nowUs: number): string;
  set(id: string, value: Value): string;
  leave(): void;
  status(): { role: string; why: string; sentence: string; refused: boolean; final: boolean };
  /** What it holds, as one line for a log. */
  describe(): string;
  readings(): Readings;
}

/** Everything that a session needs of the world. Times in ms. */
export interface World {
  api: Pick<Api, 'join' | 'certificate'>;
  now(): number;
  /** ms since 1970. */
  date(): number;
  /** Calls back once; returns what calls it off. */
  after(ms: number, then: () => void): () => void;
  secure: boolean;
  hasWt: boolean;
  openWs(ticket: Ticket): Opening;
  openWt(ticket: Ticket, certificate: Certificate): Opening;
  /** Brings the module of a scene, without which there is no client. */
  load(scene: string): Promise<void>;
  /** A client for this room, in place of the one before. */
  client(ticket: Ticket, via: Via, watch: boolean, nowUs: number): Client;
}

/** What the player asked for. */
export interface Wish {
  room: string;
  name: string;
  watch: boolean;
  choice: Choice;
  resume?: string;
  host?: string;
  /** Settings of one's own side that are not as they come. */
  sets: Config;
}

/** Where a session stands. */
export interface Stand {
  /** `over` comes back only by the player's will. */
  phase: 'asking' | 'opening' | 'joining' | 'in' | 'waiting' | 'over';
  room: string;
  watch: boolean;
  host: boolean;
  seats: number;
  scene: string;
  via: Via | undefined;
  /** Why it is not WebTransport. */
  why: Why | undefined;
  /** How far this computer's clock is ahead of the relay's, ms. */
  skew: number;
  /** The largest packet that may be lost, bytes. */
  largest: number | undefined;
  /** While waiting: how long, ms, and which attempt comes. */
  pause: number;
  attempt: number;
  /** It has been in this room. */
  been: boolean;
  /** Nothing was heard for so long, ms; 0 where all is well. */
  silent: number;
  /** Why it is over or waits: a code of the relay's, of the netcode's or ours, and the relay's own sentence. */
  code: string;
  sentence: string;
}

export interface News {
  stand(stand: Stand): void;
  room(room: Room): void;
  /** The secret that keeps the seat, for the tab to keep. */
  seat(seat: { room: string; resume: string }): void;
  wrong(sentence: string): void;
  /** A join was refused: why, and what this end holds. The relay logs the same of itself, and the two lines show what differs. */
  refused(why: string, holds: string): void;
}

/** Growing pauses between attempts, ms; the last goes on. */
export const PAUSES = [250, 500, 1000, 2000, 4000];
/** After so long in the room the first pause is short again. */
const SETTLED_MS = 10_000;
/** Silence is said, and then ends the carrier: at any rate of snapshots something comes several times a second. */
export const QUIET_MS = 2000;
export const DEAD_MS = 4000;
/** The relay gives up on who is silent for 10 s: after a longer sleep the carrier is not worth a wait. */
const SLEPT_MS = 9000;
/** What is asked for must be answered. */
const JOIN_MS = 5000;
const LOOK_MS = 500;
const NET_MS = 1000;

/** Codes that a later attempt answers otherwise. */
const PASSING = new Set(['unreachable', 'module', 'restarting', 'token', 'none', 'no_carrier', 'no_answer', 'lost', 'silent', 'busy']);

export class Session {
  private stand: Stand;
  /** Counts attempts: whatever an older one still brings is not ours. */
  private turn = 0;
  private carrier: Carrier | undefined;
  private client: Client | undefined;
  private pump: Pump | undefined;
  private ticket: Ticket | undefined;
  /** What the client was made for. */
  private madeFor = '';
  private attempts = 0;
  private settledAt = Infinity;
  /** Nothing ever came over WebTransport, though it opened. */
  private mute = false;
  private heardAt = 0;
  private lookedAt = 0;
  private netAt = 0;
  private readonly timers = new Map<string, () => void>();
  private hidden = false;

  constructor(
    private readonly world: World,
    private readonly news: News,
    private wish: Wish,
  ) {
    this.stand = {
      phase: 'asking',
      room: wish.room,
      watch: wish.watch,
      host: false,
      seats: 0,
      scene: '',
      via: undefined,
      why: undefined,
      skew: 0,
      largest: undefined,
      pause: 0,
      attempt: 0,
      been: false,
      silent: 0,
      code: '',
      sentence: '',
    };
    void this.go();
  }

  /** The client of the room, once there was one. */
  get playing(): Client | undefined {
    return this.client;
  }

  /** Tries again now, also what is over. */
  again(): void {
    this.attempts = 0;
    void this.go();
  }

  /** Changes what carries it; the seat is kept. */
  choose(choice: Choice): void {
    this.wish = { ...this.wish, choice };
    this.mute = false;
    // What was ended by others is not begun anew by this.
    if (this.stand.phase !== 'over' || this.stand.code === 'no_carrier') this.again();
  }

  /** Says goodbye and ends: the seat is given back. */
  leave(): void {
    this.client?.leave();
    this.pump?.run();
    this.say({ t: 'leave' });
    this.drop();
    this.turn++;
  }

  /** The page may come back: leaves the carrier and says nothing, so that the seat is kept. */
  suspend(): void {
    this.drop();
    this.turn++;
  }

  hide(on: boolean): void {
    this.hidden = on;
    if (this.stand.phase === 'in') this.say({ t: 'hidden', on });
  }

  set(id: string, value: Value): string {
    this.wish.sets = { ...this.wish.sets, [id]: value };
    return this.client?.set(id, value) ?? '';
  }

  /** A word to the relay. */
  say(word: object): void {
    this.carrier?.word(JSON.stringify(word));
  }

  // ---- in

  private async go(): Promise<void> {
    this.drop();
    const turn = ++this.turn;
    const { world, wish } = this;
    this.tell({ phase: 'asking', pause: 0, code: '', sentence: '', silent: 0 });
    try {
      const asks = { name: wish.name, watch: wish.watch, ...(wish.resume && { resume: wish.resume }), ...(wish.host && { host: wish.host }) };
      // Both at once: they need nothing of each other. Without a certificate there is WebSocket.
      const certified = wish.choice === 'ws' ? undefined : world.api.certificate().catch(() => undefined);
      const ticket = await world.api.join(wish.room, asks);
      await world.load(ticket.scene).catch((e: unknown) => {
        throw new ApiError('module', e instanceof Error ? e.message : String(e));
      });
      const certificate = await certified;
      if (turn !== this.turn) return;
      this.ticket = ticket;
      if (ticket.resume) {
        this.wish.resume = ticket.resume;
        this.news.seat({ room: wish.room, resume: ticket.resume });
      }
      this.tell({ phase: 'opening', scene: ticket.scene, seats: ticket.seats, skew: certificate ? world.date() - certificate.now : 0 });
      const known = { choice: wish.choice, secure: world.secure, browser: world.hasWt, offered: ticket.wt !== null, certificate, now: world.date(), mute: this.mute };
      const open = {
        ws: () => world.openWs(ticket),
        wt: () => world.openWt(ticket, certificate!),
      };
      const { carrier, why } = await race(wish.choice, against(known), open, (ms, then) => world.after(ms, then));
      if (turn !== this.turn) carrier.close();
      else this.join(carrier, why);
    } catch (e) {
      if (turn !== this.turn) return;
      if (e instanceof ApiError) this.failed(e.code, e.sentence);
      else if (e instanceof NoCarrier) this.failed('no_carrier', '', e.why);
      else throw e;
    }
  }

  /** The winner, and it alone, takes the token. */
  private join(carrier: Carrier, why: Why | undefined): void {
    const { world, ticket } = this;
    if (!ticket) return;
    this.carrier = carrier;
    this.heardAt = this.lookedAt = this.netAt = world.now();
    this.tell({ phase: 'joining', via: carrier.via, why, largest: carrier.largest });
    this.say({ t: 'join', token: ticket.token });
    const nowUs = world.now() * 1000;
    const kind = JSON.stringify([ticket.scene, ticket.setup, ticket.rate, this.wish.watch]);
    if (!this.client || kind !== this.madeFor) {
      try {
        this.client = world.client(ticket, carrier.via, this.wish.watch, nowUs);
      } catch (e) {
        // It cannot be set up as the relay's game is.
        return this.over('setup', e instanceof Error ? e.message : String(e));
      }
      this.madeFor = kind;
      for (const [id, value] of Object.entries(this.wish.sets)) this.client.set(id, value);
    } else {
      const wrong = this.client.reconnect(carrier.via, nowUs);
      if (wrong) return this.over('setup', wrong);
    }
    const pump = new Pump(this.client, carrier, world);
    this.pump = pump;
    const ours = (then: () => void) => this.carrier === carrier && then();
    carrier.listen({
      packet: (bytes) =>
        ours(() => {
          this.heardAt = world.now();
          pump.heard(bytes);
          // A goodbye is acted on at once: who says it waits for our end before it closes.
          this.gone();
        }),
      word: (json) => ours(() => this.heard(json)),
      gone: () => ours(() => this.gone() || this.ended('lost')),
    });
    pump.run();
    this.later('join', JOIN_MS, () => this.ended('no_answer'));
    this.look();
  }

  private heard(json: string): void {
    const word = readWord(json);
    this.heardAt = this.world.now();
    switch (word?.t) {
      case 'joined':
        return this.tell({ host: word.host, watch: word.watch });
      case 'refused':
        return this.failed(word.error, word.sentence);
      case 'room':
        this.tell({ host: word.room.players.some((p) => p.you && p.host) });
        return this.news.room(word.room);
      case 'wrong':
        return this.news.wrong(word.sentence);
    }
  }

  // ---- there

  /** Twice a second: whether anything is heard, what the client is, how the link does. */
  private look(): void {
    const { world, stand } = this;
    const now = world.now();
    const slept = now - this.lookedAt > SLEPT_MS;
    this.lookedAt = now;
    const silent = now - this.heardAt;
    if (slept) return this.ended('slept');
    if (silent > DEAD_MS) return this.ended('silent');
    const said = silent > QUIET_MS ? silent : 0;
    if (said !== stand.silent) this.tell({ silent: said });
    if (this.gone()) return;
    if (this.client?.status().role !== 'joining') this.plays(now);
    if (now - this.netAt >= NET_MS) this.sayNet(now);
    this.later('look', LOOK_MS, () => this.look());
  }

  /** Whether the relay has said goodbye: then it is over, or comes back later, as it said. */
  private gone(): boolean {
    const status = this.client?.status();
    if (status?.role !== 'gone') return false;
    const { why, sentence, refused, final } = status;
    if (refused) this.news.refused(why, this.client?.describe() ?? '');
    if (final) this.over(why, sentence);
    else this.ended(why, sentence);
    return true;
  }

  private plays(now: number): void {
    if (this.stand.phase !== 'in') {
      this.timers.get('join')?.();
      this.settledAt = now + SETTLED_MS;
      this.tell({ phase: 'in', been: true, code: '', sentence: '' });
      if (this.hidden) this.hide(true);
    } else if (now >= this.settledAt) this.attempts = 0;
  }

  private sayNet(now: number): void {
    this.netAt = now;
    const readings = this.client?.readings();
    const ping = readings?.probes['clock.rtt']?.now;
    // A stream loses nothing and stands still; of datagrams some are missing, and the next is not late for it.
    const streams = this.carrier?.via === 'ws';
    const loss = streams ? undefined : readings?.link.lost_of_last_100;
    this.say({ t: 'net', ping: ping == null ? null : Math.round(ping), loss: loss ?? null, stalls: streams ? (this.pump?.stalls ?? 0) : 0 });
  }

  // ---- out

  /** The carrier is lost, or the relay asks to come back later. */
  private ended(code: string, sentence = ''): void {
    if (this.carrier?.via === 'wt' && this.stand.phase !== 'in') this.mute = true;
    if (code === 'slept') {
      // Whoever comes back from sleep waits for nothing but the way.
      this.attempts = 0;
      void this.go();
      return;
    }
    this.wait(code, sentence);
  }

  /** An attempt came to nothing. */
  private failed(code: string, sentence: string, why?: Why): void {
    if (why) this.tell({ why });
    const asked = code === 'no_carrier' && this.wish.choice === 'wt';
    if (PASSING.has(code) && !asked) this.wait(code, sentence);
    else this.over(code, sentence);
  }

  private wait(code: string, sentence: string): void {
    this.drop();
    this.turn++;
    const pause = PAUSES[Math.min(this.attempts, PAUSES.length - 1)]!;
    this.attempts++;
    this.tell({ phase: 'waiting', pause, attempt: this.attempts, code, sentence, silent: 0 });
    this.later('again', pause, () => void this.go());
  }

  private over(code: string, sentence: string): void {
    this.drop();
    this.turn++;
    this.tell({ phase: 'over', code, sentence, silent: 0 });
  }

  /** Lets go of the carrier and of every timer. */
  private drop(): void {
    for (const cancel of this.timers.values()) cancel();
    this.timers.clear();
    this.pump?.stop();
    this.carrier?.close();
    this.pump = this.carrier = undefined;
  }

  private later(name: string, ms: number, then: () => void): void {
    this.timers.get(name)?.();
    this.timers.set(name, this.world.after(ms, then));
  }

  private tell(change: Partial<Stand>): void {
    this.stand = { ...this.stand, ...change };
    this.news.stand(this.stand);
  }
}
