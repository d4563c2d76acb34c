// The way into Online. What is behind it comes when somebody first goes there; until then the page is in page.

import type { Bridge } from '../bridge.ts';
import type { Notices } from '../notice.ts';
import type { Readings } from '../protocol.ts';
import type { Settings } from '../settings.ts';
import { byId, choose, h } from '../dom.ts';
import { text } from '../strings.ts';
import type { View } from '../view.ts';
import type { OnlineTell } from './host.ts';
import type { Place, PlaceHost } from './place.ts';

const t = text.online;
const NOTICE = 'online';

/** Where the address says, or somebody, that the page is to be. */
export interface Where {
  online: boolean;
  room: string | undefined;
}

export class Door {
  /** Holds what a room has above the controls. */
  readonly panelRoot = h('div', { class: 'o-above' });
  private place: Place | undefined;
  /** Where the page is to be once what is behind is there. */
  private wanted: Where | undefined;

  constructor(
    private readonly bridge: Bridge,
    private readonly notices: Notices,
    private readonly settings: () => Settings,
    private readonly host: PlaceHost,
    private readonly load = () => import('./place.ts'),
  ) {
    document.body.dataset['place'] = 'page';
    document.body.dataset['online'] = 'lobby';
  }

  get active(): boolean {
    return this.place?.active ?? false;
  }

  get inRoom(): boolean {
    return this.place?.inRoom ?? false;
  }

  /** What the address is to say. */
  where(): Where {
    return this.wanted ?? { online: this.active, room: this.place?.code };
  }

  go(to: 'page' | 'online'): void {
    if (this.place) this.place.go(to);
    else this.want({ online: to === 'online', room: undefined });
  }

  /** What the address asks for: a room, the lobby, or the page alone. */
  follow(where: Where): void {
    if (this.place) this.place.follow(where);
    else this.want(where);
  }

  hear(tell: OnlineTell): void {
    this.place?.hear(tell);
  }

  take(view: View, readings: Readings, now: number): void {
    this.place?.take(view, readings, now);
  }

  /** A frame of the display, so many ms after the one before. */
  frame(passed: number): void {
    this.place?.graph.frame(passed);
  }

  private want(where: Where): void {
    const comes = this.wanted !== undefined;
    this.wanted = where.online ? where : undefined;
    choose(byId('place'), where.online ? 'online' : 'page');
    if (!where.online) {
      if (comes) this.notices.hide(NOTICE);
      return;
    }
    if (!comes) void this.fetch();
  }

  private async fetch(): Promise<void> {
    this.notices.show(NOTICE, t.loading, [], [], false);
    let made: typeof import('./place.ts');
    try {
      made = await this.load();
    } catch (e) {
      this.missing(e instanceof Error ? e.message : String(e));
      return;
    }
    const { wanted } = this;
    // Somebody has thought better of it.
    if (!wanted || this.place) return;
    this.wanted = undefined;
    this.notices.hide(NOTICE);
    this.place = new made.Place(this.bridge, this.notices, this.settings, this.host);
    this.panelRoot.append(this.place.panelRoot);
    this.place.follow(wanted);
  }

  /** The address keeps where it was to be: reloading goes there. */
  private missing(why: string): void {
    if (!this.wanted) return;
    choose(byId('place'), 'page');
    const stay = () => ((this.wanted = undefined), this.settings().wrote());
    this.notices.show(NOTICE, t.missing(why), [{ label: text.reload, go: () => location.reload() }, { label: t.stay, go: stay }], [], false);
  }
}
