// What has changed in a room since it was told of last, in sentences: for the live region.

import { online as t } from '../strings/online.ts';
import { best } from './panel.ts';
import type { Guest, Room } from './words.ts';

export function changes(before: Room, now: Room): string[] {
  const out: string[] = [];
  const name = (guest: Guest) => guest.name || t.nameless;
  const was = new Map(before.players.map((guest) => [guest.player, guest]));
  for (const guest of now.players) {
    const old = was.get(guest.player);
    was.delete(guest.player);
    if (!old) {
      if (!guest.you) out.push(t.joined(name(guest)));
      continue;
    }
    if (guest.away !== old.away && !guest.you) out.push(guest.away ? t.isAway(name(guest)) : t.isBack(name(guest)));
    if (guest.host && !old.host) out.push(guest.you ? t.youHost : t.isHost(name(guest)));
  }
  for (const guest of was.values()) if (!guest.you) out.push(t.left(name(guest)));
  if (now.phase === 'over' && before.phase !== 'over') out.push(t.roundOver(now.round, best(now.players)));
  if (now.round > before.round) out.push(t.begun(now.round));
  return out;
}
