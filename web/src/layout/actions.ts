// What the page's buttons and fields ask for.

import type { Overlay } from '../paint/stage/frame.ts';
import type { Place } from './skip.ts';

/** Wired once, by page.ts. */
export interface Actions {
  /** Moves the focus there. */
  skip(to: Place): void;
  home(): void;
  scene(id: string): void;
  /** In page or online. */
  place(id: string): void;
  /** Shows the instruments, or puts them away, where the stage has most of the room. */
  fold(): void;
  seed(raw: string): void;
  copy(): void;
  play(): void;
  /** So many ticks, back where it is below zero. */
  step(ticks: number): void;
  live(): void;
  restart(): void;
  speed(id: string): void;
  pane(id: string): void;
  tab(id: string): void;
  side(id: string): void;
  overlay(id: Overlay): void;
  perturb(what: 'drop' | 'spike' | 'dark'): void;
  explain(on: boolean): void;
  reset(): void;
  /** Opens the list of keys. */
  keys(): void;
  /** Gives the stage back to the bot. */
  leave(): void;
}
