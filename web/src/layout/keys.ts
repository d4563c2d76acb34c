// The dialog of keys, empty; input/keys.ts fills it.

import { h } from '../dom.ts';
import { text } from '../strings.ts';

export function keysDialog(): HTMLElement {
  return h(
    'dialog',
    { class: 'keysbox', id: 'keys-dialog', 'aria-labelledby': 'keys-title' },
    h('h2', { id: 'keys-title', text: text.keys.title }),
    h('p', { class: 'note', id: 'keys-said', role: 'status' }),
    h('ul', { id: 'keys-list' }),
    h('p', { class: 'note', text: text.keys.pads }),
    h('label', { class: 'ck' }, h('input', { type: 'checkbox', id: 'keys-time' }), h('span', { text: text.keys.time })),
    h(
      'div',
      { class: 'row' },
      h('button', { class: 'btn', type: 'button', id: 'keys-reset', text: text.keys.reset }),
      h('button', { class: 'btn', type: 'button', id: 'keys-close', text: text.keys.close }),
    ),
  );
}
