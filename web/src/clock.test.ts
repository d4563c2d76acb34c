import { expect, test } from 'vitest';
import { Clock, MAX_FRAME_MS } from './clock.ts';

/** Shows a display of so many Hz for so long; returns the virtual time that the lab was asked for, us. */
function show(clock: Clock, hz: number, ms: number): number {
  let us = 0;
  for (let frame = 0; frame < (ms * hz) / 1000; frame++) {
    clock.passed(1000 / hz);
    const due = clock.due();
    clock.taken(due);
    us += due.us;
  }
  return us;
}

test('whatever the display, a second of it is a second of the lab', () => {
  for (const hz of [30, 60, 75, 120, 144, 240]) expect(Math.abs(show(new Clock(true), hz, 10_000) - 10_000_000), `${hz} Hz`).toBeLessThanOrEqual(1);
});

test('slow motion loses nothing to rounding', () => {
  for (const speed of [0.5, 0.1, 0.01, 0.001]) {
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

test('paused, nothing is owed; a step pauses and asks for one tick', () => {
  const clock = new Clock(true);
  clock.passed(16);
  clock.step();
  expect([clock.playing, clock.moves]).toEqual([false, true]);
  clock.passed(16);
  const due = clock.due();
  expect(due).toEqual({ us: 0, step: true });
  clock.taken(due);
  expect(clock.moves).toBe(false);
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
