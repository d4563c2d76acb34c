// The lesson column. Its phrases set the state; what they set lights up once.

import { h, say } from './dom.ts';
import type { Model } from './controls/model.ts';
import type { Config } from './protocol.ts';
import { text } from './strings.ts';
import { lessonsOf } from './strings/lessons.ts';

/** What a phrase may do where it sets nothing. */
const DEEDS = ['pause', 'play', 'step', 'slow', 'full', 'drop', 'spike', 'dark'] as const;
export type Deed = (typeof DEEDS)[number];

/** A part of a lesson's text. */
export type Part =
  | { kind: 'deed'; text: string; deed: Deed; after: string }
  | { kind: 'text' | 'strong' | 'stress'; text: string }
  | { kind: 'value'; id: string }
  | { kind: 'phrase'; text: string; sets: [id: string, value: string][]; after: string };

const MARKUP = /\*\*(.+?)\*\*|\*(.+?)\*|\{([\w.]+)\}|\[(.+?)\]\((.+?)\)([.,:;?]?)/g;

/** Takes the markup of strings.ts apart. Punctuation after a phrase stays with it. */
export function parse(source: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const m of source.matchAll(MARKUP)) {
    if (m.index > from) parts.push({ kind: 'text', text: source.slice(from, m.index) });
    const [whole, strong, stress, id, phrase, sets, after] = m;
    if (strong !== undefined) parts.push({ kind: 'strong', text: strong });
    else if (stress !== undefined) parts.push({ kind: 'stress', text: stress });
    else if (id !== undefined) parts.push({ kind: 'value', id });
    else if (phrase !== undefined && sets !== undefined) parts.push(button(phrase, sets, after ?? ''));
    from = m.index + whole.length;
  }
  if (from < source.length) parts.push({ kind: 'text', text: source.slice(from) });
  return parts;
}

function button(text: string, sets: string, after: string): Part {
  const deed = DEEDS.find((name) => sets === `do=${name}`);
  if (deed) return { kind: 'deed', text, deed, after };
  return { kind: 'phrase', text, sets: sets.split(';').map((pair) => pair.split('=') as [string, string]), after };
}

export interface LessonHost {
  /** Sets these, in order; "preset" may stand for an id. */
  apply(sets: [id: string, value: string][]): void;
  act(deed: Deed): void;
  turned(to: number): void;
}

export class LessonView {
  private readonly phrases: [HTMLButtonElement, [string, string][]][] = [];
  private readonly values: [HTMLElement, string][] = [];

  constructor(
    private readonly body: HTMLElement,
    private readonly host: LessonHost,
  ) {}

  show(index: number, scene: string): number {
    const lessons = lessonsOf(scene);
    const n = Math.min(Math.max(0, index), lessons.length - 1);
    const lesson = lessons[n];
    if (!lesson) return 0;
    const focused = this.body.contains(document.activeElement) ? document.activeElement?.getAttribute('data-turn') : undefined;
    this.phrases.length = this.values.length = 0;
    const turn = (label: string, sign: string, to: number) =>
      h('button', { class: 'ib', type: 'button', 'data-turn': sign, 'aria-label': label, text: sign, disabled: to < 0 || to >= lessons.length, onclick: () => this.host.turned(to) });
    this.body.replaceChildren(
      h('p', { class: 'eyebrow' }, h('span', { text: text.lessonOf(n + 1, lessons.length) }), h('span', { class: 'pn' }, turn(text.previousLesson, '\u2039', n - 1), turn(text.nextLesson, '\u203a', n + 1))),
      h('h2', { tabindex: -1, text: lesson.title }),
      ...lesson.paragraphs.map((p) => h('p', {}, ...this.nodes(p))),
      h('p', { class: 'take' }, h('b', { text: text.takeaway }), ' ', ...this.nodes(lesson.takeaway)),
      h('p', { class: 'falsify' }, h('b', { text: text.falsify }), ' ', ...this.nodes(lesson.falsify)),
    );
    // Who turned the page with the keyboard goes on from there: on the same button, or at the end of the lessons on the title.
    if (focused) (this.body.querySelector<HTMLElement>(`[data-turn="${focused}"]:enabled`) ?? this.body.querySelector('h2'))?.focus();
    return n;
  }

  private nodes(source: string): (Node | string)[] {
    return parse(source).map((part) => {
      switch (part.kind) {
        case 'text':
          return part.text;
        case 'strong':
          return h('b', {}, ...this.nodes(part.text));
        case 'stress':
          return h('i', { text: part.text });
        case 'value': {
          const el = h('span');
          this.values.push([el, part.id]);
          return el;
        }
        case 'deed':
          return h('span', { class: 'nw' }, h('button', { class: 'say', type: 'button', text: part.text, onclick: () => this.host.act(part.deed) }), part.after);
        case 'phrase': {
          const button = h('button', { class: 'say', type: 'button', 'aria-pressed': 'false', text: part.text, onclick: () => this.host.apply(part.sets) });
          this.phrases.push([button, part.sets]);
          return h('span', { class: 'nw' }, button, part.after);
        }
      }
    });
  }

  /** Marks what is already set, and writes the values. `drawnMs` is the delay that others were drawn with of late. */
  sync(config: Config, model: Model | undefined, drawnMs: number | null): void {
    const preset = model?.catalogue.presets.map((p) => p.group).filter((g, i, all) => all.indexOf(g) === i).map((g) => model.presetOf(g, config)?.id) ?? [];
    for (const [el, id] of this.values) say(el, id === 'delay' ? text.lessonDelay(config, drawnMs) : String(config[id] ?? ''));
    for (const [button, sets] of this.phrases) {
      const set = sets.every(([id, value]) => (id === 'preset' ? preset.includes(value) : String(config[id]) === value));
      if (button.getAttribute('aria-pressed') !== String(set)) button.setAttribute('aria-pressed', String(set));
    }
  }
}
