// The page: wires the worker's pictures to the panes, and the reader's hands to the worker. Decides nothing about the game.

import { Address } from './address.ts';
import { Bridge, type Fault } from './bridge.ts';
import { toMetres } from './camera.ts';
import { whenResized } from './canvas.ts';
import { Model } from './controls/model.ts';
import { Panel } from './controls/panel.ts';
import { byId, choose, h } from './dom.ts';
import { Feed } from './feed.ts';
import { type Feeder, installHook } from './hook.ts';
import { AT_REST, Hands } from './input.ts';
import { Lane, type Span } from './lane.ts';
import { build } from './layout.ts';
import { LessonView } from './lesson.ts';
import { DEFAULT_SEED, LOOK, type Link, type Look, parseSeed } from './link.ts';
import { Notices, type Way } from './notice.ts';
import { Instruments } from './plots/instruments.ts';
import type { Catalogue, Config, LabEvent, Pad, Readings, SceneInfo, Value } from './protocol.ts';
import { type Overlay, type Overlays, Pane } from './stage.ts';
import { text } from './strings.ts';
import { Tape } from './tape.ts';
import { LayoutError, Section, View } from './view.ts';
import { roleOf, sayConnection, sayHint, sayLook, sayPlay, sayReadings, sayRun, toast } from './words.ts';

/** A frame later than this is a stall; the lab takes no more time from it. */
const MAX_FRAME_MS = 100;
const PLOT_MS = 1000 / 20;
const TEXT_MS = 1000 / 8;
const SPIKE_MS = 500;
const DARK_MS = 3000;
const SPEEDS = text.speeds.map((s) => s.id);
const REDUCED = matchMedia('(prefers-reduced-motion: reduce)').matches;
const OVERLAYS = Object.keys(text.legend) as Overlay[];

class Page {
  private model: Model | undefined;
  private panel: Panel | undefined;
  private address: Address | undefined;
  private scene = '';
  private seed = DEFAULT_SEED;
  private config: Config = {};
  private look: Look = { ...LOOK };
  private readonly shown = Object.fromEntries(OVERLAYS.map((id) => [id, true])) as Overlays;

  private playing = !REDUCED;
  private speed = 1;
  /** Virtual time that the lab has not run yet. */
  private owedUs = 0;
  private steps = 0;
  /** What your client was when it was last asked. */
  private role = '';
  private frameAt = 0;
  private plotAt = 0;
  /** Whose turn among the plots it was last. */
  private turn = 0;
  private textAt = 0;
  /** Something other than time asks for a new picture. */
  private stale = true;
  private ready = false;
  private view: View | undefined;
  private pad: Pad = AT_REST;

  private readonly bridge = new Bridge({
    ready: (c) => this.onReady(c),
    started: (c) => this.onStarted(c),
    refused: (s) => this.onRefused(s),
    frame: (v, r, e) => this.onFrame(v, r, e),
    config: (c, s) => this.onConfig(c, s),
    fault: (when, message) => this.onFault(when, message),
  });
  private readonly hook: Feeder;
  private readonly notices: Notices;
  private readonly panes: Record<'you' | 'server' | 'other', Pane>;
  private readonly lane: Lane;
  private readonly instruments: Instruments;
  private readonly tape: Tape;
  private readonly feed: Feed;
  private readonly lesson: LessonView;
  private readonly hands: Hands;

