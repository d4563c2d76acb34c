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
  /** Whose figures are still to be said: whoever waits longest first. */
  private unsaid: Instrument[] = [];
  private readings: Readings | undefined;
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

  /** Takes figures, eight times a second. Where time stands they are said at once, otherwise one instrument a picture. */
  take(view: View, readings: Readings, config: Config, now: number, still: boolean): void {
    this.readings = readings;
    this.unsaid = [...this.unsaid, ...this.all.filter((one) => !this.unsaid.includes(one))];
    while (still && this.unsaid.length) this.say(view, config, now, still);
    this.probes.take(readings.probes, now, still);
  }

  /** Says the figures of the next instrument that has not said them. */
  say(view: View, config: Config, now: number, still = false): void {
    const next = this.readings && this.unsaid.shift();
    if (next && this.readings) next.say(view, this.readings.probes, settingOf(config), now, still);
  }
}
