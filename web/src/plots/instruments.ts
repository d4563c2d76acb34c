// The five instruments, and the table of every probe.

import type { Catalogue, Config, Readings } from '../protocol.ts';
import type { View } from '../view.ts';
import { age } from './age.ts';
import { bandwidth } from './bandwidth.ts';
import { depth } from './depth.ts';
import { error } from './error.ts';
import { Instrument } from './instrument.ts';
import { lagometer } from './lagometer.ts';
import { type PlotId, settingOf } from './plot.ts';
import { ProbeTable } from './probes.ts';

/** As many say their figures in one picture: all at once would cost more than the page's own text. */
const AT_ONCE = 2;
/** Rows of tables are said with every second saying of figures: four times a second. */
const ROWS_EVERY = 2;

export class Instruments {
  private readonly all: Instrument[];
  private readings: Readings | undefined;
  /** How many instruments have still to say them; they are the last ones. */
  private unsaid = 0;
  /** How often figures were said; tables have a picture after every second time. */
  private times = 0;
  private rows = false;
  private readonly probes: ProbeTable;

  /** `stale`: something is shown that was not; a new picture is needed, also while time stands. */
  constructor(host: HTMLElement, table: HTMLElement, stale: () => void) {
    this.all = [lagometer, age, depth, error, bandwidth].map((plot) => new Instrument(plot, stale));
    host.append(...this.all.map(({ root }) => root));
    this.probes = new ProbeTable(table, stale);
  }

  setProbes(catalogue: Catalogue): void {
    this.probes.set(catalogue);
  }

  /** The canvas of each, by its name. */
  get canvases(): [PlotId, HTMLCanvasElement][] {
    return this.all.map(({ plot, canvas }) => [plot.id, canvas]);
  }

  /** Whether all have said their figures. */
  get said(): boolean {
    return this.unsaid === 0;
  }

  /** The table that has rows still to be said. */
  private get table(): ProbeTable | Instrument | undefined {
    return [this.probes, ...this.all].find((one) => one.owesRows);
  }

  /** Takes figures, eight times a second. Where time stands they are said at once, otherwise with the next three pictures. */
  take(view: View, readings: Readings, config: Config, now: number, still: boolean): void {
    this.readings = readings;
    // Where pictures are few, some have not had their turn.
    while (this.unsaid) this.say(view, config, now);
    this.unsaid = this.all.length;
    this.rows = ++this.times % ROWS_EVERY === 0;
    while (still && this.unsaid) this.say(view, config, now, still);
    this.probes.take(readings.probes, now, still);
  }

  /** Says the figures of those that are next, or rows of tables. */
  say(view: View, config: Config, now: number, still = false): void {
    const { readings, all, unsaid } = this;
    if (!readings) return;
    if (!unsaid) {
      if (this.rows) this.table?.sayRows();
      this.rows = false;
      return;
    }
    this.unsaid = Math.max(0, unsaid - AT_ONCE);
    for (const one of all.slice(all.length - unsaid, all.length - this.unsaid)) one.say(view, readings.probes, settingOf(config), now, still);
  }
}