  constructor() {
    build({
      home: () => this.begin({ config: {}, seed: DEFAULT_SEED }),
      scene: (scene) => this.begin({ scene }),
      seed: (raw) => this.setSeed(raw),
      copy: () => void this.copy(),
      play: () => this.play(!this.playing),
      step: () => this.step(),
      restart: () => this.begin({}),
      speed: (id) => (this.speed = Number(id)),
      pane: (pane) => this.lookAt({ pane }),
      tab: (tab) => this.lookAt({ tab }),
      side: (id) => this.lookAt({ tab: id === 'les' ? 'les' : LOOK.tab }),
      overlay: (id) => this.toggle(id),
      perturb: (what) => this.perturb(what),
      explain: (explain) => this.lookAt({ explain }),
      reset: () => this.reset(),
    });
    const canvas = (id: string) => byId<HTMLCanvasElement>(id);
    this.notices = new Notices(byId('notices'));
    this.panes = { you: new Pane(canvas('c-you'), false), server: new Pane(canvas('c-server'), true), other: new Pane(canvas('c-other'), false) };
    this.lane = new Lane(canvas('lane'));
    this.instruments = new Instruments(byId('insts'));
    this.tape = new Tape(canvas('tape'));
    this.feed = new Feed(byId('feed'), byId('live'));
    this.lesson = new LessonView(byId('lesson'), { apply: (sets) => this.apply(sets), turned: (lesson) => this.lookAt({ lesson }) });
    this.lesson.show(0);
    this.hands = new Hands(canvas('c-you'), {
      pad: (pad) => this.bridge.pad((this.pad = pad)),
      taken: (yes) => this.taken(yes),
      toWorld: (x, y) => {
        const cam = this.panes.you.camera;
        return cam && toMetres(cam, x, y);
      },
    });
    this.hook = installHook(
      this.bridge,
      () => ({ scene: this.scene, seed: this.seed, config: { ...this.config }, playing: this.playing, speed: this.speed, driving: this.hands.drives }),
      () => this.model?.catalogue ?? null,
    );
    sayConnection(undefined);
    sayHint(false, []);
    sayPlay(this.playing);
    if (REDUCED) this.notices.show('reduced', text.reducedPaused);
    whenResized(() => (this.stale = true));
    document.addEventListener('keydown', (e) => this.key(e));
    document.addEventListener('visibilitychange', () => this.hidden());
    addEventListener('hashchange', () => this.fromLink());
    if (typeof WebAssembly === 'object') this.bridge.open();
    else this.notices.show('fault', text.noWasm, [], [], false);
    requestAnimationFrame((t) => this.frame(t));
  }

  // ---- the lab answers

  private onReady(catalogue: Catalogue): void {
    this.ready = true;
    if (this.model) {
      // A new worker in place of one that fell: the same world from its start.
      this.begin({});
      return;
    }
    this.model = new Model(catalogue);
    this.address = new Address(this.model, () => this.link());
    const { scenes } = catalogue;
    byId('scenes').replaceChildren(...scenes.map(({ id, label }) => h('button', { type: 'button', 'data-scene': id, text: label, onclick: () => this.begin({ scene: id }) })));
    byId('scene').replaceChildren(...scenes.map(({ id, label }) => h('option', { value: id, text: label })));
    this.instruments.setProbes(catalogue);
    this.fromLink();
  }

  private onStarted(config: Config): void {
    this.notices.hide('fault');
    this.notices.hide('refused');
    this.onConfig(config, '');
  }

  private onRefused(sentence: string): void {
    this.notices.show('refused', text.refused(sentence), [{ label: text.afresh, go: () => this.begin({ config: {}, seed: DEFAULT_SEED }) }]);
  }

  private onConfig(config: Config | undefined, sentence: string): void {
    if (sentence) this.notices.show('config', sentence);
    else this.notices.hide('config');
    if (!config) return;
    this.config = config;
    this.stale = true;
    this.textAt = 0;
    this.sync();
  }

  private onFault(when: Fault, message: string): void {
    const ways: Way[] =
      when === 'trap' || when === 'silent'
        ? [
            { label: text.again, go: () => this.bridge.open() },
            { label: text.afresh, go: () => ((this.config = {}), this.bridge.open()) },
            { label: text.copy, go: () => void this.copy() },
          ]
        : [{ label: text.reload, go: () => location.reload() }];
    if (when !== 'silent') this.ready = false;
    const sentence = {
      trap: text.trapped(message),
      silent: text.silent,
      load: text.loadFailed(message),
      worker: message ? text.loadFailed(message) : text.noWorker,
      layout: text.otherBuild,
    }[when];
    this.notices.show(when === 'silent' ? 'silent' : 'fault', sentence, ways, [], false);
  }

  private onFrame(data: Float32Array, readings: Readings | undefined, events: LabEvent[]): void {
    const began = performance.now();
    const before = this.view?.now ?? 0;
    try {
      this.view = new View(data);
    } catch (e) {
      if (!(e instanceof LayoutError)) throw e;
      this.bridge.close();
      this.onFault('layout', e.message);
      return;
    }
    this.notices.hide('silent');
    if (this.view.now < before) this.forget();
    this.tape.add(events);
    if (this.interpolates()) this.tape.frames(this.view.section(Section.Frames));
    this.feed.add(events);
    this.draw(this.view);
    this.plot(this.view, began);
    if (readings) {
      sayReadings(readings, this.interpolates());
      this.instruments.say(this.view, readings, this.interpolates());
      this.panel?.sayBudget(readings.needs);
      this.sayRole(readings);
      this.feed.speak(began);
    }
    this.hook.seen(data, this.pad);
    this.hook.worked(performance.now() - began);
  }

