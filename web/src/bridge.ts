// The page's end of the worker. Two buffers go back and forth: one is on the screen, the other under way or free.

import type { Due } from './clock.ts';
import type { OnlineAsk, OnlineTell } from './online/host.ts';
import type { Ask, Catalogue, Config, Inspected, LabEvent, Measure, Measured, Meddling, Memory, Pad, Readings, Shock, Take, Tell, Value } from './protocol.ts';

const FIRST_BYTES = 1 << 16;
/** A worker that has not answered for so long is said to be silent. */
const SILENT_MS = 5000;

/** What can go wrong: the module does not load or stops, the worker does not start or answer, its pictures are of another build. */
export type Fault = 'load' | 'trap' | 'worker' | 'silent' | 'layout';

export interface Handlers {
  ready(catalogue: Catalogue): void;
  /** A module is on its way: nothing is there until it is ready. */
  loads(): void;
  started(config: Config): void;
  refused(sentence: string): void;
  /** A picture, and how much of the virtual time that was asked for has passed, us: less where the lab cannot keep up. */
  frame(view: Float32Array, readings: Readings | undefined, events: LabEvent[], ran: number): void;
  /** Something else is to be shown, whether or not time goes on: ask for a picture of it. */
  moved(): void;
  /** A change was taken, or the sentence says why not. No configuration while a newer change is under way: it would undo it on the page. */
  config(config: Config | undefined, sentence: string): void;
  fault(when: Fault, message: string): void;
  online(tell: OnlineTell): void;
}

export class Bridge {
  private worker: Worker | undefined;
  /** Whose module it has, or is loading. */
  private scene = '';
  private free: ArrayBuffer[] = [];
  private shown: ArrayBuffer | undefined;
  private askedAt = 0;
  private tickets = 0;
  /** The trace that is loaded, and whether the worker has it to carry over: one that takes the place of a fallen one has not. */
  private csv = '';
  private carries = false;
  private changes = 0;
  private readonly waiting = new Map<number, (answer: Tell) => void>();

  constructor(private readonly handlers: Handlers) {}

  /** Starts a worker with a scene's module, in place of the one that is there or is gone. What is of no scene loads the first. */
  open(scene: string): void {
    this.close();
    this.scene = scene;
    this.handlers.loads();
    this.carries = false;
    this.free = [new ArrayBuffer(FIRST_BYTES), new ArrayBuffer(FIRST_BYTES)];
    let worker: Worker;
    try {
      worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    } catch (e) {
      this.handlers.fault('worker', String(e));
      return;
    }
    worker.onmessage = ({ data }: MessageEvent<Tell>) => this.hear(data);
    worker.onerror = (e) => this.handlers.fault('worker', e.message || '');
    this.worker = worker;
    this.post({ t: 'open', scene });
  }

