// One pane: the marks that the lab gives, drawn by role. Identity is shape and hue, state is treatment.

import { type Bounds, Eye, isLarge, toPixels } from '../camera.ts';
import { signed } from '../format.ts';
import type { Stick } from '../input/touch.ts';
import { drawn } from '../strings/drawn.ts';
import { M, MarkKind, type Rows, at } from '../view.ts';
import { type Ctx, type Surface, circle, clamp, dots, line, words } from './canvas.ts';
import { Labels } from './labels.ts';
import { body, samples, trails, truth } from './stage/bodies.ts';
import { type Frame, type Overlays, follows, outline, place, radius } from './stage/frame.ts';
import type { Crowd } from './crowd/crowd.ts';
import { ALL } from './crowd/kinds.ts';
import { gate, grid, wall } from './stage/ground.ts';
import { counted, hears, ring } from './stage/reach.ts';
import { shot, verdict } from './stage/shots.ts';
import { colours } from './theme.ts';

/** A body is never drawn smaller than this, so that its shape can be told. */
const MIN_RADIUS = 6.5;

export class Pane {
  private readonly labels = new Labels();
  private readonly eye: Eye;
  private readonly led = new Set<number>();
  private readonly roles = new Map<number, number>();

  constructor(
    private readonly surface: Surface,
    private readonly truth: boolean,
    whom: MarkKind.You | MarkKind.Other,
    private readonly crowd: Crowd,
  ) {
    this.eye = new Eye(whom);
  }

  /** The ground and a sentence: what the page shows before there is anything else. */
  idle(sentence: string): void {
    if (!this.surface.begin()) return;
    const { x, w, h } = this.surface;
    dots(x, w, h);
    words(x, sentence, w / 2, h / 2, colours().ink2, 'center');
  }

  draw(rows: Rows, bounds: Bounds, show: Overlays, stick?: Stick): void {
    const { x, w, h } = this.surface;
    const cam = this.eye.camera(bounds, rows, w, h);
    this.roles.clear();
    for (let i = 0; i < rows.count; i++) if (at(rows, i, M.Kind) <= MarkKind.Bot) this.roles.set(at(rows, i, M.Key), at(rows, i, M.Kind));
    const f: Frame = { x, rows, cam, show, roles: this.roles, truth: this.truth, least: clamp(w / 38, MIN_RADIUS, 9), quiet: false };
    const walls = (ground: Ctx) => {
      for (let i = 0; i < rows.count; i++) if (at(rows, i, M.Kind) === MarkKind.Wall) wall({ ...f, x: ground }, i);
    };
    if (isLarge(bounds)) {
      // The ground goes by: there is none to keep.
      if (!this.surface.begin()) return;
      grid(x, bounds, cam, w, h);
      walls(x);
    } else if (!this.surface.beginOn(standing(rows), (ground) => (dots(ground, w, h), walls(ground)))) return;
    this.labels.begin();
    const each = (from: number, to: number, paint: (f: Frame, i: number) => void) => {
      for (let i = 0; i < rows.count; i++) {
        const kind = at(rows, i, M.Kind);
        // What belongs to a shot follows it.
        if (kind === MarkKind.Shot) f.quiet = this.roles.get(at(rows, i, M.Key)) === MarkKind.Bot;
        if (kind >= from && kind <= to) paint(f, i);
      }
    };
    each(MarkKind.Gate, MarkKind.Gate, gate);
    if (show.hears) each(MarkKind.Hears, MarkKind.Hears, hears);
    this.crowd.draw(x, rows, cam, this.surface.size, show.crowd ? ALL : 0, colours());
    if (show.crowd) each(MarkKind.StandIn, MarkKind.StandIn, counted);
    each(MarkKind.Ring, MarkKind.Ring, ring);
    if (show.samples) samples(f);
    if (show.unconfirmed) trails(f);
    if (show.truth && !this.truth) each(MarkKind.Truth, MarkKind.Truth, truth);
    each(MarkKind.You, MarkKind.Bot, body);
    if (show.rewound && this.truth) each(MarkKind.Rewound, MarkKind.Rewound, (frame, i) => this.rewound(frame, i));
    each(MarkKind.Shot, MarkKind.Shot, shot);
    each(MarkKind.Verdict, MarkKind.Verdict, verdict);
    for (let i = 0; i < rows.count; i++) {
      const [px, py] = place(f, i);
      const kind = at(rows, i, M.Kind);
      if (kind <= MarkKind.Truth) this.labels.avoid(px, py, radius(f, i) * 1.2);
      else if (kind === MarkKind.Verdict || kind === MarkKind.Rewound) this.labels.avoid(px, py, MIN_RADIUS * 2);
    }
    if (show.lag) each(MarkKind.Lag, MarkKind.Lag, (frame, i) => this.lag(frame, i));
    this.labels.draw(x, w, h);
    if (stick) thumb(x, stick);
    if (this.roles.size === 0) words(x, drawn.waitingSample, w / 2, h / 2, colours().ink2, 'center');
  }

