// A door for tests and for the console: window.afterimage. It hands out what the page itself is given and runs the lab fast; the page
// does not use it.
//
//   afterimage.view()        a copy of the last view buffer (layout 2: view.ts; the instant in ms is [1] * 1000 + [2]), or null before the first
//   afterimage.watch(f)      calls f(view, pad) with a copy of each view buffer as it comes, and what was held; returns a function that stops it
//   afterimage.state()       scene, seed, configuration, whether it plays, how fast, who drives
//   afterimage.run(seconds)  runs the world on the page on, as fast as it goes; resolves to its hash and readings
//   afterimage.hash()        the hash and readings of the world on the page
//   afterimage.measure(m)    a run of its own, { scene, seed, config, seconds }; resolves to its hash and readings
//   afterimage.speed(x)      lets time go x times as fast as the display's; also faster than the page offers
//   afterimage.seek(ms)      shows the instant so many ms before live, or the nearest that is kept
//   afterimage.step(n)       goes so many ticks on, at most eight; below zero, back
//   afterimage.live()        shows the live instant
//   afterimage.history()     resolves to every line of the feed in the last minute before live
//   afterimage.memory()      resolves to what the wasm module takes, and of it the world with its past, bytes: { module, world }
//   afterimage.catalogue()   the lab's catalogue, or null before it came
//   afterimage.settled()     resolves once what the page was given is on the screen
//   afterimage.work()        the main thread's work for the last frames, ms each

import type { Bridge } from './bridge.ts';
import type { Catalogue, Config, LabEvent, Measure, Measured, Memory, Pad } from './protocol.ts';

export interface State {
  scene: string;
  seed: number;
  config: Config;
  playing: boolean;
  speed: number;
  driving: boolean;
}

export interface Hook {
  view(): Float32Array | null;
  watch(callback: (view: Float32Array, pad: Pad) => void): () => void;
  state(): State;
  run(seconds: number): Promise<Measured>;
  hash(): Promise<Measured>;
  measure(measure: Measure): Promise<Measured>;
  speed(times: number): void;
  seek(behindMs: number): void;
  step(ticks: number): void;
  live(): void;
  history(): Promise<LabEvent[]>;
  memory(): Promise<Memory>;
  catalogue(): Catalogue | null;
  settled(): Promise<void>;
  work(): number[];
}

declare global {
  interface Window {
    afterimage?: Hook;
  }
}

/** What the page tells the hook as it goes. */
export interface Feeder {
  seen(view: Float32Array, pad: Pad): void;
  worked(ms: number): void;
}

const FRAMES = 600;

export function installHook(bridge: Bridge, state: () => State, catalogue: () => Catalogue | null, speed: (times: number) => void, settled: () => Promise<void>): Feeder {
  const watchers = new Set<(view: Float32Array, pad: Pad) => void>();
  let last: Float32Array | undefined;
  const work: number[] = [];
  window.afterimage = {
    view: () => last?.slice() ?? null,
    watch(callback) {
      watchers.add(callback);
      return () => watchers.delete(callback);
    },
    state,
    run: (seconds) => bridge.run(seconds),
    hash: () => bridge.hash(),
    measure: (measure) => bridge.measure(measure),
    speed,
    seek: (behindMs) => bridge.seek(behindMs),
    step: (ticks) => bridge.step(ticks),
    live: () => bridge.live(),
    history: () => bridge.history(),
    memory: () => bridge.memory(),
    catalogue,
    settled,
    work: () => work.slice(),
  };
  return {
    seen(view, pad) {
      last = view;
      for (const watcher of watchers) watcher(view.slice(), pad);
    },
    worked(ms) {
      work.push(ms);
      if (work.length > FRAMES) work.shift();
    },
  };
}
