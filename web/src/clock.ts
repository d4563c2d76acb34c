// How the page's time runs: playing or not, how fast, what of it the lab still owes. No DOM: a test tells it what a display shows.

/** A frame later than this is a stall; the lab takes no more time from it. */
export const MAX_FRAME_MS = 100;

/** What the lab is asked to run for one picture. */
export interface Due {
  /** Virtual time, us. */
  us: number;
  /** One tick on, whatever time it takes. */
  step: boolean;
}

export class Clock {
  /** Virtual time for each of the display's. */
  speed = 1;
  private owedUs = 0;
  /** What the lab was asked for and has not answered yet. */
  private askedUs = 0;
  private steps = 0;

  constructor(public playing: boolean) {}

  play(yes: boolean): void {
    this.playing = yes;
    this.owedUs = 0;
  }

  /** Asks for one tick. What plays stands still for it. */
  step(): void {
    if (this.playing) this.play(false);
    this.steps++;
  }

  /** Forgets what is owed: another world begins. */
  reset(): void {
    this.owedUs = this.steps = 0;
  }

  /** So much of the display's time has passed. */
  passed(ms: number): void {
    if (this.playing) this.owe(Math.min(MAX_FRAME_MS, ms) * 1000 * this.speed);
  }

  /** What is owed is never more than a stall of the display would have made it. */
  private owe(us: number): void {
    this.owedUs = Math.min(MAX_FRAME_MS * 1000 * Math.max(1, this.speed), this.owedUs + us);
  }

  /** Whether time asks for a new picture. */
  get moves(): boolean {
    return this.playing || this.steps > 0;
  }

  due(): Due {
    return { us: this.playing ? Math.floor(this.owedUs) : 0, step: this.steps > 0 };
  }

  /** The lab has taken that on. */
  taken({ us, step }: Due): void {
    this.owedUs -= us;
    this.askedUs = us;
    if (step) this.steps--;
  }

  /** So much of it ran. A lab that cannot keep up still owes the rest. */
  ran(us: number): void {
    if (this.playing) this.owe(this.askedUs - us);
    this.askedUs = 0;
  }
}