  /** A client that has given up decides nothing any more: the reader is told once, with the way out. */
  private sayRole(readings: Readings): void {
    const { role, why } = roleOf(readings);
    if (role === this.role) return;
    this.role = role;
    if (role === 'disconnected') this.notices.show('role', text.disconnected(why), [{ label: text.restart, go: () => this.begin({}) }]);
    else this.notices.hide('role');
  }

  // ---- each frame

  private frame(t: number): void {
    requestAnimationFrame((next) => this.frame(next));
    const dt = Math.min(MAX_FRAME_MS, t - this.frameAt);
    this.frameAt = t;
    if (!this.ready) {
      if (this.stale && !this.view) this.drawIdle();
      this.stale = false;
      return;
    }
    if (this.playing) this.owedUs = Math.min(MAX_FRAME_MS * 1000, this.owedUs + dt * 1000 * this.speed);
    const step = this.steps > 0;
    if (!this.playing && !this.stale && !step) return;
    // While paused each picture brings its words with it: nothing else will.
    const words = !this.playing || t - this.textAt >= TEXT_MS;
    const us = this.playing ? Math.floor(this.owedUs) : 0;
    if (!this.bridge.frame(us, words, this.panes.you.width, step)) return;
    if (words) this.textAt = t;
    this.owedUs -= us;
    if (step) this.steps--;
    this.stale = false;
  }

  private draw(view: View): void {
    const bounds = this.info()?.bounds;
    if (!bounds) return;
    this.panes.you.draw(view.section(Section.You), bounds, this.shown, this.hands.stick);
    this.panes.server.draw(view.section(Section.Server), bounds, this.shown);
    this.panes.other.draw(view.section(Section.Other), bounds, this.shown);
    this.lane.draw(view.section(Section.Packets), this.span());
  }

  /** Each plot and the tape twenty times a second, in turns, so that no frame pays for all of them; all at once where time stands. */
  private plot(view: View, now: number): void {
    const all = this.instruments.count + 1;
    const every = PLOT_MS / all;
    const due = this.playing ? Math.min(all, Math.floor((now - this.plotAt) / every)) : all;
    if (due === 0) return;
    this.plotAt = Math.max(this.plotAt + due * every, now - every);
    for (let k = 0; k < due; k++) {
      this.turn = (this.turn + 1) % all;
      if (this.turn === this.instruments.count) this.tape.draw(view.now);
      else this.instruments.draw(this.turn, view, this.interpolates());
    }
  }

  /** The first picture, before the lab is there. */
  private drawIdle(): void {
    for (const pane of Object.values(this.panes)) pane.idle(text.waitingLab);
    this.lane.draw(undefined, undefined);
    for (let i = 0; i < this.instruments.count; i++) this.instruments.draw(i, undefined, true);
    this.tape.draw(0);
  }

  /** Whether others are drawn between two samples. Where they are not, no frame can starve. */
  private interpolates(): boolean {
    return this.config['interp.on'] !== false;
  }

  private info(): SceneInfo | undefined {
    return this.model?.catalogue.scenes.find((s) => s.id === this.scene);
  }

  /** One way between you and the server, as the link is set. */
  private span(): Span | undefined {
    const get = (id: string) => Number(this.config[id] ?? NaN);
    const low = Math.min(get('link.up.latency'), get('link.down.latency'));
    const high = Math.max(get('link.up.latency') + get('link.up.jitter'), get('link.down.latency') + get('link.down.jitter'));
    return Number.isFinite(low + high) ? { low, high } : undefined;
  }

  // ---- what runs, and how it is looked at

  /** Takes what the address bar says, unless we wrote it. */
  private fromLink(): void {
    const { model } = this;
    const read = this.address?.read();
    if (!model || !read) return;
    this.look = read.look;
    for (const id of OVERLAYS) this.shown[id] = !read.look.hide.includes(id);
    this.panel = new Panel(
      byId('psecs'),
      model,
      {
        set: (id, value) => this.set(id, value),
        preset: (id) => this.bridge.preset(id),
        opened: (open) => this.lookAt({ open }, false),
      },
      read.look.open,
    );
    if (read.problems.length) this.notices.show('link', text.linkProblems(read.problems.length), [], read.problems.map(text.problem));
    else this.notices.hide('link');
    this.lookAt({});
    this.begin(read);
  }

