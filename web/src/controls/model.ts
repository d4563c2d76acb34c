// What the control panel knows, without a document: rows from the catalogue, what applies, what a section says when closed.

import { text } from '../strings.ts';
import { decimalsOf, num } from '../format.ts';
import type { Catalogue, Config, Param, Preset, Value } from '../protocol.ts';

export type Row =
  | { kind: 'pair'; label: string; unit: string; up: Param; down: Param; fold: boolean }
  | { kind: 'single'; param: Param; fold: boolean };

/** Impairments that most readers leave alone: they fold into one line that shows their values. */
const FOLDED = /\.(reorder|duplicate|burst|rate|queue)$|^link\.vary/;

/** Whether a scene has this setting. */
const has = ({ scenes }: Param, scene: string): boolean => !scenes?.length || scenes.includes(scene);

export class Model {
  private readonly byId: Map<string, Param>;

  /** Why a setting cannot be moved where the page is, or empty; in page all can. */
  locked: (param: Param) => string = () => '';

  /** What there is for the scene: its settings, each with its default there. */
  readonly catalogue: Catalogue;

  constructor(
    private readonly whole: Catalogue,
    readonly scene = whole.scenes[0]?.id ?? '',
  ) {
    const params = whole.params.filter((p) => has(p, scene)).map((p) => ({ ...p, default: p.defaults?.[scene] ?? p.default }));
    this.catalogue = { ...whole, params };
    this.byId = new Map(params.map((p) => [p.id, p]));
  }

  /** The names of the scenes that have this setting where this one has it not; none where there is no such setting. */
  elsewhere(id: string): string[] {
    const param = this.byId.has(id) ? undefined : this.whole.params.find((p) => p.id === id);
    return param ? this.whole.scenes.filter((s) => has(param, s.id)).map((s) => s.label) : [];
  }

  /** What of a configuration goes along into another scene: what is not as by default, where that scene has it too. */
  carried(config: Config, to: Model): Config {
    return Object.fromEntries(Object.entries(config).filter(([id, v]) => v !== this.byId.get(id)?.default && to.byId.has(id)));
  }

  param(id: string): Param | undefined {
    return this.byId.get(id);
  }

  /** Every setting at its default. */
  defaults(): Config {
    return Object.fromEntries(this.catalogue.params.map((p) => [p.id, p.default]));
  }

  /** A group's rows in the catalogue's order; up and down of one thing are one row. */
  rows(group: string): Row[] {
    const rows: Row[] = [];
    const members = this.catalogue.params.filter((p) => p.group === group);
    for (const param of members) {
      if (param.pair === 'down') continue;
      const down = param.pair === 'up' ? members.find((p) => p.pair === 'down' && p.label === param.label) : undefined;
      if (down) rows.push({ kind: 'pair', label: param.label, unit: param.unit, up: param, down, fold: FOLDED.test(param.id) });
      else rows.push({ kind: 'single', param, fold: FOLDED.test(param.id) });
    }
    return rows;
  }

  /** "needs X" where a setting does not apply under this configuration, else "". `way` is left out where both are meant. */
  missing(param: Param, config: Config, way = true): string {
    const { requires } = param;
    if (!requires) return '';
    const parent = this.byId.get(requires.id);
    if (!parent) return '';
    const now = config[requires.id];
    const { values, above } = requires;
    const met = above === undefined ? values?.some((v) => v === now) : Number(now) > above;
    const lacks = this.missing(parent, config);
    if (met && !lacks) return '';
    // A toggle that lacks something stands there as off; a choice still shows what was chosen.
    if (met && parent.kind !== 'toggle') return lacks;
    const label = way ? this.way(parent) : parent.label;
    if (above !== undefined) return text.needs(text.above(label, above));
    if (values?.[0] === true) return text.needs(label);
    const labels = values?.map((v) => parent.choices?.find((c) => c.id === v)?.label ?? String(v)) ?? [];
    return text.needs(`${label}: ${labels.join(text.or)}`);
  }

  /** The same for the two ways of one thing: said once where both lack the same. */
  missingOf(up: Param, down: Param, config: Config): string {
    const [a, b] = [this.missing(up, config), this.missing(down, config)];
    return a && b ? this.missing(up, config, false) : a || b;
  }

  /** What the folded rows of a group are, in one line: those that are not as by default. */
  folded(group: string, config: Config): string {
    const said = this.rows(group).flatMap((row) => {
      if (!row.fold) return [];
      if (row.kind === 'single') return config[row.param.id] === row.param.default || this.missing(row.param, config) ? [] : [this.named(row.param, config)];
      const [up, down] = [config[row.up.id], config[row.down.id]];
      const plain = up === row.up.default && down === row.down.default;
      const idle = this.missing(row.up, config) && this.missing(row.down, config);
      return plain || idle ? [] : [`${row.label.toLowerCase()} ${up === down ? up : `${up}/${down}`}${text.unitAfter(row.unit, row.label)}`];
    });
    return said.join(', ') || text.summary.none;
  }

