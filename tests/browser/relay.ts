// A relay of a test's own: on a free port, stopped and started as the test says. RELAY is its path; `npm test` sets it.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PATHS = [process.env['RELAY'], at('target/release/relay'), at('target/debug/relay')];

/** The relay's program; undefined where there is none. */
export const program = PATHS.find((path) => path && existsSync(path));

export class Relay {
  private process: ChildProcess | undefined;
  /** What it said, for when a test fails. */
  readonly log: string[] = [];
  url = '';

  private constructor(private readonly more: string[]) {}

  static async start(...more: string[]): Promise<Relay> {
    const relay = new Relay(more);
    await relay.run(0);
    return relay;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Starts it again, at the port that it had. */
  async again(): Promise<void> {
    await this.run(this.port);
  }

  private async run(port: number): Promise<void> {
    const child = spawn(program!, ['--dist', at('web/dist'), '--host', 'localhost', '--port', String(port), ...this.more], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.process = child;
    child.stderr.on('data', (said: Buffer) => this.log.push(String(said)));
    this.url = await new Promise<string>((resolve, reject) => {
      let said = '';
      child.stdout.on('data', (more: Buffer) => {
        said += String(more);
        const address = /https?:\/\/[^\s/]+/.exec(said)?.[0];
        if (address) resolve(`${address}/`);
      });
      child.once('exit', (code) => reject(new Error(`the relay ended with ${code}: ${this.log.join('')}`)));
    });
  }

  /** Asks it to end, or takes it away where it is killed; resolves once it is gone. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.process;
    this.process = undefined;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }
}
