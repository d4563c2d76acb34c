import { describe, expect, it } from 'vitest';
import type { Readings } from '../protocol.ts';
import { ApiError, type Wishes } from './api.ts';
import { FakeOpening, FakeTime, settle } from './fake.fixture.ts';
import { type Client, DEAD_MS, PAUSES, QUIET_MS, Session, type Stand, type Wish, type World } from './session.ts';
import type { Certificate, Ticket, Via } from './words.ts';

/** A client that says what it is told to say. */
class FakeClient implements Client {
  role = 'joining';
  end = { why: '', sentence: '', refused: false, final: false };
  queue: { bytes: Uint8Array; keep: boolean }[] = [{ bytes: Uint8Array.of(1), keep: true }];
  readonly heard: number[][] = [];
  readonly reconnected: Via[] = [];
  readonly sets: [string, unknown][] = [];
  advanced = 0;

  handle(bytes: Uint8Array): void {
    this.heard.push([...bytes]);
    this.role = 'playing';
  }
  advance(): void {
    this.advanced++;
  }
  poll() {
    return this.queue.shift();
  }
  waitUs(): number {
    return 15_625;
  }
  setWritable(): void {}
  reconnect(via: Via): string {
    this.reconnected.push(via);
    this.role = 'joining';
    this.queue.push({ bytes: Uint8Array.of(1), keep: true });
    return '';
  }
  set(id: string, value: unknown): string {
    this.sets.push([id, value]);
    return '';
  }
  leave(): void {
    this.queue.push({ bytes: Uint8Array.of(9), keep: true });
  }
  describe(): string {
    return 'version 1, world 0x7';
  }
  status() {
    return { role: this.role, ...this.end };
  }
  readings(): Readings {
    return { probes: { 'clock.rtt': { now: 37.6 } }, link: { lost_of_last_100: 2 } } as unknown as Readings;
  }
}

class Rig {
  readonly time = new FakeTime();
  readonly asked: Wishes[] = [];
  readonly openings: FakeOpening[] = [];
  readonly clients: FakeClient[] = [];
  readonly stands: Stand[] = [];
  readonly seats: { room: string; resume: string }[] = [];
  readonly refused: [string, string][] = [];
  tickets = 0;
  setup: unknown = { seed: 1 };
  refuse: ApiError | undefined;
  readonly certificate: Certificate = { now: 0, authority: true, hashes: [], from: 0, until: 1e15 };
  readonly session: Session;

  constructor(wish: Partial<Wish> = {}, world: Partial<World> = {}) {
    const open = (via: Via) => {
      const opening = new FakeOpening(via);
      this.openings.push(opening);
      return opening;
    };
    this.session = new Session(
      {
        api: {
          join: (_room, wishes) => {
            this.asked.push(wishes);
            return this.refuse ? Promise.reject(this.refuse) : Promise.resolve(this.ticket());
          },
          certificate: () => Promise.resolve(this.certificate),
        },
        now: () => this.time.now,
        date: () => 1e12,
        after: this.time.after,
        secure: true,
        hasWt: true,
        openWs: () => open('ws'),
        openWt: () => open('wt'),
        load: () => Promise.resolve(),
        client: () => {
          const client = new FakeClient();
          this.clients.push(client);
          return client;
        },
        ...world,
      },
      {
        stand: (stand) => this.stands.push(stand),
        room: () => {},
        seat: (seat) => this.seats.push(seat),
        wrong: () => {},
        refused: (why, holds) => this.refused.push([why, holds]),
      },
      { room: 'BCDFGH', name: 'Mika', watch: false, choice: 'auto', sets: {}, ...wish },
    );
  }

  private ticket(): Ticket {
    this.tickets++;
    return { token: `token${this.tickets}`, resume: `secret${this.tickets}`, scene: 'arena', rate: 64, seats: 8, ws: '/ws', wt: 'https://x/wt', setup: this.setup };
  }

