// The crowd of a pane, by whichever way is there: the graphics card, or stamps where there is none.

import type { Camera } from '../../camera.ts';
import type { Ctx } from '../canvas.ts';
import type { Theme } from '../theme.ts';
import type { Rows } from '../../view.ts';
import { Stamps } from './stamps.ts';
import { type AnyCanvas, CrowdGl, type Size } from './gl.ts';
import { many } from './kinds.ts';

const blank = (): AnyCanvas => (typeof OffscreenCanvas === 'function' ? new OffscreenCanvas(1, 1) : document.createElement('canvas'));

export class Crowd {
  /** One for all panes: they are drawn one after the other. Null once it is known that there is none. */
  private gl: CrowdGl | null | undefined;
  /** How the newest was drawn. */
  by: 'none' | 'gl' | 'stamps' = 'none';

  private readonly stamps = new Stamps(blank);

  /** `software`: also where there is no graphics card. */
  constructor(
    private readonly canvas: () => AnyCanvas = blank,
    private readonly software = false,
  ) {}

  /** Draws what comes by the thousand; `shows` has a bit a kind. `x` is scaled to CSS pixels. */
  draw(x: Ctx, rows: Rows, cam: Camera, size: Size, shows: number, colours: Theme): void {
    const count = shows === 0 ? 0 : many(rows);
    this.by = count === 0 ? 'none' : 'stamps';
    if (count > 0) {
      this.gl ??= this.gl === null ? null : (CrowdGl.on(this.canvas(), colours, this.software) ?? null);
      if (this.gl?.draw(rows, cam, size, shows)) {
        this.by = 'gl';
        x.drawImage(this.gl.canvas, 0, 0, size.width, size.height, 0, 0, size.w, size.h);
        return;
      }
      this.stamps.draw(x, rows, cam, size, shows, colours);
    }
  }
}
