// The page: wires the worker's pictures to the panes, and the reader's hands to the worker. Decides nothing about the game.

import { Bridge } from './bridge.ts';
import { whenResized } from './canvas.ts';
import { Model } from './controls/model.ts';
import { Panel } from './controls/panel.ts';
import { byId, choose, h, say, sayRich } from './dom.ts';
import { Feed } from './feed.ts';
import { clock } from './format.ts';
import { glyph } from './glyphs.ts';
import { type Feeder, installHook } from './hook.ts';
import { Hands } from './input.ts';
import { Lane, type Span } from './lane.ts';
import { AT_REST } from './latch.ts';
import { build } from './layout.ts';
import { LessonView } from './lesson.ts';
import { DEFAULT_SEED, LOOK, type Look, decode, encode, parseSeed } from './link.ts';
import { Notices, type Way } from './notice.ts';
import { Instruments } from './plots/instruments.ts';
import type { Catalogue, Config, LabEvent, Pad, Readings, SceneInfo, Value } from './protocol.ts';
import { type Overlay, type Overlays, Pane } from './stage.ts';
import { text } from './strings.ts';
import { Tape } from './tape.ts';
import { LayoutError, Section, View } from './view.ts';

/** A frame later than this is a stall; the lab takes no more time from it. */
const MAX_FRAME_MS = 100;
const PLOT_MS = 1000 / 20;
const TEXT_MS = 1000 / 8;
const LINK_MS = 300;
const TOAST_MS = 2200;
const SPEEDS = text.speeds.map((s) => s.id);
const REDUCED = matchMedia('(prefers-reduced-motion: reduce)').matches;
const TOUCH = matchMedia('(hover: none) and (pointer: coarse)').matches;

class Page {
  private model: Model | undefined;
  private panel: Panel | undefined;
  private scene = '';
  private seed = DEFAULT_SEED;
  private config: Config = {};
  private look: Look = { ...LOOK };
  private shown: Overlays = Object.fromEntries(Object.keys(text.legend).map((k) => [k, true])) as Overlays;

