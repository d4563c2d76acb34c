// The whole of what is seen, in the URL's fragment: #v=1&scene=arena&seed=1&interp.delay=190&view.pane=server

import type { Model } from './controls/model.ts';
import { readCode } from './online/code.ts';
import type { Config } from './protocol.ts';
import { text } from './strings.ts';
import { lessonsOf } from './strings/lessons.ts';

/** The fragment's version. A later one may rename settings; the number says by which names to read. */
export const VERSION = 1;
export const DEFAULT_SEED = 1;
const MAX_SEED = 0xffff_ffff;
/** A fragment with everything set, and every overlay and section named, has a third of it. */
const MOST_CHARS = 4096;

/** How the page is looked at; none of it changes the run. */
export interface Look {
  pane: string;
  tab: string;
  lesson: number;
  explain: boolean;
  /** Overlays that are switched off. */
  hide: string[];
  /** Sections of the panel that are open; null: as the page opens them. */
  open: string[] | null;
}

export const LOOK: Look = { pane: 'you', tab: 'inst', lesson: 0, explain: true, hide: [], open: null };

/** The section of the panel that is no group of settings. */
export const TAKE = 'take';

const PANES = ['you', 'server', 'other'];
const TABS = ['inst', 'ctl', 'les'];

export interface Link {
  scene: string;
  seed: number;
  config: Config;
  look: Look;
  /** The page is online, in this room or in none yet. */
  online: boolean;
  room: string | undefined;
}

/** Something in a link that could not be taken as it stood. */
export type Problem =
  | { kind: 'version'; value: string }
  | { kind: 'unknown'; key: string }
  /** A setting of other scenes. */
  | { kind: 'elsewhere'; key: string; scenes: string[] }
  | { kind: 'bad'; key: string; value: string }
  | { kind: 'clamped'; key: string; value: string; taken: string }
  /** It plays a trace, which no link can hold. */
  | { kind: 'trace' }
  /** Said again; the first counts. */
  | { kind: 'twice'; key: string; value: string }
  /** Longer than any link of ours; what is beyond was not read. */
  | { kind: 'long'; most: number };

/** The fragment for this, without '#'. Only what differs from the default is in it. */
export function encode(link: Link, model: Model): string {
  const out = [`v=${VERSION}`, `scene=${encodeURIComponent(link.scene)}`, `seed=${link.seed}`];
  for (const param of model.catalogue.params) {
    const v = link.config[param.id];
    if (v !== undefined && v !== param.default) out.push(`${param.id}=${encodeURIComponent(String(v))}`);
  }
  const { look } = link;
  if (look.pane !== LOOK.pane) out.push(`view.pane=${look.pane}`);
  if (look.tab !== LOOK.tab) out.push(`view.tab=${look.tab}`);
  if (look.lesson !== LOOK.lesson) out.push(`view.lesson=${look.lesson + 1}`);
  if (!look.explain) out.push('view.explain=0');
  if (look.hide.length) out.push(`view.hide=${look.hide.join(',')}`);
  if (look.open) out.push(`view.open=${look.open.join(',')}`);
  if (link.room) out.push(`room=${link.room}`);
  else if (link.online) out.push('place=online');
  return out.join('&');
}

