// The dark middle: three panes, their overlays, the lane and the instruments.

import { h, segment } from '../dom.ts';
import { type Glyph, glyph } from '../glyphs.ts';
import type { Overlay } from '../paint/stage/frame.ts';
import { text } from '../strings.ts';
import type { Actions } from './actions.ts';
import { packetCard } from './packet.ts';

const LEGEND: Record<Overlay, Glyph> = {
  you: 'you',
  other: 'other',
  bot: 'bot',
  truth: 'truth',
  unconfirmed: 'unconfirmed',
  samples: 'samples',
  lag: 'lag',
  rewound: 'rewound',
  hit: 'hit',
  miss: 'miss',
  granted: 'granted',
  crowd: 'crowd',
  hears: 'hears',
};

/** For thumbs: shown from the first touch of the stage until a key or a mouse plays. Not in the order of Tab: whoever has keys needs none. */
function touch(on: Actions): HTMLElement {
  const press = (i: number) => h('button', { type: 'button', class: 'press', tabindex: -1, 'data-press': i });
  return h(
    'div',
    { class: 'touch', id: 'touch', role: 'group', 'aria-label': text.touchControls },
    h('div', { class: 'stick', id: 'stick', 'aria-hidden': 'true' }, h('i', { id: 'knob' })),
    h('div', { class: 'presses' }, press(1), press(0)),
    h('button', { type: 'button', class: 'btn leave', tabindex: -1, text: text.leave, onclick: on.leave }),
  );
}

export function scope(on: Actions): HTMLElement {
  const ids = ['you', 'server', 'other'] as const;
  const pane = (id: (typeof ids)[number]) => {
    const { label, sub, short } = { short: '', ...text.panes[id] };
    const canvas = h('canvas', { id: `c-${id}`, role: 'img', 'aria-label': text.paneHelp[id], 'aria-describedby': `s-${id}` });
    if (id === 'you') {
      // The one that is played on: it takes the focus and says how it is used.
      canvas.tabIndex = 0;
      canvas.setAttribute('role', 'application');
    }
    return h(
      'section',
      { class: 'pane', 'data-p': id, 'aria-label': label },
      h('header', {}, h('h2', {}, h('span', { class: 'long', text: label }), short && h('span', { class: 'short', 'aria-hidden': 'true', text: short })), h('span', { text: sub }), h('output', { id: `r-${id}` })),
      canvas,
      h('p', { class: 'vh', id: `s-${id}` }),
      ...(id === 'you' ? [h('p', { class: 'hint', id: 'hint' }), touch(on)] : []),
    );
  };
  const { drop, spike, dark } = text.perturb;
  const shock = (what: 'drop' | 'spike' | 'dark', label: string) => h('button', { class: 'btn sm', type: 'button', 'data-do': what, text: label, onclick: () => on.perturb(what) });
  const chips = (Object.keys(text.legend) as Overlay[]).map((id) =>
    h('button', { type: 'button', class: 'lg', 'data-lg': id, 'aria-pressed': 'true', onclick: () => on.overlay(id) }, glyph(LEGEND[id]), text.legend[id]),
  );
  return h(
    'div',
    { class: 'scope', id: 'stage', role: 'region', 'aria-label': text.stage },
    segment('pane', text.pane, ids.map((id) => ({ id, label: text.panes[id].label })), 'you', on.pane, { class: 'seg panetabs', id: 'panetabs' }),
    h('p', { class: 'chiproom', id: 'o-chiproom' }, h('span', { text: text.online.room }), h('b', { id: 'o-chipcode' })),
    h('div', { class: 'panes' }, ...ids.map(pane)),
    h('div', { class: 'legend', role: 'group', 'aria-label': text.overlays }, ...chips, h('button', { type: 'button', class: 'lg fold', id: 'o-fold', 'aria-controls': 'insts', text: text.online.instruments, onclick: on.fold })),
    h(
      'section',
      { class: 'lane', 'aria-label': text.lane },
      h(
        'header',
        {},
        h('h2', { text: text.lane }),
        h('output', { id: 'lane-stat' }),
        h('span', { class: 'perturb' }, shock('drop', drop.label), shock('spike', spike.label), shock('dark', dark.label)),
      ),
      h('canvas', { id: 'lane', role: 'application', tabindex: 0, 'aria-label': text.lane, 'aria-describedby': 'lane-about' }),
      h('p', { class: 'vh', id: 'lane-about' }, text.laneHelp, ' ', h('span', { id: 'lane-sum' })),
      h('p', { class: 'vh', id: 'lane-said', role: 'status' }),
      packetCard(),
    ),
    segment('tab', text.section, (['inst', 'ctl', 'les'] as const).map((id) => ({ id, label: text.tabs[id] })), 'inst', on.tab, { class: 'seg mtabs', id: 'mtabs' }),
    h('div', { class: 'insts', id: 'insts' }),
  );
}
