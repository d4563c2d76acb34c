// Where each packet in flight stands on the lane, which of them a pointer meets, and which comes next for the keys.

import { type Rows, at } from '../view.ts';

/** Where a packet's fields are in its row of the view. */
const enum P {
  Number = 0,
  Line = 1,
  Cargo = 2,
  Gone = 3,
  Fate = 4,
  Sent = 5,
  Due = 6,
  Bytes = 7,
}

export const enum Cargo {
  Inputs = 0,
  Snapshot = 1,
  Other = 2,
}

export const enum Fate {
  Delivered = 0,
  Lost = 1,
  Late = 2,
  Doubled = 3,
}

/** A packet by its name: the line (0 you up, 1 you down, 2 other up, 3 other down) and its number there. */
export interface PacketName {
  line: number;
  number: number;
}

/** A packet as it is drawn. A doubled one has two of these. */
export interface Mark extends PacketName {
  cargo: number;
  fate: number;
  /** ms from the shown instant. */
  sent: number;
  due: number;
  bytes: number;
  /** Its middle, CSS pixels. */
  x: number;
  y: number;
  /** 1 to the right, -1 to the left. */
  dir: number;
  /** Lost, and past the place where that shows. */
  dead: boolean;
}

/** Rails of what goes to the server and of what comes from it. */
export const UP = 22;
export const DOWN = 48;
/** From above the one rail's packets and the box around them to below the other's. */
export const RAILS = { top: UP - 16, bottom: DOWN + 16 };
/** Where on its way a lost packet is shown to die. */
const DIES = 0.55;
/** From a node's middle to where its packets begin and end. */
const EDGE = 13;

/** The middles of You, Server and Other. */
export function nodesOf(width: number): [number, number, number] {
  return width < 500 ? [84, width * 0.56, width - 30] : [width / 6, width / 2, (width * 5) / 6];
}

export const isUp = (name: PacketName): boolean => name.line % 2 === 0;
export const isYours = (name: PacketName): boolean => name.line < 2;
export const same = (a: PacketName | undefined, b: PacketName | undefined): boolean => a?.line === b?.line && a?.number === b?.number;

export function marksOf(rows: Rows, width: number): Mark[] {
  const nodes = nodesOf(width);
  const marks: Mark[] = [];
  for (let i = 0; i < rows.count; i++) {
    const name = { line: at(rows, i, P.Line), number: at(rows, i, P.Number) };
    const far = isYours(name) ? nodes[0] : nodes[2];
    const [from, to] = isUp(name) ? [far, nodes[1]] : [nodes[1], far];
    const dir = Math.sign(to - from);
    const fate = at(rows, i, P.Fate);
    const gone = at(rows, i, P.Gone);
    const lost = fate === Fate.Lost;
    const u = Math.max(0, Math.min(gone, lost ? DIES : 1));
    marks.push({
      ...name,
      cargo: at(rows, i, P.Cargo),
      fate,
      sent: at(rows, i, P.Sent),
      due: at(rows, i, P.Due),
      bytes: at(rows, i, P.Bytes),
      x: from + EDGE * dir + (to - from - 2 * EDGE * dir) * u,
      y: (isUp(name) ? UP : DOWN) + 0.5,
      dir,
      dead: lost && gone >= DIES,
    });
  }
  return marks;
}

/** Half of the least target: for a mouse or pen, and for a finger. */
export const REACH = { fine: 12, touch: 22 };

/** The mark nearest to a point, the newest of equals; none farther than `reach` either way. */
export function hit(marks: readonly Mark[], x: number, y: number, reach: number): Mark | undefined {
  let best: Mark | undefined;
  let nearest = Infinity;
  for (const mark of marks) {
    const [dx, dy] = [Math.abs(mark.x - x), Math.abs(mark.y - y)];
    if (dx > reach || dy > reach) continue;
    const apart = Math.hypot(dx, dy);
    if (apart < nearest || (apart === nearest && best && order(mark, best) > 0)) [best, nearest] = [mark, apart];
  }
  return best;
}

/** By the time of sending, then by line and number: no two packets are equal. */
function order(a: Mark, b: Mark): number {
  return a.sent - b.sent || a.line - b.line || a.number - b.number;
}

/** Each packet once, in the order of sending. */
export function inOrder(marks: readonly Mark[]): Mark[] {
  return [...marks].sort(order).filter((mark, i, all) => !same(mark, all[i - 1]));
}

/** The packet `by` places on from `from` in that order, no farther than the ends; from nowhere the first, or going back the last. */
export function next(marks: readonly Mark[], from: PacketName | undefined, by: number): Mark | undefined {
  const all = inOrder(marks);
  const here = all.findIndex((mark) => same(mark, from));
  if (here < 0) return by > 0 ? all[0] : all.at(-1);
  return all[Math.max(0, Math.min(here + by, all.length - 1))];
}
