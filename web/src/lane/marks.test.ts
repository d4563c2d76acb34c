import { expect, test } from 'vitest';
import type { Rows } from '../view.ts';
import { DOWN, type Mark, UP, hit, inOrder, marksOf, next, nodesOf } from './marks.ts';

/** number, line, cargo, way gone, fate, sent, due, bytes */
function rows(...packets: number[][]): Rows {
  return { data: Float32Array.from(packets.flat()), offset: 0, count: packets.length, stride: 8 };
}

const WIDTH = 900;
const [YOU, SERVER, OTHER] = nodesOf(WIDTH);

test('a packet goes from its sender to its receiver, and a lost one dies on the way', () => {
  const [up, down, theirs, dying, dead] = marksOf(
    rows([1, 0, 0, 0, 0, 0, 100, 30], [2, 1, 1, 1, 0, -100, 0, 200], [3, 2, 0, 0.5, 0, -20, 20, 30], [4, 0, 0, 0.4, 1, -40, 60, 30], [5, 0, 0, 0.9, 1, -90, 10, 30]),
    WIDTH,
  ) as [Mark, Mark, Mark, Mark, Mark];
  expect([up.x, up.y, up.dir]).toEqual([YOU + 13, UP + 0.5, 1]);
  expect([down.x, down.y, down.dir]).toEqual([YOU + 13, DOWN + 0.5, -1]);
  expect([theirs.x, theirs.dir]).toEqual([(SERVER + OTHER) / 2, -1]);
  expect([dying.dead, dead.dead]).toEqual([false, true]);
  expect(dead.x).toBeCloseTo(YOU + 13 + (SERVER - YOU - 26) * 0.55);
});

const at = (number: number, x: number, y = UP, sent = number): Mark => ({ line: 0, number, cargo: 0, fate: 0, sent, due: 0, bytes: 30, x, y, dir: 1, dead: false });

test('a pointer meets the nearest packet within its reach, and the newest of two in one place', () => {
  const marks = [at(1, 100), at(2, 110), at(3, 110), at(4, 105, DOWN)];
  expect(hit(marks, 103, UP, 12)?.number).toBe(1);
  expect(hit(marks, 109, UP + 3, 12)?.number).toBe(3);
  expect(hit(marks, 105, DOWN - 10, 12)?.number).toBe(4);
  // A target is as wide and as high as twice the reach.
  expect(hit(marks, 88, UP - 12, 12)?.number).toBe(1);
  expect(hit(marks, 87, UP, 12)).toBeUndefined();
  expect(hit(marks, 80, UP, 22)?.number).toBe(1);
  expect(hit([], 0, 0, 22)).toBeUndefined();
});

test('keys go by the time of sending, over each packet once and not past the ends', () => {
  const marks = [at(7, 0, UP, -10), { ...at(7, 5, UP, -10), fate: 3 }, { ...at(2, 0, DOWN, -30), line: 1 }, { ...at(9, 0, DOWN, -10), line: 3 }];
  expect(inOrder(marks).map(({ line, number }) => [line, number])).toEqual([
    [1, 2],
    [0, 7],
    [3, 9],
  ]);
  expect(next(marks, undefined, 1)?.number).toBe(2);
  expect(next(marks, undefined, -1)?.number).toBe(9);
  expect(next(marks, { line: 1, number: 2 }, 1)?.number).toBe(7);
  expect(next(marks, { line: 3, number: 9 }, 1)?.number).toBe(9);
  expect(next(marks, { line: 3, number: 9 }, -99)?.number).toBe(2);
  // One that is gone is nowhere.
  expect(next(marks, { line: 0, number: 1 }, 1)?.number).toBe(2);
  expect(next([], undefined, 1)).toBeUndefined();
});
