// Time control: buttons, speeds, the tape.

import { h, segment } from '../dom.ts';
import { text } from '../strings.ts';
import type { Actions } from './actions.ts';
import { icon } from './icon.ts';

export function transport(on: Actions): HTMLElement {
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
