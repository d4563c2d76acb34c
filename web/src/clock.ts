// How the page's time runs: playing or not, how fast, where the reader wants to look, what of it the lab still owes. No DOM: a test
// tells it what a display shows.

/** A frame later than this is a stall; the lab takes no more time from it. */
export const MAX_FRAME_MS = 100;

/** The lab takes no more steps on at once. */
const MAX_STEPS = 8;

/** What the lab is asked for with one picture, in this order. */
export interface Due {
  /** The instant to look at, ms behind live. */
  seek: number | undefined;
  /** Ticks from there, back where it is below zero. */
  step: number;
  /** Virtual time to run on by, us. */
  us: number;
}

export class Clock {
  playing: boolean;
  /** Virtual time for each of the display's. */
  speed = 1;
  private owedUs = 0;
  /** What the lab was asked for and has not answered yet. */
  private askedUs = 0;
  private steps = 0;
  private wanted: number | undefined;
  /** The instant that the lab was asked for and has not shown yet. */
  private going: number | undefined;
  /** It played when the reader turned back: back at live, it goes on. */
  private resumes = false;

  constructor(playing: boolean) {
    this.playing = playing;
  }

  play(yes: boolean): void {
    this.playing = yes;
    this.resumes = false;
    this.owedUs = 0;
  }

  /** Asks for so many ticks, back where it is below zero. What plays stands still for it. */
  step(ticks: number): void {
    this.hold(ticks < 0);
    this.steps += ticks;
  }

  /** Asks for an instant, ms behind live; the newest such wish counts. What plays stands still for it. */
  seek(behind: number): void {
    this.hold(true);
    this.wanted = behind;
    this.steps = 0;
  }

  /** Where the page is on its way to, ms behind live; `shown` where it stays. */
  heading(shown: number): number {
    return this.wanted ?? this.going ?? shown;
  }

  /** Back to live, and on from there if it played when the reader turned back. */
  live(): void {
    this.wanted = 0;
    this.steps = 0;
    if (this.resumes) this.play(true);
  }

  /** The reader lets go of the tape that far behind live. */
  letGo(behind: number): void {
    if (behind <= 0) this.live();
  }

  private hold(resumes: boolean): void {
    if (!this.playing) return;
    this.play(false);
    this.resumes = resumes;
  }

  /** Forgets what is owed and wanted: another world begins. */
  reset(): void {
    this.owedUs = this.steps = 0;
    this.wanted = undefined;
    if (this.resumes) this.play(true);
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
    return this.playing || this.steps !== 0 || this.wanted !== undefined;
  }

  due(): Due {
    const step = Math.max(-MAX_STEPS, Math.min(MAX_STEPS, this.steps));
    return { seek: this.wanted, step, us: this.playing ? Math.floor(this.owedUs) : 0 };
  }

  /** The lab has taken that on. */
  taken({ seek, step, us }: Due): void {
    if (seek === this.wanted) this.wanted = undefined;
    this.going = seek;
    this.steps -= step;
    this.owedUs -= us;
    this.askedUs = us;
  }

  /** So much of it ran. A lab that cannot keep up still owes the rest. */
  ran(us: number): void {
    if (this.playing) this.owe(this.askedUs - us);
    this.askedUs = 0;
    this.going = undefined;
  }
}
