// Everything that is seen of a view buffer: the painter's pictures, and the words beside them.

import { type Bounds, type Camera, Eye } from './camera.ts';
import { byId } from './dom.ts';
import { Easel, type EaselEvents } from './easel.ts';
import type { Happened } from './happened.ts';
import type { Stick } from './input/touch.ts';
import type { PacketName } from './lane/marks.ts';
import { LaneMarks } from './lane/under.ts';
import type { PaneName } from './paint/asks.ts';
import type { Span } from './paint/lane.ts';
import type { Overlays } from './paint/stage/frame.ts';
import { Instruments } from './plots/instruments.ts';
import { settingOf } from './plots/plot.ts';
import type { Config, LabEvent } from './protocol.ts';
import { StarvedSpans } from './spans.ts';
import { text } from './strings.ts';
import { Tape } from './tape.ts';
import { MarkKind, Section, type View } from './view.ts';

/** As far back as the tape goes. */
const STARVED_MS = 60_000;

/** How the page looks at a picture. */
export interface Look {
  bounds: Bounds;
  shown: Overlays;
  stick: Stick | undefined;
  config: Config;
  chosen: PacketName | undefined;
}

export class Picture {
  readonly instruments: Instruments;
  readonly starved = new StarvedSpans(STARVED_MS);
  readonly tape: Tape;
  readonly lane: LaneMarks;
  readonly easel: Easel;
  private readonly eye = new Eye(MarkKind.You);

  /** `turned`: an instrument shows what it did not; a new picture is needed, and its words. */
  constructor(happened: Happened, on: EaselEvents, turned: () => void) {
    this.easel = new Easel(on);
    this.instruments = new Instruments(byId('insts'), byId('figs'), turned);
    const canvas = (id: string) => byId<HTMLCanvasElement>(id);
    this.lane = new LaneMarks(canvas('lane'), () => this.easel.box('lane').w);
    this.tape = new Tape(canvas('tape'), happened, this.starved, () => this.easel.box('tape').w);
    for (const name of ['you', 'server', 'other'] as PaneName[]) this.easel.put(name, canvas(`c-${name}`));
    this.easel.put('lane', this.lane.canvas);
    this.easel.put('tape', canvas('tape'));
    for (const [name, plot] of this.instruments.canvases) this.easel.put(name, plot);
  }

  /** Where your pane puts a world of these bounds, in this view. */
  camera(bounds: Bounds, view: View | undefined): Camera {
    const { w, h } = this.easel.box('you');
    return this.eye.camera(bounds, view?.section(Section.You), w, h);
  }

  /** Has a view drawn. `at` is the page's clock, ms; `net`: the net graph too. */
  draw(view: View, { config, ...look }: Look, at: number, playing: boolean, net: boolean): void {
    this.lane.see(view.section(Section.Packets));
    this.easel.draw(view.data, { ...look, setting: settingOf(config), span: spanOf(config) }, at, playing, net);
  }

  /** The first picture, before the lab is there; or, in a room, before its first snapshot, in your pane alone. */
  idle(sentence: string = text.waitingLab, alone = false): void {
    this.easel.tell({ p: 'idle', alone, sentence });
  }

  hear(events: LabEvent[]): void {
    if (events.length) this.easel.tell({ p: 'events', events: events.map(({ t_ms, kind }) => ({ t_ms, kind })) });
  }

  /** Time began again: what happened before is of another world. */
  forget(): void {
    this.starved.clear();
    this.easel.tell({ p: 'forget' });
  }
}

/** One way between you and the server, as the link is set: jitter, a queue and a wave make it longer. */
function spanOf(config: Config): Span | undefined {
  const get = (id: string) => Number(config[id] ?? NaN);
  const moves = ['wave', 'ramp'].includes(String(config['link.vary'])) ? get('link.vary.depth') : 0;
  const most = (way: string) => get(`link.${way}.latency`) + get(`link.${way}.jitter`) + (get(`link.${way}.rate`) > 0 ? get(`link.${way}.queue`) : 0) + moves;
  const low = Math.min(get('link.up.latency'), get('link.down.latency'));
  const high = Math.max(most('up'), most('down'));
  return Number.isFinite(low + high) ? { low, high } : undefined;
}
