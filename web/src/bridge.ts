// The page's end of the worker. Two buffers go back and forth: one is on the screen, the other under way or free.

import type { Ask, Catalogue, Config, LabEvent, Measure, Measured, Pad, Readings, Shock, Take, Tell, Value } from './protocol.ts';

const FIRST_BYTES = 1 << 16;
/** A worker that has not answered for so long is said to be silent. */
const SILENT_MS = 5000;

/** What can go wrong: the module does not load or stops, the worker does not start or answer, its pictures are of another build. */
export type Fault = 'load' | 'trap' | 'worker' | 'silent' | 'layout';

export interface Handlers {
  ready(catalogue: Catalogue): void;
  started(config: Config): void;
  refused(sentence: string): void;
  frame(view: Float32Array, readings: Readings | undefined, events: LabEvent[]): void;
  /** A change was taken, or the sentence says why not. No configuration while a newer change is under way: it would undo it on the page. */
  config(config: Config | undefined, sentence: string): void;
  fault(when: Fault, message: string): void;
}

export class Bridge {
  private worker: Worker | undefined;
  private free: ArrayBuffer[] = [];
  private shown: ArrayBuffer | undefined;
  private askedAt = 0;
  private tickets = 0;
  private changes = 0;
  private readonly waiting = new Map<number, (answer: Measured) => void>();
  private readonly taking = new Map<number, [take: (text: string) => void, refuse: (sentence: Error) => void]>();

  constructor(private readonly handlers: Handlers) {}

  /** Starts a worker, or a new one in place of one that is gone. */
  open(): void {
    this.close();
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
  }

  close(): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.shown = undefined;
    this.askedAt = 0;
    this.waiting.clear();
    this.taking.clear();
  }

  /** Asks for the next picture after so much virtual time. False while one is under way: the time is then still owed. */
  frame(us: number, text: boolean, width: number, step = false): boolean {
    const buffer = this.askedAt ? undefined : this.free.pop();
    if (!buffer) {
      if (this.askedAt && performance.now() - this.askedAt > SILENT_MS && document.visibilityState === 'visible') {
        this.askedAt = performance.now();
        this.handlers.fault('silent', '');
      }
      return false;
    }
    this.askedAt = performance.now();
    this.post({ t: 'frame', us, step, width, text, buffer }, [buffer]);
    return true;
  }

  start(scene: string, seed: number, config: Config): void {
    this.post({ t: 'start', scene, seed, config });
  }

  pad(pad: Pad): void {
    this.post({ t: 'pad', pad });
  }

  autopilot(on: boolean): void {
    this.post({ t: 'autopilot', on });
  }

  set(id: string, value: Value): void {
    this.post({ t: 'set', change: ++this.changes, id, value });
  }

  preset(id: string): void {
    this.post({ t: 'preset', change: ++this.changes, id });
  }

  perturb(shock: Shock): void {
    this.post({ t: 'perturb', shock });
  }

  /** The hash of the world on the page, now. */
  hash(): Promise<Measured> {
    return this.ask((ticket) => ({ t: 'hash', ticket }));
  }

  /** Runs the world on the page on by so many virtual seconds, as fast as it goes. */
  run(seconds: number): Promise<Measured> {
    return this.ask((ticket) => ({ t: 'run', ticket, seconds }));
  }

  /** A run of its own, beside the page's. */
  measure(measure: Measure): Promise<Measured> {
    return this.ask((ticket) => ({ t: 'measure', ticket, measure }));
  }

  /** Settings out or in, as text; an error's message is the lab's sentence. */
  take(take: Take): Promise<string> {
    const ticket = ++this.tickets;
    return new Promise((resolve, reject) => {
      this.taking.set(ticket, [resolve, reject]);
      this.post({ t: 'take', ticket, take });
    });
  }

  private ask(make: (ticket: number) => Ask): Promise<Measured> {
    const ticket = ++this.tickets;
    return new Promise((resolve) => {
      this.waiting.set(ticket, resolve);
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
        this.handlers.started(JSON.parse(tell.config) as Config);
        break;
      case 'refused':
        this.handlers.refused(tell.sentence);
        break;
      case 'config':
        this.handlers.config(tell.change === this.changes ? (JSON.parse(tell.config) as Config) : undefined, tell.sentence);
        break;
      case 'fault':
        this.handlers.fault(tell.when, tell.message);
        break;
      case 'answer':
        this.waiting.get(tell.ticket)?.({ hash: tell.hash, readings: JSON.parse(tell.readings) as Readings });
        this.waiting.delete(tell.ticket);
        break;
      case 'took': {
        const [take, refuse] = this.taking.get(tell.ticket) ?? [];
        this.taking.delete(tell.ticket);
        if (tell.sentence) refuse?.(new Error(tell.sentence));
        else take?.(tell.text);
        break;
      }
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
        this.handlers.frame(new Float32Array(tell.buffer, 0, tell.length), readings, events);
        if (before) this.free.push(before);
        break;
      }
    }
  }
}
