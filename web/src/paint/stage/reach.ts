// How far something reaches: what a viewer hears of, who pushes or blasts, and how many a stand-in stands for.

import { circle } from '../canvas.ts';
import { num } from '../../format.ts';
import { M, at } from '../../view.ts';
import { colours } from '../theme.ts';
import { type Frame, place } from './frame.ts';

/** Beyond this the viewer is told of nothing. */
export function hears(f: Frame, i: number): void {
  const { x } = f;
  x.strokeStyle = colours().ink2;
  x.lineWidth = 1;
  x.setLineDash([2, 5]);
  circle(x, ...place(f, i), at(f.rows, i, M.Size) * f.cam.scale);
  x.setLineDash([]);
}

/** A blast has two lines, a push one. */
export function ring(f: Frame, i: number): void {
  const { x } = f;
  const r = at(f.rows, i, M.Size) * f.cam.scale;
  x.strokeStyle = colours().ink;
  x.lineWidth = 1.5;
  circle(x, ...place(f, i), r);
  if (at(f.rows, i, M.Flags) === 2) circle(x, ...place(f, i), Math.max(0, r - 5));
}

export function counted(f: Frame, i: number): void {
  const { x } = f;
  const c = colours();
  x.fillStyle = c.ink2;
  x.font = c.font;
  x.textAlign = 'center';
  x.textBaseline = 'middle';
  x.fillText(num(at(f.rows, i, M.Flags)), ...place(f, i));
}
