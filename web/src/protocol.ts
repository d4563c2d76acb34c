// What the page and the worker say to each other, and the shapes of the lab's JSON.

import type { OnlineAsk, OnlineTell } from './online/host.ts';

/** A setting's value: a number for a range, a string for a choice, a boolean for a toggle. */
export type Value = number | string | boolean;
/** Settings by their catalogue id. */
export type Config = Record<string, Value>;

export interface Choice {
  id: string;
  label: string;
  /** What one sees under it. */
  shows?: string;
  /** What has to be there beside the settings before it does anything, or empty. */
  needs?: string;
}

/** One line of the parameter catalogue. */
export interface Param {
  id: string;
  label: string;
  unit: string;
  kind: 'range' | 'choice' | 'toggle';
  min?: number;
  max?: number;
  step?: number;
  default: Value;
  /** The scenes that have it; none named: every one. */
  scenes?: string[];
  /** Its default in scenes where that is another. */
  defaults?: Record<string, Value>;
  choices?: Choice[];
  group: string;
  /** Drawn as one of two columns, under the label that it shares with its partner. */
  pair?: 'up' | 'down' | null;
  /** Applies only while that other setting has one of these values, or more than that. */
  requires?: { id: string; values?: Value[]; above?: number } | null;
  /** What its absence, or its least value, shows. */
  off?: string;
  help?: string;
  moves?: { probe: string; direction: 'up' | 'down' }[];
  /** Setting it rebuilds the world. */
  restarts?: boolean;
  /** Settings under which it moves what it names. */
  given?: Config;
}

export interface Preset {
  id: string;
  label: string;
  group: string;
  source?: string;
  set: Config;
}

export interface SceneInfo {
  id: string;
  label: string;
  /** Names of the buttons, by bit. */
  buttons: string[];
  /** Of its lengths. */
  unit?: string;
  /** x0, y0, x1, y1 in its unit. */
  bounds: [number, number, number, number];
}

export interface ProbeInfo {
  id: string;
  label: string;
  unit: string;
  help?: string;
  /** Sampled each frame, measured at an event, or counted: then now, mean and max are rates a second. */
  kind?: 'sampled' | 'event' | 'counted';
}

export interface Catalogue {
  version: number;
  build: string;
  scenes: SceneInfo[];
  groups: { id: string; label: string }[];
  params: Param[];
  presets: Preset[];
  probes: ProbeInfo[];
}

/** A probe's figures; null where nothing was measured yet. */
export interface Reading {
  now: number | null;
  mean: number | null;
  max: number | null;
  p95: number | null;
  total: number | null;
  count: number;
  unit: string;
}

/** What the interpolation delay has to cover, in milliseconds. */
export interface Needs {
  total_ms: number;
  one_way_ms: number;
  jitter_ms: number;
  /** What a link that varies adds at most. */
  variation_ms: number;
  interval_ms: number;
  spare_ms: number;
  /** A rule, and not the reader, chooses the delay. */
  ruled: boolean;
}

/** The figures behind the page's text, asked for eight times a second. */
export interface Readings {
  now_ms: number;
  tick: number;
  probes: Record<string, Reading>;
  needs: Needs;
  roles: { you: string; other: string };
  /** How far behind the present each screen shows the others, ms. */
  panes: { you: { others_ms: number | null; ahead_ms: number | null }; server: { tick: number }; other: { you_ms: number | null } };
  link: { up_in_flight: number; down_in_flight: number; lost_of_last_100: number; lost_up_of_last_100: number; label: string };
}

/** Something that happened in the lab, in a sentence. */
export interface LabEvent {
  t_ms: number;
  kind: string;
  text: string;
}

/** The state of one pad: axes -1 to 1 (y down), aim in metres (NaN: none), buttons by bit. */
export interface Pad {
  x: number;
  y: number;
  aimX: number;
  aimY: number;
  buttons: number;
}

export type Shock = { what: 'drop' | 'spike' | 'dark'; direction: 'up' | 'down' | 'both'; ms: number };

/** What can be done to one packet in flight. */
export type Meddling = 'drop' | 'hold' | 'twice';

/** A field of a packet, or a group of them: its name, how many bits, what they say in words. */
export interface PacketField {
  name: string;
  bits: number;
  value: string;
  fields?: PacketField[];
}

