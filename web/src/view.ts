// The flat buffer that a frame brings: a header, then sections that are found through the header.

/** The layout this page reads. Another number means that page and lab are of different builds. */
export const LAYOUT = 1;

export const enum Section {
  You = 0,
  Server = 1,
  Other = 2,
  /** id, link, kind, progress 0..1, fate, sent ms, due ms, bytes */
  Packets = 3,
  /** t ms, spare ms (negative: starved by), delay ms */
  Frames = 4,
  /** t ms, age on arrival ms, 0 heard / 1 lost / 2 late */
  Snapshots = 5,
  /** t ms, age of the newest sample ms, delay ms, needed ms */
  Age = 6,
  /** t ms, own m, others m, own naive m, others naive m */
  Error = 7,
}
const SECTIONS = 8;
const HEADER = 4;

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
  /** Virtual time, ms. */
  readonly now: number;
  /** The server's newest tick. */
  readonly tick: number;
  private readonly rows: Rows[] = [];

  constructor(readonly data: Float32Array) {
    if (data.length < HEADER || data[0] !== LAYOUT) throw new LayoutError(`layout ${data[0]}`);
    this.now = data[1]!;
    this.tick = data[2]!;
    const sections = data[3]!;
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
