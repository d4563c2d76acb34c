// How fast the lab runs in wasm: the same measurement for Node and for a page.

/** Virtual seconds a run covers, after a second in which everybody joins: long enough for the engine to optimise. */
const SECONDS = 200;
/** How much virtual time a call is given, in microseconds: a frame at 64 Hz. */
const FRAME = 15_625;

/** Virtual seconds a second, the best of five runs: what the code costs, not what else the machine did. */
export function measure(Bench, scene) {
  const runs = [];
  for (let run = 0; run < 5; run += 1) {
    const bench = new Bench(scene, 7, '{}');
    const until = (seconds) => {
      for (let left = seconds * 1e6; left > 0; ) left -= Math.max(bench.advance(FRAME), 1);
    };
    until(1);
    const start = performance.now();
    until(SECONDS);
    runs.push((SECONDS * 1000) / (performance.now() - start));
    bench.free();
  }
  return Math.max(...runs);
}
