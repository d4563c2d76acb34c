// Things that the reader must know and can act on: said in words, above the work, until dismissed. One of each kind.

import { h } from './dom.ts';
import { text } from './strings.ts';

export interface Way {
  label: string;
  go(): void;
  /** It leaves what was said as it is. */
  stays?: boolean;
}

export class Notices {
  private readonly shown = new Map<string, HTMLElement>();

  constructor(private readonly host: HTMLElement) {}

  /** Says it, in place of what was said under the same name. `ways` are buttons; dismissing comes last where it is allowed. */
  show(name: string, sentence: string, ways: Way[] = [], items: string[] = [], dismissable = true): void {
    this.hide(name);
    const box = h('div', { class: 'notice', role: 'alert', 'data-notice': name }, h('p', { text: sentence }));
    if (items.length) box.append(h('ul', {}, ...items.map((item) => h('li', { text: item }))));
    const row = h('div', { class: 'row' });
    for (const way of ways)
      row.append(
        h('button', {
          class: 'btn sm',
          type: 'button',
          text: way.label,
          onclick: () => {
            if (!way.stays) this.hide(name);
            way.go();
          },
        }),
      );
    if (dismissable) row.append(h('button', { class: 'btn sm', type: 'button', text: text.dismiss, onclick: () => this.hide(name) }));
    if (row.childElementCount) box.append(row);
    this.shown.set(name, box);
    this.host.append(box);
  }

  hide(name: string): void {
    this.shown.get(name)?.remove();
    this.shown.delete(name);
  }
}
