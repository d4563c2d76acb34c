// Where the lab runs. The page says how much virtual time has passed and who holds what; back comes one flat buffer a frame.

import { type Bench, type Module, Modules } from './modules.ts';
import type { OnlineAsk, OnlineHost } from './online/host.ts';
import type { Ask, Measure, Take, Tell } from './protocol.ts';

interface Scope {
  postMessage(message: Tell, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<Ask>) => void) | null;
}
const scope = self as unknown as Scope;

/** Microseconds of virtual time handed over at once while running fast; the lab takes at most 8 ticks of it. */
const CHUNK_US = 100_000;

/** The longest that the time of one picture may take, ms: the page is answered before it has drawn twice. */
const BUDGET_MS = 12;

const modules = new Modules();
/** The one that the page's own world runs in. */
let module: Module;
let bench: Bench | undefined;
/** What Online needs comes when it is first asked for; what is asked meanwhile waits its turn. */
let online: OnlineHost | undefined;
let onlineComes: Promise<void> | undefined;
/** A trapped module must not be entered again: what its memory holds is anybody's guess. */
let dead = false;
/** The newest change that the page asked for, and the configuration that it was told last. */
let change = 0;
let told = '';

/** Runs so much virtual time, or what of it can be run by an instant of ours; returns what really ran. */
function run(on: Bench, us: number, by = Infinity): number {
  let left = us;
  while (left > 0 && performance.now() < by) {
    const ran = on.advance(Math.min(left, CHUNK_US));
    if (!(ran > 0)) break;
    left -= ran;
  }
  return us - left;
}

function frame(ask: Extract<Ask, { t: 'frame' }>): void {
  let { buffer } = ask;
  let length = 0;
  let ran = 0;
  let readings = '';
  let events = '';
  // In a room time is everybody's: none is asked for.
  const of = online?.active ? online.client : bench;
  const { memory } = (online?.active && online.module) || module;
  if (of) {
    if (of === bench && ask.us > 0) ran = run(bench, ask.us, performance.now() + BUDGET_MS);
    length = of.view(ask.width);
    if (length * 4 > buffer.byteLength) buffer = new ArrayBuffer(2 ** Math.ceil(Math.log2(length * 4)));
    new Float32Array(buffer, 0, length).set(new Float32Array(memory.buffer, of.view_ptr(), length));
    if (ask.text) {
      readings = of.readings();
      events = of.events();
      sayConfig(of);
    }
  }
  scope.postMessage({ t: 'frame', buffer, length, ran, readings, events }, [buffer]);
}

/** Settings as a file or as Rust, or what a file says: the lab's own words, and its sentence where it takes them not. */
function took(take: Take): { text: string; sentence: string } {
  try {
    const config = take.as === 'read' ? '' : JSON.stringify(take.config);
    const text = take.as === 'read' ? module.read_settings(take.text) : take.as === 'rust' ? module.settings_rust(take.scene, config) : module.settings_file(take.scene, take.seed, config);
    return { text, sentence: '' };
  } catch (e) {
    if (e instanceof WebAssembly.RuntimeError) throw e;
    return { text: '', sentence: message(e) };
  }
}

/** The past has settings of its own: the page is told where they differ from those that it was told last. */
function sayConfig(of: Pick<Bench, 'config'>, sentence?: string): void {
  const config = of.config();
  if (config === told && sentence === undefined) return;
  told = config;
  scope.postMessage({ t: 'config', change, config, sentence: sentence ?? '' });
}

/** Online is asked, in order, once it is there. */
async function askOnline(ask: OnlineAsk): Promise<void> {
  onlineComes ??= import('./online/host.ts').then(({ OnlineHost }) => {
    online = new OnlineHost(modules, fell, (tell, transfer = []) => scope.postMessage(tell, transfer));
  });
  try {
    await onlineComes;
  } catch (e) {
    onlineComes = undefined;
    scope.postMessage({ t: 'online', tell: { o: 'missing', why: message(e) } });
    return;
  }
  guarded(() => online?.handle(ask));
}

/** A run of its own, in a module of its scene. */
async function measure(ticket: number, { scene, seed, config, seconds }: Measure): Promise<void> {
  const of = await modules.load(scene);
  const own = new of.Bench(scene, seed, JSON.stringify(config));
  if (bench && of === module) own.carry_trace(bench);
  // Nobody turns it back.
  own.remember(0);
  run(own, seconds * 1e6);
  scope.postMessage({ t: 'answer', ticket, hash: own.hash(), readings: own.readings() });
  own.free();
}

