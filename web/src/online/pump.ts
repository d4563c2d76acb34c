// Between the client and its carrier: bytes in, what is due, bytes out; and when to look again.

import type { Carrier } from './carrier.ts';
import type { Client, World } from './session.ts';

/** A client has a few packets to send at once; more than these are a fault, and must not hold the worker. */
const MOST_AT_ONCE = 64;
/** Browsers let no timer go faster for long. */
const LEAST_MS = 1;
const MOST_MS = 250;
/** A stream that brings nothing for so long stood still: a round trip and more on most links, and a dozen snapshots. */
const STALL_MS = 200;

export class Pump {
  /** How often nothing came for a while, and then did. */
  stalls = 0;
  private heardAt: number | undefined;
  private cancel = () => {};
  private over = false;

  constructor(
    private readonly client: Client,
    private readonly carrier: Carrier,
    private readonly world: Pick<World, 'now' | 'after'>,
  ) {}

  heard(bytes: Uint8Array): void {
    if (this.over) return;
    const now = this.world.now();
    if (this.heardAt !== undefined && now - this.heardAt > STALL_MS) this.stalls++;
    this.heardAt = now;
    this.client.handle(bytes, now * 1000);
    this.run();
  }

  /** Does what is due and sends what there is. */
  run(): void {
    if (this.over) return;
    const { client, carrier, world } = this;
    const us = world.now() * 1000;
    client.setWritable(carrier.writable);
    client.advance(us);
    for (let i = 0; i < MOST_AT_ONCE; i++) {
      const packet = client.poll(us);
      if (!packet) break;
      carrier.packet(packet.bytes, packet.keep);
    }
    this.cancel();
    const wait = Math.min(MOST_MS, Math.max(LEAST_MS, client.waitUs(us) / 1000));
    this.cancel = world.after(wait, () => this.run());
  }

  stop(): void {
    this.over = true;
    this.cancel();
  }
}
