// What every mark of a pane is drawn with: where it stands, how large, in which shape and hue.

import { type Ctx, clamp } from '../canvas.ts';
import { type Camera, toPixels } from '../../camera.ts';
import type { text } from '../../strings.ts';
import { colours } from '../theme.ts';
import { M, MarkKind, type Rows, at } from '../../view.ts';

export type Overlay = keyof typeof text.legend;
export type Overlays = Record<Overlay, boolean>;

/** One picture of one pane, while it is drawn. */
export interface Frame {
  x: Ctx;
  rows: Rows;
  cam: Camera;
  show: Overlays;
  /** Body kind by key. */
  roles: Map<number, number>;
  truth: boolean;
  /** The least radius of a body in this pane. */
  least: number;
  /** The marks are of a bot's shot: there are many, so they keep back. */
  quiet: boolean;
}

export const place = (f: Frame, i: number): [number, number] => toPixels(f.cam, at(f.rows, i, M.X), at(f.rows, i, M.Y));
export const radius = (f: Frame, i: number): number => clamp(at(f.rows, i, M.Size) * f.cam.scale, f.least, 40);

export function shown(f: Frame, kind: number): boolean {
  return kind === MarkKind.You ? f.show.you : kind === MarkKind.Other ? f.show.other : f.show.bot;
}

/** Whether what belongs to the body with this key is shown: not where that body is switched off. */
export function follows(f: Frame, key: number): boolean {
  const kind = f.roles.get(key);
  return kind === undefined || shown(f, kind);
}

export function hue(kind: number | undefined): string {
  return kind === MarkKind.You ? colours().you : colours().other;
}

/** The outline of a role about (0, 0), turned already. */
export function outline(x: Ctx, kind: number | undefined, r: number): void {
  x.beginPath();
  if (kind === MarkKind.You) x.arc(0, 0, r, 0, Math.PI * 2);
  else if (kind === MarkKind.Bot) {
    x.moveTo(r * 1.05, 0);
    x.lineTo(-r * 0.8, r * 0.86);
    x.lineTo(-r * 0.8, -r * 0.86);
    x.closePath();
  } else x.rect(-r * 0.92, -r * 0.92, r * 1.84, r * 1.84);
}
