// The controls' frame; controls/panel.ts fills it from the catalogue.

import { h, segment } from '../dom.ts';
import { text } from '../strings.ts';
import type { Actions } from './actions.ts';

export function panel(on: Actions): HTMLElement {
  return h(
    'aside',
    { class: 'panel', 'aria-label': text.controls },
    segment('ptab', text.side, (['ctl', 'les'] as const).map((id) => ({ id, label: text.tabs[id] })), 'ctl', on.side, { class: 'seg ptabs', id: 'ptabs' }),
    h(
      'header',
      { class: 'phead' },
      h('h2', { id: 'phead', text: text.controls }),
      h('label', { class: 'ck' }, h('input', { type: 'checkbox', id: 'explain', checked: true, onchange: (e: Event) => on.explain((e.target as HTMLInputElement).checked) }), h('span', { text: text.explain })),
      // Where the transport is too narrow for it.
      h('button', { class: 'btn sm restart', type: 'button', text: text.restart, onclick: on.restart }),
      h('button', { class: 'btn sm', type: 'button', id: 'reset', text: text.reset, onclick: on.reset }),
    ),
    h('div', { class: 'psecs', id: 'psecs' }, h('p', { class: 'wait note', text: text.controlsLoad })),
    h('div', { id: 'figs' }),
  );
}
