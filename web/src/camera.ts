// The world's metres on a pane's pixels, and back.

/** x0, y0, x1, y1 in metres; y goes down. */
export type Bounds = readonly [number, number, number, number];

export interface Camera {
  /** Pixels a metre. */
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
export const toMetres = (cam: Camera, x: number, y: number): [number, number] => [(x - cam.x) / cam.scale, (y - cam.y) / cam.scale];
