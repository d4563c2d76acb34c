// The worker's end of Online: a session in the real world, asked by the page, and told to it.

import type { Config, Tell, Value } from '../protocol.ts';
import type { Module, Modules, Online } from '../modules.ts';
import { Api } from './api.ts';
import { openWs } from './carrier_ws.ts';
import { openWt } from './carrier_wt.ts';
import { type Client, Session, type Stand, type Wish, type World } from './session.ts';
import type { Choice, Room, Ticket, Via } from './words.ts';

/** Page to worker, about Online. */
export type OnlineAsk =
  /** `base` is the page's address: the relay that served it. */
  | { o: 'join'; base: string; wish: Wish }
  | { o: 'leave' }
  /** The page goes and may come back; it came back. */
  | { o: 'suspend' }
  | { o: 'again' }
  | { o: 'choose'; choice: Choice }
  | { o: 'hidden'; on: boolean }
  /** Something for the relay. */
  | { o: 'say'; word: object }
  /** Begins to record afresh. */
  | { o: 'record' }
  | { o: 'recording' };

/** Worker to page. */
export type OnlineTell =
  | { o: 'stand'; stand: Stand }
  | { o: 'room'; room: Room }
  | { o: 'seat'; room: string; resume: string }
  | { o: 'wrong'; sentence: string }
  /** The code of Online did not come. */
  | { o: 'missing'; why: string }
  | { o: 'recording'; bytes: Uint8Array<ArrayBuffer> };

const DELIVERY: Record<Via, string> = { ws: 'ordered', wt: 'datagram' };

export class OnlineHost {
  private session: Session | undefined;
  private online: Online | undefined;
  /** The module of that client, and the one of the scene of the room that is being entered. */
  module: Module | undefined;
  private next: Module | undefined;

  /** `fell`: a module fell in the middle, nothing of it may be entered again. */
  constructor(
    private readonly modules: Modules,
    private readonly fell: (error: unknown) => void,
    private readonly tell: (tell: Tell, transfer?: Transferable[]) => void,
  ) {}

  /** In a room, or on the way into one. */
  get active(): boolean {
    return this.session !== undefined;
  }

  /** The room's client, while there is one: pictures and settings are its. */
  get client(): Online | undefined {
    return this.session ? this.online : undefined;
  }

  handle(ask: OnlineAsk): void {
    const { session } = this;
    switch (ask.o) {
      case 'join':
        this.end();
        this.session = new Session(this.world(ask.base), this.news(), ask.wish);
        break;
      case 'leave':
        session?.leave();
        this.end();
        break;
      case 'suspend':
        session?.suspend();
        break;
      case 'again':
        session?.again();
        break;
      case 'choose':
        session?.choose(ask.choice);
        break;
      case 'hidden':
        session?.hide(ask.on);
        break;
      case 'say':
        session?.say(ask.word);
        break;
      case 'record':
        this.online?.record(true);
        break;
      case 'recording': {
        const bytes = new Uint8Array(this.online?.recording() ?? []);
        this.tell({ t: 'online', tell: { o: 'recording', bytes } }, [bytes.buffer]);
        break;
      }
    }
  }

  set(id: string, value: Value): string {
    return this.session?.set(id, value) ?? '';
  }

  private end(): void {
    this.session?.suspend();
    this.session = undefined;
    this.online?.free();
    this.online = undefined;
  }

  private news() {
    const tell = (of: OnlineTell) => this.tell({ t: 'online', tell: of });
    return {
      stand: (stand: Stand) => tell({ o: 'stand', stand }),
      room: (room: Room) => tell({ o: 'room', room }),
      seat: (seat: { room: string; resume: string }) => tell({ o: 'seat', ...seat }),
      wrong: (sentence: string) => tell({ o: 'wrong', sentence }),
      // For whoever looks into it, not for the player.
      refused: (why: string, holds: string) => console.warn(`refused (${why}): this page holds ${holds}`),
    };
  }

  private world(base: string): World {
    return {
      api: new Api(base),
      now: () => performance.now(),
      date: () => Date.now(),
      after(ms, then) {
        const timer = setTimeout(then, ms);
        return () => clearTimeout(timer);
      },
      secure: isSecureContext,
      hasWt: typeof WebTransport === 'function',
      openWs: (ticket) => openWs(new URL(ticket.ws, base).href.replace(/^http/, 'ws')),
      openWt: (ticket, certificate) => openWt(ticket.wt ?? '', certificate),
      load: async (scene) => {
        this.next = await this.modules.load(scene);
      },
      client: (ticket, via, watch, nowUs) => this.make(ticket, via, watch, nowUs),
    };
  }

  private make(ticket: Ticket, via: Via, watch: boolean, nowUs: number): Client {
    const module = this.next;
    if (!module) throw new Error('no module is loaded');
    this.online?.free();
    this.online = undefined;
    this.module = module;
    const call = <T>(f: () => T): T => this.guard(f);
    const setup = JSON.stringify(ticket.setup ?? null);
    const no: Config = {};
    const online = call(() => new module.Online(ticket.scene, setup, ticket.rate, DELIVERY[via], watch, JSON.stringify(no), nowUs));
    // From the start, or the first snapshots could not be read later.
    online.record(true);
    this.online = online;
    return {
      handle: (bytes, us) => call(() => online.handle(bytes, us)),
      advance: (us) => call(() => online.advance(us)),
      poll: (us) =>
        call(() => {
          const length = online.poll(us);
          return length === 0 ? undefined : { bytes: new Uint8Array(module.memory.buffer, online.out_ptr(), length).slice(), keep: online.out_keep() };
        }),
      waitUs: (us) => call(() => online.wait_us(us)),
      setWritable: (on) => call(() => online.set_writable(on)),
      reconnect: (by, us) => call(() => online.reconnect(DELIVERY[by], us)),
      set: (id, value) => call(() => online.set(id, String(value))),
      leave: () => call(() => online.leave()),
      status: () => JSON.parse(call(() => online.status())) as ReturnType<Client['status']>,
      describe: () => call(() => online.describe()),
      readings: () => JSON.parse(call(() => online.readings())) as ReturnType<Client['readings']>,
    };
  }

  /** A trap is told at once: the module's memory is anybody's guess from then on. */
  private guard<T>(f: () => T): T {
    try {
      return f();
    } catch (e) {
      if (e instanceof WebAssembly.RuntimeError) this.fell(e);
      throw e;
    }
  }
}
