// Settings out and in: a file that the command line takes too, and Rust for a game of one's own. The lab writes and reads both.

import { h, say } from '../dom.ts';
import type { Config, Take, Taken } from '../protocol.ts';
import { text } from '../strings.ts';

/** Enough of a file for the lab to see that it is too long; a reader may have dropped a film. */
const MOST_BYTES = 1 << 17;
/** A fader that is dragged has the Rust written once. */
const LATER_MS = 200;

export interface TakeHost {
  /** Asks the lab; fails with its sentence. */
  take(take: Take): Promise<string>;
  /** What is set now. */
  now(): { scene: string; seed: number; config: Config };
  /** A file was read: a world begins with what it says. */
  begin(taken: Taken): void;
  /** The section was opened or closed. */
  toggled(): void;
  done(sentence: string): void;
  failed(sentence: string): void;
}

export class Takeaway {
  readonly section: HTMLDetailsElement;
  private readonly code = h('code');
  private timer = 0;

  constructor(private readonly host: TakeHost) {
    const file = h('input', { type: 'file', accept: '.json,application/json', id: 'take-file', class: 'vh', tabindex: -1, 'aria-hidden': 'true', onchange: () => this.picked(file) });
    const button = (id: string, label: string, go: () => void) => h('button', { class: 'btn sm', type: 'button', id, text: label, onclick: go });
    const { take } = text;
    this.section = h(
      'details',
      { class: 'psec away', 'data-group': 'take' },
      h('summary', {}, h('b', { text: take.title }), h('span', { text: take.summary })),
      h(
        'div',
        { class: 'pbody' },
        h('div', { class: 'row' }, button('take-save', take.save, () => void this.save()), button('take-load', take.load, () => file.click()), file),
        h('p', { class: 'help' }, take.fileHelp, ' ', h('code', { text: take.command })),
        h('div', { class: 'row' }, h('span', { class: 'lb', text: take.rust }), button('take-rust', take.copyRust, () => void this.copy())),
        h('p', { class: 'help', text: take.rustHelp }),
        // It scrolls, so it takes the focus: a keyboard must be able to scroll it.
        h('pre', { class: 'code', tabindex: 0, role: 'region', 'aria-label': take.rustCode }, this.code),
      ),
    );
    this.section.addEventListener('toggle', () => {
      this.sync();
      host.toggled();
    });
    addEventListener('dragover', (e) => holdsFile(e) && e.preventDefault());
    addEventListener('drop', (e) => {
      if (!holdsFile(e)) return;
      e.preventDefault();
      void this.load(e.dataTransfer?.files[0]);
    });
  }

  get open(): boolean {
    return this.section.open;
  }

  set open(yes: boolean) {
    this.section.open = yes;
  }

  /** The settings changed: the Rust in sight follows. */
  sync(): void {
    clearTimeout(this.timer);
    if (this.open) this.timer = window.setTimeout(() => void this.ask('rust').then((rust) => rust && say(this.code, rust)), LATER_MS);
  }

  private async ask(as: 'file' | 'rust'): Promise<string> {
    try {
      return await this.host.take({ as, ...this.host.now() });
    } catch (e) {
      this.host.failed(sentence(e));
      return '';
    }
  }

  private async save(): Promise<void> {
    const json = await this.ask('file');
    if (!json) return;
    const { scene, seed } = this.host.now();
    const href = URL.createObjectURL(new Blob([json], { type: 'application/json' }));
    h('a', { href, download: `afterimage-${scene}-${seed}.json` }).click();
    // The browser has the file by then.
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }

  private async copy(): Promise<void> {
    const rust = await this.ask('rust');
    if (!rust) return;
    say(this.code, rust);
    try {
      await navigator.clipboard.writeText(rust);
      this.host.done(text.take.copied);
    } catch {
      this.host.failed(text.take.copyFailed);
    }
  }

  private picked(input: HTMLInputElement): void {
    void this.load(input.files?.[0]);
    // The same file may be picked again once it was mended.
    input.value = '';
  }

  private async load(file: File | undefined): Promise<void> {
    if (!file) return;
    let json: string;
    try {
      json = await this.host.take({ as: 'read', text: await file.slice(0, MOST_BYTES).text() });
    } catch (e) {
      this.host.failed(text.take.refused(file.name, sentence(e)));
      return;
    }
    const taken = JSON.parse(json) as Taken;
    this.host.begin(taken);
    this.host.done(text.take.loaded(file.name));
    if (taken.ignored?.length) this.host.failed(text.take.ignored(taken.ignored));
  }
}

const sentence = (e: unknown): string => (e instanceof Error ? e.message : String(e));

const holdsFile = (e: DragEvent): boolean => e.dataTransfer?.types.includes('Files') ?? false;
