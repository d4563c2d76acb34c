// Every canvas of the page: panes and lane with each view, plots, tape and net graph at a rate of their own.

import { FORK, Happened } from '../happened.ts';
import type { PlotId, Setting } from '../plots/plot.ts';
import type { LabEvent } from '../protocol.ts';
import { StarvedSpans } from '../spans.ts';
import { MarkKind, Section, View } from '../view.ts';
import type { CanvasName, PaintAsk, PaneName } from './asks.ts';
import { type Canvas, type Size, Surface } from './canvas.ts';
import { Lane } from './lane.ts';
import { netGraph } from './netgraph.ts';
import { Crowd } from './crowd/crowd.ts';
import { Pane } from './pane.ts';
import { age } from './plots/age.ts';
import { bandwidth } from './plots/bandwidth.ts';
import { depth } from './plots/depth.ts';
import { error } from './plots/error.ts';
import { lagometer } from './plots/lagometer.ts';
import { Tape } from './tape.ts';
import { dress } from './theme.ts';

const PLOT_MS = 1000 / 20;
/** As far back as the tape goes. */
const STARVED_MS = 60_000;

const PLOTS: Record<PlotId, (surface: Surface, view: View, setting: Setting) => void> = { lagometer, age, depth, error, bandwidth };
const TURNS = [...(Object.keys(PLOTS) as PlotId[]), 'tape'] as const;
const SECTION: Record<PaneName, Section> = { you: Section.You, server: Section.Server, other: Section.Other };
const PANES = Object.keys(SECTION) as PaneName[];

export class Canvases {
  /** One for all panes: they are drawn one after the other. */
  private readonly crowd = new Crowd();
  private readonly surfaces = new Map<CanvasName, Surface>();
  private readonly panes = new Map<PaneName, Pane>();
  private lane: Lane | undefined;
  private tape: Tape | undefined;
  private readonly happened = new Happened();
  private readonly starved = new StarvedSpans(STARVED_MS);
  private plotAt = -Infinity;
  private netAt = -Infinity;
  /** Whose turn among plots and tape it was last. */
  private turn = 0;

  handle(ask: PaintAsk): void {
    switch (ask.p) {
      case 'theme':
        dress(ask.theme);
        break;
      case 'canvas':
        this.put(ask.name, ask.canvas);
        break;
      case 'size':
        this.size(ask.name, ask.size);
        break;
      case 'idle':
        this.idle(ask.sentence, ask.alone);
        break;
      case 'events':
        this.hear(ask.events);
        break;
      case 'forget':
        this.happened.clear();
        this.starved.clear();
        break;
      case 'view':
        this.draw(ask);
        break;
    }
  }

  private put(name: CanvasName, canvas: Canvas): void {
    const surface = new Surface(canvas);
    this.surfaces.set(name, surface);
    if (name === 'lane') this.lane = new Lane(surface);
    else if (name === 'tape') this.tape = new Tape(surface, this.happened, this.starved);
    else if (name in SECTION) this.panes.set(name as PaneName, new Pane(surface, name === 'server', name === 'other' ? MarkKind.Other : MarkKind.You, this.crowd));
  }

  private size(name: CanvasName, size: Size): void {
    this.surfaces.get(name)?.resize(size);
  }

  /** What is shown before there is anything else. */
  private idle(sentence: string, alone: boolean): void {
    for (const [name, pane] of this.panes) if (!alone || name === 'you') pane.idle(sentence);
    if (alone) return;
    this.lane?.draw(undefined, undefined, undefined);
    for (const plot of Object.keys(PLOTS) as PlotId[]) this.surfaces.get(plot)?.begin();
    this.tape?.draw({ now: 0, behind: 0, kept: 0 });
  }

  /** Where somebody acted in the past, what was told of later than that never happened. */
  private hear(events: Pick<LabEvent, 't_ms' | 'kind'>[]): void {
    this.happened.add(events.map((event) => ({ ...event, text: '' })));
    for (const { kind, t_ms } of events) if (kind === FORK) this.starved.forgetAfter(t_ms);
  }

  private draw({ buffer, length, light, at, playing, net }: Extract<PaintAsk, { p: 'view' }>): void {
    const { bounds, shown, stick, setting, span, chosen } = light;
    const view = new View(new Float32Array(buffer, 0, length));
    if (setting.interpolates) this.starved.add(view.section(Section.Frames), view.now);
    for (const name of PANES) this.panes.get(name)?.draw(view.section(SECTION[name]), bounds, shown, name === 'you' ? stick : undefined);
    this.lane?.draw(view.section(Section.Packets), span, chosen);
    this.plot(view, setting, at, playing);
    if (!net || at - this.netAt < PLOT_MS) return;
    this.netAt = at;
    const graph = this.surfaces.get('net');
    if (graph) netGraph(graph, view);
  }

  /** Each plot and the tape twenty times a second, in turns, so that no picture pays for all of them; all at once where time stands. */
  private plot(view: View, setting: Setting, at: number, playing: boolean): void {
    const all = TURNS.length;
    const every = PLOT_MS / all;
    const due = playing ? Math.min(all, Math.floor((at - this.plotAt) / every)) : all;
    this.plotAt = Math.max(this.plotAt + due * every, at - all * every);
    for (let k = 0; k < due; k++) {
      this.turn = (this.turn + 1) % all;
      const name = TURNS[this.turn]!;
      const surface = this.surfaces.get(name);
      if (!surface?.shows) continue;
      if (name === 'tape') this.tape?.draw(view);
      else PLOTS[name](surface, view, setting);
    }
  }
}
