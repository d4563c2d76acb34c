// The card of a packet, empty; packet.ts fills it.

import { h } from '../dom.ts';

export function packetCard(): HTMLElement {
  return h('div', { class: 'packet', id: 'packet', role: 'dialog', 'aria-labelledby': 'packet-title', 'aria-describedby': 'packet-says', tabindex: -1, hidden: true });
}
