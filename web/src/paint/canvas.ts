// One canvas under the painter's hand, in the page or in a worker, and the few strokes that every picture needs.

import { colours } from './theme.ts';

export type Ctx = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;
export type Canvas = HTMLCanvasElement | OffscreenCanvas;

/** The page says it: a canvas in a worker has no layout to ask. */
export interface Size {
  /** In CSS pixels; 0 while the canvas is not shown. */
  w: number;
  h: number;
  /** In the screen's own pixels. */
  width: number;
  height: number;
}

export class Surface {
  w = 0;
  h = 0;
  readonly x: Ctx;
  private pixels: [width: number, height: number] = [0, 0];
  private fresh = true;
  private ground: { key: string; canvas: Canvas } | undefined;

  constructor(private readonly canvas: Canvas) {
    this.x = pen(canvas, { alpha: false });
  }

  get size(): Size {
    const [width, height] = this.pixels;
    return { w: this.w, h: this.h, width, height };
  }

  /** Whether there is anything to draw on. */
  get shows(): boolean {
    return this.w >= 8 && this.h >= 8;
  }

  resize({ w, h, width, height }: Size): void {
    this.w = w;
    this.h = h;
    this.pixels = [width, height];
  }

  /** Clears the picture and scales it to CSS pixels; false where there is nothing to draw on. */
  begin(background = colours().bg): boolean {
    if (!this.shows) return false;
    const { w, h, x, canvas } = this;
    const [width, height] = this.pixels;
    if (this.fresh || canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      this.fresh = false;
      write(x);
    }
    x.setTransform(width / w, 0, 0, height / h, 0, 0);
    x.globalAlpha = 1;
    x.setLineDash([]);
    x.lineCap = 'butt';
    x.lineJoin = 'round';
    x.fillStyle = background;
    x.fillRect(0, 0, w, h);
    return true;
  }

  /**
   * The same, on a ground that is painted once and kept while the key and the size stand: grids and labels cost more than the data that
   * moves before them.
   */
  beginOn(key: string, paint: (x: Ctx) => void): boolean {
    if (!this.begin()) return false;
    const { w, h, x, canvas } = this;
    const { width, height } = canvas;
    const full = `${key}/${width}/${height}`;
    if (this.ground?.key !== full) {
      const kept = this.ground?.canvas ?? aside(width, height);
      kept.width = width;
      kept.height = height;
      const g = pen(kept, { alpha: false });
      write(g);
      g.setTransform(width / w, 0, 0, height / h, 0, 0);
      g.fillStyle = colours().bg;
      g.fillRect(0, 0, w, h);
      paint(g);
      this.ground = { key: full, canvas: kept };
    }
    x.save();
    x.setTransform(1, 0, 0, 1, 0, 0);
    x.drawImage(this.ground.canvas, 0, 0);
    x.restore();
    return true;
  }
}

function pen(canvas: Canvas, settings?: CanvasRenderingContext2DSettings): Ctx {
  const x = canvas.getContext('2d', settings) as Ctx | null;
  if (!x) throw new Error('no 2d canvas');
  return x;
}

/** A canvas that nobody sees. */
function aside(width: number, height: number): Canvas {
  if (typeof document !== 'object') return new OffscreenCanvas(width, height);
  return Object.assign(document.createElement('canvas'), { width, height });
}

/** How every canvas writes. Set once for each size of it, and by nobody else. */
function write(x: Ctx): void {
  x.font = colours().font;
  x.textBaseline = 'middle';
}

export function line(x: Ctx, x0: number, y0: number, x1: number, y1: number): void {
  x.beginPath();
  x.moveTo(x0, y0);
  x.lineTo(x1, y1);
  x.stroke();
}

export function circle(x: Ctx, cx: number, cy: number, r: number): void {
  x.beginPath();
  x.arc(cx, cy, r, 0, Math.PI * 2);
  x.stroke();
}

export function cross(x: Ctx, cx: number, cy: number, r: number, colour: string, width = 2): void {
  x.strokeStyle = colour;
  x.lineWidth = width;
  x.beginPath();
  x.moveTo(cx - r, cy - r);
  x.lineTo(cx + r, cy + r);
  x.moveTo(cx + r, cy - r);
  x.lineTo(cx - r, cy + r);
  x.stroke();
}

export function words(x: Ctx, text: string, px: number, py: number, colour = colours().ink2, align: CanvasTextAlign = 'left'): void {
  x.fillStyle = colour;
  x.textAlign = align;
  x.fillText(text, px, py);
}

/** Words on a plate of the stage's ground, readable over anything. */
export function tag(x: Ctx, text: string, px: number, py: number, colour: string, align: 'left' | 'right' = 'left'): void {
  const c = colours();
  const width = x.measureText(text).width;
  const left = align === 'left' ? px : px - width;
  x.globalAlpha = 0.82;
  x.fillStyle = c.bg;
  x.fillRect(left - 3, py - 8, width + 6, 16);
  x.globalAlpha = 1;
  words(x, text, left, py, colour);
}

const patterns = new Map<string, CanvasPattern>();

/** Diagonal hatching. */
export function hatch(x: Ctx, colour: string, gap = 5): CanvasPattern | string {
  const key = `${colour}/${gap}`;
  let pattern = patterns.get(key);
  if (!pattern) {
    const tile = aside(gap * 2, gap * 2);
    const g = pen(tile);
    g.strokeStyle = colour;
    g.lineWidth = 1.5;
    g.beginPath();
    for (let i = -1; i < 4; i++) {
      g.moveTo(i * gap - gap, gap * 2 + 1);
      g.lineTo(i * gap + gap + 1, -1);
    }
    g.stroke();
    pattern = x.createPattern(tile, 'repeat') ?? undefined;
    if (!pattern) return colour;
    patterns.set(key, pattern);
  }
  return pattern;
}

/** The dots of the ground. */
export function dots(x: Ctx, w: number, h: number, gap = 24): void {
  x.fillStyle = colours().grat;
  x.beginPath();
  for (let i = gap / 2; i < w; i += gap) for (let j = gap / 2; j < h; j += gap) x.rect(i - 0.5, j - 0.5, 1.4, 1.4);
  x.fill();
}

export const clamp = (v: number, low: number, high: number): number => (v < low ? low : v > high ? high : v);
/** The middle of a pixel: a hairline there is sharp. */
export const crisp = (v: number): number => Math.round(v) + 0.5;