  private link(): Link {
    return { scene: this.scene, seed: this.seed, config: this.config, look: { ...this.look, hide: OVERLAYS.filter((id) => !this.shown[id]) } };
  }

  /** Starts a world: what is not said stays as it is. */
  private begin({ scene = this.scene, seed = this.seed, config = this.config }: Partial<Link>): void {
    const { model } = this;
    if (!model) return;
    this.scene = scene;
    this.seed = seed;
    this.config = { ...model.defaults(), ...config };
    this.hands.release();
    this.owedUs = this.steps = 0;
    this.bridge.start(this.scene, this.seed, this.config);
    sayRun(this.scene, this.seed);
    sayHint(false, this.info()?.buttons ?? []);
    this.sync();
  }

  /** Time began again: what happened before is of another world. */
  private forget(): void {
    this.tape.clear();
    this.feed.clear();
  }

  /** The configuration changed: everything that shows it follows, and so does the address bar. */
  private sync(): void {
    this.panel?.sync(this.config);
    this.lesson.sync(this.config, this.model);
    this.address?.keep();
  }

  private lookAt(change: Partial<Look>, redraw = true): void {
    this.look = { ...this.look, ...change };
    if (redraw) {
      this.look.lesson = this.lesson.show(this.look.lesson);
      this.lesson.sync(this.config, this.model);
      sayLook(this.look, this.shown);
      this.stale = true;
    }
    this.address?.keep();
  }

  // ---- the reader acts

  private set(id: string, value: Value): void {
    this.config = { ...this.config, [id]: value };
    this.bridge.set(id, value);
    this.sync();
  }

  /** What a phrase of the lesson sets. */
  private apply(sets: [string, string][]): void {
    for (const [id, raw] of sets) {
      if (id === 'preset') this.bridge.preset(raw);
      const param = this.model?.param(id);
      const value = param && this.model?.parse(param, raw);
      if (value === undefined) continue;
      this.set(id, value);
      this.panel?.flash(id);
    }
  }

  private reset(): void {
    const defaults = this.model?.defaults() ?? {};
    for (const [id, value] of Object.entries(defaults)) if (this.config[id] !== value) this.bridge.set(id, value);
    this.config = defaults;
    this.sync();
  }

  private async copy(): Promise<void> {
    const href = this.address?.write() ?? location.href;
    try {
      await navigator.clipboard.writeText(href);
      toast(text.copied);
    } catch {
      toast(text.copyFailed);
    }
  }

  private setSeed(raw: string): void {
    const seed = parseSeed(raw);
    if (seed === undefined) sayRun(this.scene, this.seed);
    else this.begin({ seed });
  }

  private toggle(id: Overlay): void {
    this.shown[id] = !this.shown[id];
    this.lookAt({});
  }

  private perturb(what: 'drop' | 'spike' | 'dark'): void {
    this.bridge.perturb({ what, direction: 'both', ms: { drop: 0, spike: SPIKE_MS, dark: DARK_MS }[what] });
    toast(text.perturb[what].done);
  }

  private taken(yes: boolean): void {
    this.pad = AT_REST;
    this.bridge.autopilot(!yes);
    sayHint(yes, this.info()?.buttons ?? []);
  }

  private play(yes: boolean): void {
    this.playing = yes;
    this.owedUs = 0;
    this.stale = true;
    this.notices.hide('hidden');
    this.notices.hide('reduced');
    sayPlay(yes);
  }

  private step(): void {
    if (this.playing) this.play(false);
    this.steps++;
  }

  private hidden(): void {
    if (!document.hidden || !this.playing) return;
    this.play(false);
    this.notices.show('hidden', text.hiddenPaused, [{ label: text.play, go: () => this.play(true) }]);
  }

  private changeSpeed(by: number): void {
    const id = SPEEDS[SPEEDS.indexOf(String(this.speed)) + by];
    if (id === undefined) return;
    this.speed = Number(id);
    choose(byId('speed'), id);
  }

  /** Transport keys: only while the focus is in the page's body or on the stage, never in a field, never with a modifier. */
  private key(e: KeyboardEvent): void {
    const target = e.target as Element;
    if (e.ctrlKey || e.metaKey || e.altKey || (target !== document.body && target.id !== 'c-you')) return;
    if (e.code === 'Space') {
      if (!e.repeat) this.play(!this.playing);
    } else if (e.key === 'ArrowRight') this.step();
    else if (e.key === '[') this.changeSpeed(1);
    else if (e.key === ']') this.changeSpeed(-1);
    else return;
    e.preventDefault();
  }
}

new Page();
