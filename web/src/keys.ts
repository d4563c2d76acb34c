// The transport's keys.

export interface TransportKeys {
  play(): void;
  /** So many ticks, back where it is below zero. */
  step(ticks: number): void;
  live(): void;
  /** So many speeds faster or, negative, slower. */
  faster(by: number): void;
}

/** Your pane, the lane, and the card of a packet: the latter two take the arrows for themselves first. */
const PLACES = ['c-you', 'lane', 'packet'];

/** What was pressed keeps the focus, and keeps Space to itself. It has no use for the others. */
const PRESSED = 'button, a, summary';

/** Listens for them: only while the focus is in the page's body, on the stage or on something that is pressed, never in a field, never in
 *  a dialog of its own, never with a modifier, and only while they are wanted. */
export function listen(on: TransportKeys, wanted: () => boolean): void {
  document.addEventListener('keydown', (e) => {
    const target = e.target as Element;
    if (!wanted() || e.ctrlKey || e.metaKey || e.altKey) return;
    const pressed = target.matches(PRESSED) && !target.closest('dialog');
    if (target !== document.body && !PLACES.includes(target.id) && !pressed) return;
    if (e.code === 'Space') {
      if (pressed) return;
      if (!e.repeat) on.play();
    } else if (e.key === 'ArrowRight') on.step(1);
    else if (e.key === 'ArrowLeft') on.step(-1);
    else if (e.key === 'l' || e.key === 'L') on.live();
    else if (e.key === '[') on.faster(-1);
    else if (e.key === ']') on.faster(1);
    else return;
    e.preventDefault();
  });
}
