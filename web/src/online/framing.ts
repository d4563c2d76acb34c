// The stream beside the datagrams: u16 length, big endian, of what follows; u8 type; bytes. Type 0 is a word, 1 a packet that must not be lost.

export const WORD = 0;
export const PACKET = 1;

/** The longest that a frame may say it is. */
const MOST_BYTES = 4096;

export function frame(type: number, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = body.length + 1;
  const out = new Uint8Array(length + 2);
  out.set([length >> 8, length & 255, type]);
  out.set(body, 3);
  return out;
}

/** Takes the stream as it comes, in whatever pieces, and gives whole frames. */
export class Frames {
  private rest: Uint8Array = new Uint8Array();

  /** The frames that are whole now; undefined where the other end breaks the rules. */
  take(bytes: Uint8Array): { type: number; body: Uint8Array }[] | undefined {
    const all = new Uint8Array(this.rest.length + bytes.length);
    all.set(this.rest);
    all.set(bytes, this.rest.length);
    const out = [];
    let from = 0;
    while (all.length - from >= 3) {
      const length = (all[from]! << 8) | all[from + 1]!;
      if (length < 1 || length > MOST_BYTES) return undefined;
      if (all.length - from < 2 + length) break;
      out.push({ type: all[from + 2]!, body: all.slice(from + 3, from + 2 + length) });
      from += 2 + length;
    }
    this.rest = all.slice(from);
    return out;
  }
}
