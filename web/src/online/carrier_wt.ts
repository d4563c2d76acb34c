// A session over WebTransport: packets are datagrams, of which some are lost; words, and packets that must not be, go over one stream.

import { type Carrier, type Ear, Hearing, type Opening } from './carrier.ts';
import { Frames, PACKET, WORD, frame } from './framing.ts';
import type { Certificate } from './words.ts';

/** Browsers keep one datagram by default; a burst is more. */
const KEEP_DATAGRAMS = 64;
/** The protocol's own bound: what is larger vanishes without a word on some paths. */
const MOST_BYTES = 1024;
/** What was written last goes out before the session is closed, which would throw it away; and so the other way. */
const LINGER_MS = 200;

/** What browsers differ in. */
interface Datagrams extends WebTransportDatagramDuplexStream {
  incomingMaxBufferedDatagrams?: number;
  createWritable?(): WritableStream<Uint8Array>;
}

/** What fails is said by the end of the stream. */
const ignore = (): void => {};

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export function openWt(url: string, certificate: Certificate, make: (url: string, options: WebTransportOptions) => WebTransport = (at, options) => new WebTransport(at, options)): Opening {
  const options: WebTransportOptions = { congestionControl: 'low-latency', requireUnreliable: true };
  if (!certificate.authority) options.serverCertificateHashes = certificate.hashes.map((hash) => ({ algorithm: 'sha-256', value: bytesOf(hash) }));
  let transport: WebTransport;
  try {
    transport = make(url, options);
  } catch (e) {
    return { carrier: Promise.reject(e instanceof Error ? e : new Error(String(e))), cancel: () => {} };
  }
  // Both are rejected where it fails; `ready` tells.
  transport.closed.catch(() => {});
  return { carrier: open(transport), cancel: () => shut(transport) };
}

async function open(transport: WebTransport): Promise<Carrier> {
  await transport.ready;
  return new WtCarrier(transport, await transport.createBidirectionalStream());
}

function shut(transport: WebTransport): void {
  try {
    transport.close();
  } catch {
    // It never came about.
  }
}

class WtCarrier implements Carrier {
  readonly via = 'wt';
  private readonly hearing = new Hearing();
  private readonly stream: WritableStreamDefaultWriter<Uint8Array>;
  private readonly datagrams: WritableStreamDefaultWriter<Uint8Array>;
  /** The newest packet that waits for room. */
  private waiting: Uint8Array | undefined;

  constructor(
    private readonly transport: WebTransport,
    stream: WebTransportBidirectionalStream,
  ) {
    const datagrams = transport.datagrams as Datagrams;
    if ('incomingHighWaterMark' in datagrams) datagrams.incomingHighWaterMark = KEEP_DATAGRAMS;
    if ('incomingMaxBufferedDatagrams' in datagrams) datagrams.incomingMaxBufferedDatagrams = KEEP_DATAGRAMS;
    this.datagrams = (datagrams.writable ?? datagrams.createWritable?.() as WritableStream<Uint8Array>).getWriter();
    this.stream = stream.writable.getWriter();
    // The stream's end tells that it is over, for its last bytes are the goodbye: what else breaks breaks before they are read.
    for (const writer of [this.stream, this.datagrams]) writer.closed.catch(ignore);
    const over = () => setTimeout(() => this.hearing.gone(), LINGER_MS);
    transport.closed.then(over, over);
    // Each in a loop of its own that always waits for the next: who reads once a frame loses what comes between.
    void this.read(datagrams.readable, (bytes) => this.hearing.tell((ear) => ear.packet(bytes)));
    const frames = new Frames();
    void this.read(stream.readable, (bytes) => this.take(frames.take(bytes))).then(() => this.hearing.gone());
  }

  get largest(): number {
    return Math.min(MOST_BYTES, this.transport.datagrams.maxDatagramSize || MOST_BYTES);
  }

  get writable(): boolean {
    return !this.waiting;
  }

  listen(ear: Ear): void {
    this.hearing.listen(ear);
  }

  word(json: string): void {
    this.keep(WORD, new TextEncoder().encode(json));
  }

  packet(bytes: Uint8Array, keep: boolean): void {
    if (keep) this.keep(PACKET, bytes);
    else if (bytes.length > 0) this.datagram(bytes.slice());
  }

  close(): void {
    this.hearing.stop();
    setTimeout(() => shut(this.transport), LINGER_MS);
  }

  private keep(type: number, body: Uint8Array): void {
    this.stream.write(frame(type, body)).catch(ignore);
  }

  /** A newer packet says all that an older one does: what has to wait is replaced. */
  private datagram(bytes: Uint8Array): void {
    const { datagrams } = this;
    if ((datagrams.desiredSize ?? 1) > 0 && !this.waiting) {
      datagrams.write(bytes).catch(ignore);
      return;
    }
    const waits = this.waiting !== undefined;
    this.waiting = bytes;
    if (waits) return;
    datagrams.ready.then(() => {
      const newest = this.waiting;
      this.waiting = undefined;
      if (newest) datagrams.write(newest).catch(ignore);
    }, ignore);
  }

  private async read(from: ReadableStream<Uint8Array>, take: (bytes: Uint8Array) => void): Promise<void> {
    const reader = from.getReader();
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        take(value);
      }
    } catch {
      // It broke, which is another way to end.
    }
  }

  private take(frames: ReturnType<Frames['take']>): void {
    if (!frames) {
      shut(this.transport);
      return;
    }
    for (const { type, body } of frames) {
      if (type === WORD) {
        const json = new TextDecoder().decode(body);
        this.hearing.tell((ear) => ear.word(json));
      } else if (type === PACKET) this.hearing.tell((ear) => ear.packet(body));
    }
  }
}