/** Reads a fragment. What is out of range is clamped, what is unknown left out; all of it is told. */
export function decode(fragment: string, model: Model): Link & { problems: Problem[] } {
  const scenes = model.catalogue.scenes;
  const link: Link = { scene: scenes[0]?.id ?? '', seed: DEFAULT_SEED, config: {}, look: { ...LOOK }, online: false, room: undefined };
  const problems: Problem[] = [];
  const whole = fragment.replace(/^#/, '');
  if (whole.length > MOST_CHARS) problems.push({ kind: 'long', most: MOST_CHARS });
  const seen = new Set<string>();
  // The pair that the cut goes through is not read either: half a number is another number.
  const read = whole.length > MOST_CHARS ? whole.slice(0, MOST_CHARS).replace(/&[^&]*$/, '') : whole;
  for (const [key, value] of new URLSearchParams(read)) {
    const problem: Problem | undefined = seen.has(key) ? { kind: 'twice', key, value } : decodePair(link, key, value, model);
    seen.add(key);
    if (problem) problems.push(problem);
  }
  if (playsTrace(link.config)) problems.push({ kind: 'trace' });
  return { ...link, problems };
}

/** The scene that a fragment names, before there is a catalogue to read it by. */
export const sceneOf = (fragment: string): string => new URLSearchParams(fragment.replace(/^#/, '').slice(0, MOST_CHARS)).get('scene') ?? '';

/** Whether the link of these settings plays a trace, which is a file of its own. */
export const playsTrace = (config: Config): boolean => config['link.vary'] === 'trace';

/** Takes one pair into the link, or says why not, or not as it stands. */
function decodePair(link: Link, key: string, value: string, model: Model): Problem | undefined {
  const bad: Problem = { kind: 'bad', key, value };
  const param = model.param(key);
  if (param) {
    const taken = model.parse(param, value);
    if (taken === undefined) return bad;
    link.config[key] = taken;
    const exact = typeof taken === 'number' ? Number(value) === taken : String(taken) === value;
    return exact ? undefined : { kind: 'clamped', key, value, taken: String(taken) };
  }
  switch (key) {
    case 'v':
      return value === String(VERSION) ? undefined : { kind: 'version', value };
    case 'scene':
      if (!model.catalogue.scenes.some((s) => s.id === value)) return bad;
      link.scene = value;
      return undefined;
    case 'seed': {
      const seed = parseSeed(value);
      if (seed === undefined) return bad;
      link.seed = seed;
      return undefined;
    }
    case 'place':
      link.online = value === 'online';
      return link.online || value === 'page' ? undefined : bad;
    case 'room':
      link.room = readCode(value);
      // A wrong code is told in the lobby, where another can be typed.
      link.online = true;
      return link.room ? undefined : bad;
    default: {
      const scenes = model.elsewhere(key);
      if (scenes.length) return { kind: 'elsewhere', key, scenes };
      const told = decodeLook(link.look, key, value, model);
      return told === 'unknown' ? { kind: 'unknown', key } : told === 'bad' ? bad : undefined;
    }
  }
}

/** Takes one view key, or says why not. Of a list, what there is is taken, and the rest told. */
function decodeLook(look: Look, key: string, value: string, model: Model): 'taken' | 'bad' | 'unknown' {
  const one = (of: string[]) => of.includes(value);
  const told = (good: boolean) => (good ? 'taken' : 'bad');
  const words = value === '' ? [] : value.split(',');
  const known = (of: string[]) => [...new Set(words)].filter((word) => of.includes(word));
  switch (key) {
    case 'view.pane':
      if (one(PANES)) look.pane = value;
      return told(one(PANES));
    case 'view.tab':
      if (one(TABS)) look.tab = value;
      return told(one(TABS));
    case 'view.lesson': {
      const good = lessonsOf(model.scene).some((_, i) => String(i + 1) === value);
      if (good) look.lesson = Number(value) - 1;
      return told(good);
    }
    case 'view.explain':
      look.explain = value !== '0';
      return told(one(['0', '1']));
    case 'view.hide':
      look.hide = known(Object.keys(text.legend));
      return told(look.hide.length === words.length);
    case 'view.open':
      look.open = known([...model.catalogue.groups.map((g) => g.id), TAKE]);
      return told(look.open.length === words.length);
    default:
      return 'unknown';
  }
}

/** A seed from what a reader typed, or undefined. */
export function parseSeed(raw: string): number | undefined {
  const seed = Number(raw);
  return /^\d+$/.test(raw.trim()) && seed <= MAX_SEED ? seed : undefined;
}
