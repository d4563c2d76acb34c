// The five instruments, and the table of every probe.

import type { Catalogue, Config, Readings } from '../protocol.ts';
import type { View } from '../view.ts';
import { age } from './age.ts';
import { bandwidth } from './bandwidth.ts';
import { depth } from './depth.ts';
import { error } from './error.ts';
import { Instrument } from './instrument.ts';
import { lagometer } from './lagometer.ts';
import { settingOf } from './plot.ts';
import { ProbeTable } from './probes.ts';

export class Instruments {
  private readonly all: Instrument[];
  /** Figures that are still to be said. */
  private unsaid: Readings | undefined;
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

  /** How many pictures there are. */
  get count(): number {
    return this.all.length;
  }

  /** Draws one picture; without a view, its empty ground. */
  draw(index: number, view: View | undefined, config: Config): void {
    this.all[index]?.draw(view, settingOf(config));
  }

  /** Whether figures are still to be said. */
  get owes(): boolean {
    return this.unsaid !== undefined;
  }

  /** Takes figures, eight times a second. Where time stands they are said at once, otherwise with the next picture. */
  take(view: View, readings: Readings, config: Config, now: number, still: boolean): void {
    this.unsaid = readings;
    if (still) this.say(view, config, now, still);
    this.probes.take(readings.probes, now, still);
  }

  /** Says what is still to be said. */
  say(view: View, config: Config, now: number, still = false): void {
    const readings = this.unsaid;
    if (!readings) return;
    this.unsaid = undefined;
    for (const instrument of this.all) instrument.say(view, readings.probes, settingOf(config), now, still);
  }
}