/** What is meant for the room's client, while there is one; whether it was. */
function handleOnline(ask: Ask): boolean {
  const client = online?.client;
  if (!online || !client) return false;
  switch (ask.t) {
    case 'pad': {
      const { pad } = ask;
      client.pad(pad.x, pad.y, pad.aimX, pad.aimY, pad.buttons);
      return true;
    }
    case 'set':
      change = ask.change;
      sayConfig(client, online.set(ask.id, ask.value));
      return true;
    case 'autopilot':
    case 'perturb':
    case 'preset':
      // Nobody plays for you there, and a preset is set value by value.
      return true;
    default:
      return false;
  }
}

function handle(ask: Ask): void {
  switch (ask.t) {
    case 'open':
      open(ask.scene);
      return;
    case 'start': {
      let next: Bench;
      try {
        next = new module.Bench(ask.scene, ask.seed, JSON.stringify(ask.config));
      } catch (e) {
        if (e instanceof WebAssembly.RuntimeError) throw e;
        scope.postMessage({ t: 'refused', sentence: e instanceof Error ? e.message : String(e) });
        return;
      }
      if (bench) next.carry_trace(bench);
      else if (ask.trace) next.trace(ask.trace);
      bench?.free();
      bench = next;
      told = bench.config();
      scope.postMessage({ t: 'started', config: told });
      return;
    }
    case 'frame':
      frame(ask);
      return;
    case 'measure':
      measure(ask.ticket, ask.measure).catch(fell);
      return;
    case 'take':
      scope.postMessage({ t: 'took', ticket: ask.ticket, ...took(ask.take) });
      return;
  }
  if (ask.t === 'online') {
    void askOnline(ask.ask);
    return;
  }
  if (handleOnline(ask) || !bench) return;
  switch (ask.t) {
    case 'pad': {
      const { pad } = ask;
      bench.pad(0, pad.x, pad.y, pad.aimX, pad.aimY, pad.buttons);
      break;
    }
    case 'autopilot':
      bench.autopilot(ask.on);
      break;
    case 'set':
      change = ask.change;
      sayConfig(bench, bench.set(ask.id, String(ask.value)));
      break;
    case 'preset':
      change = ask.change;
      sayConfig(bench, bench.preset(ask.id));
      break;
    case 'trace': {
      const sentence = bench.trace(ask.csv);
      scope.postMessage({ t: 'traced', ticket: ask.ticket, about: bench.about_trace(), sentence });
      break;
    }
    case 'perturb':
      bench.perturb(ask.shock.what, ask.shock.direction, ask.shock.ms);
      break;
    case 'seek':
      bench.seek(ask.behind);
      sayConfig(bench);
      break;
    case 'step':
      bench.step(ask.n);
      sayConfig(bench);
      break;
    case 'live':
      bench.live();
      sayConfig(bench);
      break;
    case 'history':
      scope.postMessage({ t: 'history', ticket: ask.ticket, events: bench.history() });
      break;
    case 'memory':
      scope.postMessage({ t: 'memory', ticket: ask.ticket, memory: { module: module.memory.buffer.byteLength, world: bench.bytes() } });
      break;
    case 'inspect':
      scope.postMessage({ t: 'packet', ticket: ask.ticket, told: bench.inspect(ask.line, ask.number) });
      break;
    case 'meddle':
      scope.postMessage({ t: 'packet', ticket: ask.ticket, told: bench.meddle(ask.line, ask.number, ask.what, ask.ms) });
      break;
    case 'run':
      run(bench, ask.seconds * 1e6);
      scope.postMessage({ t: 'answer', ticket: ask.ticket, hash: bench.hash(), readings: bench.readings() });
      break;
    case 'hash':
      scope.postMessage({ t: 'answer', ticket: ask.ticket, hash: bench.hash(), readings: bench.readings() });
      break;
  }
}

function fell(e: unknown): void {
  if (dead) return;
  dead = true;
  scope.postMessage({ t: 'fault', when: 'trap', message: message(e) });
}

const message = (e: unknown): string => (e instanceof Error ? e.message : String(e));

function guarded(f: () => void): void {
  if (dead) return;
  try {
    f();
  } catch (e) {
    fell(e);
  }
}

/** The first that is asked: the scene whose module is wanted. The page asks nothing else until it is told that it is there. */
function open(scene: string): void {
  modules.load(scene).then(
    (loaded) => {
      module = loaded;
      scope.postMessage({ t: 'ready', catalogue: module.Bench.catalogue() });
    },
    (e: unknown) => scope.postMessage({ t: 'fault', when: 'load', message: message(e) }),
  );
}

scope.onmessage = ({ data }) => guarded(() => handle(data));
