// The column of words: a lesson, and what just happened.

import { h } from '../dom.ts';
import { text } from '../strings.ts';

export function lesson(): HTMLElement {
  return h(
    'aside',
    { class: 'lesson', 'aria-label': text.tabs.les },
    h('div', { class: 'lesson-body', id: 'lesson' }),
    h('section', { class: 'feed', 'aria-label': text.feed }, h('h3', { text: text.feed }), h('ol', { id: 'feed' })),
  );
}
