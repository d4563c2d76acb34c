// The whole of what is seen, in the URL's fragment: #v=1&scene=arena&seed=1&interp.delay=190&view.pane=server

import type { Model } from './controls/model.ts';
import type { Config } from './protocol.ts';

/** The fragment's version. A later one may rename settings; the number says by which names to read. */
export const VERSION = 1;
export const DEFAULT_SEED = 1;
const MAX_SEED = 0xffff_ffff;

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

const PANES = ['you', 'server', 'other'];
const TABS = ['inst', 'ctl', 'les'];

export interface Link {
  scene: string;
  seed: number;
  config: Config;
  look: Look;
}

/** Something in a link that could not be taken as it stood. */
export type Problem =
  | { kind: 'version'; value: string }
  | { kind: 'unknown'; key: string }
  | { kind: 'bad'; key: string; value: string }
  | { kind: 'clamped'; key: string; value: string; taken: string };

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
  return out.join('&');
}

/** Reads a fragment. What is out of range is clamped, what is unknown left out; both are told. */
export function decode(fragment: string, model: Model): Link & { problems: Problem[] } {
  const problems: Problem[] = [];
  const scenes = model.catalogue.scenes;
  const link: Link = { scene: scenes[0]?.id ?? '', seed: DEFAULT_SEED, config: {}, look: { ...LOOK } };
  const pairs = [...new URLSearchParams(fragment.replace(/^#/, ''))];
  const bad = (key: string, value: string) => problems.push({ kind: 'bad', key, value });

  for (const [key, value] of pairs) {
    const param = model.param(key);
    if (param) {
      const taken = model.parse(param, value);
      if (taken === undefined) bad(key, value);
      else {
        link.config[key] = taken;
        const exact = typeof taken === 'number' ? Number(value) === taken : String(taken) === value;
        if (!exact) problems.push({ kind: 'clamped', key, value, taken: String(taken) });
      }
    } else if (key === 'v') {
      if (Number(value) !== VERSION) problems.push({ kind: 'version', value });
    } else if (key === 'scene') {
      if (scenes.some((s) => s.id === value)) link.scene = value;
      else bad(key, value);
    } else if (key === 'seed') {
      const seed = Number(value);
      if (/^\d+$/.test(value) && seed <= MAX_SEED) link.seed = seed;
      else bad(key, value);
    } else {
      const look = decodeLook(link.look, key, value);
      if (look === 'unknown') problems.push({ kind: 'unknown', key });
      else if (look === 'bad') bad(key, value);
    }
  }
  return { ...link, problems };
}

/** Takes one view key, or says why not. */
function decodeLook(look: Look, key: string, value: string): 'taken' | 'bad' | 'unknown' {
  const one = (of: string[]) => of.includes(value);
  const words = value.split(',').filter((w) => /^[\w-]+$/.test(w));
  const told = (good: boolean) => (good ? 'taken' : 'bad');
  switch (key) {
    case 'view.pane':
      if (one(PANES)) look.pane = value;
      return told(one(PANES));
    case 'view.tab':
      if (one(TABS)) look.tab = value;
      return told(one(TABS));
    case 'view.lesson': {
      const good = /^[1-9]\d{0,5}$/.test(value);
      if (good) look.lesson = Number(value) - 1;
      return told(good);
    }
    case 'view.explain':
      look.explain = value !== '0';
      return told(one(['0', '1']));
    case 'view.hide':
      look.hide = words;
      return 'taken';
    case 'view.open':
      look.open = words;
      return 'taken';
    default:
      return 'unknown';
  }
}

/** A seed from what a reader typed, or undefined. */
export function parseSeed(raw: string): number | undefined {
  const seed = Number(raw);
  return /^\d+$/.test(raw.trim()) && seed <= MAX_SEED ? seed : undefined;
}
