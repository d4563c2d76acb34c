import { describe, expect, test } from 'vitest';
import { Clock, MAX_FRAME_MS } from './clock.ts';

/** Shows a display of so many Hz for so long; returns the virtual time that the lab was asked for, us. */
function show(clock: Clock, hz: number, ms: number): number {
  let us = 0;
  for (let frame = 0; frame < (ms * hz) / 1000; frame++) {
    clock.passed(1000 / hz);
    us += take(clock).us;
  }
  return us;
}

function take(clock: Clock) {
  const due = clock.due();
  clock.taken(due);
  return due;
}

const still = { seek: undefined, step: 0, us: 0 };

describe('how fast time goes', () => {
  test('whatever the display, a second of it is a second of the lab', () => {
    for (const hz of [30, 60, 75, 120, 144, 240]) expect(Math.abs(show(new Clock(true), hz, 10_000) - 10_000_000), `${hz} Hz`).toBeLessThanOrEqual(1);
  });

  test('slow motion loses nothing to rounding, and a script may run fast', () => {
    for (const speed of [50, 0.5, 0.1, 0.01, 0.001]) {
      const clock = new Clock(true);
      clock.speed = speed;
      expect(Math.abs(show(clock, 144, 10_000) - 10_000_000 * speed), `${speed}`).toBeLessThanOrEqual(1);
    }
  });

  test('time that could not be asked for stays owed, but no more than a stall', () => {
    const clock = new Clock(true);
    clock.passed(20);
    clock.passed(20);
    expect(clock.due().us).toBe(40_000);
    clock.passed(60_000);
    expect(clock.due().us).toBe(MAX_FRAME_MS * 1000);
  });

  test('what a lab that cannot keep up did not run is owed, within a bound', () => {
    const clock = new Clock(true);
    clock.speed = 50;
    clock.passed(16);
    expect(take(clock).us).toBe(800_000);
    clock.ran(300_000);
    expect(clock.due().us).toBe(500_000);
    for (let frame = 0; frame < 1000; frame++) {
      clock.passed(16);
      take(clock);
      clock.ran(1000);
    }
    expect(clock.due().us).toBe(MAX_FRAME_MS * 1000 * 50 - 1000);
  });

  test('paused, nothing is owed, and nothing of before once it plays again', () => {
    const clock = new Clock(true);
    clock.passed(16);
    clock.play(false);
    clock.passed(16);
    expect([clock.moves, clock.due()]).toEqual([false, still]);
    clock.play(true);
    expect(clock.due().us).toBe(0);
  });
});

describe('turning back', () => {
  test('a step pauses; steps that could not be asked for add up', () => {
    const clock = new Clock(true);
    clock.step(-1);
    clock.step(-1);
    clock.step(1);
    expect([clock.playing, take(clock)]).toEqual([false, { ...still, step: -1 }]);
    expect(clock.moves).toBe(false);
  });

  test('of the wishes for an instant the newest counts, and a step goes on from there', () => {
    const clock = new Clock(false);
    clock.step(3);
    clock.seek(4000);
    clock.seek(5000);
    clock.step(-1);
    expect(take(clock)).toEqual({ ...still, seek: 5000, step: -1 });
    expect(clock.moves).toBe(false);
  });

  test('a wish that comes while another is under way is not forgotten', () => {
    const clock = new Clock(false);
    clock.seek(4000);
    const due = clock.due();
    clock.seek(3000);
    clock.taken(due);
    expect(clock.due().seek).toBe(3000);
  });

  test('wishes that follow each other quicker than pictures add up', () => {
    const clock = new Clock(false);
    for (let press = 0; press < 3; press++) clock.seek(clock.heading(500) + 1000);
    const due = clock.due();
    expect(due.seek).toBe(3500);
    clock.taken(due);
    clock.seek(clock.heading(500) + 1000);
    clock.ran(0);
    expect(clock.due().seek).toBe(4500);
    expect(new Clock(false).heading(500)).toBe(500);
  });

  test('let go at live, or brought back to live, it goes on if it played before', () => {
    for (const played of [true, false]) {
      const clock = new Clock(played);
      clock.seek(800);
      expect(clock.playing).toBe(false);
      clock.letGo(800);
      expect(clock.playing).toBe(false);
      clock.letGo(0);
      expect([clock.playing, clock.due().seek]).toEqual([played, 0]);
      clock.step(-1);
      clock.live();
      expect(clock.playing).toBe(played);
    }
  });

  test('who pauses in the past stays paused at live', () => {
    const clock = new Clock(true);
    clock.seek(800);
    clock.play(false);
    clock.live();
    expect(clock.playing).toBe(false);
  });
});

test('what a lab that cannot keep up did not run is owed, within a bound', () => {
  const clock = new Clock(true);
  clock.speed = 50;
  clock.passed(16);
  expect(clock.due().us).toBe(800_000);
  clock.taken(clock.due());
  clock.ran(300_000);
  expect(clock.due().us).toBe(500_000);
  for (let frame = 0; frame < 1000; frame++) {
    clock.passed(16);
    clock.taken(clock.due());
    clock.ran(1000);
  }
  expect(clock.due().us).toBe(MAX_FRAME_MS * 1000 * 50 - 1000);
});
