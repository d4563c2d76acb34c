// The age of the newest sample against the delay, small, over a corner of the stage.

import { type Rows, Section, type View, at } from '../view.ts';
import { type Ctx, type Surface, line } from './canvas.ts';
import { colours } from './theme.ts';

const WINDOW_MS = 3000;

export function netGraph(surface: Surface, view: View): void {
  if (!surface.begin()) return;
  const { x, w, h: height } = surface;
  const c = colours();
  const rows = view.section(Section.Age);
  const top = Math.max(40, most(rows, 1), most(rows, 2)) * 1.15;
  const px = (ms: number) => w * (1 + ms / WINDOW_MS);
  const py = (ms: number) => height - 2 - (ms / top) * (height - 4);
  x.strokeStyle = c.grat;
  x.lineWidth = 1;
  line(x, 0, height - 1.5, w, height - 1.5);
  trace(x, rows, 1, px, py, c.other, []);
  trace(x, rows, 2, px, py, c.ink2, [5, 4]);
}

function most(rows: Rows, field: number): number {
  let max = 0;
  for (let i = 0; i < rows.count; i++) if (at(rows, i, 0) > -WINDOW_MS) max = Math.max(max, at(rows, i, field) || 0);
  return max;
}

function trace(x: Ctx, rows: Rows, field: number, px: (ms: number) => number, py: (ms: number) => number, colour: string, dash: number[]): void {
  x.strokeStyle = colour;
  x.lineWidth = 1.4;
  x.setLineDash(dash);
  x.beginPath();
  let drawing = false;
  for (let i = 0; i < rows.count; i++) {
    const [ms, v] = [at(rows, i, 0), at(rows, i, field)];
    if (ms < -WINDOW_MS || !Number.isFinite(v)) {
      drawing = false;
      continue;
    }
    if (drawing) x.lineTo(px(ms), py(v));
    else x.moveTo(px(ms), py(v));
    drawing = true;
  }
  x.stroke();
  x.setLineDash([]);
}
