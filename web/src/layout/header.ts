// The line across the top: which scene and seed, the link to it, how the connection stands.

import { h, s, segment } from '../dom.ts';
import { text } from '../strings.ts';
import type { Actions } from './actions.ts';
import { icon } from './icon.ts';

export function header(on: Actions): HTMLElement {
  const rings = s('svg', { viewBox: '0 0 34 16', width: 34, height: 16, 'aria-hidden': 'true' });
  rings.append(s('circle', { cx: 26, cy: 8, r: 6 }), s('circle', { cx: 16.5, cy: 8, r: 5.5, class: 'g1' }), s('circle', { cx: 8, cy: 8, r: 5.5, class: 'g2' }));
  const link = icon('0 0 16 16', 'M6.5 9.5l3-3M7 4.5l1.2-1.2a3 3 0 014.3 4.3L11 9M9 11.5l-1.2 1.2a3 3 0 01-4.3-4.3L5 7', { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 });
  return h(
    'header',
    { class: 'top' },
    h('a', { class: 'mark', href: '#', 'aria-label': text.home, onclick: (e: Event) => (e.preventDefault(), on.home()) }, rings, h('span', { text: text.name })),
    h('nav', { class: 'scenes', id: 'scenes', 'aria-label': text.scenes }),
    h('label', { class: 'scene-select' }, h('span', { class: 'vh', text: text.scene }), h('select', { id: 'scene', onchange: (e: Event) => on.scene((e.target as HTMLSelectElement).value) })),
    h(
      'div',
      { class: 'top-r' },
      h(
        'label',
        { class: 'seed', title: text.seedHelp },
        h('span', { text: text.seed }),
        h('input', { type: 'text', inputmode: 'numeric', id: 'seed', autocomplete: 'off', maxlength: 10, onchange: (e: Event) => on.seed((e.target as HTMLInputElement).value) }),
      ),
      h('button', { class: 'btn', id: 'keys', type: 'button', text: text.keys.label, onclick: on.keys }),
      h('button', { class: 'btn', id: 'copy', type: 'button', 'aria-label': text.copy, onclick: on.copy }, link, h('span', { class: 'lbl', text: text.copy })),
      segment('place', text.online.places, text.online.place, 'page', on.place, { class: 'seg place', id: 'place' }),
      h('output', { class: 'chip conn', id: 'conn' }),
    ),
  );
}