  get now(): Stand {
    return this.stands.at(-1)!;
  }

  /** The newest opening opens, and the server answers. */
  async comesIn() {
    await settle();
    const carrier = this.openings.at(-1)!.open();
    await settle();
    carrier.ear!.word('{"t":"joined","room":"BCDFGH","host":false,"watch":false}');
    carrier.ear!.packet(Uint8Array.of(7));
    await this.time.pass(600);
    return carrier;
  }

  /** Time passes, and snapshots come. */
  async plays(ms: number, carrier: Awaited<ReturnType<Rig['comesIn']>>) {
    for (let t = 0; t < ms; t += 100) {
      carrier.ear!.packet(Uint8Array.of(7));
      await this.time.pass(100);
    }
  }
}

describe('coming in', () => {
  it('gives the token to the winner alone, before the first packet, and then plays', async () => {
    const rig = new Rig();
    const carrier = await rig.comesIn();
    expect(carrier.words[0]).toEqual({ t: 'join', token: 'token1' });
    expect(carrier.packets[0]).toEqual({ bytes: [1], keep: true });
    expect(rig.now).toMatchObject({ phase: 'in', via: 'wt', why: undefined, largest: 1024, seats: 8 });
    expect(rig.seats).toEqual([{ room: 'BCDFGH', resume: 'secret1' }]);
    expect(rig.clients[0]!.heard).toEqual([[7]]);
  });

  it('says why it is not WebTransport', async () => {
    const rig = new Rig();
    await settle();
    await rig.time.pass(800);
    expect(rig.openings.map((o) => o.made.via)).toEqual(['wt', 'ws']);
    const carrier = await rig.comesIn();
    expect(carrier.via).toBe('ws');
    expect(rig.openings[0]!.cancelled).toBe(true);
    expect(rig.openings[0]!.made.words).toEqual([]);
    expect(rig.now).toMatchObject({ phase: 'in', via: 'ws', why: 'late' });
  });

  it('asks for no certificate and opens no WebTransport where WebSocket was chosen', async () => {
    const rig = new Rig({ choice: 'ws' });
    await rig.comesIn();
    expect(rig.openings.map((o) => o.made.via)).toEqual(['ws']);
    expect(rig.now.why).toBe('chosen');
  });

  it('sets what was set on this side before', async () => {
    const rig = new Rig({ sets: { 'interp.delay': 90 } });
    await rig.comesIn();
    expect(rig.clients[0]!.sets).toEqual([['interp.delay', 90]]);
  });

  it.each(['full', 'no_room', 'kicked', 'origin', 'guesses', 'name'])('ends with a refusal that waiting does not mend: %s', async (code) => {
    const rig = new Rig();
    (await rig.comesIn()).ear!.gone();
    rig.refuse = new ApiError(code, 'The relay says so.');
    await rig.time.pass(PAUSES[0]!);
    expect(rig.now).toMatchObject({ phase: 'over', code, sentence: 'The relay says so.' });
    const asked = rig.asked.length;
    await rig.time.pass(60_000);
    expect(rig.asked.length).toBe(asked);
  });

  it('ends where the carrier is refused by word, and tries again where only the ticket was old', async () => {
    const rig = new Rig();
    await settle();
    const carrier = rig.openings[0]!.open();
    await settle();
    carrier.ear!.word('{"t":"refused","error":"token","sentence":"Too late."}');
    expect(rig.now).toMatchObject({ phase: 'waiting', code: 'token' });
    await rig.time.pass(PAUSES[0]!);
    expect(rig.tickets).toBe(2);
    const next = rig.openings.at(-1)!.open();
    await settle();
    next.ear!.word('{"t":"refused","error":"full","sentence":"Full."}');
    expect(rig.now).toMatchObject({ phase: 'over', code: 'full' });
    expect(next.closed).toBe(true);
  });
});

