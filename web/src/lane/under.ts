// The lane under a pointer and the keys: where the painter has put each packet.

import type { Rows } from '../view.ts';
import { type Mark, marksOf } from './marks.ts';

export class LaneMarks {
  private rows: Rows | undefined;
  private found: readonly Mark[] | undefined;

  /** `width` in CSS pixels. */
  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly width: () => number,
  ) {}

  /** These packets are drawn now. */
  see(rows: Rows): void {
    this.rows = rows;
    this.found = undefined;
  }

  /** What is drawn, in the order of drawing. */
  get marks(): readonly Mark[] {
    return (this.found ??= this.rows ? marksOf(this.rows, this.width()) : []);
  }
}
