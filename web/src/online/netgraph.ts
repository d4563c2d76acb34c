// The link at a glance, over a corner of the stage: eight figures, and the age of the newest sample against the delay.

import { choose, h, sayRich, segment } from '../dom.ts';
import { figure, num } from '../format.ts';
import type { Reading, Readings } from '../protocol.ts';
import { online as t } from '../strings/online.ts';
import { type Rows, Section, type View, at } from '../view.ts';
import { store } from './store.ts';
import type { Stand } from './session.ts';

/** The window of its picture, ms. */
const WINDOW_MS = 3000;
/** From here on a link is poor: what a player feels. */
const POOR = { ping: 150, loss: 2, starved: 2 };
/** Once poor, it is shown for so long, so that it does not flicker. */
const STAYS_MS = 5000;
type Name = keyof typeof t.graphNames;

export class NetGraph {
  readonly root: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly values: Record<Name, HTMLElement>;
  private readonly lossName: HTMLElement;
  private poorAt = -Infinity;
  private worst = 0;

  constructor() {
    this.canvas = h('canvas', { role: 'img', id: 'ng-plot', 'aria-label': t.graphPlot });
    const names = Object.keys(t.graphNames) as Name[];
    const value = Object.fromEntries(names.map((name) => [name, h('dd', { id: `ng-${name}` })])) as Record<Name, HTMLElement>;
    this.values = value;
    const terms = names.map((name) => h('dt', { text: t.graphNames[name] }));
    this.lossName = terms[names.indexOf('loss')]!;
    const when = segment('o-graph', t.graphShow, t.graphWhen, store.graph, (id) => ((store.graph = id), this.show()), { class: 'seg mini' });
    this.root = h(
      'section',
      { class: 'ng', id: 'netgraph', 'aria-label': t.graph },
      h('div', { class: 'ngh' }, h('h3', { text: t.graph }), when),
      h('dl', {}, ...names.map((name, i) => h('div', {}, terms[i], value[name]))),
      this.canvas,
    );
    choose(when, store.graph);
  }

  /** A frame of the page took so long, ms. */
  frame(ms: number): void {
    this.worst = Math.max(this.worst, ms);
  }

  /** Eight times a second. */
  say(view: View, { probes, link }: Readings, stand: Stand, stalls: number, now: number): void {
    const of = (id: string): Reading | undefined => probes[id];
    const ping = of('clock.rtt')?.now ?? null;
    const loss = stand.via === 'ws' ? null : link.lost_of_last_100;
    const starved = starvedShare(view.section(Section.Frames));
    const unit = (value: string, name: string) => `${value} ~${name}~`;
    const set = (name: Name, said: string) => sayRich(this.values[name], said);
    set('ping', unit(num(ping), `\u00b1${num(of('clock.jitter')?.now ?? null)} ms`));
    if (this.lossName.textContent !== (loss === null ? t.stallsName : t.graphNames.loss)) this.lossName.textContent = loss === null ? t.stallsName : t.graphNames.loss;
    set('loss', loss === null ? num(stalls) : unit(num(loss), '%'));
    set('up', unit(kib(of('bytes.up')), 'KiB/s'));
    set('down', unit(kib(of('bytes.down')), 'KiB/s'));
    set('delay', unit(num(of('others.delay')?.now ?? null), 'ms'));
    set('starved', unit(num(starved, 1), '%'));
    set('error', unit(figure(of('own.error')?.now ?? null), of('own.error')?.unit ?? 'm'));
    set('frame', unit(num(this.worst, 1), t.graphMost));
    this.worst *= 0.9;
    if ((ping ?? 0) > POOR.ping || (loss ?? 0) > POOR.loss || starved > POOR.starved || stand.silent > 0) this.poorAt = now;
    this.show(now);
  }

  private show(now = performance.now()): void {
    document.body.dataset['ng'] = store.graph === 'always' || now - this.poorAt < STAYS_MS ? 'shown' : 'good';
  }
}

/** Of the frames of the window, percent: those that had nothing left to draw between. */
function starvedShare(frames: Rows): number {
  let [all, short] = [0, 0];
  for (let i = 0; i < frames.count; i++) {
    if (at(frames, i, 0) < -WINDOW_MS) continue;
    all++;
    if (at(frames, i, 1) < 0) short++;
  }
  return all ? (100 * short) / all : NaN;
}

const kib = (of: Reading | undefined): string => num(of?.now == null ? null : of.now / 1024, 1);
