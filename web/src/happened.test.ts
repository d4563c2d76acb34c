import { expect, test } from 'vitest';
import { FORK, Happened } from './happened.ts';
import { StarvedSpans } from './spans.ts';

const told = (t_ms: number, kind = 'miss', text = `at ${t_ms}`) => ({ t_ms, kind, text });
const texts = (happened: Happened, now: number) => happened.sentences(now, 3).map((e) => e.text);

test('the feed of an instant has what had happened by then, newest first', () => {
  const happened = new Happened();
  happened.add([told(10), told(20), told(30, 'resent', ''), told(40), told(50)]);
  expect(texts(happened, 50)).toEqual(['at 50', 'at 40', 'at 20']);
  expect(texts(happened, 39)).toEqual(['at 20', 'at 10']);
  expect(texts(happened, 9)).toEqual([]);
  expect(happened.between(10, 40).map((e) => e.t_ms)).toEqual([20, 30, 40]);
});

test('what is told late stands where it belongs', () => {
  const happened = new Happened();
  happened.add([told(10), told(30), told(20)]);
  expect(texts(happened, 30)).toEqual(['at 30', 'at 20', 'at 10']);
});

test('where somebody acted in the past, what came later never happened', () => {
  const happened = new Happened();
  happened.add([told(10), told(20), told(30)]);
  happened.add([told(15, FORK, 'forked'), told(25, 'hit', 'another 25')]);
  expect(texts(happened, 99)).toEqual(['another 25', 'forked', 'at 10']);
});

test('it does not grow without bound, and the oldest go', () => {
  const happened = new Happened();
  for (let t = 0; t < 10_000; t += 10) happened.add(Array.from({ length: 10 }, (_, i) => told(t + i)));
  expect(happened.between(-1, 1e9).length).toBe(4000);
  expect(texts(happened, 1e9)[0]).toBe('at 9999');
});

test('spans of starved frames end at a fork, and go on from there', () => {
  const spans = new StarvedSpans(60_000);
  const frames = (...rows: [number, number][]) => ({ data: new Float32Array(rows.flat()), offset: 0, count: rows.length, stride: 2 });
  spans.add(frames([0, -1], [16, -1], [32, 1], [48, -1], [64, -1]), 1000);
  spans.forgetAfter(1010);
  expect(spans.all).toEqual([{ from: 1000, to: 1010 }]);
  spans.add(frames([0, -1], [16, 1], [32, 1]), 1012);
  expect(spans.all).toEqual([{ from: 1000, to: 1012 }]);
});