  /** A setting's label, with the way that it is for. */
  private way({ label, pair }: Param): string {
    return pair ? `${label} ${text[pair]}` : label;
  }

  /** A setting and its value in words, a choice with its name: "variation wave". */
  private named(param: Param, config: Config): string {
    return param.kind === 'choice' ? `${param.label} ${this.say(param, config)}`.toLowerCase() : this.say(param, config);
  }

  /** The presets of a group, and the one that the configuration equals, if any. */
  presets(group: string): Preset[] {
    return this.catalogue.presets.filter((p) => p.group === group);
  }

  presetOf(group: string, config: Config): Preset | undefined {
    return this.presets(group).find((p) => Object.entries(p.set).every(([id, v]) => config[id] === v));
  }

  /** The nearest value that the setting takes, or undefined where the text is no value of its kind at all. */
  parse(param: Param, raw: string): Value | undefined {
    if (param.kind === 'toggle') return raw === 'true' ? true : raw === 'false' ? false : undefined;
    if (param.kind === 'choice') return param.choices?.some((c) => c.id === raw) ? raw : undefined;
    const v = Number(raw);
    if (raw.trim() === '' || !Number.isFinite(v)) return undefined;
    const { min = -Infinity, max = Infinity, step = 0 } = param;
    const held = Math.min(max, Math.max(min, v));
    if (!(step > 0)) return held;
    const base = Number.isFinite(min) ? min : 0;
    return Number(Math.min(max, base + Math.round((held - base) / step) * step).toFixed(decimalsOf(step)));
  }

  /** What a closed section says about itself, in one line. */
  summary(group: string, config: Config): string {
    const has = (id: string) => this.byId.get(id)?.group === group;
    const value = (id: string) => config[id];
    if (has('link.up.latency')) {
      const pair = (name: string) => {
        const [up, down] = [value(`link.up.${name}`), value(`link.down.${name}`)];
        return up === down ? String(up) : `${up}/${down}`;
      };
      const line = text.summary.link(this.presetOf(group, config)?.label ?? text.custom, pair('latency'), pair('loss'));
      const vary = this.byId.get('link.vary');
      const varies = vary && value(vary.id) !== vary.default ? this.say(vary, config).toLowerCase() : '';
      const bursts = ['up', 'down'].some((way) => Number(value(`link.${way}.burst`)) > 1 && Number(value(`link.${way}.loss`)) > 0);
      const capped = ['up', 'down'].some((way) => Number(value(`link.${way}.rate`)) > 0);
      return [line, bursts && text.summary.bursts(pair('burst')), capped && text.summary.capped(pair('rate')), varies].filter(Boolean).join(', ');
    }
    if (has('server.tick')) {
      // There is at most one snapshot a tick.
      const tick = Number(value('server.tick'));
      return text.summary.server(tick, Math.min(tick, Number(value('server.snapshots'))), Number(value('bots') ?? value('horde.players')));
    }
    if (has('input.redundancy')) return text.summary.input(Number(value('input.redundancy')), value('input.pacing') === true);
    if (has('predict.on')) {
      if (!config['predict.on']) return text.summary.predictOff;
      if (!config['predict.reconcile']) return text.summary.predictBlind;
      return config['predict.smooth'] ? text.summary.predictAll : text.summary.predictSnap;
    }
    if (has('interp.on')) {
      if (!config['interp.on']) return text.summary.interpOff;
      const policy = this.byId.get('interp.policy')?.choices?.find((c) => c.id === config['interp.policy'])?.label ?? '';
      if (config['interp.policy'] === 'fixed') return text.summary.interpFixed(Number(config['interp.delay']));
      if (config['interp.policy'] === 'target') return text.summary.interpTarget(Number(config['interp.target']));
      return policy;
    }
    if (has('rewind.on')) return config['rewind.on'] ? text.summary.rewind(Number(config['rewind.cap'])) : text.summary.off;
    return this.catalogue.params
      .filter((p) => p.group === group)
      .map((p) => this.say(p, config))
      .join(', ');
  }

  /** One setting and its value in words: "snapshots 64 Hz", "pacing off". */
  say(param: Param, config: Config): string {
    const v = config[param.id];
    const label = param.label.toLowerCase();
    if (param.kind === 'toggle') return v ? label : text.summary.without(label);
    if (param.kind === 'choice') return param.choices?.find((c) => c.id === v)?.label ?? String(v);
    return `${label} ${num(Number(v), decimalsOf(param.step ?? 1))}${param.unit ? ` ${param.unit}` : ''}`;
  }
}
