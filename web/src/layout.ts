// The skeleton of the page: semantic elements with ids, empty of state.

import { h } from './dom.ts';
import type { Actions } from './layout/actions.ts';
import { header } from './layout/header.ts';
import { keysDialog } from './layout/keys.ts';
import { lesson } from './layout/lesson.ts';
import { panel } from './layout/panel.ts';
import { scope } from './layout/scope.ts';
import { skipLinks } from './layout/skip.ts';
import { transport } from './layout/transport.ts';
import { text } from './strings.ts';

/** Builds the page into the body. */
export function build(on: Actions): void {
  document.body.append(
    ...skipLinks(on.skip),
    header(on),
    transport(on),
    h('div', { id: 'notices', 'aria-live': 'polite' }),
    h('main', { class: 'bench', id: 'bench' }, h('h1', { class: 'vh', text: text.name }), lesson(), scope(on), panel(on)),
    keysDialog(),
    h('p', { class: 'toast', id: 'toast', role: 'status', 'aria-live': 'polite' }),
    h('p', { class: 'vh', id: 'live', role: 'status', 'aria-live': 'polite' }),
  );
}