/** A packet, explained by the lab. Of one that is over or not sent yet there are 0 bytes and no fields. */
export interface Inspected {
  title: string;
  bytes: number;
  bits: number;
  /** What carrier and network add, B, and which they are. */
  overhead: number;
  carrier: string;
  standing: 'flight' | 'late' | 'lost' | 'doubled' | 'arrived' | 'forgotten' | 'unsent';
  says: string;
  fields: PacketField[];
  /** Why it cannot be dropped, held, sent twice; empty where it can. */
  refused: Record<Meddling, string>;
}

/** A run of its own beside the one on the page: same rules, no pictures, as fast as the machine allows. */
export interface Measure {
  scene: string;
  seed: number;
  config: Config;
  /** Virtual seconds. */
  seconds: number;
}

export interface Measured {
  hash: string;
  readings: Readings;
}

/** Settings on their way out, as a file or as Rust, or on their way in. The lab writes and reads them. */
export type Take = { as: 'file' | 'rust'; scene: string; seed: number; config: Config } | { as: 'read'; text: string };

/** What a configuration file says. */
export interface Taken {
  /** Settings in it that the scene does not have. */
  ignored?: string[];
  scene?: string;
  seed?: number;
  config: Config;
}

/** What the lab takes, bytes. */
export interface Memory {
  /** The whole module. */
  module: number;
  /** Of it the world with its past. */
  world: number;
}

/** Page to worker. */
export type Ask =
  /** The first: whose module is wanted. */
  | { t: 'open'; scene: string }
  /** A world of another worker's has no trace to carry over: `trace` is its CSV, or empty. */
  | { t: 'start'; scene: string; seed: number; config: Config; trace: string }
  | { t: 'trace'; ticket: number; csv: string }
  | { t: 'frame'; us: number; width: number; text: boolean; buffer: ArrayBuffer }
  | { t: 'pad'; pad: Pad }
  | { t: 'autopilot'; on: boolean }
  /** `change` counts the changes asked for; the answer names the one that it answers. */
  | { t: 'set'; change: number; id: string; value: Value }
  | { t: 'preset'; change: number; id: string }
  | { t: 'perturb'; shock: Shock }
  /** To the instant so many ms before live; so many ticks on, or back; to live. The next frame shows it. */
  | { t: 'seek'; behind: number }
  | { t: 'step'; n: number }
  | { t: 'live' }
  /** Every line of the last minute before live. */
  | { t: 'history'; ticket: number }
  | { t: 'memory'; ticket: number }
  | { t: 'inspect'; ticket: number; line: number; number: number }
  | { t: 'meddle'; ticket: number; line: number; number: number; what: Meddling; ms: number }
  | { t: 'hash'; ticket: number }
  | { t: 'run'; ticket: number; seconds: number }
  | { t: 'measure'; ticket: number; measure: Measure }
  | { t: 'take'; ticket: number; take: Take }
  | { t: 'online'; ask: OnlineAsk };

/** Worker to page. */
export type Tell =
  | { t: 'ready'; catalogue: string }
  | { t: 'started'; config: string }
  /** The lab would not begin with what it was given; the sentence says why. */
  | { t: 'refused'; sentence: string }
  /** `length` floats of `buffer` are the view; `ran` us of the time that was asked for have passed; the two strings are JSON, there when text was asked for. */
  | { t: 'frame'; buffer: ArrayBuffer; length: number; ran: number; readings: string; events: string }
  /** After each change, and where time goes through an instant at which something was changed. */
  | { t: 'config'; change: number; config: string; sentence: string }
  | { t: 'history'; ticket: number; events: string }
  | { t: 'memory'; ticket: number; memory: Memory }
  | { t: 'answer'; ticket: number; hash: string; readings: string }
  /** What was asked for, or the sentence that says why not. */
  | { t: 'took'; ticket: number; text: string; sentence: string }
  /** What the loaded trace is, or the sentence that says what is wrong with it. */
  | { t: 'traced'; ticket: number; about: string; sentence: string }
  /** Of a packet: JSON, empty where there is none; or why nothing was done to it, empty where it was. */
  | { t: 'packet'; ticket: number; told: string }
  | { t: 'online'; tell: OnlineTell }
  /** The module could not be loaded ('load') or stopped in the middle ('trap'). */
  | { t: 'fault'; when: 'load' | 'trap'; message: string };
