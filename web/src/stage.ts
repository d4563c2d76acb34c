// One pane: the marks that the lab gives, drawn by role. Identity is shape and hue, state is treatment.

import { type Ctx, Surface, circle, clamp, crisp, cross, dots, hatch, line, words } from './canvas.ts';
import { type Bounds, type Camera, fit, toPixels } from './camera.ts';
import { signed } from './format.ts';
import type { Stick } from './input/touch.ts';
import { Labels } from './labels.ts';
import { text } from './strings.ts';
import { colours } from './theme.ts';
import { Flag, M, MarkKind, type Rows, at } from './view.ts';

export type Overlay = keyof typeof text.legend;
export type Overlays = Record<Overlay, boolean>;

/** A body is never drawn smaller than this, so that its shape can be told. */
const MIN_RADIUS = 6.5;

interface Frame {
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

export class Pane {
  private readonly surface: Surface;
  private readonly labels = new Labels();
  private readonly led = new Set<number>();
  private readonly roles = new Map<number, number>();
  /** Where the last picture put the world; undefined before the first. */
  camera: Camera | undefined;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly truth: boolean,
  ) {
    this.surface = new Surface(canvas);
  }

  /** In CSS pixels, without asking the layout. */
  get width(): number {
    return this.surface.w;
  }

  /** The ground and a sentence: what the page shows before there is anything else. */
  idle(sentence: string): void {
    if (!this.surface.begin()) return;
    const { x, w, h } = this.surface;
    dots(x, w, h);
    words(x, sentence, w / 2, h / 2, colours().ink2, 'center');
  }

  draw(rows: Rows, bounds: Bounds, show: Overlays, stick?: Stick): void {
    if (!this.surface.begin()) return;
    const { x, w, h } = this.surface;
    const cam = fit(bounds, w, h);
    this.camera = cam;
    dots(x, w, h);
    this.roles.clear();
    for (let i = 0; i < rows.count; i++) if (at(rows, i, M.Kind) <= MarkKind.Bot) this.roles.set(at(rows, i, M.Key), at(rows, i, M.Kind));
    const f: Frame = { x, rows, cam, show, roles: this.roles, truth: this.truth, least: clamp(w / 38, MIN_RADIUS, 9), quiet: false };
    this.labels.begin();
    const each = (from: number, to: number, paint: (f: Frame, i: number) => void) => {
      for (let i = 0; i < rows.count; i++) {
        const kind = at(rows, i, M.Kind);
        // What belongs to a shot follows it.
        if (kind === MarkKind.Shot) f.quiet = this.roles.get(at(rows, i, M.Key)) === MarkKind.Bot;
        if (kind >= from && kind <= to) paint(f, i);
      }
    };
    each(MarkKind.Wall, MarkKind.Wall, wall);
    each(MarkKind.Gate, MarkKind.Gate, gate);
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
    if (this.roles.size === 0) words(x, text.waitingSample, w / 2, h / 2, colours().ink2, 'center');
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
    const kind = this.roles.get(key);
    if (kind !== undefined && !shown(f, kind)) return;
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

const place = (f: Frame, i: number): [number, number] => toPixels(f.cam, at(f.rows, i, M.X), at(f.rows, i, M.Y));
const radius = (f: Frame, i: number): number => clamp(at(f.rows, i, M.Size) * f.cam.scale, f.least, 40);

function shown(f: Frame, kind: number): boolean {
  return kind === MarkKind.You ? f.show.you : kind === MarkKind.Other ? f.show.other : f.show.bot;
}

function hue(kind: number | undefined): string {
  return kind === MarkKind.You ? colours().you : colours().other;
}

/** The outline of a role about (0, 0), turned already. */
function outline(x: Ctx, kind: number | undefined, r: number): void {
  x.beginPath();
  if (kind === MarkKind.You) x.arc(0, 0, r, 0, Math.PI * 2);
  else if (kind === MarkKind.Bot) {
    x.moveTo(r * 1.05, 0);
    x.lineTo(-r * 0.8, r * 0.86);
    x.lineTo(-r * 0.8, -r * 0.86);
    x.closePath();
  } else x.rect(-r * 0.92, -r * 0.92, r * 1.84, r * 1.84);
}

function wall(f: Frame, i: number): void {
  const c = colours();
  box(f, i, c.wall, c.wallLine);
}

/** A gate is a wall that moves: drawn lighter, with its own edge. */
function gate(f: Frame, i: number): void {
  const c = colours();
  box(f, i, hatch(f.x, c.axis, 4), c.ink2);
}

function box(f: Frame, i: number, fill: string | CanvasPattern, edge: string): void {
  const [px, py] = place(f, i);
  const [w, h] = [at(f.rows, i, M.Size) * f.cam.scale, at(f.rows, i, M.Size2) * f.cam.scale];
  const [left, top] = [crisp(px - w / 2), crisp(py - h / 2)];
  const [right, bottom] = [crisp(px + w / 2), crisp(py + h / 2)];
  f.x.fillStyle = fill;
  f.x.strokeStyle = edge;
  f.x.lineWidth = 1;
  f.x.fillRect(left, top, right - left, bottom - top);
  f.x.strokeRect(left, top, right - left, bottom - top);
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

function samples(f: Frame): void {
  const { x } = f;
  runs(f, MarkKind.Sample, (key, from, to) => {
    const kind = f.roles.get(key);
    if (kind !== undefined && !shown(f, kind)) return;
    x.strokeStyle = hue(kind);
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
function trails(f: Frame): void {
  const { x } = f;
  runs(f, MarkKind.Unconfirmed, (key, from, to) => {
    const kind = f.roles.get(key);
    if (kind !== undefined && !shown(f, kind)) return;
    path(f, from, to);
    x.lineCap = 'round';
    x.lineWidth = Math.max(f.least, at(f.rows, from, M.Size) * f.cam.scale) * 1.7;
    x.strokeStyle = colours().bg;
    x.stroke();
    x.strokeStyle = hatch(x, hue(kind));
    x.stroke();
    x.lineCap = 'butt';
  });
}

function truth(f: Frame, i: number): void {
  const kind = f.roles.get(at(f.rows, i, M.Key));
  if (kind !== undefined && !shown(f, kind)) return;
  f.x.strokeStyle = colours().truth;
  f.x.lineWidth = 1.5;
  circle(f.x, ...place(f, i), radius(f, i) * 1.08);
}

function body(f: Frame, i: number): void {
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

function shot(f: Frame, i: number): void {
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
function verdict(f: Frame, i: number): void {
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
