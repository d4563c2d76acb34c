// The page's end of the painter: hands it the canvases and what to draw, and knows their sizes without asking the layout each frame.

import type { CanvasName, Light, PaintAsk, PaintTell } from './paint/asks.ts';
import type { Size } from './paint/canvas.ts';
import painter from './paint/painter.ts?worker&url';
import { readTheme } from './tokens.ts';

/** More pixels than this cost time and show nothing. */
const MAX_RATIO = 3;
const FIRST_BYTES = 1 << 16;

interface Box {
  name: CanvasName;
  w: number;
  h: number;
  /** The same in the screen's own pixels, where the browser says it: at a ratio of 1.25 a box has a part of one more or less. */
  pixels: readonly [w: number, h: number] | undefined;
}

export interface EaselEvents {
  /** A picture must be drawn anew, also while time stands. */
  stale(): void;
  /** The painter did not come, or fell. */
  fell(message: string): void;
}

export class Easel {
  private readonly boxes = new Map<Element, Box>();
  /** Views are copied into these: one is being drawn, the other on its way. */
  private readonly free = [new ArrayBuffer(FIRST_BYTES), new ArrayBuffer(FIRST_BYTES)];
  /** A view was not drawn, because both were under way. */
  private owes = false;
  private tickets = 0;
  private readonly waiting = new Map<number, () => void>();
  /** A worker draws, with canvases that are the page's no more; otherwise the page itself does. */
  private readonly worker: Worker | undefined;
  /** What was asked for before the page could draw. */
  private unheard: PaintAsk[] | undefined = [];
  private readonly observer = new ResizeObserver((entries) => {
    for (const { target, contentRect, devicePixelContentBoxSize } of entries) {
      const pixels = devicePixelContentBoxSize?.[0];
      const box = this.boxes.get(target);
      if (!box) continue;
      box.w = Math.round(contentRect.width);
      box.h = Math.round(contentRect.height);
      box.pixels = pixels && [pixels.inlineSize, pixels.blockSize];
      this.sayBox(box);
    }
    this.on.stale();
  });

  constructor(private readonly on: EaselEvents) {
    if (drawsApart()) {
      this.worker = new Worker(painter, { type: 'module' });
      this.worker.onmessage = ({ data }: MessageEvent<PaintTell>) => this.hear(data);
      this.worker.onerror = (e) => on.fell(e.message || '');
    } else {
      import(/* @vite-ignore */ painter).then(() => this.drawHere(), (e: unknown) => on.fell(String(e)));
    }
    this.tell({ p: 'theme', theme: readTheme() });
    this.rearm();
  }

  /** Gives a canvas away for good. */
  put(name: CanvasName, canvas: HTMLCanvasElement): void {
    this.boxes.set(canvas, { name, w: 0, h: 0, pixels: undefined });
    if (this.worker) {
      const apart = canvas.transferControlToOffscreen();
      this.tell({ p: 'canvas', name, canvas: apart }, [apart]);
    } else this.tell({ p: 'canvas', name, canvas });
    try {
      this.observer.observe(canvas, { box: 'device-pixel-content-box' });
    } catch {
      this.observer.observe(canvas);
    }
  }

  /** A canvas's size in CSS pixels; 0 while it is not shown. */
  box(name: CanvasName): { w: number; h: number } {
    for (const box of this.boxes.values()) if (box.name === name) return box;
    return { w: 0, h: 0 };
  }

  tell(ask: PaintAsk, transfer: Transferable[] = []): void {
    if (this.worker) this.worker.postMessage(ask, transfer);
    else if (this.unheard) this.unheard.push(ask);
    else globalThis.afterimagePainter!(ask, (tell) => this.hear(tell));
  }

  /** Has a view drawn: at once, or where the painter is behind, a newer one as soon as it can. `at` is the page's clock, ms. */
  draw(view: Float32Array, light: Light, at: number, playing: boolean, net: boolean): void {
    let buffer = this.free.pop();
    if (!buffer) {
      this.owes = true;
      return;
    }
    if (view.byteLength > buffer.byteLength) buffer = new ArrayBuffer(2 ** Math.ceil(Math.log2(view.byteLength)));
    new Float32Array(buffer, 0, view.length).set(view);
    this.tell({ p: 'view', buffer, length: view.length, light, at, playing, net }, [buffer]);
  }

  /** Resolves once all that was asked for is on the screen. */
  settled(): Promise<void> {
    const ticket = ++this.tickets;
    return new Promise((resolve) => {
      this.waiting.set(ticket, resolve);
      this.tell({ p: 'settle', ticket });
    });
  }

  private hear(tell: PaintTell): void {
    if (tell.p === 'settled') {
      this.waiting.get(tell.ticket)?.();
      this.waiting.delete(tell.ticket);
      return;
    }
    this.free.push(tell.buffer);
    if (!this.owes) return;
    this.owes = false;
    this.on.stale();
  }

  private drawHere(): void {
    const unheard = this.unheard ?? [];
    this.unheard = undefined;
    for (const ask of unheard) this.tell(ask);
    this.on.stale();
  }

  /** A window that is moved to another monitor, or zoomed, has other pixels for the same size: only that one ratio can be asked about. */
  private rearm(): void {
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener(
      'change',
      () => {
        this.rearm();
        for (const box of this.boxes.values()) this.sayBox(box);
        this.on.stale();
      },
      { once: true },
    );
  }

  private sayBox({ name, w, h, pixels }: Box): void {
    this.tell({ p: 'size', name, size: { w, h, ...pixelsOf(w, h, pixels) } });
  }
}

function pixelsOf(w: number, h: number, pixels: Box['pixels']): Pick<Size, 'width' | 'height'> {
  const ratio = Math.min(MAX_RATIO, devicePixelRatio || 1);
  const [width, height] = [Math.round(w * ratio), Math.round(h * ratio)];
  // Where the browser pretends to be another device, the box is still in pixels of the real one; so is one from before a move.
  const fits = pixels && Math.abs(pixels[0] - width) <= ratio && Math.abs(pixels[1] - height) <= ratio;
  return fits ? { width: pixels[0], height: pixels[1] } : { width, height };
}

/** Whether a worker can have a canvas and draw on it as the page would. */
function drawsApart(): boolean {
  return 'transferControlToOffscreen' in HTMLCanvasElement.prototype && typeof OffscreenCanvas === 'function' && new OffscreenCanvas(1, 1).getContext('2d') !== null;
}
