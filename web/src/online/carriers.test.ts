import { describe, expect, it, vi } from 'vitest';
import type { Ear } from './carrier.ts';
import { openWs } from './carrier_ws.ts';
import { openWt } from './carrier_wt.ts';
import { settle } from './fake.fixture.ts';
import { PACKET, WORD, frame } from './framing.ts';
import type { Certificate } from './words.ts';

function ear() {
  const heard: string[] = [];
  const of: Ear = { packet: (bytes) => heard.push(`packet ${bytes.join()}`), word: (json) => heard.push(`word ${json}`), gone: () => heard.push('gone') };
  return { of, heard };
}

class FakeSocket {
  static readonly OPEN = 1;
  binaryType = 'blob';
  bufferedAmount = 0;
  readyState = 1;
  closed = false;
  readonly sent: unknown[] = [];
  onopen = () => {};
  onclose = () => {};
  onmessage = (_: { data: unknown }) => {};
  send(data: unknown): void {
    this.sent.push(data);
  }
  close(): void {
    this.closed = true;
  }
}
vi.stubGlobal('WebSocket', FakeSocket);

describe('WebSocket', () => {
  const start = async () => {
    const socket = new FakeSocket();
    const opening = openWs('ws://localhost/ws', () => socket as unknown as WebSocket);
    expect(socket.binaryType).toBe('arraybuffer');
    socket.onopen();
    return { socket, opening, carrier: await opening.carrier };
  };

  it('has words as text and packets as bytes, both ways, also what comes before anybody listens', async () => {
    const { socket, carrier } = await start();
    const { of, heard } = ear();
    socket.onmessage({ data: '{"t":"joined"}' });
    carrier.listen(of);
    socket.onmessage({ data: Uint8Array.of(1, 2).buffer });
    expect(heard).toEqual(['word {"t":"joined"}', 'packet 1,2']);
    carrier.word('{}');
    carrier.packet(Uint8Array.of(3), false);
    expect(socket.sent).toEqual(['{}', Uint8Array.of(3)]);
  });

  it('takes nothing newer while what it has is not sent', async () => {
    const { socket, carrier } = await start();
    expect(carrier.writable).toBe(true);
    socket.bufferedAmount = 1 << 16;
    expect(carrier.writable).toBe(false);
  });

  it('tells its end once, and not to who has closed it', async () => {
    const lost = await start();
    const one = ear();
    lost.carrier.listen(one.of);
    lost.socket.onclose();
    lost.socket.onclose();
    expect(one.heard).toEqual(['gone']);
    const left = await start();
    const other = ear();
    left.carrier.listen(other.of);
    left.carrier.close();
    left.socket.onclose();
    expect(other.heard).toEqual([]);
  });

  it('fails where the socket closes before it opens, or cannot be made', async () => {
    const socket = new FakeSocket();
    const opening = openWs('ws://x', () => socket as unknown as WebSocket);
    socket.onclose();
    await expect(opening.carrier).rejects.toThrow();
    await expect(
      openWs('ws://x', () => {
        throw new Error('insecure');
      }).carrier,
    ).rejects.toThrow('insecure');
  });
});

/** A transport whose pipes a test holds. */
class FakeTransport {
  readonly ready = Promise.resolve();
  end!: () => void;
  readonly closed = new Promise<void>((resolve) => (this.end = resolve));
  shut = false;
  readonly written: { datagrams: number[][]; stream: number[] } = { datagrams: [], stream: [] };
  down!: ReadableStreamDefaultController<Uint8Array>;
  up!: ReadableStreamDefaultController<Uint8Array>;
  /** Resolves the datagram that is being sent. */
  sends: (() => void)[] = [];
  slow = false;
  readonly datagrams = {
    maxDatagramSize: 1200,
    incomingHighWaterMark: 1,
    incomingMaxBufferedDatagrams: 1,
    readable: new ReadableStream<Uint8Array>({ start: (c) => void (this.down = c) }),
    writable: new WritableStream<Uint8Array>({
      write: (bytes) => {
        this.written.datagrams.push([...bytes]);
        return this.slow ? new Promise<void>((resolve) => this.sends.push(resolve)) : undefined;
      },
    }),
  };
  createBidirectionalStream() {
    return Promise.resolve({
      readable: new ReadableStream<Uint8Array>({ start: (c) => void (this.up = c) }),
      writable: new WritableStream<Uint8Array>({ write: (bytes) => void this.written.stream.push(...bytes) }),
    });
  }
  close(): void {
    this.shut = true;
  }
}

