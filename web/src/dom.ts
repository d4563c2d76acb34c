// Elements without a framework.

type Props = Record<string, string | number | boolean | undefined | ((e: never) => void)>;
type Child = Node | string | undefined | false;

/** An element: attributes by name, listeners by "on…", "text" for its text, then children. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  apply(el, props);
  append(el, children);
  return el;
}

/** The same for SVG. */
export function s(tag: string, props: Props = {}, ...children: Child[]): SVGElement {
  const el = document.createElementNS('http://www.w3.org/2000/svg', tag);
  apply(el, props);
  append(el, children);
  return el;
}

function apply(el: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') el.addEventListener(name.slice(2), value as EventListener);
    else if (name === 'text') el.textContent = String(value);
    else el.setAttribute(name, value === true ? '' : String(value));
  }
}

function append(el: Element, children: Child[]): void {
  for (const child of children) if (child) el.append(child);
}

/** The one element with this id; the page's skeleton has it. */
export function byId<T extends HTMLElement>(id: string): T {
  const el = document.getElementById(id);
  if (!el) throw new Error(`no element #${id}`);
  return el as T;
}

/** Sets text only where it changed. A text that is there takes the new words: nothing is taken out and put in, so only its line is laid out. */
export function say(el: Element, text: string): void {
  const only = el.firstChild;
  if (!(only instanceof Text) || only.nextSibling) {
    if (el.textContent !== text) el.textContent = text;
  } else if (only.data !== text) only.data = text;
}

type Part = [tag: 'b' | 'small' | '', text: string];

/** The parts of a text with **strong** and ~small~ ones. */
function partsOf(text: string): Part[] {
  return text
    .split(/(\*\*.+?\*\*|~.+?~)/)
    .filter(Boolean)
    .map((part) => (part.startsWith('**') ? ['b', part.slice(2, -2)] : part.startsWith('~') ? ['small', part.slice(1, -1)] : ['', part]));
}

/** What was said last, and the texts that it stands in. */
const said = new WeakMap<Element, { text: string; parts: Part[]; texts: Text[] }>();

/** An element's content as rich text, **strong** and ~small~: only where it changed, and in the same nodes where only words did. */
export function sayRich(el: HTMLElement, text: string): void {
  const before = said.get(el);
  if (before?.text === text) return;
  const parts = partsOf(text);
  const alike = before?.parts.length === parts.length && parts.every(([tag], i) => tag === before.parts[i]![0]);
  const texts = alike ? before.texts : parts.map(() => document.createTextNode(''));
  parts.forEach(([, words], i) => {
    if (texts[i]!.data !== words) texts[i]!.data = words;
  });
  if (!alike) el.replaceChildren(...parts.map(([tag], i) => (tag ? h(tag, {}, texts[i]) : texts[i]!)));
  said.set(el, { text, parts, texts });
}

/** A group of radio buttons that looks like one segmented control. */
export function segment(
  name: string,
  label: string,
  options: { id: string; label: string }[],
  chosen: string,
  onChoose: (id: string) => void,
  extra: Props = {},
): HTMLElement {
  const seg = h('span', { class: 'seg', role: 'radiogroup', 'aria-label': label, ...extra });
  for (const option of options) {
    const input = h('input', { type: 'radio', name, value: option.id, checked: option.id === chosen, onchange: () => onChoose(option.id) });
    seg.append(h('label', {}, input, h('span', { text: option.label })));
  }
  return seg;
}

/** Checks the radio button with that value in a segment. */
export function choose(seg: Element, id: string): void {
  for (const input of seg.querySelectorAll('input')) input.checked = input.value === id;
}
