// What stands: walls, and the gate that moves.

import { crisp, hatch } from '../canvas.ts';
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
