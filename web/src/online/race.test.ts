import { describe, expect, it } from 'vitest';
import { FakeOpening, FakeTime, settle } from './fake.fixture.ts';
import { HEAD_START_MS, NoCarrier, type Known, type Why, type Won, against, race } from './race.ts';
import type { Choice, Via } from './words.ts';

function start(choice: Choice = 'auto', why?: Why) {
  const time = new FakeTime();
  const opened: Via[] = [];
  const openings = { ws: new FakeOpening('ws'), wt: new FakeOpening('wt') };
  const open = (via: Via) => () => (opened.push(via), openings[via]);
  const out: { won?: Won; lost?: unknown } = {};
  race(choice, why, { ws: open('ws'), wt: open('wt') }, time.after).then(
    (won) => (out.won = won),
    (lost: unknown) => (out.lost = lost),
  );
  return { time, opened, ...openings, out };
}

describe('the race', () => {
  it('is won by WebTransport alone where it is there in time: WebSocket is not even tried', async () => {
    const { time, opened, wt, out } = start();
    wt.open();
    await time.pass(HEAD_START_MS * 2);
    expect(opened).toEqual(['wt']);
    expect(out.won).toMatchObject({ carrier: { via: 'wt' }, why: undefined });
  });

  it('is won by WebSocket after 0.8 s of silence, and the late one is called off', async () => {
    const { time, opened, ws, wt, out } = start();
    await time.pass(HEAD_START_MS - 1);
    expect(opened).toEqual(['wt']);
    await time.pass(1);
    expect(opened).toEqual(['wt', 'ws']);
    ws.open();
    await settle();
    expect(out.won).toMatchObject({ carrier: { via: 'ws' }, why: 'late' });
    expect(wt.cancelled).toBe(true);
    expect(ws.cancelled).toBe(false);
    // It opens all the same: too late, and nobody sends on it.
    const late = wt.open();
    await settle();
    expect(late.words).toEqual([]);
    expect(out.won!.carrier.via).toBe('ws');
  });

  it('still goes to WebTransport where it comes before WebSocket is open', async () => {
    const { time, ws, wt, out } = start();
    await time.pass(HEAD_START_MS + 100);
    wt.open();
    await settle();
    expect(out.won).toMatchObject({ carrier: { via: 'wt' }, why: undefined });
    expect(ws.cancelled).toBe(true);
  });

  it('does not wait where WebTransport is refused', async () => {
    const { opened, ws, wt, out } = start();
    wt.fail();
    await settle();
    expect(opened).toEqual(['wt', 'ws']);
    ws.open();
    await settle();
    expect(out.won).toMatchObject({ carrier: { via: 'ws' }, why: 'refused' });
  });

  it('begins with WebSocket where something speaks against the other', async () => {
    const { opened, ws, out } = start('auto', 'browser');
    expect(opened).toEqual(['ws']);
    ws.open();
    await settle();
    expect(out.won).toMatchObject({ why: 'browser' });
  });

  it('keeps to what the player chose, and says why that came to nothing', async () => {
    const { time, opened, wt, out } = start('wt');
    await time.pass(HEAD_START_MS * 3);
    expect(opened).toEqual(['wt']);
    wt.fail();
    await settle();
    expect(out.lost).toBeInstanceOf(NoCarrier);
    expect((out.lost as NoCarrier).why).toBe('refused');
    const never = start('wt', 'insecure');
    await settle();
    expect(never.opened).toEqual([]);
    expect((never.out.lost as NoCarrier).why).toBe('insecure');
  });

  it('is lost by both once both have failed, in either order, or when nothing comes of it for long', async () => {
    const first = start();
    first.wt.fail();
    await settle();
    first.ws.fail();
    await settle();
    expect(first.out.lost).toBeInstanceOf(NoCarrier);
    const second = start();
    await second.time.pass(HEAD_START_MS);
    second.ws.fail();
    await settle();
    expect(second.out.lost).toBeUndefined();
    second.wt.fail();
    await settle();
    expect(second.out.lost).toBeInstanceOf(NoCarrier);
    const third = start();
    await third.time.pass(60_000);
    expect(third.out.lost).toBeInstanceOf(NoCarrier);
    expect([third.ws.cancelled, third.wt.cancelled]).toEqual([true, true]);
  });
});

describe('what speaks against WebTransport', () => {
  const certificate = { now: 1000, authority: false, hashes: ['00'], from: 500, until: 2000 };
  const known: Known = { choice: 'auto', secure: true, browser: true, offered: true, certificate, now: 1000, mute: false };

  it('is nothing where all is well', () => expect(against(known)).toBeUndefined());

  it.each<[Partial<Known>, Why]>([
    [{ choice: 'ws' }, 'chosen'],
    [{ secure: false, browser: false }, 'insecure'],
    [{ browser: false }, 'browser'],
    [{ offered: false }, 'relay'],
    [{ certificate: undefined }, 'relay'],
    [{ now: 499 }, 'clock'],
    [{ now: 2001 }, 'clock'],
    [{ mute: true }, 'mute'],
  ])('%j: %s', (change, why) => expect(against({ ...known, ...change })).toBe(why));

  it('is tried again by who chose it, also where nothing came over it the last time', () => expect(against({ ...known, choice: 'wt', mute: true })).toBeUndefined());
});
