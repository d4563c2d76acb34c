// The first stops of a keyboard: past header and transport to where the work is.

import { byId, h } from '../dom.ts';
import { text } from '../strings.ts';

export type Place = 'stage' | 'lesson' | 'controls';

/** Where each begins: what takes the focus, and the tab under which a narrow page has it. */
const PLACES: Record<Place, { first: string; tab: string }> = {
  stage: { first: '#c-you', tab: '' },
  lesson: { first: '#lesson button:enabled', tab: 'les' },
  controls: { first: '#psecs summary', tab: 'ctl' },
};

export function skipLinks(go: (to: Place) => void): HTMLElement[] {
  // The fragment holds the settings, so the links move the focus by hand.
  const link = (to: Place) => h('a', { class: 'skip', href: `#${to}`, text: text.skip[to], onclick: (e: Event) => (e.preventDefault(), go(to)) });
  return (Object.keys(PLACES) as Place[]).map(link);
}

/** Moves the focus there; `open` brings the tab to the front where it is not in sight. */
export function skipTo(to: Place, open: (tab: string) => void): void {
  const { first, tab } = PLACES[to];
  const place = () => byId('bench').querySelector<HTMLElement>(first);
  if (tab && !place()?.checkVisibility()) open(tab);
  place()?.focus();
}