  private playing = !REDUCED;
  private speed = 1;
  private owedUs = 0;
  private steps = 0;
  private lastRaf = 0;
  private plotAt = 0;
  private textAt = 0;
  /** Something other than time asks for a new picture. */
  private stale = true;
  private view: View | undefined;
  private readings: Readings | undefined;
  private pad: Pad = AT_REST;
  private ready = false;
  private linkTimer = 0;
  private toastTimer = 0;

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
      home: () => this.begin({ scene: this.scene, seed: DEFAULT_SEED, config: {} }),
      scene: (id) => this.begin({ scene: id, seed: this.seed, config: this.config }),
      seed: (raw) => this.onSeed(raw),
      copy: () => void this.copy(),
      play: () => this.play(!this.playing),
      step: () => this.step(),
      restart: () => this.begin({ scene: this.scene, seed: this.seed, config: this.config }),
      speed: (id) => (this.speed = Number(id)),
      pane: (id) => this.lookAt({ pane: id }),
      tab: (id) => this.lookAt({ tab: id }),
      side: (id) => this.lookAt({ tab: id === 'les' ? 'les' : 'inst' }),
      overlay: (id) => this.toggle(id),
      perturb: (what) => this.perturb(what),
      explain: (on) => this.lookAt({ explain: on }),
      reset: () => this.reset(),
    });
    const canvas = (id: string) => byId<HTMLCanvasElement>(id);
    this.notices = new Notices(byId('notices'));
    this.panes = { you: new Pane(canvas('c-you'), false), server: new Pane(canvas('c-server'), true), other: new Pane(canvas('c-other'), false) };
    this.lane = new Lane(canvas('lane'));
    this.instruments = new Instruments(byId('insts'));
    this.tape = new Tape(canvas('tape'));
    this.feed = new Feed(byId('feed'), byId('live'));
    this.lesson = new LessonView(byId('lesson'), { apply: (sets) => this.apply(sets), turned: (to) => this.lookAt({ lesson: to }) });
    this.hands = new Hands(canvas('c-you'), {
      pad: (pad) => {
        this.pad = pad;
        this.bridge.pad(pad);
      },
      taken: (yes) => this.taken(yes),
      toWorld: (x, y) => {
        const cam = this.panes.you.camera;
        return cam && [(x - cam.x) / cam.scale, (y - cam.y) / cam.scale];
      },
    });
    this.hook = installHook(
      this.bridge,
      () => ({ scene: this.scene, seed: this.seed, config: { ...this.config }, playing: this.playing, speed: this.speed, driving: this.hands.drives }),
      () => this.model?.catalogue ?? null,
    );
    this.lesson.show(0);
    this.sayConnection();
    this.sayHint();
    this.sayPlay();
    if (REDUCED) this.notices.show('reduced', text.reducedPaused);
    whenResized(() => (this.stale = true));
    document.addEventListener('keydown', (e) => this.key(e));
    document.addEventListener('visibilitychange', () => this.hidden());
    addEventListener('hashchange', () => this.fromLink());
    if (typeof WebAssembly !== 'object') this.notices.show('wasm', text.noWasm, [], [], false);
    else this.bridge.open();
    requestAnimationFrame((t) => this.frame(t));
  }

  // ---- the lab answers

  private onReady(catalogue: Catalogue): void {
    const first = !this.model;
    this.model = new Model(catalogue);
    this.ready = true;
    if (!first) {
      // A new worker in place of one that fell: the same world from its start.
      this.bridge.start(this.scene, this.seed, this.config);
      return;
    }
    const choices = catalogue.scenes;
    byId('scenes').replaceChildren(...choices.map((c) => h('button', { type: 'button', 'data-scene': c.id, text: c.label, onclick: () => this.begin({ scene: c.id, seed: this.seed, config: this.config }) })));
    byId('scene').replaceChildren(...choices.map((c) => h('option', { value: c.id, text: c.label })));
    this.instruments.setProbes(catalogue);
    this.fromLink();
  }

  /** Takes what the address bar says. */
  private fromLink(): void {
    const { model } = this;
    if (!model || location.hash === this.ownHash) return;
    const { problems, look, scene, seed, config } = decode(location.hash, model);
    this.look = look;
    for (const id of Object.keys(this.shown) as Overlay[]) this.shown[id] = !look.hide.includes(id);
    this.panel = new Panel(
      byId('psecs'),
      model,
      {
        set: (id, value) => this.set(id, value),
        preset: (id) => this.bridge.preset(id),
        opened: (open) => this.lookAt({ open }),
      },
      look.open,
    );
    if (problems.length) this.notices.show('link', text.linkProblems(problems.length), [], problems.map(text.problem));
    else this.notices.hide('link');
    this.sayLook();
    this.begin({ scene, seed, config });
  }

  private begin(run: { scene: string; seed: number; config: Config }): void {
    const { model } = this;
    if (!model) return;
    this.scene = run.scene;
    this.seed = run.seed;
    this.config = { ...model.defaults(), ...run.config };
    this.hands.release();
    this.owedUs = this.steps = 0;
    this.tape.clear();
    this.feed.clear();
    this.readings = undefined;
    this.bridge.start(this.scene, this.seed, this.config);
    this.stale = true;
    byId<HTMLInputElement>('seed').value = String(this.seed);
    byId<HTMLSelectElement>('scene').value = this.scene;
    for (const b of document.querySelectorAll('[data-scene]')) b.setAttribute('aria-current', String(b.getAttribute('data-scene') === this.scene));
    this.sync();
    this.sayHint();
  }

  private onStarted(config: Config): void {
    this.config = config;
    this.notices.hide('fault');
    this.stale = true;
    this.textAt = 0;
    this.sync();
  }

  private onRefused(sentence: string): void {
    this.notices.show('refused', text.refused(sentence), [{ label: text.afresh, go: () => this.begin({ scene: this.scene, seed: DEFAULT_SEED, config: {} }) }]);
  }

  private onConfig(config: Config, sentence: string): void {
    this.config = config;
    if (sentence) this.notices.show('config', sentence);
    else this.notices.hide('config');
    this.stale = true;
    this.textAt = 0;
    this.sync();
  }

  private onFault(when: 'load' | 'trap' | 'worker' | 'silent', message: string): void {
    const again: Way = { label: text.again, go: () => this.bridge.open() };
    const reload: Way = { label: text.reload, go: () => location.reload() };
    const copy: Way = { label: text.copy, go: () => void this.copy() };
    if (when === 'trap' || when === 'silent') {
      this.ready = false;
      const afresh: Way = {
        label: text.afresh,
        go: () => {
          this.config = this.model?.defaults() ?? {};
          this.bridge.open();
        },
      };
      this.notices.show('fault', when === 'trap' ? text.trapped(message) : text.silent, [again, afresh, copy], [], false);
    } else if (when === 'load') this.notices.show('fault', text.loadFailed(message), [reload], [], false);
    else this.notices.show('fault', message ? text.loadFailed(message) : text.noWorker, [reload], [], false);
  }

  private onFrame(data: Float32Array, readings: Readings | undefined, events: LabEvent[]): void {
    const began = performance.now();
    try {
      this.view = new View(data);
    } catch (e) {
      if (!(e instanceof LayoutError)) throw e;
      this.bridge.close();
      this.notices.show('fault', text.otherBuild, [{ label: text.reload, go: () => location.reload() }], [], false);
      return;
    }
    if (readings) this.readings = readings;
    if (events.length) {
      this.tape.add(events);
      this.feed.add(events);
    }
    const plots = began - this.plotAt >= PLOT_MS || !this.playing;
    if (plots) this.plotAt = began;
    this.draw(plots);
    if (readings) this.sayReadings(readings);
    this.hook.seen(data, this.pad);
    this.hook.worked(performance.now() - began);
  }

  // ---- each frame

  private frame(t: number): void {
    requestAnimationFrame((next) => this.frame(next));
    const dt = Math.min(MAX_FRAME_MS, t - this.lastRaf);
    this.lastRaf = t;
    if (!this.ready) {
      if (this.stale) this.drawIdle();
      this.stale = false;
      return;
    }
    if (this.playing) this.owedUs += dt * 1000 * this.speed;
    const wanted = this.playing || this.stale || this.steps > 0;
    if (!wanted) return;
    // While paused each picture brings its words with it: nothing else will.
    const words = !this.playing || t - this.textAt >= TEXT_MS;
    const us = this.playing ? Math.floor(this.owedUs) : 0;
    const step = this.steps > 0;
    if (!this.bridge.frame(step ? 0 : us, words, this.panesWidth(), step)) {
      this.owedUs = Math.min(this.owedUs, MAX_FRAME_MS * 1000);
      return;
    }
    if (words) this.textAt = t;
    this.owedUs = step ? 0 : this.owedUs - us;
    if (step) this.steps--;
    this.stale = false;
  }

  private panesWidth(): number {
    return byId('c-you').clientWidth;
  }

  private info(): SceneInfo | undefined {
    return this.model?.catalogue.scenes.find((s) => s.id === this.scene);
  }

  private draw(plots: boolean): void {
    const { view } = this;
    const bounds = this.info()?.bounds;
    if (!view || !bounds) return;
    this.panes.you.draw(view.section(Section.You), bounds, this.shown, this.hands.stick);
    this.panes.server.draw(view.section(Section.Server), bounds, this.shown);
    this.panes.other.draw(view.section(Section.Other), bounds, this.shown);
    this.lane.draw(view.section(Section.Packets), this.span());
    if (!plots) return;
    this.instruments.draw(view);
    this.tape.draw(view.now);
  }

  /** The first picture, before the lab is there. */
  private drawIdle(): void {
    for (const pane of Object.values(this.panes)) pane.idle(text.waitingLab);
    this.lane.draw(undefined, undefined);
    this.instruments.draw(undefined);
    this.tape.draw(0);
  }

  /** One way between you and the server, as the link is set. */
  private span(): Span | undefined {
    const get = (id: string) => Number(this.config[id] ?? NaN);
    const low = Math.min(get('link.up.latency'), get('link.down.latency'));
    const high = Math.max(get('link.up.latency') + get('link.up.jitter'), get('link.down.latency') + get('link.down.jitter'));
    return Number.isFinite(low + high) ? { low, high } : undefined;
  }

  // ---- words

  private sayReadings(r: Readings): void {
    if (!this.view) return;
    say(byId('clock'), clock(r.now_ms));
    say(byId('tick'), text.tick(r.tick));
    say(byId('r-you'), text.paneFigures.you(r.panes.you.others_ms));
    say(byId('r-server'), text.paneFigures.server(r.panes.server.tick));
    say(byId('r-other'), text.paneFigures.other(r.panes.other.you_ms));
    sayRich(byId('lane-stat'), text.laneStat(r));
    byId('lane').setAttribute('aria-label', text.laneSummary(r.link.up_in_flight, r.link.down_in_flight, r.link.lost_of_last_100));
    this.instruments.say(this.view, r);
    this.panel?.sayBudget(r.needs);
    this.sayConnection();
    this.feed.speak(performance.now());
  }

  private sayConnection(): void {
    const label = this.readings?.link.label ?? text.loading;
    const rtt = this.readings?.probes['clock.rtt']?.now ?? null;
    const { rtt: figure, tail } = text.connection(label, rtt);
    const conn = byId('conn');
    const line = figure ? `${label}, ${figure}` : label;
    if (conn.dataset['line'] === line) return;
    conn.dataset['line'] = line;
    conn.replaceChildren(glyph('disc'), line, figure ? h('span', { class: 'rt', text: tail }) : '');
  }

  private sayHint(): void {
    const buttons = this.info()?.buttons ?? [];
    const hint = this.hands?.drives ? (TOUCH ? text.touchHint : text.keysHint(buttons)) : TOUCH ? text.touchBotDrives : text.botDrives;
    say(byId('hint'), hint);
  }

  private sayPlay(): void {
    document.body.toggleAttribute('data-paused', !this.playing);
    byId('play').setAttribute('aria-label', this.playing ? text.pause : text.play);
  }

  private sayLook(): void {
    const { look } = this;
    const { dataset } = document.body;
    dataset['pane'] = look.pane;
    dataset['tab'] = look.tab;
    dataset['ptab'] = look.tab === 'les' ? 'les' : 'ctl';
    dataset['explain'] = look.explain ? '1' : '0';
    choose(byId('panetabs'), look.pane);
    choose(byId('mtabs'), look.tab);
    choose(byId('ptabs'), dataset['ptab']);
    byId<HTMLInputElement>('explain').checked = look.explain;
    for (const chip of document.querySelectorAll<HTMLElement>('.lg')) chip.setAttribute('aria-pressed', String(this.shown[chip.dataset['lg'] as Overlay]));
    look.lesson = this.lesson.show(look.lesson);
    this.syncLesson();
    this.stale = true;
  }

  private toast(sentence: string): void {
    const el = byId('toast');
    el.textContent = sentence;
    el.classList.add('on');
    clearTimeout(this.toastTimer);
    this.toastTimer = window.setTimeout(() => el.classList.remove('on'), TOAST_MS);
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
      if (id === 'preset') {
        this.bridge.preset(raw);
        continue;
      }
      const param = this.model?.param(id);
      const value = param && this.model?.parse(param, raw);
      if (value === undefined) continue;
      this.set(id, value);
      this.panel?.flash(id);
    }
  }

  private reset(): void {
    const { model } = this;
    if (!model) return;
    const defaults = model.defaults();
    for (const [id, value] of Object.entries(defaults)) if (this.config[id] !== value) this.bridge.set(id, value);
    this.config = defaults;
    this.sync();
  }

  /** The configuration changed: everything that shows it follows, and so does the address bar. */
  private sync(): void {
    this.panel?.sync(this.config);
    this.syncLesson();
    this.keepLink();
  }

  private syncLesson(): void {
    const group = this.model?.catalogue.presets[0]?.group;
    this.lesson.sync(this.config, group && this.model?.presetOf(group, this.config)?.id);
  }

  private ownHash: string | undefined;

  private href(): string {
    if (!this.model) return location.href;
    const look = { ...this.look, hide: (Object.keys(this.shown) as Overlay[]).filter((id) => !this.shown[id]) };
    return `#${encode({ scene: this.scene, seed: this.seed, config: this.config, look }, this.model)}`;
  }

  private keepLink(): void {
    clearTimeout(this.linkTimer);
    this.linkTimer = window.setTimeout(() => this.writeLink(), LINK_MS);
  }

  private writeLink(): void {
    clearTimeout(this.linkTimer);
    if (!this.model) return;
    this.ownHash = this.href();
    if (location.hash !== this.ownHash) history.replaceState(null, '', this.ownHash);
  }

  private async copy(): Promise<void> {
    this.writeLink();
    try {
      await navigator.clipboard.writeText(location.href);
      this.toast(text.copied);
    } catch {
      this.toast(text.copyFailed);
    }
  }

  private onSeed(raw: string): void {
    const seed = parseSeed(raw);
    if (seed === undefined) byId<HTMLInputElement>('seed').value = String(this.seed);
    else this.begin({ scene: this.scene, seed, config: this.config });
  }

  private lookAt(change: Partial<Look>): void {
    this.look = { ...this.look, ...change };
    // What only folds a section needs no more than the address bar.
    if (!('open' in change)) this.sayLook();
    this.keepLink();
  }

  private toggle(id: Overlay): void {
    this.shown[id] = !this.shown[id];
    this.sayLook();
    this.keepLink();
  }

  private perturb(what: 'drop' | 'spike' | 'dark'): void {
    this.bridge.perturb({ what, direction: 'both', ms: what === 'dark' ? 3000 : what === 'spike' ? 500 : 0 });
    this.toast(text.perturb[what].done);
  }

  private taken(yes: boolean): void {
    if (yes) this.bridge.autopilot(false);
    else {
      this.pad = AT_REST;
      this.bridge.autopilot(true);
    }
    document.body.toggleAttribute('data-driving', yes);
    this.sayHint();
  }

  private play(yes: boolean): void {
    this.playing = yes;
    this.owedUs = 0;
    this.stale = true;
    this.notices.hide('hidden');
    this.notices.hide('reduced');
    this.sayPlay();
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
    const i = Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(String(this.speed)) + by));
    this.speed = Number(SPEEDS[i]);
    choose(byId('speed'), SPEEDS[i] ?? '1');
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