  close(): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.shown = undefined;
    this.askedAt = 0;
    this.changes = 0;
    this.waiting.clear();
  }

  /** Asks for the next picture, after what is due. False while one is under way: it is then still due. */
  frame({ seek, step, us }: Due, text: boolean, width: number): boolean {
    const buffer = this.askedAt ? undefined : this.free.pop();
    if (!buffer) {
      if (this.askedAt && performance.now() - this.askedAt > SILENT_MS && document.visibilityState === 'visible') {
        this.askedAt = performance.now();
        this.handlers.fault('silent', '');
      }
      return false;
    }
    this.askedAt = performance.now();
    if (seek !== undefined) this.post(seek > 0 ? { t: 'seek', behind: seek } : { t: 'live' });
    if (step !== 0) this.post({ t: 'step', n: step });
    this.post({ t: 'frame', us, width, text, buffer }, [buffer]);
    return true;
  }

  /** Begins a world; where that takes another module, only once that is there and this is asked again. */
  start(scene: string, seed: number, config: Config): void {
    if (scene === this.scene) this.post({ t: 'start', scene, seed, config, trace: this.carries ? '' : this.csv });
    else this.open(scene);
  }

  /** Loads a trace; what it is in a few words. An error's message is the lab's sentence. */
  async trace(csv: string): Promise<string> {
    const { about, sentence } = await this.ask<'traced'>((ticket) => ({ t: 'trace', ticket, csv }));
    if (sentence) throw new Error(sentence);
    this.csv = csv;
    return about;
  }

  pad(pad: Pad): void {
    this.move({ t: 'pad', pad });
  }

  autopilot(on: boolean): void {
    this.move({ t: 'autopilot', on });
  }

  set(id: string, value: Value): void {
    this.post({ t: 'set', change: ++this.changes, id, value });
  }

  preset(id: string): void {
    this.post({ t: 'preset', change: ++this.changes, id });
  }

  online(ask: OnlineAsk): void {
    this.post({ t: 'online', ask });
  }

  perturb(shock: Shock): void {
    this.move({ t: 'perturb', shock });
  }

  /** Shows the instant so many ms before live, or the nearest that is kept. */
  seek(behind: number): void {
    this.move({ t: 'seek', behind });
  }

  /** Goes so many ticks on, at most eight; below zero, back. */
  step(n: number): void {
    this.move({ t: 'step', n });
  }

  /** Shows the live instant. */
  live(): void {
    this.move({ t: 'live' });
  }

  private move(message: Ask): void {
    this.post(message);
    this.handlers.moved();
  }

  /** Every line of the last minute before live: also those later than the shown instant, but none that a fork undid. */
  async history(): Promise<LabEvent[]> {
    const tell = await this.ask<'history'>((ticket) => ({ t: 'history', ticket }));
    return JSON.parse(tell.events) as LabEvent[];
  }

  async memory(): Promise<Memory> {
    return (await this.ask<'memory'>((ticket) => ({ t: 'memory', ticket }))).memory;
  }

  /** A packet by its line and number, explained; undefined where there is no such line. */
  async inspect(line: number, number: number): Promise<Inspected | undefined> {
    const { told } = await this.ask<'packet'>((ticket) => ({ t: 'inspect', ticket, line, number }));
    return told ? (JSON.parse(told) as Inspected) : undefined;
  }

  /** Does something to a packet in flight; empty, or the sentence of why not. */
  async meddle(line: number, number: number, what: Meddling, ms: number): Promise<string> {
    return (await this.ask<'packet'>((ticket) => ({ t: 'meddle', ticket, line, number, what, ms }))).told;
  }

  /** The hash of the world on the page, now. */
  hash(): Promise<Measured> {
    return this.measured((ticket) => ({ t: 'hash', ticket }));
  }

  /** Runs the world on the page on by so many virtual seconds, as fast as it goes. */
  run(seconds: number): Promise<Measured> {
    return this.measured((ticket) => ({ t: 'run', ticket, seconds }));
  }

  /** A run of its own, beside the page's. */
  measure(measure: Measure): Promise<Measured> {
    return this.measured((ticket) => ({ t: 'measure', ticket, measure }));
  }

  /** Settings out or in, as text; an error's message is the lab's sentence. */
  async take(take: Take): Promise<string> {
    const { text, sentence } = await this.ask<'took'>((ticket) => ({ t: 'take', ticket, take }));
    if (sentence) throw new Error(sentence);
    return text;
  }

  private async measured(make: (ticket: number) => Ask): Promise<Measured> {
    const { hash, readings } = await this.ask<'answer'>(make);
    return { hash, readings: JSON.parse(readings) as Readings };
  }

  private ask<T extends Tell['t']>(make: (ticket: number) => Ask): Promise<Extract<Tell, { t: T }>> {
    const ticket = ++this.tickets;
    return new Promise((resolve) => {
      this.waiting.set(ticket, resolve as (answer: Tell) => void);
      this.post(make(ticket));
    });
  }

  private post(message: Ask, transfer: Transferable[] = []): void {
    this.worker?.postMessage(message, transfer);
  }

  private hear(tell: Tell): void {
    switch (tell.t) {
      case 'ready':
        this.handlers.ready(JSON.parse(tell.catalogue) as Catalogue);
        break;
      case 'started':
        this.carries = true;
        this.handlers.started(JSON.parse(tell.config) as Config);
        break;
      case 'refused':
        this.handlers.refused(tell.sentence);
        break;
      case 'config':
        this.handlers.config(tell.change === this.changes ? (JSON.parse(tell.config) as Config) : undefined, tell.sentence);
        break;
      case 'online':
        this.handlers.online(tell.tell);
        break;
      case 'fault':
        this.handlers.fault(tell.when, tell.message);
        break;
      case 'answer':
      case 'history':
      case 'memory':
      case 'packet':
      case 'took':
      case 'traced':
        this.waiting.get(tell.ticket)?.(tell);
        this.waiting.delete(tell.ticket);
        break;
      case 'frame': {
        this.askedAt = 0;
        if (tell.length === 0) {
          this.free.push(tell.buffer);
          break;
        }
        // What was on the screen is free once the new picture is drawn.
        const before = this.shown;
        this.shown = tell.buffer;
        const readings = tell.readings ? (JSON.parse(tell.readings) as Readings) : undefined;
        const events = tell.events ? (JSON.parse(tell.events) as LabEvent[]) : [];
        this.handlers.frame(new Float32Array(tell.buffer, 0, tell.length), readings, events, tell.ran);
        if (before) this.free.push(before);
        break;
      }
    }
  }
}
