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

/** Sets text only where it changed, so that nothing is laid out for nothing. */
export function say(el: Element, text: string): void {
  if (el.textContent !== text) el.textContent = text;
}

/** Text with **strong** and ~small~ parts, as nodes. */
export function rich(text: string): DocumentFragment {
  const out = document.createDocumentFragment();
  for (const part of text.split(/(\*\*.+?\*\*|~.+?~)/)) {
    if (part.startsWith('**')) out.append(h('b', { text: part.slice(2, -2) }));
    else if (part.startsWith('~')) out.append(h('small', { text: part.slice(1, -1) }));
    else out.append(part);
  }
  return out;
}

/** Replaces an element's content by rich text, only where it changed. */
export function sayRich(el: HTMLElement, text: string): void {
  if (el.dataset['said'] === text) return;
  el.dataset['said'] = text;
  el.replaceChildren(rich(text));
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
