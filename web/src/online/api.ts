// The relay's HTTP: rooms, a room of one's own, a ticket into one, the certificate.

import type { Value } from '../protocol.ts';
import { type Certificate, type RoomLine, type Ticket, readCertificate, readRefusal, readRooms, readTicket } from './words.ts';

/** A relay that has not answered by then is not there. */
const PATIENCE_MS = 5000;

/** Why a request came to nothing: the relay's own code and sentence, or 'unreachable', or 'none' where something else answers. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly sentence = '',
  ) {
    super(`${code}: ${sentence}`);
  }
}

export interface Wishes {
  name: string;
  watch: boolean;
  /** The secrets of an earlier time in this room. */
  resume?: string;
  host?: string;
}

export interface NewRoom {
  scene: string;
  public: boolean;
  [more: string]: Value;
}

/** `base` is the page's own address: the relay that served it answers beside it. */
export class Api {
  constructor(
    private readonly base: string,
    private readonly fetched: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  async rooms(): Promise<{ rooms: RoomLine[]; build: string }> {
    const answer = await this.ask('api/rooms');
    const { build } = answer as { build?: unknown };
    return { rooms: need(readRooms(answer)), build: typeof build === 'string' ? build : '' };
  }

  /** Makes a room; `host` is the secret of who made it. */
  async create(room: NewRoom): Promise<{ code: string; host: string }> {
    const { code, host } = (await this.ask('api/rooms', room)) as Record<string, unknown>;
    return { code: need(typeof code === 'string' ? code : undefined), host: String(host) };
  }

  async join(code: string, wishes: Wishes): Promise<Ticket> {
    return need(readTicket(await this.ask(`api/rooms/${code}/join`, wishes)));
  }

  async certificate(): Promise<Certificate> {
    return need(readCertificate(await this.ask('api/certificate')));
  }

  private async ask(path: string, body?: object): Promise<unknown> {
    const init: RequestInit = { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) };
    if (body) Object.assign(init, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    let answer: Response;
    try {
      answer = await this.fetched(new URL(path, this.base), init);
    } catch {
      throw new ApiError('unreachable');
    }
    const json: unknown = await answer.json().catch(() => undefined);
    if (answer.ok) return need(json);
    const { error, sentence } = readRefusal(json);
    // A proxy whose relay is gone answers in its stead.
    throw new ApiError(error || (answer.status >= 500 ? 'unreachable' : 'none'), sentence);
  }
}

/** What answers here is no relay of ours. */
function need<T>(value: T | undefined): T {
  if (value === undefined) throw new ApiError('none');
  return value;
}
