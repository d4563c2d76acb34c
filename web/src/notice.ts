// Things that the reader must know and can act on: said in words, above the work, until dismissed. One of each kind.

import { byId, h } from './dom.ts';
import { text } from './strings.ts';

export interface Way {
  label: string;
  go(): void;
  /** It leaves what was said as it is. */
  stays?: boolean;
}

export class Notices {
  private readonly shown = new Map<string, HTMLElement>();

  /** What had the focus before a notice had. */
  private before: Element | null = null;

  constructor(private readonly host: HTMLElement) {
    host.addEventListener('focusin', ({ relatedTarget }) => {
      if (!host.contains(relatedTarget as Node | null)) this.before = relatedTarget as Element | null;
    });
  }

  /** Says it, in place of what was said under the same name. `ways` are buttons; dismissing comes last where it is allowed. */
  show(name: string, sentence: string, ways: Way[] = [], items: string[] = [], dismissable = true): void {
    const focused = this.remove(name);
    const box = h('div', { class: 'notice', role: 'alert', 'data-notice': name }, h('p', { text: sentence }));
    if (items.length) box.append(h('ul', {}, ...items.map((item) => h('li', { text: item }))));
    const row = h('div', { class: 'row' });
    for (const way of ways)
      row.append(
        h('button', {
          class: 'btn sm',
          type: 'button',
          text: way.label,
          onclick: (e: MouseEvent) => {
            letGo(e);
            if (!way.stays) this.hide(name);
            way.go();
          },
        }),
      );
    if (dismissable) row.append(h('button', { class: 'btn sm', type: 'button', text: text.dismiss, onclick: (e: MouseEvent) => (letGo(e), this.hide(name)) }));
    if (row.childElementCount) box.append(row);
    this.shown.set(name, box);
    this.host.append(box);
    if (focused) this.goOn();
  }

  hide(name: string): void {
    if (this.remove(name)) this.goOn();
  }

  /** Takes a notice away; whether the focus was in it. */
  private remove(name: string): boolean {
    const box = this.shown.get(name);
    const focused = box?.contains(document.activeElement) ?? false;
    box?.remove();
    this.shown.delete(name);
    return focused;
  }

  /** Whoever came by keyboard goes on from the notice that is left, from where they were before, or from the transport. */
  private goOn(): void {
    const { before, host } = this;
    const back = before?.isConnected && before !== document.body && before.checkVisibility() ? before : byId('play');
    ([...host.querySelectorAll('button')].at(-1) ?? (back as HTMLElement)).focus({ preventScroll: true });
    // From one notice to the next is no coming from elsewhere.
    this.before = before;
  }
}

/** A finger or the mouse leaves the page's keys to the page. */
function letGo({ detail, currentTarget }: MouseEvent): void {
  if (detail > 0) (currentTarget as HTMLElement).blur();
}
