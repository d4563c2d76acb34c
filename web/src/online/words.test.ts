import { describe, expect, it } from 'vitest';
import { Api, ApiError } from './api.ts';
import { inviteLink, readCode, showCode } from './code.ts';
import { Frames, PACKET, WORD, frame } from './framing.ts';
import { best } from './panel.ts';
import { readSeat } from './store.ts';
import { changes } from './talk.ts';
import { type Guest, type Room, readCertificate, readRooms, readTicket, readWord } from './words.ts';

describe('a room code', () => {
  it('is read in any case, with the dash or without, and out of a link', () => {
    for (const typed of ['BCDFGH', 'bcd-fgh', ' BCD FGH ', 'https://relay.example/#v=1&room=BCDFGH', '#room=bcd-fgh&v=1']) expect(readCode(typed)).toBe('BCDFGH');
  });

  it('has six letters that nobody takes for others', () => {
    for (const typed of ['', 'BCDFG', 'BCDFGHJ', 'ABCDFG', 'BCD0GH', 'BCDFGI', 'room']) expect(readCode(typed)).toBeUndefined();
  });

  it('is shown in two halves and makes a link', () => {
    expect(showCode('BCDFGH')).toBe('BCD-FGH');
    expect(inviteLink('http://localhost:8080/#v=1&seed=7', 'BCDFGH')).toBe('http://localhost:8080/#v=1&room=BCDFGH');
  });
});

describe('frames of the stream', () => {
  it('come out whole however they are cut', () => {
    const bytes = [...frame(WORD, new TextEncoder().encode('{"t":"x"}')), ...frame(PACKET, Uint8Array.of(1, 2, 3)), ...frame(PACKET, new Uint8Array())];
    expect(bytes.slice(0, 3)).toEqual([0, 10, WORD]);
    for (let cut = 1; cut < bytes.length; cut++) {
      const frames = new Frames();
      const out = [];
      for (let i = 0; i < bytes.length; i += cut) out.push(...frames.take(Uint8Array.from(bytes.slice(i, i + cut)))!);
      expect(out.map(({ type, body }) => [type, body.length])).toEqual([
        [WORD, 9],
        [PACKET, 3],
        [PACKET, 0],
      ]);
    }
  });

  it('of no length, or of too much, are refused', () => {
    expect(new Frames().take(Uint8Array.of(0, 0, 0))).toBeUndefined();
    expect(new Frames().take(Uint8Array.of(0x10, 1, 0))).toBeUndefined();
    expect(new Frames().take(Uint8Array.of(0x10, 0, 0))).toEqual([]);
  });
});

describe('words of the relay', () => {
  it('are read by their shape, whatever is left out of them', () => {
    expect(readWord('{"t":"refused","error":"full","sentence":"Full."}')).toEqual({ t: 'refused', error: 'full', sentence: 'Full.' });
    expect(readWord('{"t":"room","players":[{"player":1,"name":"Jo","ping":"x"}]}')).toMatchObject({ t: 'room', room: { players: [{ player: 1, name: 'Jo', ping: null, score: 0 }], leftMs: null } });
    for (const json of ['', '[]', 'null', '{"t":"other"}', '{']) expect(readWord(json)).toBeUndefined();
  });

  it('of HTTP are refused where they are of something else', () => {
    expect(readRooms({ rooms: [{ code: 'BCDFGH', players: 2 }] })).toMatchObject([{ code: 'BCDFGH', players: 2, seats: 0 }]);
    expect(readRooms('<!doctype html>')).toBeUndefined();
    expect(readTicket({ token: 'a', ws: '/ws', rate: 64, wt: null })).toMatchObject({ token: 'a', wt: null });
    expect(readTicket({ token: 'a', ws: '/ws' })).toBeUndefined();
    expect(readCertificate({ now: 1, hashes: ['zz'] })).toBeUndefined();
    expect(readCertificate({ now: 1, hashes: ['ab'.repeat(32)], from: 0, until: 2 })).toMatchObject({ authority: false, from: 0, until: 2 });
  });
});

describe('the relay over HTTP', () => {
  const api = (answer: () => Promise<Response>, seen: [string, RequestInit][] = []) =>
    new Api('http://localhost:8080/index.html#v=1', (input, init) => {
      seen.push([String(input), init!]);
      return answer();
    });
  const json = (body: unknown, status = 200) => () => Promise.resolve(new Response(JSON.stringify(body), { status }));

  it('is asked beside the page, and a refusal is its code and its sentence', async () => {
    const seen: [string, RequestInit][] = [];
    await expect(api(json({ error: 'full', sentence: 'Full.' }, 409), seen).join('BCDFGH', { name: 'Jo', watch: false })).rejects.toMatchObject({ code: 'full', sentence: 'Full.' });
    expect(seen[0]![0]).toBe('http://localhost:8080/api/rooms/BCDFGH/join');
    expect(JSON.parse(String(seen[0]![1].body))).toEqual({ name: 'Jo', watch: false });
  });

  it('is told from a server that is none, and from none at all', async () => {
    await expect(api(() => Promise.resolve(new Response('<!doctype html>'))).rooms()).rejects.toMatchObject({ code: 'none' });
    await expect(api(() => Promise.resolve(new Response('Not found', { status: 404 }))).rooms()).rejects.toMatchObject({ code: 'none' });
    await expect(api(() => Promise.reject(new TypeError('no'))).rooms()).rejects.toMatchObject({ code: 'unreachable' });
    await expect(api(() => Promise.resolve(new Response('', { status: 502 }))).rooms()).rejects.toBeInstanceOf(ApiError);
    await expect(api(() => Promise.resolve(new Response('', { status: 502 }))).rooms()).rejects.toMatchObject({ code: 'unreachable' });
  });
});

const guest = (player: number, more: Partial<Guest> = {}): Guest => ({ player, name: `P${player}`, via: 'ws', ping: 30, loss: null, stalls: 0, score: 0, host: false, you: false, away: false, hidden: false, rematch: false, ...more });
const room = (players: Guest[], more: Partial<Room> = {}): Room => ({ phase: 'playing', round: 1, leftMs: null, public: true, settings: {}, players, watching: 0, ...more });

describe('what is said of a room', () => {
  it('is who came, went, was lost, is back, is the host', () => {
    const before = room([guest(1, { you: true }), guest(2, { host: true }), guest(3, { away: true })]);
    const now = room([guest(1, { you: true, host: true }), guest(3), guest(4)], { round: 2 });
    expect(changes(before, now)).toEqual(['You are the host now.', 'P3 is back.', 'P4 joined.', 'P2 left.', 'Round 2 begins.']);
    expect(changes(now, room([guest(1, { you: true, host: true }), guest(3, { away: true }), guest(4, { ping: 90 })], { round: 2 }))).toEqual(['P3 lost the connection; the seat is kept for a minute.']);
  });

  it('is who won', () => {
    expect(best([guest(1, { score: 3 }), guest(2, { score: 5 })])).toBe('P2 wins with 5');
    expect(best([guest(1, { score: 5 }), guest(2, { score: 5 })])).toBe('a draw');
    expect(best([])).toBe('');
  });
});

it('reads a seat as it was kept, and nothing else', () => {
  expect(readSeat('{"room":"BCDFGH","resume":"s","sets":{"interp.delay":90,"x":{}}}')).toEqual({ room: 'BCDFGH', watch: false, resume: 's', sets: { 'interp.delay': 90 } });
  for (const json of ['', 'null', '{}', '[]', '{"room":7}']) expect(readSeat(json)).toBeUndefined();
});
