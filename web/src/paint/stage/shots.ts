// Shots, and what became of them.

import { type Ctx, circle, cross, line } from '../canvas.ts';
import { toPixels } from '../../camera.ts';
import { colours } from '../theme.ts';
import { M, at } from '../../view.ts';
import { type Frame, place } from './frame.ts';

export function shot(f: Frame, i: number): void {
  const { x } = f;
  const judged = at(f.rows, i, M.Flags) !== 0;
  x.strokeStyle = colours().ink;
  x.lineWidth = 1.2;
  x.globalAlpha = f.quiet ? 0.3 : 0.8;
  if (!judged) x.setLineDash([2, 4]);
  line(x, ...place(f, i), ...toPixels(f.cam, at(f.rows, i, M.Size), at(f.rows, i, M.Size2)));
  x.setLineDash([]);
  x.globalAlpha = 1;
}

/** What became of a shot: one sign each, told apart without colour. */
export function verdict(f: Frame, i: number): void {
  const { x, show } = f;
  const c = colours();
  const flags = at(f.rows, i, M.Flags);
  const shows = flags === 2 || flags === 3 ? show.granted : flags === 4 ? show.miss : flags === 0 || show.hit;
  // A bot's miss is no news.
  if (!shows || (f.quiet && flags === 4)) return;
  // What was done to whoever plays here is never quiet.
  const quiet = f.quiet && flags !== 5;
  x.save();
  x.translate(...place(f, i));
  const s = (f.least / 9) * (quiet ? 0.6 : 1);
  x.scale(s, s);
  x.globalAlpha = quiet ? 0.8 : 1;
  switch (flags) {
    case 0:
      x.strokeStyle = c.mute;
      x.lineWidth = 1.5;
      circle(x, 0, 0, 5);
      break;
    case 1:
      tick(x, c.bg, 6);
      tick(x, c.hit, 3);
      break;
    case 2:
      x.strokeStyle = c.hit;
      x.lineWidth = 2;
      circle(x, 0, 0, 17);
      circle(x, 0, 0, 13);
      break;
    case 3:
      x.strokeStyle = c.lost;
      x.lineWidth = 2;
      circle(x, 0, 0, 13);
      cross(x, 0, 0, 4.5, c.lost, 2);
      break;
    case 4:
      cross(x, 0, 0, 7, c.bg, 6);
      cross(x, 0, 0, 7, c.lost, 2.6);
      break;
    case 5:
      tick(x, c.bg, 6);
      tick(x, c.lost, 3);
      x.strokeStyle = c.truth;
      x.lineWidth = 2;
      line(x, 13, -9, 13, 8);
      break;
  }
  x.restore();
}

function tick(x: Ctx, colour: string, width: number): void {
  x.strokeStyle = colour;
  x.lineWidth = width;
  x.beginPath();
  x.moveTo(-8, 0);
  x.lineTo(-2, 6);
  x.lineTo(9, -8);
  x.stroke();
}
