// Packets under a finger: one is chosen on the lane by pointer or keys, opened in its card, looked at again with every picture.

import type { Bridge } from './bridge.ts';
import { byId, say } from './dom.ts';
import { type Mark, type PacketName, RAILS, REACH, hit, inOrder, next, same } from './lane/marks.ts';
import type { LaneMarks } from './lane/under.ts';
import { Card } from './packet.ts';
import type { Meddling } from './protocol.ts';
import { text } from './strings.ts';

/** How long "Hold" holds a packet. */
const HOLD_MS = 200;

export interface PacketActions {
  /** A card opens: time stands. */
  pause(): void;
  /** A choice or a deed asks for a new picture. */
  redraw(): void;
  step(by: number): void;
}

export class Packets {
  /** The packet that has a box around it. */
  chosen: PacketName | undefined;
  private readonly card: Card;
  private readonly said = byId('lane-said');
  /** The answer that is under way, 0 for none; and whether another picture came since it was asked for. */
  private asking = 0;
  private asked = 0;
  private again = false;

  constructor(
    private readonly lane: LaneMarks,
    private readonly bridge: Bridge,
    private readonly on: PacketActions,
  ) {
    this.card = new Card(byId('packet'), { close: () => this.close(), meddle: (what) => void this.meddle(what), step: (by) => on.step(by) });
    const { canvas } = lane;
    canvas.addEventListener('click', (e) => this.point(e as PointerEvent));
    canvas.addEventListener('keydown', (e) => this.key(e));
    // Who stepped on by the transport's buttons has the focus there, or nowhere.
    document.addEventListener('keydown', ({ key, target }) => {
      const near = target === document.body || (target as Element).matches('.transport *');
      if (key === 'Escape' && near && this.card.isOpen) this.close();
    });
  }

  /** A new picture: the open packet is asked for again. */
  seen(): void {
    if (this.card.isOpen) void this.ask();
  }

  /** Another world: its packets are others. */
  forget(): void {
    this.card.close();
    this.chosen = undefined;
    this.asking = 0;
  }

  private point(e: PointerEvent): void {
    const { canvas, marks } = this.lane;
    const box = canvas.getBoundingClientRect();
    const mark = hit(marks, e.clientX - box.left, e.clientY - box.top, e.pointerType === 'touch' ? REACH.touch : REACH.fine);
    if (mark) this.open(mark);
    else if (this.card.isOpen) this.close();
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const by = { ArrowRight: 1, ArrowLeft: -1, Home: 1, End: -1 }[e.key];
    const from = e.key === 'Home' || e.key === 'End' ? undefined : this.chosen;
    if (by !== undefined) this.choose(next(this.lane.marks, from, by));
    else if (e.key === 'Enter') {
      const { marks } = this.lane;
      const mark = marks.find((m) => same(m, this.chosen)) ?? next(marks, undefined, -1);
      if (mark) this.open(mark);
    } else if (e.key === 'Escape' && (this.chosen || this.card.isOpen)) this.close();
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  private choose(mark: Mark | undefined): void {
    if (!mark) return;
    this.chosen = mark;
    const all = inOrder(this.lane.marks);
    say(this.said, text.packet.chosen(mark, all.findIndex((m) => same(m, mark)) + 1, all.length));
    this.on.redraw();
  }

  private open(mark: Mark): void {
    this.chosen = { line: mark.line, number: mark.number };
    this.on.pause();
    const box = this.lane.canvas.getBoundingClientRect();
    // The numbers of lost packets above the rail are covered, the packets are not.
    this.card.open(mark, { x: box.left + mark.x, top: box.top + RAILS.top, bottom: box.top + RAILS.bottom });
    void this.ask();
    this.on.redraw();
  }

  private close(): void {
    const back = this.card.isOpen;
    this.card.close();
    this.chosen = undefined;
    say(this.said, '');
    if (back) this.lane.canvas.focus({ preventScroll: true });
    this.on.redraw();
  }

  private async ask(): Promise<void> {
    const { chosen } = this;
    if (!chosen) return;
    if (this.asking) {
      this.again = true;
      return;
    }
    const ticket = (this.asking = ++this.asked);
    const told = await this.bridge.inspect(chosen.line, chosen.number);
    if (this.asking !== ticket) return;
    this.asking = 0;
    if (told && same(chosen, this.chosen) && this.card.isOpen) this.card.show(told);
    if (this.again) {
      this.again = false;
      void this.ask();
    }
  }

  private async meddle(what: Meddling): Promise<void> {
    const { chosen } = this;
    if (!chosen) return;
    await this.bridge.meddle(chosen.line, chosen.number, what, HOLD_MS);
    // Whether it was done or not, the next look at it says how it stands.
    this.on.redraw();
  }
}
