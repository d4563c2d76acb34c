// Bodies and what belongs to them: the truth, the trail that nobody has confirmed, the samples held.

import { type Ctx, circle, hatch, line } from '../canvas.ts';
import { colours } from '../theme.ts';
import { Flag, M, MarkKind, at } from '../../view.ts';
import { type Frame, follows, hue, outline, place, radius, shown } from './frame.ts';

export function truth(f: Frame, i: number): void {
  if (!follows(f, at(f.rows, i, M.Key))) return;
  f.x.strokeStyle = colours().truth;
  f.x.lineWidth = 1.5;
  circle(f.x, ...place(f, i), radius(f, i) * 1.08);
}

export function body(f: Frame, i: number): void {
  const { x } = f;
  const c = colours();
  const kind = at(f.rows, i, M.Kind);
  if (!shown(f, kind)) return;
  const [px, py] = place(f, i);
  const r = radius(f, i);
  const flags = at(f.rows, i, M.Flags);
  const dead = (flags & Flag.Dead) !== 0;
  x.save();
  x.translate(px, py);
  if (f.truth && !dead) {
    x.strokeStyle = c.truth;
    x.lineWidth = 1.8;
    circle(x, 0, 0, r * 1.08);
  }
  x.rotate(at(f.rows, i, M.Heading));
  const size = f.truth ? r * 0.52 : kind === MarkKind.Bot ? r * 1.05 : r;
  x.strokeStyle = x.fillStyle = hue(kind);
  if (dead) {
    x.globalAlpha = 0.5;
    x.lineWidth = 1.2;
    outline(x, kind, size);
    x.stroke();
    x.restore();
    return;
  }
  if (flags & Flag.Dashing) {
    x.lineWidth = 1.6;
    for (const back of [1.5, 2.1]) line(x, -r * back, -r * 0.55, -r * back, r * 0.55);
  }
  outline(x, kind, size);
  x.fill();
  if (flags & Flag.Hurt) {
    x.strokeStyle = c.ink;
    x.lineWidth = 2;
    x.stroke();
  } else if (flags & Flag.Starved) {
    // Nothing left to draw between: a hollow heart in the colour of starving.
    x.strokeStyle = c.warn;
    x.lineWidth = 1.5;
    x.stroke();
  }
  if (!f.truth && kind !== MarkKind.Bot) nose(x, r, hue(kind));
  x.restore();
  if (!f.truth) health(f, i, px, py, r);
}

export function samples(f: Frame): void {
  const { x } = f;
  runs(f, MarkKind.Sample, (key, from, to) => {
    if (!follows(f, key)) return;
    x.strokeStyle = hue(f.roles.get(key));
    x.lineWidth = 1.2;
    x.globalAlpha = 0.75;
    path(f, from, to);
    x.stroke();
    x.fillStyle = colours().bg;
    for (let i = from; i < to; i++) {
      const [px, py] = place(f, i);
      x.beginPath();
      x.arc(px, py, 2.2, 0, Math.PI * 2);
      x.fill();
      x.stroke();
    }
    x.globalAlpha = 1;
  });
}

/** What the owner has done and the server has not confirmed: hatched. */
export function trails(f: Frame): void {
  const { x } = f;
  runs(f, MarkKind.Unconfirmed, (key, from, to) => {
    if (!follows(f, key)) return;
    path(f, from, to);
    x.lineCap = 'round';
    x.lineWidth = Math.max(f.least, at(f.rows, from, M.Size) * f.cam.scale) * 1.7;
    x.strokeStyle = colours().bg;
    x.stroke();
    x.strokeStyle = hatch(x, hue(f.roles.get(key)));
    x.stroke();
    x.lineCap = 'butt';
  });
}

/** Which way a body looks. */
function nose(x: Ctx, r: number, colour: string): void {
  x.strokeStyle = colours().bg;
  x.lineWidth = Math.max(1.6, r * 0.18);
  line(x, r * 0.1, 0, r * 0.95, 0);
  x.strokeStyle = colour;
  x.lineWidth = Math.max(2, r * 0.2);
  line(x, r * 0.95, 0, r * 1.6, 0);
}

/** Shown only once something is missing. */
function health(f: Frame, i: number, px: number, py: number, r: number): void {
  const share = at(f.rows, i, M.Size2);
  if (!(share > 0 && share < 0.995)) return;
  const c = colours();
  const [w, top] = [r * 2, py + r * 1.45];
  f.x.fillStyle = c.wallLine;
  f.x.fillRect(px - r, top, w, 2);
  f.x.fillStyle = c.ink;
  f.x.fillRect(px - r, top, w * share, 2);
}

/** Runs of marks of one kind and key, in order. */
function runs(f: Frame, kind: MarkKind, paint: (key: number, from: number, to: number) => void): void {
  const { rows } = f;
  let from = -1;
  for (let i = 0; i <= rows.count; i++) {
    const same = i < rows.count && at(rows, i, M.Kind) === kind;
    if (from >= 0 && (!same || at(rows, i, M.Key) !== at(rows, from, M.Key))) {
      paint(at(rows, from, M.Key), from, i);
      from = -1;
    }
    if (same && from < 0) from = i;
  }
}

function path(f: Frame, from: number, to: number): void {
  f.x.beginPath();
  for (let i = from; i < to; i++) f.x.lineTo(...place(f, i));
}