  /** Where the server put a body back to, for a shot of yours or the other player's, and how far. */
  private rewound(f: Frame, i: number): void {
    if (f.quiet) return;
    const { x } = f;
    const c = colours();
    const key = at(f.rows, i, M.Key);
    const [px, py] = place(f, i);
    const r = radius(f, i) * 1.25;
    x.save();
    x.translate(px, py);
    x.setLineDash([4, 3]);
    x.strokeStyle = c.rewind;
    x.lineWidth = 1.8;
    outline(x, f.roles.get(key), r);
    x.stroke();
    x.restore();
    this.labels.add(`rewound${key}`, `${signed(-at(f.rows, i, M.Heading))} ms`, px, py, c.rewind, r * 1.7);
  }

  /** The gap between a body and its truth, in milliseconds; hidden while the two are nearly one. A pane is small: at a run, 100 ms
   *  are less than a body's width, so the label comes well before the two are apart. */
  private lag(f: Frame, i: number): void {
    const c = colours();
    const [px, py] = place(f, i);
    const [tx, ty] = toPixels(f.cam, at(f.rows, i, M.Size), at(f.rows, i, M.Size2));
    const key = at(f.rows, i, M.Key);
    if (!follows(f, key)) return;
    const r = f.least;
    const far = Math.hypot(tx - px, ty - py);
    // Two thresholds, so that a label does not flicker at one.
    if (far < r * (this.led.has(key) ? 0.4 : 0.7)) {
      this.led.delete(key);
      return;
    }
    this.led.add(key);
    const [ux, uy] = [(tx - px) / far, (ty - py) / far];
    f.x.strokeStyle = c.truth;
    f.x.lineWidth = 1;
    if (far > r * 2.2) line(f.x, px + ux * r, py + uy * r, tx - ux * r * 1.1, ty - uy * r * 1.1);
    // Bots are many: their gap is drawn, its figure is the same as the other player's.
    if (this.roles.get(key) === MarkKind.Bot) return;
    this.labels.add(`lag${key}`, `${signed(at(f.rows, i, M.Heading))} ms`, px, py, c.ink, r * 1.7);
  }
}

/** What stands in the world, told apart by one number: the same walls make the same ground. */
function standing(rows: Rows): string {
  let sum = 0;
  for (let i = 0; i < rows.count; i++) {
    if (at(rows, i, M.Kind) !== MarkKind.Wall) continue;
    for (const field of [M.X, M.Y, M.Size, M.Size2]) sum = (sum * 31 + at(rows, i, field)) % 1e9;
  }
  return String(sum);
}

/** Where a thumb steers, while it does. */
function thumb(x: Ctx, { fromX, fromY, x: atX, y: atY }: Stick): void {
  const c = colours();
  x.strokeStyle = c.ink2;
  x.lineWidth = 1.5;
  circle(x, fromX, fromY, 40);
  x.fillStyle = c.ink2;
  x.globalAlpha = 0.4;
  x.beginPath();
  x.arc(atX, atY, 20, 0, Math.PI * 2);
  x.fill();
  x.globalAlpha = 1;
}
