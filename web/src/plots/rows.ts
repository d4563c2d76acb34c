// The figures of a table, some rows at a time: all at once would be laid out and painted in one picture.

import { h, say } from '../dom.ts';

/** So often at most: rows are read one by one. */
const EVERY_MS = 500;
/** So many rows in one picture: the table of sixty takes six. */
const AT_ONCE = 10;

export class Rows {
  readonly body = h('tbody');
  private cells: HTMLElement[][] = [];
  /** What is being said, and how many of its rows are. */
  private figures: string[][] = [];
  private said = 0;
  private saidAt = -Infinity;

  /** Adds a row: what stands still in it, or else its first figure as its head, and so many figures. */
  add(head: HTMLElement | undefined, figures: number, title?: string): void {
    const cells = Array.from({ length: figures }, (_, k) => (head || k ? h('td') : h('th', { scope: 'row' })));
    this.cells.push(cells);
    this.body.append(h('tr', { title }, head, ...cells));
  }

  get count(): number {
    return this.cells.length;
  }

  clear(): void {
    this.cells = this.figures = [];
    this.body.replaceChildren();
  }

  /** Whether new figures are wanted. */
  due(now: number): boolean {
    return !this.owes && now - this.saidAt >= EVERY_MS;
  }

  /** It was out of sight: the next figures are said at once. */
  forget(): void {
    this.saidAt = -Infinity;
  }

  /** Takes figures by row; `still`: says them at once, otherwise with the next pictures. */
  take(figures: string[][], now: number, still: boolean): void {
    const first = this.saidAt === -Infinity;
    this.saidAt = now;
    this.figures = figures;
    this.said = 0;
    if (still || first) this.say(figures.length);
  }

  /** Whether some are still to be said. */
  get owes(): boolean {
    return this.said < this.figures.length;
  }

  /** Says the next rows. */
  say(rows = AT_ONCE): void {
    const end = Math.min(this.figures.length, this.said + rows);
    for (; this.said < end; this.said++) this.figures[this.said]!.forEach((figure, k) => say(this.cells[this.said]![k]!, figure));
  }
}
