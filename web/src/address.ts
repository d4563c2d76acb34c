// The address bar holds the whole of what is seen. Writing is put off a little, so that a fader that is dragged writes once.

import type { Model } from './controls/model.ts';
import { type Link, decode, encode } from './link.ts';

const LATER_MS = 300;

export class Address {
  private written: string | undefined;
  private timer = 0;

  /** `link` is asked for what is seen whenever it is to be written. */
  constructor(
    private readonly model: Model,
    private readonly link: () => Link,
  ) {}

  /** What the address bar says, or undefined where that is what we wrote ourselves. */
  read(): ReturnType<typeof decode> | undefined {
    return location.hash === this.written ? undefined : decode(location.hash, this.model);
  }

  /** Soon. */
  keep(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.write(), LATER_MS);
  }

  /** Now; returns the whole address. */
  write(): string {
    clearTimeout(this.timer);
    this.written = `#${encode(this.link(), this.model)}`;
    if (location.hash !== this.written) history.replaceState(null, '', this.written);
    return location.href;
  }
}
