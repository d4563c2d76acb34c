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

/** Listens for them: only while the focus is in the page's body or on the stage, never in a field, never with a modifier,
 *  and only while they are wanted. */
export function listen(on: TransportKeys, wanted: () => boolean): void {
  document.addEventListener('keydown', (e) => {
    const target = e.target as Element;
    if (!wanted() || e.ctrlKey || e.metaKey || e.altKey || (target !== document.body && !PLACES.includes(target.id))) return;
    if (e.code === 'Space') {
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
