// What all hands hold together, as the one pad that the lab is given.

import type { Pad } from '../protocol.ts';

/** Hands off. */
export const AT_REST: Pad = { x: 0, y: 0, aimX: NaN, aimY: NaN, buttons: 0 };

/**
 * What one device holds. Axes -1 to 1, y down; buttons by bit. It aims at a point of the canvas (CSS pixels), or along a way, or not at
 * all: then the body looks where it goes.
 */
export interface Held {
  x: number;
  y: number;
  buttons: number;
  at?: readonly [x: number, y: number] | undefined;
  along?: readonly [x: number, y: number] | undefined;
}

/** A way becomes a point so far off, in metres, that it does not matter where in the world you stand. */
const FAR = 1e5;

/** Sums the axes within one, joins the buttons, and aims as `aims` does. `toWorld` is undefined before there is a picture. */
export function merge(held: readonly Held[], aims: Held | undefined, toWorld: (x: number, y: number) => [number, number] | undefined): Pad {
  const pad = { ...AT_REST };
  for (const { x, y, buttons } of held) {
    pad.x += x;
    pad.y += y;
    pad.buttons |= buttons;
  }
  pad.x = Math.max(-1, Math.min(1, pad.x));
  pad.y = Math.max(-1, Math.min(1, pad.y));
  if (aims?.at) [pad.aimX, pad.aimY] = toWorld(...aims.at) ?? [NaN, NaN];
  else if (aims?.along) [pad.aimX, pad.aimY] = [aims.along[0] * FAR, aims.along[1] * FAR];
  return pad;
}

export function samePad(a: Pad, b: Pad): boolean {
  return Object.is(a.x, b.x) && Object.is(a.y, b.y) && Object.is(a.aimX, b.aimX) && Object.is(a.aimY, b.aimY) && a.buttons === b.buttons;
}

/** A stick's axes: nothing within `dead`, all at `full`, even between, and on a circle. All in one unit. */
export function stick(dx: number, dy: number, dead: number, full: number): [x: number, y: number] {
  const d = Math.hypot(dx, dy);
  if (!(d > dead)) return [0, 0];
  const share = Math.min(1, (d - dead) / (full - dead)) / d;
  return [dx * share, dy * share];
}