describe('coming back', () => {
  it('waits longer and longer, with the secret that keeps the seat, and says so', async () => {
    const rig = new Rig();
    const carrier = await rig.comesIn();
    rig.refuse = new ApiError('unreachable');
    carrier.ear!.gone();
    const pauses: number[] = [];
    for (let i = 0; i < 7; i++) {
      expect(rig.now).toMatchObject({ phase: 'waiting', attempt: i + 1, been: true });
      pauses.push(rig.now.pause);
      await rig.time.pass(rig.now.pause);
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000]);
    expect(rig.asked.slice(1).every((w) => w.resume === 'secret1')).toBe(true);
    rig.refuse = undefined;
    await rig.time.pass(4000);
    const back = await rig.comesIn();
    expect(rig.now.phase).toBe('in');
    expect(back.words[0]).toEqual({ t: 'join', token: 'token2' });
    // The same client on another carrier: its settings and figures are kept.
    expect(rig.clients).toHaveLength(1);
    expect(rig.clients[0]!.reconnected).toEqual(['wt']);
  });

  it('begins with the short pause again only once it has been in for a while', async () => {
    const rig = new Rig();
    (await rig.comesIn()).ear!.gone();
    await rig.time.pass(250);
    const second = await rig.comesIn();
    second.ear!.gone();
    expect(rig.now.pause).toBe(500);
    await rig.time.pass(500);
    const third = await rig.comesIn();
    await rig.plays(11_000, third);
    third.ear!.gone();
    expect(rig.now.pause).toBe(250);
  });

  it('tells silence first, and then takes the carrier for dead', async () => {
    const rig = new Rig();
    const carrier = await rig.comesIn();
    await rig.plays(1000, carrier);
    await rig.time.pass(QUIET_MS + 600);
    expect(rig.now.phase).toBe('in');
    expect(rig.now.silent).toBeGreaterThan(QUIET_MS);
    carrier.ear!.packet(Uint8Array.of(7));
    await rig.time.pass(600);
    expect(rig.now.silent).toBe(0);
    await rig.time.pass(DEAD_MS + 600);
    expect(carrier.closed).toBe(true);
    expect(rig.stands.some((s) => s.phase === 'waiting' && s.code === 'silent')).toBe(true);
  });

  it('waits for the module of the room\u2019s scene, and comes back where that did not come', async () => {
    const asked: string[] = [];
    const load = (scene: string) => (asked.push(scene) === 1 ? Promise.reject(new Error('404')) : Promise.resolve());
    const rig = new Rig({}, { load });
    await rig.time.pass(1);
    expect(rig.now).toMatchObject({ phase: 'waiting', code: 'module', sentence: '404' });
    expect(rig.openings).toHaveLength(0);
    await rig.time.pass(PAUSES[0]!);
    expect(asked).toEqual(['arena', 'arena']);
    expect(rig.now.phase).toBe('opening');
  });

  it('makes a new client where the room is another one', async () => {
    const rig = new Rig();
    const carrier = await rig.comesIn();
    rig.setup = { seed: 2 };
    carrier.ear!.gone();
    await rig.time.pass(250);
    await rig.comesIn();
    expect(rig.clients).toHaveLength(2);
  });

  it('goes straight back after a sleep, without a pause', async () => {
    const rig = new Rig();
    const carrier = await rig.comesIn();
    await rig.plays(1000, carrier);
    rig.time.sleep(3_600_000);
    await rig.time.pass(0);
    await settle();
    expect(carrier.closed).toBe(true);
    expect(rig.tickets).toBe(2);
    expect(rig.stands.some((s) => s.phase === 'waiting')).toBe(false);
    await rig.comesIn();
    expect(rig.now.phase).toBe('in');
  });

  it('comes back from a goodbye that asks for it, and from no other', async () => {
    const rig = new Rig();
    const carrier = await rig.comesIn();
    Object.assign(rig.clients[0]!, { role: 'gone', end: { why: 'restarting', sentence: 'The relay is restarting.', refused: false, final: false } });
    carrier.ear!.gone();
    expect(rig.now).toMatchObject({ phase: 'waiting', code: 'restarting' });
    await rig.time.pass(250);
    const back = await rig.comesIn();
    Object.assign(rig.clients[0]!, { role: 'gone', end: { why: 'replaced', sentence: 'Replaced.', refused: false, final: true } });
    await rig.time.pass(600);
    expect(rig.now).toMatchObject({ phase: 'over', code: 'replaced' });
    expect(back.closed).toBe(true);
    await rig.time.pass(60_000);
    expect(rig.tickets).toBe(2);
  });

  it('tells what this end holds where the join is refused, and only there', async () => {
    const rig = new Rig();
    await settle();
    rig.openings[0]!.open();
    await settle();
    Object.assign(rig.clients[0]!, { role: 'gone', end: { why: 'world', sentence: 'Another build.', refused: true, final: true } });
    await rig.time.pass(600);
    expect(rig.now).toMatchObject({ phase: 'over', code: 'world' });
    expect(rig.refused).toEqual([['world', 'version 1, world 0x7']]);
    const other = new Rig();
    await other.comesIn();
    Object.assign(other.clients[0]!, { role: 'gone', end: { why: 'kicked', sentence: 'Out.', refused: false, final: true } });
    await other.time.pass(600);
    expect(other.now).toMatchObject({ phase: 'over', code: 'kicked' });
    expect(other.refused).toEqual([]);
  });

  it('takes WebSocket where WebTransport opened and nothing ever came over it', async () => {
    const rig = new Rig();
    await settle();
    rig.openings[0]!.open();
    await rig.time.pass(5000);
    expect(rig.openings.at(-1)!.made.via).toBe('ws');
    await rig.comesIn();
    expect(rig.now).toMatchObject({ phase: 'in', via: 'ws', why: 'mute' });
  });
});

