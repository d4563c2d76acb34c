// Everything that is drawn from a view buffer: panes and lane with every picture, plots and tape at a rate of their own.

import { byId } from './dom.ts';
import type { Happened } from './happened.ts';
import type { Stick } from './input/touch.ts';
import { Lane, type Span } from './lane.ts';
import type { PacketName } from './lane/marks.ts';
import { Instruments } from './plots/instruments.ts';
import type { Config, SceneInfo } from './protocol.ts';
import { StarvedSpans } from './spans.ts';
import type { Overlays } from './stage/frame.ts';
import { Pane } from './stage.ts';
import { text } from './strings.ts';
import { Tape } from './tape.ts';
import { Section, type View } from './view.ts';

const PLOT_MS = 1000 / 20;
/** The most plots that a picture pays for: two a frame at 60 Hz, and one that pictures with text let pass. */
const MOST = 3;
/** As far back as the tape goes. */
const STARVED_MS = 60_000;

/** How a picture is looked at: what of it is no part of the view. */
export interface Light {
  bounds: SceneInfo['bounds'];
  shown: Overlays;
  stick: Stick | undefined;
  config: Config;
  /** The packet that has a box around it. */
  chosen: PacketName | undefined;
}

export class Picture {
  readonly panes: Record<'you' | 'server' | 'other', Pane>;
  readonly instruments: Instruments;
  readonly starved = new StarvedSpans(STARVED_MS);
  readonly tape: Tape;
  readonly lane = new Lane(byId<HTMLCanvasElement>('lane'));
  private plotAt = 0;
  /** Whose turn among the plots it was last. */
  private turn = 0;

  /** `stale`: something is shown that was not, so a new picture is needed, also while time stands. */
  constructor(happened: Happened, stale: () => void) {
    this.instruments = new Instruments(byId('insts'), byId('figs'), stale);
    this.tape = new Tape(byId<HTMLCanvasElement>('tape'), happened, this.starved);
    const pane = (id: string, truth: boolean) => new Pane(byId<HTMLCanvasElement>(`c-${id}`), truth);
    this.panes = { you: pane('you', false), server: pane('server', true), other: pane('other', false) };
  }

  /** Panes and lane. */
  draw(view: View, { bounds, shown, stick, config, chosen }: Light): void {
    this.panes.you.draw(view.section(Section.You), bounds, shown, stick);
    this.panes.server.draw(view.section(Section.Server), bounds, shown);
    this.panes.other.draw(view.section(Section.Other), bounds, shown);
    this.lane.draw(view.section(Section.Packets), spanOf(config), chosen);
  }

  /**
   * Each plot and the tape twenty times a second, in turns, so that no frame pays for all of them; all at once where time stands. Text
   * has pictures of its own: one says the page's, the next the instruments'. The turns that they let pass are made up for afterwards.
   */
  plot(view: View, now: number, playing: boolean, worded: boolean, config: Config): void {
    const all = this.instruments.count + 1;
    const every = PLOT_MS / all;
    const spared = playing && (worded || this.instruments.owes) && now - this.plotAt < 2 * PLOT_MS;
    const due = !playing ? all : spared ? 0 : Math.min(MOST, Math.floor((now - this.plotAt) / every));
    this.plotAt = Math.max(this.plotAt + due * every, now - all * every);
    for (let k = 0; k < due; k++) {
      this.turn = (this.turn + 1) % all;
      if (this.turn === this.instruments.count) this.tape.draw(view);
      else this.instruments.draw(this.turn, view, config);
    }
    // Text last: a canvas that writes after the page's text has changed works out the page's styles anew.
    if (!worded) this.instruments.say(view, config, now);
  }

  /** The first picture, before the lab is there. */
  idle(): void {
    for (const pane of Object.values(this.panes)) pane.idle(text.waitingLab);
    this.lane.draw(undefined, undefined, undefined);
    for (let i = 0; i < this.instruments.count; i++) this.instruments.draw(i, undefined, {});
    this.tape.draw({ now: 0, behind: 0, kept: 0 });
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
