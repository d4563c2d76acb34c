// The crowd without a graphics card: each look is worked out once, pixel by pixel, and put down as often as it is needed. By measure
// 3,000 cost a hundredth of as many outlines on a 2D canvas and a twentieth of as many squares.

import type { Ctx } from '../canvas.ts';
import type { Camera } from '../../camera.ts';
import type { Theme } from '../theme.ts';
import { Flag, M, type Rows, at } from '../../view.ts';
import type { AnyCanvas, Size } from './gl.ts';
import { FIRST, LOOKS, type Look, Shape, rgb } from './kinds.ts';

/** Larger ones are few, and drawn as they come, px. */
const LARGEST = 24;
/** Half a line's width, px. */
const HALF = 0.6;
/** So many sizes are kept at most: another scale makes new ones. */
const MOST = 128;

/** A look at one size: a square of pixels as ImageData has them, 32 bits each. */
interface Stamp {
  side: number;
  pixels: Uint32Array;
}

export class Stamps {
  private readonly made = new Map<number, Stamp>();
  private ratio = 0;
  private board: { canvas: AnyCanvas; x: OffscreenCanvasRenderingContext2D; image: ImageData; pixels: Uint32Array } | undefined;

  constructor(private readonly blank: () => AnyCanvas) {}

  /** Draws every mark of these kinds: `shows` has a bit each, from the first. */
  draw(x: Ctx, rows: Rows, cam: Camera, size: Size, shows: number, c: Theme): void {
    const board = this.ground(size.width, size.height);
    if (!board) return;
    const ratio = size.width / size.w;
    if (ratio !== this.ratio || this.made.size > MOST) this.made.clear();
    this.ratio = ratio;
    const large: number[] = [];
    for (let i = 0; i < rows.count; i++) {
      const which = at(rows, i, M.Kind) - FIRST;
      const look = LOOKS[which];
      if (!look || !(shows & (1 << which))) continue;
      const r = Math.max(look.least, at(rows, i, M.Size) * cam.scale);
      if (r > LARGEST) {
        large.push(i);
        continue;
      }
      const stamp = this.stamp(which, look, r, at(rows, i, M.Flags) & Flag.Dead, c);
      const px = Math.round((cam.x + at(rows, i, M.X) * cam.scale) * ratio - stamp.side / 2);
      const py = Math.round((cam.y + at(rows, i, M.Y) * cam.scale) * ratio - stamp.side / 2);
      put(stamp, board.pixels, board.image.width, size.width, size.height, px, py);
    }
    board.x.putImageData(board.image, 0, 0, 0, 0, size.width, size.height);
    x.drawImage(board.canvas, 0, 0, size.width, size.height, 0, 0, size.w, size.h);
    for (const i of large) outlined(x, rows, i, cam, c);
  }

  /** An empty board of at least this size. */
  private ground(width: number, height: number) {
    const had = this.board;
    if (had && had.image.width >= width && had.image.height >= height) {
      had.pixels.fill(0, 0, had.image.width * height);
      return had;
    }
    const canvas = had?.canvas ?? this.blank();
    canvas.width = Math.max(width, had?.image.width ?? 0);
    canvas.height = Math.max(height, had?.image.height ?? 0);
    const x = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D | null;
    if (!x) return undefined;
    const image = x.createImageData(canvas.width, canvas.height);
    this.board = { canvas, x, image, pixels: new Uint32Array(image.data.buffer) };
    return this.board;
  }

  private stamp(which: number, look: Look, r: number, dead: number, c: Theme): Stamp {
    // By half pixels, so that there are few.
    const half = Math.round(r * 2);
    const key = (which * 2 + dead) * 1024 + half;
    const made = this.made.get(key) ?? stamped(look, half / 2, dead !== 0, this.ratio, c);
    this.made.set(key, made);
    return made;
  }
}

/** How much of a pixel is inside, from how far its heart is outside, in pixels. */
const inside = (d: number): number => Math.min(1, Math.max(0, 0.5 - d));

function stamped(look: Look, r: number, dead: boolean, ratio: number, c: Theme): Stamp {
  const side = 2 * Math.ceil((r + 1) * ratio);
  const pixels = new Uint32Array(side * side);
  const [own, ground] = [rgb(look.colour(c)), rgb(c.bg)];
  for (let i = 0; i < pixels.length; i++) {
    const [x, y] = [(i % side) + 0.5 - side / 2, Math.floor(i / side) + 0.5 - side / 2];
    const d = look.shape === Shape.Diamond ? (Math.abs(x) + Math.abs(y) - r * ratio) * Math.SQRT1_2 : Math.hypot(x, y) - r * ratio;
    const line = inside(Math.abs(d) - HALF * ratio);
    const dash = look.shape === Shape.Dashed && gap(x, y, r) ? 0 : 1;
    const hollow = dead || look.shape === Shape.Dashed;
    const alpha = hollow ? line * dash * (dead ? 0.5 : 1) : look.shape === Shape.Well ? inside(d - HALF * ratio) : inside(d);
    const of = look.shape === Shape.Well && !dead ? own.map((v, k) => v * line + ground[k]! * (1 - line)) : own;
    pixels[i] = ((Math.round(alpha * 255) << 24) | (byte(of[2]!) << 16) | (byte(of[1]!) << 8) | byte(of[0]!)) >>> 0;
  }
  return { side, pixels };
}

const byte = (v: number): number => Math.round(v * 255);

/** Whether a dashed circle is open there. */
function gap(x: number, y: number, r: number): boolean {
  const turn = (Math.atan2(y, x) / (2 * Math.PI)) * Math.max(6, Math.floor(r * 0.9));
  return turn - Math.floor(turn) > 0.57;
}

/** Puts a stamp down where it is more than what is there. */
function put({ side, pixels }: Stamp, onto: Uint32Array, stride: number, width: number, height: number, left: number, top: number): void {
  const [x0, x1] = [Math.max(0, -left), Math.min(side, width - left)];
  const [y0, y1] = [Math.max(0, -top), Math.min(side, height - top)];
  for (let y = y0; y < y1; y++) {
    let from = y * side + x0;
    let to = (top + y) * stride + left + x0;
    for (let x = x0; x < x1; x++, from++, to++) {
      const pixel = pixels[from]!;
      if (pixel >>> 24 > onto[to]! >>> 24) onto[to] = pixel;
    }
  }
}

function outlined(x: Ctx, rows: Rows, i: number, cam: Camera, c: Theme): void {
  const look = LOOKS[at(rows, i, M.Kind) - FIRST]!;
  const [px, py, r] = [cam.x + at(rows, i, M.X) * cam.scale, cam.y + at(rows, i, M.Y) * cam.scale, at(rows, i, M.Size) * cam.scale];
  const dead = (at(rows, i, M.Flags) & Flag.Dead) !== 0;
  x.strokeStyle = x.fillStyle = look.colour(c);
  x.lineWidth = 2 * HALF;
  x.beginPath();
  if (look.shape === Shape.Diamond) for (const [dx, dy] of [[r, 0], [0, r], [-r, 0], [0, -r], [r, 0]] as const) x.lineTo(px + dx, py + dy);
  else x.arc(px, py, r, 0, 2 * Math.PI);
  if (look.shape === Shape.Well) x.fillStyle = c.bg;
  if (!dead && look.shape !== Shape.Dashed) x.fill();
  x.globalAlpha = dead ? 0.5 : 1;
  if (look.shape === Shape.Dashed) x.setLineDash([4, 3]);
  x.stroke();
  x.setLineDash([]);
  x.globalAlpha = 1;
}
