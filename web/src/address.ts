// The address bar holds the whole of what is seen. Writing is put off a little, so that a fader that is dragged writes once.

import type { Model } from './controls/model.ts';
import { type Link, decode, encode, sceneOf } from './link.ts';

const LATER_MS = 300;
/** Safari takes 100 changes of the address in 30 s. */
const REFUSED_MS = 5000;

export class Address {
  /** What the bar said when it was last read or written. */
  private known: string | undefined;
  private timer = 0;

  /** `model` is asked for what there is to be set in a scene, `link` for what is seen whenever it is to be written. */
  constructor(
    private readonly model: (scene: string) => Model,
    private readonly link: () => Link,
  ) {}

  /** What the address bar says, or undefined where that is what we wrote ourselves. */
  read(): ReturnType<typeof decode> | undefined {
    if (location.hash === this.known) return undefined;
    this.known = location.hash;
    return decode(location.hash, this.model(sceneOf(location.hash)));
  }

  /** Soon. */
  keep(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      // Somebody has put another link there, and the page is about to follow it.
      if (location.hash === this.known) this.write();
    }, LATER_MS);
  }

  /** Now; returns the whole address, also where the browser does not let it be shown. */
  write(): string {
    clearTimeout(this.timer);
    const link = this.link();
    const hash = `#${encode(link, this.model(link.scene))}`;
    try {
      if (location.hash !== hash) history.replaceState(null, '', hash);
      this.known = hash;
    } catch {
      // Browsers bound how often the address changes; a little later they let it.
      this.timer = window.setTimeout(() => this.write(), REFUSED_MS);
    }
    return location.href.replace(/#.*$/, '') + hash;
  }
}
