// The skeleton of the page: semantic elements with ids, empty of state.

import { h, s, segment } from './dom.ts';
import { type Glyph, glyph } from './glyphs.ts';
import type { Overlay } from './stage.ts';
import { text } from './strings.ts';

export interface Actions {
  home(): void;
  scene(id: string): void;
  seed(raw: string): void;
  copy(): void;
  play(): void;
  step(): void;
  restart(): void;
  speed(id: string): void;
  pane(id: string): void;
  tab(id: string): void;
  side(id: string): void;
  overlay(id: Overlay): void;
  perturb(what: 'drop' | 'spike' | 'dark'): void;
  explain(on: boolean): void;
  reset(): void;
}

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
};

const icon = (viewBox: string, d: string, more: Record<string, string | number> = {}) => s('svg', { viewBox, 'aria-hidden': 'true' }, s('path', { d, ...more }));

/** Builds the page into the body. */
export function build(on: Actions): void {
  document.body.append(
    h('a', { class: 'skip', href: '#stage', text: text.skip, onclick: (e: Event) => focusStage(e) }),
    header(on),
    transport(on),
    h('div', { id: 'notices', 'aria-live': 'polite' }),
    h('main', { class: 'bench', id: 'bench' }, h('h1', { class: 'vh', text: text.name }), lesson(), scope(on), panel(on)),
    h('p', { class: 'toast', id: 'toast', role: 'status', 'aria-live': 'polite' }),
    h('p', { class: 'vh', id: 'live', role: 'status', 'aria-live': 'polite' }),
  );
}

/** The fragment holds the settings, so the skip link moves the focus by hand. */
function focusStage(e: Event): void {
  e.preventDefault();
  document.getElementById('c-you')?.focus();
}

function header(on: Actions): HTMLElement {
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
      h('button', { class: 'btn', id: 'copy', type: 'button', 'aria-label': text.copy, onclick: on.copy }, link, h('span', { class: 'lbl', text: text.copy })),
      h('output', { class: 'chip conn', id: 'conn' }),
    ),
  );
}

function transport(on: Actions): HTMLElement {
  const key = (sign: string, word: string, after = false) => h('span', {}, ...(after ? [`${word} `, h('kbd', { text: sign })] : [h('kbd', { text: sign }), word ? ` ${word}` : '']));
  const play = h('button', { class: 'tb play', id: 'play', type: 'button', 'aria-label': text.play, onclick: on.play });
  const pauseIcon = icon('0 0 16 16', 'M4 3h3v10H4zM9 3h3v10H9z');
  const playIcon = icon('0 0 16 16', 'M4 2.5L13 8l-9 5.5z');
  pauseIcon.classList.add('i-pause');
  playIcon.classList.add('i-play');
  play.append(pauseIcon, playIcon);
  const step = h('button', { class: 'tb step', id: 'step', type: 'button', 'aria-label': text.step, onclick: on.step }, icon('0 0 16 16', 'M12 3v10M3 3l6 5-6 5z'));
  return h(
    'section',
    { class: 'transport', 'aria-label': text.transport },
    h('div', { class: 'tgroup' }, h('div', { class: 'tbtns' }, play, step), h('p', { class: 'keys', 'aria-hidden': 'true' }, key(text.space, ''), key('\u2192', ''))),
    h(
      'div',
      { class: 'tgroup speed' },
      segment('speed', text.speed, text.speeds, '1', on.speed, { id: 'speed' }),
      h('p', { class: 'keys', 'aria-hidden': 'true' }, key('[', text.slower), key(']', text.faster, true)),
    ),
    h('div', { class: 'tape' }, h('canvas', { id: 'tape', role: 'img', 'aria-label': text.tape })),
    h('div', { class: 'clock' }, h('output', { id: 'clock', text: '00:00.000' }), h('span', { id: 'tick', text: text.tick(null) })),
    h('button', { class: 'btn restart', id: 'restart', type: 'button', title: text.restartHelp, text: text.restart, onclick: on.restart }),
  );
}

function lesson(): HTMLElement {
  return h(
    'aside',
    { class: 'lesson', 'aria-label': text.tabs.les },
    h('div', { class: 'lesson-body', id: 'lesson' }),
    h('section', { class: 'feed', 'aria-label': text.feed }, h('h3', { text: text.feed }), h('ol', { id: 'feed' })),
  );
}

function scope(on: Actions): HTMLElement {
  const ids = ['you', 'server', 'other'] as const;
  const pane = (id: (typeof ids)[number]) => {
    const { label, sub } = text.panes[id];
    const canvas = h('canvas', { id: `c-${id}`, role: 'img', 'aria-label': text.paneHelp[id] });
    if (id === 'you') {
      // The one that is played on: it takes the focus and says how it is used.
      canvas.tabIndex = 0;
      canvas.setAttribute('role', 'application');
    }
    return h(
      'section',
      { class: 'pane', 'data-p': id, 'aria-label': label },
      h('header', {}, h('h2', { text: label }), h('span', { text: sub }), h('output', { id: `r-${id}` })),
      canvas,
      id === 'you' && h('p', { class: 'hint', id: 'hint' }),
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
    h('div', { class: 'panes' }, ...ids.map(pane)),
    h('div', { class: 'legend', role: 'group', 'aria-label': text.overlays }, ...chips),
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
      h('canvas', { id: 'lane', role: 'img', 'aria-label': text.laneHelp }),
    ),
    segment('tab', text.section, (['inst', 'ctl', 'les'] as const).map((id) => ({ id, label: text.tabs[id] })), 'inst', on.tab, { class: 'seg mtabs', id: 'mtabs' }),
    h('div', { class: 'insts', id: 'insts' }),
  );
}

function panel(on: Actions): HTMLElement {
  return h(
    'aside',
    { class: 'panel', 'aria-label': text.controls },
    segment('ptab', text.side, (['ctl', 'les'] as const).map((id) => ({ id, label: text.tabs[id] })), 'ctl', on.side, { class: 'seg ptabs', id: 'ptabs' }),
    h(
      'header',
      { class: 'phead' },
      h('h2', { text: text.controls }),
      h('label', { class: 'ck' }, h('input', { type: 'checkbox', id: 'explain', checked: true, onchange: (e: Event) => on.explain((e.target as HTMLInputElement).checked) }), h('span', { text: text.explain })),
      h('button', { class: 'btn sm', type: 'button', id: 'reset', text: text.reset, onclick: on.reset }),
    ),
    h('div', { class: 'psecs', id: 'psecs' }, h('p', { class: 'wait note', text: text.controlsLoad })),
  );
}
