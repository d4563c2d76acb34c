// The world's units on a pane's pixels, and back.

import { M, MarkKind, type Rows, at } from './view.ts';

/** x0, y0, x1, y1 in the scene's unit; y goes down. */
export type Bounds = readonly [number, number, number, number];

export interface Camera {
  /** Pixels a unit. */
  scale: number;
  /** Where the world's origin is, in pixels. */
  x: number;
  y: number;
}

const MARGIN = 6;
/** Under the world: who drives stands there, never over the picture. */
const FOOT = 16;

/** The whole world in the pane, centred above its foot, at one scale. */
export function fit([x0, y0, x1, y1]: Bounds, w: number, h: number): Camera {
  const scale = Math.min((w - 2 * MARGIN) / Math.max(1e-6, x1 - x0), (h - 2 * MARGIN - FOOT) / Math.max(1e-6, y1 - y0));
  return { scale, x: w / 2 - ((x0 + x1) / 2) * scale, y: (h - FOOT) / 2 - ((y0 + y1) / 2) * scale };
}

export const toPixels = (cam: Camera, x: number, y: number): [number, number] => [cam.x + x * cam.scale, cam.y + y * cam.scale];
export const toUnits = (cam: Camera, x: number, y: number): [number, number] => [(x - cam.x) / cam.scale, (y - cam.y) / cam.scale];

/** A world wider or higher than this, in its units, is larger than a screen: a pane shows that much of it, around whoever it is of. */
export const REACH = 1400;

export const isLarge = ([x0, y0, x1, y1]: Bounds): boolean => Math.max(x1 - x0, y1 - y0) > REACH;

/** Looks at a world: at all of it, or around a body where it is large. Where that body is not there it stays where it was last. */
export class Eye {
  private last: readonly [number, number] | undefined;

  /** `whom`: the kind of the body that is followed. */
  constructor(private readonly whom: MarkKind.You | MarkKind.Other) {}

  camera(bounds: Bounds, rows: Rows | undefined, w: number, h: number): Camera {
    if (!isLarge(bounds)) return fit(bounds, w, h);
    for (let i = 0; rows && i < rows.count; i++) if (at(rows, i, M.Kind) === this.whom) this.last = [at(rows, i, M.X), at(rows, i, M.Y)];
    const [x0, y0, x1, y1] = bounds;
    const [x, y] = this.last ?? [(x0 + x1) / 2, (y0 + y1) / 2];
    const scale = Math.max(w, h) / REACH;
    // No further over the edge than to show it.
    const held = (v: number, low: number, high: number, span: number) => (high - low <= span ? (low + high) / 2 : Math.min(high - span / 2, Math.max(low + span / 2, v)));
    const edge = MARGIN / scale;
    const cx = held(x, x0 - edge, x1 + edge, w / scale);
    const cy = held(y, y0 - edge, y1 + edge, h / scale);
    return { scale, x: w / 2 - cx * scale, y: h / 2 - cy * scale };
  }
}