describe('WebTransport', () => {
  const certificate: Certificate = { now: 0, authority: false, hashes: ['01'.repeat(32), 'ff'.repeat(32)], from: 0, until: 1 };
  const start = async (of = certificate) => {
    const fake = new FakeTransport();
    let options: WebTransportOptions = {};
    const opening = openWt('https://localhost/wt', of, (_url, given) => ((options = given), fake as unknown as WebTransport));
    return { fake, options, opening, carrier: await opening.carrier };
  };
  const settled = async () => {
    for (let i = 0; i < 5; i++) await settle();
  };

  it('names the hashes of the certificate, and none where an authority has signed it', async () => {
    const { options } = await start();
    expect(options.serverCertificateHashes?.map(({ algorithm, value }) => [algorithm, [...(value as Uint8Array)]])).toEqual([
      ['sha-256', Array(32).fill(1)],
      ['sha-256', Array(32).fill(255)],
    ]);
    expect((await start({ ...certificate, authority: true })).options.serverCertificateHashes).toBeUndefined();
  });

  it('keeps a burst of datagrams, and says how large one may be', async () => {
    const { fake, carrier } = await start();
    expect(fake.datagrams.incomingHighWaterMark).toBeGreaterThan(8);
    expect(fake.datagrams.incomingMaxBufferedDatagrams).toBeGreaterThan(8);
    expect(carrier.largest).toBe(1024);
  });

  it('has what may be lost in datagrams and the rest on the stream, both ways', async () => {
    const { fake, carrier } = await start();
    const { of, heard } = ear();
    carrier.listen(of);
    carrier.word('{}');
    carrier.packet(Uint8Array.of(7), true);
    carrier.packet(Uint8Array.of(8, 9), false);
    // Never an empty one: it would silence the other end for good.
    carrier.packet(new Uint8Array(), false);
    fake.down.enqueue(Uint8Array.of(1));
    fake.down.enqueue(Uint8Array.of(2));
    const stream = [...frame(WORD, new TextEncoder().encode('{"t":"x"}')), ...frame(PACKET, Uint8Array.of(5))];
    fake.up.enqueue(Uint8Array.from(stream.slice(0, 4)));
    fake.up.enqueue(Uint8Array.from(stream.slice(4)));
    await settled();
    expect(fake.written.stream).toEqual([...frame(WORD, new TextEncoder().encode('{}')), ...frame(PACKET, Uint8Array.of(7))]);
    expect(fake.written.datagrams).toEqual([[8, 9]]);
    expect(heard.sort()).toEqual(['packet 1', 'packet 2', 'packet 5', 'word {"t":"x"}']);
  });

  it('replaces what waits by what is newer, and lets nothing pile up', async () => {
    const { fake, carrier } = await start();
    fake.slow = true;
    for (let i = 1; i <= 6; i++) carrier.packet(Uint8Array.of(i), false);
    expect(carrier.writable).toBe(false);
    await settled();
    expect(fake.written.datagrams).toEqual([[1]]);
    fake.sends.shift()!();
    await settled();
    expect(fake.written.datagrams).toEqual([[1], [6]]);
    expect(carrier.writable).toBe(true);
  });

  it('tells its end once, and only once the last word on the stream was heard', async () => {
    const { fake, carrier } = await start();
    const { of, heard } = ear();
    carrier.listen(of);
    // What an end that says goodbye looks like: everything else breaks first.
    fake.down.error(new Error('lost'));
    fake.end();
    await settled();
    expect(heard).toEqual([]);
    fake.up.enqueue(frame(PACKET, Uint8Array.of(9)));
    fake.up.close();
    await settled();
    expect(heard).toEqual(['packet 9', 'gone']);
  });

  it('tells its end also where the stream hangs, and not to who has closed it', async () => {
    const { fake, carrier } = await start();
    const { of, heard } = ear();
    carrier.listen(of);
    fake.end();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(heard).toEqual(['gone']);
    const left = await start();
    const other = ear();
    left.carrier.listen(other.of);
    left.carrier.close();
    left.fake.end();
    await settled();
    expect(other.heard).toEqual([]);
  });

  it('ends what breaks the rules of the stream', async () => {
    const { fake, carrier } = await start();
    carrier.listen(ear().of);
    fake.up.enqueue(Uint8Array.of(0xff, 0xff, 0));
    await settled();
    expect(fake.shut).toBe(true);
  });
});
