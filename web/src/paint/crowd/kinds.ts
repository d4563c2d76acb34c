// What comes by the thousand: kinds of marks that are all drawn alike, in one call or in one path each.

import type { Theme } from '../theme.ts';
import { M, MarkKind, type Rows, at } from '../../view.ts';

/** How a kind is drawn. The number is what the shader reads. */
export const enum Shape {
  Diamond = 0,
  Dot = 1,
  /** A dashed circle: it stands for many that are not drawn. */
  Dashed = 2,
  /** A ring with a dark heart. */
  Well = 3,
}

export interface Look {
  shape: Shape;
  /** Never smaller than that, px: or it could not be told. */
  least: number;
  colour(of: Theme): string;
}

/** By kind, from the first on. */
export const FIRST = MarkKind.Enemy;
export const LOOKS: readonly Look[] = [
  { shape: Shape.Diamond, least: 3, colour: (c) => c.other },
  { shape: Shape.Dashed, least: 6, colour: (c) => c.other },
  { shape: Shape.Well, least: 5, colour: (c) => c.ink2 },
  { shape: Shape.Dot, least: 1.6, colour: (c) => c.mute },
];

/** A bit for each of them. */
export const ALL = (1 << LOOKS.length) - 1;

export const isMany = (kind: number): boolean => kind >= FIRST && kind < FIRST + LOOKS.length;

/** How many of them there are. */
export function many(rows: Rows): number {
  let count = 0;
  for (let i = 0; i < rows.count; i++) if (isMany(at(rows, i, M.Kind))) count++;
  return count;
}

/** A colour as the shader wants it, from `#rrggbb` or `#rgb`. */
export function rgb(colour: string): [number, number, number] {
  const hex = /^#([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(colour)?.[1] ?? 'ffffff';
  const wide = hex.length === 3 ? [...hex].map((c) => c + c).join('') : hex;
  const byte = (i: number) => parseInt(wide.slice(i, i + 2), 16) / 255;
  return [byte(0), byte(2), byte(4)];
}
