// What stands: walls, the gate that moves, and the ground of a large world.

import { type Bounds, type Camera, toPixels } from '../../camera.ts';
import { type Ctx, crisp, hatch } from '../canvas.ts';
import { colours } from '../theme.ts';
import { M, at } from '../../view.ts';
import { type Frame, place } from './frame.ts';

export function wall(f: Frame, i: number): void {
  const c = colours();
  box(f, i, c.wall, c.wallLine);
}

/** A gate is a wall that moves: drawn lighter, with its own edge. */
export function gate(f: Frame, i: number): void {
  const c = colours();
  box(f, i, hatch(f.x, c.axis, 4), c.ink2);
}

function box(f: Frame, i: number, fill: string | CanvasPattern, edge: string): void {
  const [px, py] = place(f, i);
  const [w, h] = [at(f.rows, i, M.Size) * f.cam.scale, at(f.rows, i, M.Size2) * f.cam.scale];
  const [left, top] = [crisp(px - w / 2), crisp(py - h / 2)];
  const [right, bottom] = [crisp(px + w / 2), crisp(py + h / 2)];
  f.x.fillStyle = fill;
  f.x.strokeStyle = edge;
  f.x.lineWidth = 1;
  f.x.fillRect(left, top, right - left, bottom - top);
  f.x.strokeRect(left, top, right - left, bottom - top);
}

/** Lines this far apart, units: so that one sees the world go by. */
const APART = 200;

/** The ground of a world that is larger than the pane, and its edge. */
export function grid(x: Ctx, [x0, y0, x1, y1]: Bounds, cam: Camera, w: number, h: number): void {
  const c = colours();
  const [left, top] = toPixels(cam, x0, y0);
  const [right, bottom] = toPixels(cam, x1, y1);
  x.strokeStyle = c.grat;
  x.lineWidth = 1;
  x.beginPath();
  const step = APART * cam.scale;
  for (let px = left + Math.max(0, Math.ceil(-left / step)) * step; px <= Math.min(w, right); px += step) {
    x.moveTo(crisp(px), Math.max(0, top));
    x.lineTo(crisp(px), Math.min(h, bottom));
  }
  for (let py = top + Math.max(0, Math.ceil(-top / step)) * step; py <= Math.min(h, bottom); py += step) {
    x.moveTo(Math.max(0, left), crisp(py));
    x.lineTo(Math.min(w, right), crisp(py));
  }
  x.stroke();
  x.strokeStyle = c.wallLine;
  x.strokeRect(crisp(left), crisp(top), right - left, bottom - top);
}
