// The row that loads a trace for the link to play: a CSV from the disk, read by the lab.

import { h, say } from '../dom.ts';
import { text } from '../strings.ts';

/** No trace of a hundred thousand rows is longer; a reader may have dropped a film. */
const MOST_BYTES = 1 << 23;

export interface TraceHost {
  /** Gives the lab a CSV: what it is, in a few words, or an error with the lab's sentence. */
  load(csv: string): Promise<string>;
  /** A trace is there to be played. */
  loaded(): void;
}

export class TraceRow {
  readonly row: HTMLElement;
  /** A trace is loaded. */
  there = false;
  private readonly about = h('p', { class: 'about', role: 'status', text: text.trace.none });
  private readonly button = h('button', { class: 'btn sm', type: 'button', id: 'trace-load', text: text.trace.load });

  constructor(private readonly host: TraceHost) {
    const file = h('input', { type: 'file', accept: '.csv,text/csv,text/plain', id: 'trace-file', class: 'vh', tabindex: -1, 'aria-hidden': 'true' });
    file.addEventListener('change', () => {
      void this.load(file.files?.[0]);
      // The same file may be picked again once it was mended.
      file.value = '';
    });
    this.button.addEventListener('click', () => file.click());
    this.row = h('div', { class: 'trace' }, this.about, this.button, file);
    // What is dropped here is a trace, and elsewhere on the page settings.
    this.row.addEventListener('dragover', (e) => e.preventDefault());
    this.row.addEventListener('drop', (e) => {
      e.preventDefault();
      e.stopPropagation();
      void this.load(e.dataTransfer?.files[0]);
    });
  }

  private async load(file: File | undefined): Promise<void> {
    if (!file) return;
    try {
      if (file.size > MOST_BYTES) throw new Error(text.trace.tooLong);
      this.show(text.trace.is(file.name, await this.host.load(await file.text())), false);
      this.there = true;
      say(this.button, text.trace.another);
      this.host.loaded();
    } catch (e) {
      this.show(text.trace.refused(file.name, e instanceof Error ? e.message : String(e)), true);
    }
  }

  private show(sentence: string, wrong: boolean): void {
    say(this.about, sentence);
    this.row.classList.toggle('wrong', wrong);
  }
}