describe('going', () => {
  it('says goodbye when the player leaves, and nothing when the page may come back', async () => {
    const rig = new Rig();
    const carrier = await rig.comesIn();
    rig.session.leave();
    expect(carrier.packets.at(-1)).toEqual({ bytes: [9], keep: true });
    expect(carrier.words.at(-1)).toEqual({ t: 'leave' });
    expect(carrier.closed).toBe(true);
    const other = new Rig();
    const kept = await other.comesIn();
    const said = kept.words.length;
    other.session.suspend();
    expect(kept.closed).toBe(true);
    expect(kept.words.length).toBe(said);
    await other.time.pass(60_000);
    expect(other.tickets).toBe(1);
    other.session.again();
    await other.comesIn();
    expect(other.now.phase).toBe('in');
  });

  it('changes the transport and keeps the seat', async () => {
    const rig = new Rig();
    const carrier = await rig.comesIn();
    rig.session.choose('ws');
    await rig.comesIn();
    expect(carrier.closed).toBe(true);
    expect(rig.now).toMatchObject({ phase: 'in', via: 'ws', why: 'chosen' });
    expect(rig.asked.at(-1)!.resume).toBe('secret1');
  });

  it('hears nothing of a carrier that is not its own any more', async () => {
    const rig = new Rig();
    const first = await rig.comesIn();
    rig.session.choose('ws');
    await rig.comesIn();
    const before = rig.stands.length;
    first.ear!.gone();
    first.ear!.word('{"t":"refused","error":"full","sentence":""}');
    expect(rig.stands.length).toBe(before);
    expect(rig.now.phase).toBe('in');
  });
});

it('tells the relay once a second how the link does', async () => {
  const rig = new Rig();
  const carrier = await rig.comesIn();
  await rig.plays(2000, carrier);
  const net = carrier.words.filter((w) => w['t'] === 'net');
  expect(net.length).toBeGreaterThanOrEqual(2);
  expect(net[0]).toEqual({ t: 'net', ping: 38, loss: 2, stalls: 0 });
});
