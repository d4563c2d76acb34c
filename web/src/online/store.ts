// What the browser keeps: the player's name and choice for good, the seat for as long as the tab lives, so that a reload keeps it.

import type { Config, Value } from '../protocol.ts';
import type { Choice } from './words.ts';

/** The seat of this tab. */
export interface Seat {
  room: string;
  watch: boolean;
  resume?: string;
  host?: string;
  /** Settings of one's own side that are not as they come. */
  sets: Config;
}

/** Browsers that store nothing throw at the very word. */
function storage(which: 'localStorage' | 'sessionStorage'): Storage | undefined {
  try {
    return window[which];
  } catch {
    return undefined;
  }
}

function put(where: Storage | undefined, key: string, value: string | undefined): void {
  try {
    if (value === undefined) where?.removeItem(key);
    else where?.setItem(key, value);
  } catch {
    // Full, or not allowed: then it is forgotten with the page.
  }
}

const NAME = 'afterimage.name';
const CHOICE = 'afterimage.transport';
const GRAPH = 'afterimage.netgraph';
const SEAT = 'afterimage.seat';

export const store = {
  get name(): string {
    return storage('localStorage')?.getItem(NAME) ?? '';
  },
  set name(name: string) {
    put(storage('localStorage'), NAME, name || undefined);
  },
  get choice(): Choice {
    const choice = storage('localStorage')?.getItem(CHOICE);
    return choice === 'ws' || choice === 'wt' ? choice : 'auto';
  },
  set choice(choice: Choice) {
    put(storage('localStorage'), CHOICE, choice === 'auto' ? undefined : choice);
  },
  get graph(): string {
    return storage('localStorage')?.getItem(GRAPH) === 'poor' ? 'poor' : 'always';
  },
  set graph(when: string) {
    put(storage('localStorage'), GRAPH, when);
  },
  get seat(): Seat | undefined {
    return readSeat(storage('sessionStorage')?.getItem(SEAT) ?? '');
  },
  set seat(seat: Seat | undefined) {
    put(storage('sessionStorage'), SEAT, seat && JSON.stringify(seat));
  },
};

/** A seat as it was kept; undefined where it is none. */
export function readSeat(json: string): Seat | undefined {
  try {
    const { room, watch, resume, host, sets } = JSON.parse(json) as Record<string, unknown>;
    if (typeof room !== 'string') return undefined;
    const good = Object.entries(typeof sets === 'object' && sets ? sets : {}).filter(([, v]) => ['number', 'string', 'boolean'].includes(typeof v)) as [string, Value][];
    return {
      room,
      watch: watch === true,
      ...(typeof resume === 'string' && { resume }),
      ...(typeof host === 'string' && { host }),
      sets: Object.fromEntries(good),
    };
  } catch {
    return undefined;
  }
}
