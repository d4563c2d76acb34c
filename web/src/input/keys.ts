// The dialog in which keys are given to actions, and where the choice is kept.

import { byId, h, say } from '../dom.ts';
import { text } from '../strings.ts';
import { ACTIONS, type Action, type Bindings, DEFAULTS, SLOTS, bind, bitOf, codeOf, isFree, read } from './binding.ts';

const KEPT_AS = 'afterimage.keys';
/** Stands in what is kept where keys for time are switched off. */
const NO_TIME = '"time":false';

/** What is printed on the keys, where the browser knows the layout. */
interface LayoutMap {
  get(code: string): string | undefined;
}

/** A place for one key of one action. */
interface Slot {
  action: Action;
  slot: number;
  button: HTMLButtonElement;
}

export class Keys {
  private bindings: Bindings;
  /** Whether single keys control time while the focus is on nothing. Who speaks to the machine, or hits keys unasked, wants none. */
  private timeKeys: boolean;
  private printed: LayoutMap | undefined;
  private names: readonly string[] = [];
  private slots: Slot[] = [];
  /** The slot that waits for a key. */
  private waits: Slot | undefined;
  private readonly dialog = byId<HTMLDialogElement>('keys-dialog');
  private readonly list = byId('keys-list');
  private readonly said = byId('keys-said');

  /** `changed` is called when keys or what is printed on them have. */
  constructor(private readonly changed: () => void) {
    const kept = stored();
    this.bindings = read(kept);
    this.timeKeys = !kept?.includes(NO_TIME);
    const time = byId<HTMLInputElement>('keys-time');
    time.checked = this.timeKeys;
    time.addEventListener('change', () => {
      this.timeKeys = time.checked;
      this.tell('', this.keep());
    });
    byId('keys-reset').addEventListener('click', () => this.tell(text.keys.wereReset, this.take(DEFAULTS)));
    byId('keys-close').addEventListener('click', () => this.dialog.close());
    this.list.addEventListener('keydown', (e) => this.key(e));
    this.list.addEventListener('focusout', () => this.wait(undefined));
    void this.readLayout();
  }

  get now(): Bindings {
    return this.bindings;
  }

  /** Whether the keys for time act. */
  get time(): boolean {
    return this.timeKeys;
  }

  /** The names of the scene's buttons. */
  name(buttons: readonly string[]): void {
    this.names = buttons;
    this.slots = [];
    const rows = ACTIONS.flatMap((action) => {
      const title = this.title(action);
      if (title === undefined) return [];
      const own = Array.from({ length: SLOTS }, (_, slot): Slot => {
        const button = h('button', { class: 'btn slot', type: 'button', 'data-key': `${action}-${slot}`, onclick: () => this.wait(one) });
        const one = { action, slot, button };
        return one;
      });
      this.slots.push(...own);
      return [h('li', {}, h('span', { text: title }), ...own.map(({ button }) => button))];
    });
    this.list.replaceChildren(...rows);
    this.show();
  }

  open(): void {
    say(this.said, text.keys.how);
    this.dialog.showModal();
  }

  /** The first key of each action that moves, and of each of the scene's buttons, as they are printed. */
  labels(): { moves: string; buttons: string[] } {
    const first = (action: Action) => this.label(this.bindings[action][0]);
    const buttons = ACTIONS.filter((action) => bitOf(action) && this.title(action) !== undefined);
    return { moves: ACTIONS.filter((action) => !bitOf(action)).map(first).join(' '), buttons: buttons.map(first) };
  }

  private label(code: string | undefined): string {
    if (!code) return text.keys.none;
    return text.keys.names[code] ?? this.printed?.get(code)?.toUpperCase() ?? code.replace(/^(Key|Digit)/, '');
  }

  /** What an action is called; undefined where the scene has no such button. */
  private title(action: Action): string | undefined {
    const bit = bitOf(action);
    return bit ? this.names[Math.log2(bit)] : text.keys.moves[action];
  }

  private show(): void {
    for (const one of this.slots) {
      const { action, slot, button } = one;
      const label = this.label(this.bindings[action][slot]);
      const waits = one === this.waits;
      say(button, waits ? text.keys.press : label);
      button.setAttribute('aria-pressed', String(waits));
      button.setAttribute('aria-label', text.keys.slot(this.title(action) ?? '', slot, waits ? text.keys.press : label));
    }
  }

  private wait(slot: Slot | undefined): void {
    if (slot === this.waits) return;
    this.waits = slot;
    this.show();
    if (slot) say(this.said, text.keys.waiting(this.title(slot.action) ?? ''));
  }

  /** A key while a slot waits. Tab goes on and Escape stops the waiting: neither can be given away. */
  private key(e: KeyboardEvent): void {
    const { waits } = this;
    if (!waits || e.code === 'Tab') return;
    e.preventDefault();
    e.stopPropagation();
    if (e.code === 'Escape') {
      this.wait(undefined);
      say(this.said, text.keys.how);
      return;
    }
    const code = codeOf(e.code);
    if (!isFree(code)) {
      say(this.said, text.keys.notFree(e.key));
      return;
    }
    const { bindings, from } = bind(this.bindings, waits.action, waits.slot, code);
    this.waits = undefined;
    const kept = this.take(bindings);
    const [key, title] = [this.label(code), this.title(waits.action) ?? ''];
    const lost = from && this.title(from);
    this.tell(lost ? text.keys.moved(key, title, lost, bindings[from].map((left) => this.label(left))) : text.keys.set(key, title), kept);
  }

  private tell(sentence: string, kept: boolean): void {
    say(this.said, kept ? sentence : `${sentence} ${text.keys.notKept}`.trim());
  }

  /** Takes new bindings; whether the browser keeps them. */
  private take(bindings: Bindings): boolean {
    this.bindings = bindings;
    this.show();
    this.changed();
    return this.keep();
  }

  private keep(): boolean {
    try {
      if (this.bindings === DEFAULTS && this.timeKeys) localStorage.removeItem(KEPT_AS);
      else localStorage.setItem(KEPT_AS, JSON.stringify({ ...this.bindings, time: this.timeKeys }));
      return true;
    } catch {
      return false;
    }
  }

  private async readLayout(): Promise<void> {
    const { keyboard } = navigator as { keyboard?: { getLayoutMap?(): Promise<LayoutMap> } };
    // Where the layout is not told, the names on an English keyboard must do.
    this.printed = await keyboard?.getLayoutMap?.().catch(() => undefined);
    if (!this.printed) return;
    this.show();
    this.changed();
  }
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}
