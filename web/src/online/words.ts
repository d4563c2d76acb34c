// What the relay says in JSON, and what it is told: shapes, and readers that let nothing through that has another one.

import type { Value } from '../protocol.ts';

/** What carries a session. Native clients also come by UDP. */
export type Via = 'ws' | 'wt';
/** Which the player wants. */
export type Choice = 'auto' | Via;

/** A public room, in a line. */
export interface RoomLine {
  code: string;
  scene: string;
  players: number;
  seats: number;
  watching: number;
  phase: string;
}

/** The answer to a join: a token that is used once, and the secret that keeps the seat. */
export interface Ticket {
  token: string;
  resume: string;
  scene: string;
  /** Ticks a second. */
  rate: number;
  seats: number;
  /** The WebSocket's path or address, and WebTransport's; null where the relay has none. */
  ws: string;
  wt: string | null;
  /** What makes the client's game equal to the server's; for the module. */
  setup: unknown;
}

/** What the relay's certificate is. Times in ms since 1970, by the relay's clock. */
export interface Certificate {
  now: number;
  /** Signed by an authority: the page names no hashes. */
  authority: boolean;
  hashes: string[];
  from: number;
  until: number;
}

export interface Guest {
  player: number;
  name: string;
  via: string;
  /** Round trip, ms. */
  ping: number | null;
  /** Percent of the packets down. */
  loss: number | null;
  /** How often the stream stood still. */
  stalls: number;
  score: number;
  host: boolean;
  you: boolean;
  /** Its connection is gone and its seat is kept. */
  away: boolean;
  hidden: boolean;
  /** Wants to play again. */
  rematch: boolean;
}

/** How a room stands; comes with each change. */
export interface Room {
  phase: string;
  round: number;
  leftMs: number | null;
  public: boolean;
  settings: Record<string, Value>;
  players: Guest[];
  watching: number;
}

/** A word of the relay. */
export type Word =
  | { t: 'joined'; room: string; host: boolean; watch: boolean }
  | { t: 'refused'; error: string; sentence: string }
  | { t: 'room'; room: Room }
  | { t: 'wrong'; sentence: string };

type Fields = Record<string, unknown>;

const fields = (of: unknown): Fields => (typeof of === 'object' && of !== null ? (of as Fields) : {});
const string = (of: unknown): string => (typeof of === 'string' ? of : '');
const number = (of: unknown): number => (typeof of === 'number' && Number.isFinite(of) ? of : 0);
const maybe = (of: unknown): number | null => (typeof of === 'number' && Number.isFinite(of) ? of : null);
const list = (of: unknown): unknown[] => (Array.isArray(of) ? of : []);

/** Reads a word; undefined for what this page does not know. */
export function readWord(json: string): Word | undefined {
  let word: Fields;
  try {
    word = fields(JSON.parse(json));
  } catch {
    return undefined;
  }
  switch (word['t']) {
    case 'joined':
      return { t: 'joined', room: string(word['room']), host: word['host'] === true, watch: word['watch'] === true };
    case 'refused':
      return { t: 'refused', error: string(word['error']), sentence: string(word['sentence']) };
    case 'wrong':
      return { t: 'wrong', sentence: string(word['sentence']) };
    case 'room':
      return { t: 'room', room: readRoom(word) };
    default:
      return undefined;
  }
}

function readRoom(word: Fields): Room {
  const settings = Object.entries(fields(word['settings'])).filter(([, v]) => ['number', 'string', 'boolean'].includes(typeof v));
  return {
    phase: string(word['phase']),
    round: number(word['round']),
    leftMs: maybe(word['left_ms']),
    public: word['public'] === true,
    settings: Object.fromEntries(settings) as Record<string, Value>,
    players: list(word['players']).map((of) => readGuest(fields(of))),
    watching: number(word['watching']),
  };
}

function readGuest(of: Fields): Guest {
  const yes = (name: string) => of[name] === true;
  return {
    player: number(of['player']),
    name: string(of['name']),
    via: string(of['via']),
    ping: maybe(of['ping']),
    loss: maybe(of['loss']),
    stalls: number(of['stalls']),
    score: number(of['score']),
    host: yes('host'),
    you: yes('you'),
    away: yes('away'),
    hidden: yes('hidden'),
    rematch: yes('rematch'),
  };
}

/** The public rooms, of the answer to the list; undefined where it is no such list. */
export function readRooms(answer: unknown): RoomLine[] | undefined {
  const { rooms } = fields(answer);
  if (!Array.isArray(rooms)) return undefined;
  return rooms.map((of) => {
    const line = fields(of);
    return {
      code: string(line['code']),
      scene: string(line['scene']),
      players: number(line['players']),
      seats: number(line['seats']),
      watching: number(line['watching']),
      phase: string(line['phase']),
    };
  });
}

export function readTicket(answer: unknown): Ticket | undefined {
  const of = fields(answer);
  const ticket: Ticket = {
    token: string(of['token']),
    resume: string(of['resume']),
    scene: string(of['scene']),
    rate: number(of['rate']),
    seats: number(of['seats']),
    ws: string(of['ws']),
    wt: string(of['wt']) || null,
    setup: of['setup'],
  };
  return ticket.token && ticket.ws && ticket.rate > 0 ? ticket : undefined;
}

export function readCertificate(answer: unknown): Certificate | undefined {
  const of = fields(answer);
  const hashes = list(of['hashes']).map(string).filter((hash) => /^[0-9a-f]{64}$/i.test(hash));
  const certificate: Certificate = { now: number(of['now']), authority: of['authority'] === true, hashes, from: number(of['from']), until: number(of['until']) };
  return certificate.authority || hashes.length ? certificate : undefined;
}

/** The code and sentence of a refusal. */
export function readRefusal(answer: unknown): { error: string; sentence: string } {
  const of = fields(answer);
  return { error: string(of['error']), sentence: string(of['sentence']) };
}
