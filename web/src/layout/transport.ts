// Time control: buttons, speeds, the tape with its handle, the clock, and the way back to live.

import { h, segment } from '../dom.ts';
import { text } from '../strings.ts';
import type { Actions } from './actions.ts';
import { icon } from './icon.ts';

export function transport(on: Actions): HTMLElement {
  return h(
    'section',
    { class: 'transport', 'aria-label': text.transport, onclick: giveBack },
    h('div', { class: 'tgroup' }, buttons(on), keys(key('\u2190'), key(text.space), key('\u2192'))),
    h('div', { class: 'tgroup speed' }, segment('speed', text.speed, text.speeds, '1', on.speed, { id: 'speed' }), keys(key('[', ` ${text.slower}`), key(']', `${text.faster} `, true))),
    tape(),
    lock(on),
    h('div', { class: 'clock' }, h('div', {}, h('output', { id: 'clock', text: '00:00.000' }), h('span', { id: 'tick', text: text.tick(null) }), h('span', { id: 'forks' }))),
    h('button', { class: 'btn restart', id: 'restart', type: 'button', title: text.restartHelp, text: text.restart, onclick: on.restart }),
    live(on),
  );
}

/** A finger or the mouse leaves the page's keys to the page, or Space would press the button again; whoever came by keyboard stays. */
function giveBack(e: Event): void {
  if ((e as MouseEvent).detail === 0) return;
  // The tape lets go of its own.
  const leave = () => document.querySelector<HTMLElement>('.transport :focus:not(#scrub)')?.blur();
  leave();
  // A click on a label gives the focus to its field after this.
  setTimeout(leave);
}

function buttons(on: Actions): HTMLElement {
  const play = h('button', { class: 'tb play', id: 'play', type: 'button', 'aria-label': text.play, onclick: on.play });
  const pauseIcon = icon('0 0 16 16', 'M4 3h3v10H4zM9 3h3v10H9z');
  const playIcon = icon('0 0 16 16', 'M4 2.5L13 8l-9 5.5z');
  pauseIcon.classList.add('i-pause');
  playIcon.classList.add('i-play');
  play.append(pauseIcon, playIcon);
  const step = (id: string, label: string, ticks: number, path: string) =>
    h('button', { class: 'tb step', id, type: 'button', 'aria-label': label, onclick: () => on.step(ticks) }, icon('0 0 16 16', path));
  return h('div', { class: 'tbtns' }, step('step-back', text.stepBack, -1, 'M4 3v10M13 3L7 8l6 5z'), play, step('step', text.step, 1, 'M12 3v10M3 3l6 5-6 5z'));
}

/** The picture says what happened; the native range over it says where we are, and moves us. */
function tape(): HTMLElement {
  const scrub = h('input', { type: 'range', id: 'scrub', min: 0, max: 0, step: 'any', value: 0, 'aria-label': text.scrub, 'aria-valuetext': text.live });
  return h('div', { class: 'tape' }, h('canvas', { id: 'tape', role: 'img', 'aria-label': text.tape }), scrub);
}

function live(on: Actions): HTMLElement {
  const word = h('span', { class: 'word' }, text.liveWord, h('small', { id: 'behind' }));
  return h('button', { class: 'live', id: 'golive', type: 'button', 'aria-pressed': 'true', onclick: on.live }, h('i', { class: 'dot', 'aria-hidden': 'true' }), word, h('kbd', { text: 'L', 'aria-hidden': 'true' }));
}

/** Online there is no time control: why, and the way to where there is. */
function lock(on: Actions): HTMLElement {
  const { lock, lockIn, lockOr } = text.online;
  return h('p', { class: 'lock' }, lock, h('button', { type: 'button', class: 'say', text: lockIn, onclick: () => on.place('page') }), lockOr);
}

const keys = (...all: HTMLElement[]) => h('p', { class: 'keys', 'aria-hidden': 'true' }, ...all);

function key(sign: string, word = '', after = false): HTMLElement {
  const cap = h('kbd', { text: sign });
  return h('span', {}, ...(after ? [word, cap] : [cap, word]));
}
