// How fast the lab runs in wasm: the same measurement for Node and for a page.

/** Virtual seconds a run covers, after a second in which everybody joins. */
const SECONDS = 20;
/** How much virtual time a call is given, in microseconds: a frame at 64 Hz. */
const FRAME = 15_625;

/** Virtual seconds a second, the median of three runs. */
export function measure(Bench) {
  const runs = [];
  for (let run = 0; run < 3; run += 1) {
    const bench = new Bench('arena', 7, '{}');
    const until = (seconds) => {
      for (let left = seconds * 1e6; left > 0; ) left -= Math.max(bench.advance(FRAME), 1);
    };
    until(1);
    const start = performance.now();
    until(SECONDS);
    runs.push((SECONDS * 1000) / (performance.now() - start));
    bench.free();
  }
  return runs.sort((a, b) => a - b)[1];
}
