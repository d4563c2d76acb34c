// A session over WebSocket: words are text messages, packets binary ones. Nothing is lost: a loss is a stall, and then a burst.

import { type Carrier, type Ear, Hearing, type Opening } from './carrier.ts';

/** More than this waiting in the socket, bytes, is a stream that stands: about a second of what a client sends. */
const FULL_BYTES = 4096;

export function openWs(url: string, make: (url: string) => WebSocket = (at) => new WebSocket(at)): Opening {
  let socket: WebSocket;
  try {
    socket = make(url);
  } catch (e) {
    return { carrier: Promise.reject(e instanceof Error ? e : new Error(String(e))), cancel: () => {} };
  }
  // Before it is open, or what comes first comes as a Blob.
  socket.binaryType = 'arraybuffer';
  const carrier = new Promise<Carrier>((resolve, reject) => {
    socket.onopen = () => resolve(new WsCarrier(socket));
    socket.onclose = () => reject(new Error('closed'));
  });
  return { carrier, cancel: () => socket.close() };
}

class WsCarrier implements Carrier {
  readonly via = 'ws';
  readonly largest = undefined;
  private readonly hearing = new Hearing();

  constructor(private readonly socket: WebSocket) {
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'string') this.hearing.tell((ear) => ear.word(data));
      else if (data instanceof ArrayBuffer) this.hearing.tell((ear) => ear.packet(new Uint8Array(data)));
    };
    socket.onclose = () => this.hearing.gone();
  }

  get writable(): boolean {
    return this.socket.bufferedAmount < FULL_BYTES;
  }

  listen(ear: Ear): void {
    this.hearing.listen(ear);
  }

  word(json: string): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(json);
  }

  packet(bytes: Uint8Array): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(bytes as Uint8Array<ArrayBuffer>);
  }

  close(): void {
    this.hearing.stop();
    this.socket.close();
  }
}
