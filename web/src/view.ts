// The flat buffer that a frame brings: a header, then sections that are found through the header.

/** The layout this page reads. Another number means that page and lab are of different builds. */
const LAYOUT = 2;

/** Every time in a section is in ms and relative to the instant that is shown: what is past is below zero. */
export const enum Section {
  You = 0,
  Server = 1,
  Other = 2,
  /** id, link, kind, progress 0..1, fate, sent, due, bytes */
  Packets = 3,
  /** t, spare ms (negative: starved by), delay ms */
  Frames = 4,
  /** t, age on arrival ms, 0 heard / 1 lost / 2 late */
  Snapshots = 5,
  /** t, age of the newest sample ms, delay ms, needed ms */
  Age = 6,
  /** t, own m, others m, own naive m, others naive m */
  Error = 7,
  /** t, commands waiting at the server, how many are aimed at, bend of the client's clock % */
  Depth = 8,
  /** t of the window's end, then B/s: up inputs, headers, other; down own, others, events, headers, other */
  Traffic = 9,
}
const SECTIONS = 10;

/** Where the header's fields are. */
const enum Head {
  Layout = 0,
  /** The instant shown: whole seconds, and ms within the second, so that single precision is enough after days. */
  Seconds = 1,
  Millis = 2,
  Tick = 3,
  Sections = 4,
  /** How far behind live the instant lies, ms; 0 where it is live. */
  Behind = 5,
  /** How far back from live the timeline reaches, ms. */
  Kept = 6,
  /** How often somebody acted in the past. */
  Forks = 7,
}
/** Floats before the entries of the sections: three each, offset, rows, stride. */
const HEADER = 8;

/** The instant that a view buffer shows, ms since its world began. */
export const instant = (data: Float32Array): number => data[Head.Seconds]! * 1000 + data[Head.Millis]!;

export const enum MarkKind {
  You = 0,
  Other = 1,
  Bot = 2,
  Truth = 3,
  Unconfirmed = 4,
  Sample = 5,
  Rewound = 6,
  Wall = 7,
  Gate = 8,
  Shot = 9,
  Verdict = 10,
  Lag = 11,
  Enemy = 12,
  /** Many that are too far to be told apart: size their circle, flags how many. */
  StandIn = 13,
  Hole = 14,
  Pellet = 15,
  /** A circle: what the viewer hears of. */
  Hears = 16,
  /** A circle around who repulses (flags 1) or novas (2). */
  Ring = 17,
}

/** Where a mark's fields are, from its first float. */
export const enum M {
  Kind = 0,
  X = 1,
  Y = 2,
  Heading = 3,
  Size = 4,
  Size2 = 5,
  Flags = 6,
  Key = 7,
}

export const enum Flag {
  Dead = 1,
  Dashing = 2,
  Starved = 4,
  Hurt = 8,
}

/** One section: rows of `stride` floats, from `offset` on. */
export interface Rows {
  data: Float32Array;
  offset: number;
  count: number;
  stride: number;
}

/** Why a buffer cannot be read. */
export class LayoutError extends Error {}

/** Reads one view buffer; makes no copies. */
export class View {
  /** The instant shown, ms since the world began. */
  readonly now: number;
  /** The server's newest tick. */
  readonly tick: number;
  /** How far behind live it is, ms; 0 where it is live. */
  readonly behind: number;
  /** How far back from live the timeline reaches, ms. */
  readonly kept: number;
  readonly forks: number;
  private readonly rows: Rows[] = [];

  constructor(readonly data: Float32Array) {
    if (data.length < HEADER || data[Head.Layout] !== LAYOUT) throw new LayoutError(`layout ${data[Head.Layout]}`);
    this.now = instant(data);
    this.tick = data[Head.Tick]!;
    this.behind = data[Head.Behind]!;
    this.kept = data[Head.Kept]!;
    this.forks = data[Head.Forks]!;
    const sections = data[Head.Sections]!;
    if (sections < SECTIONS) throw new LayoutError(`${sections} sections`);
    for (let i = 0; i < SECTIONS; i++) {
      const at = HEADER + i * 3;
      const [offset, count, stride] = [data[at]!, data[at + 1]!, data[at + 2]!];
      if (count > 0 && !(stride > 0 && offset + count * stride <= data.length)) throw new LayoutError(`section ${i}`);
      this.rows.push({ data, offset, count, stride });
    }
  }

  section(which: Section): Rows {
    return this.rows[which]!;
  }
}

/** A field of a row. */
export function at(rows: Rows, row: number, field: number): number {
  return rows.data[rows.offset + row * rows.stride + field]!;
}

/** Figures over one column of a section, as far back as it goes. */
export function stats(rows: Rows, field: number): { now: number; mean: number; max: number; count: number } {
  let sum = 0;
  let max = -Infinity;
  let count = 0;
  let now = NaN;
  for (let i = 0; i < rows.count; i++) {
    const v = at(rows, i, field);
    if (!Number.isFinite(v)) continue;
    sum += v;
    if (v > max) max = v;
    now = v;
    count++;
  }
  return { now, mean: count ? sum / count : NaN, max: count ? max : NaN, count };
}
