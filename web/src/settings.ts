// What runs and how it is looked at: scene, seed, configuration and look, with everything on the page that shows or sets them.

import { Address } from './address.ts';
import type { Bridge } from './bridge.ts';
import { isLarge } from './camera.ts';
import { Model } from './controls/model.ts';
import { Panel } from './controls/panel.ts';
import { Takeaway } from './controls/takeaway.ts';
import { TraceRow } from './controls/trace.ts';
import { byId, h } from './dom.ts';
import { type Deed, LessonView } from './lesson.ts';
import { DEFAULT_SEED, LOOK, type Link, type Look, TAKE, parseSeed, playsTrace, sceneOf } from './link.ts';
import type { Notices } from './notice.ts';
import type { Catalogue, Config, Param, Readings, SceneInfo, Value } from './protocol.ts';
import type { Overlay, Overlays } from './paint/stage/frame.ts';
import { text } from './strings.ts';
import { sayLook, sayRun, toast } from './words.ts';

/** What is different about settings in a room. */
export interface RoomSide {
  /** Why a setting cannot be moved; empty where it can. */
  locked(param: Param): string;
  /** Asks for what is everybody's; false where the setting is one's own. */
  set(id: string, value: Value): boolean;
  /** One of one's own was set. */
  sets(id: string, value: Value): void;
}

const LARGE: Overlay[] = ['crowd', 'hears'];
const OVERLAYS = Object.keys(text.legend) as Overlay[];

export interface SettingsHost {
  /** A phrase of the lesson does something. */
  act(deed: Deed): void;
  /** A world is about to begin. */
  begins(): void;
  /** The picture no longer shows what is set. */
  stale(): void;
  /** Where the address says that the page is to be. */
  follow(where: { online: boolean; room: string | undefined }): void;
  /** Where the page is. */
  where(): { online: boolean; room: string | undefined };
}

export class Settings {
  scene = '';
  seed = DEFAULT_SEED;
  config: Config = {};
  model: Model | undefined;
  readonly shown = Object.fromEntries(OVERLAYS.map((id) => [id, true])) as Overlays;
  /** While in a room: its side, its settings as they came, and what runs in page meanwhile. */
  private side: RoomSide | undefined;
  private base: Config | undefined;
  private theirs: Config = {};
  private stash: { scene: string; seed: number; config: Config } | undefined;
  /** The delay that others were drawn with of late. */
  private drawnMs: number | null = null;
  /** The scene whose world ran last. */
  private ran = '';
  private catalogue: Catalogue | undefined;
  /** What there is to be set, by scene. */
  private readonly models = new Map<string, Model>();
  private look: Look = { ...LOOK };
  private panel: Panel | undefined;
  private address: Address | undefined;
  private readonly lesson: LessonView;
  private readonly takeaway: Takeaway;
  private readonly trace: TraceRow;

  constructor(
    private readonly bridge: Bridge,
    private readonly notices: Notices,
    private readonly host: SettingsHost,
    /** Stands above the controls. */
    private readonly above: HTMLElement,
  ) {
    this.lesson = new LessonView(byId('lesson'), { apply: (sets) => this.apply(sets), act: (deed) => this.host.act(deed), turned: (lesson) => this.lookAt({ lesson }) });
    this.lesson.show(0, sceneOf(location.hash));
    this.trace = new TraceRow({ load: (csv) => this.bridge.trace(csv), loaded: () => this.set('link.vary', 'trace') });
    this.takeaway = new Takeaway({
      take: (take) => this.bridge.take(take),
      now: () => ({ scene: this.scene, seed: this.seed, config: this.config }),
      begin: (taken) => this.begin(taken),
      toggled: () => this.opened(),
      done: (sentence) => {
        this.notices.hide('file');
        toast(sentence);
      },
      failed: (sentence) => this.notices.show('file', sentence),
    });
    addEventListener('hashchange', () => this.fromLink());
  }

  /** The catalogue came: the page can offer what there is, and begins what the address asks for. */
  offer(catalogue: Catalogue): void {
    this.catalogue = catalogue;
    this.model = this.modelOf(catalogue, sceneOf(location.hash));
    this.address = new Address((scene) => this.modelOf(catalogue, scene), () => this.link());
    const { scenes } = catalogue;
    byId('scenes').replaceChildren(...scenes.map(({ id, label }) => h('button', { type: 'button', 'data-scene': id, text: label, onclick: () => this.begin({ scene: id }) })));
    byId('scene').replaceChildren(...scenes.map(({ id, label }) => h('option', { value: id, text: label })));
    this.fromLink();
  }

  private modelOf(catalogue: Catalogue, scene: string): Model {
    const { id } = catalogue.scenes.find((s) => s.id === scene) ?? catalogue.scenes[0] ?? { id: '' };
    const model = this.models.get(id) ?? new Model(catalogue, id);
    this.models.set(id, model);
    return model;
  }

  /** The scene's own settings and lessons take the place of another's, with these sections open. */
  private dress(open: string[] | null): void {
    const { catalogue } = this;
    if (!catalogue) return;
    this.model = this.modelOf(catalogue, this.scene);
    this.lock();
    this.panel = new Panel(
      byId('psecs'),
      this.model,
      {
        set: (id, value) => this.set(id, value),
        preset: (id) => this.preset(id),
        opened: () => this.opened(),
      },
      open,
      this.trace,
    );
    byId('psecs').prepend(this.above);
    byId('psecs').append(this.takeaway.section);
    // Of marks that only a large world has.
    const bounds = this.info()?.bounds;
    for (const id of LARGE) document.querySelector<HTMLElement>(`[data-lg="${id}"]`)!.hidden = !bounds || !isLarge(bounds);
  }

  /** The same where the scene is another one. */
  private redress(): void {
    if (this.model?.scene === this.scene) return;
    this.dress(this.panel?.open() ?? null);
    this.lookAt({});
  }

  /** The scene that ran before the one that is asked for. */
  get other(): SceneInfo | undefined {
    return this.ran === this.scene ? undefined : this.model?.catalogue.scenes.find((s) => s.id === this.ran);
  }

  /** A world of this scene runs. */
  runs(): void {
    this.ran = this.scene;
  }

  /** What is known of the scene that runs. */
  info(): SceneInfo | undefined {
    return this.model?.catalogue.scenes.find((s) => s.id === this.scene);
  }

  /** What the settings come to, as the lab reads it. */
  sayReadings({ needs, probes }: Readings): void {
    this.panel?.sayBudget(needs);
    const mean = probes['others.delay']?.mean ?? null;
    const drawnMs = mean === null ? null : Math.round(mean);
    if (drawnMs === this.drawnMs) return;
    this.drawnMs = drawnMs;
    this.lesson.sync(this.config, this.model, drawnMs);
  }

  /** Takes what the address bar says, unless we wrote it. */
  private fromLink(): void {
    const read = this.address?.read();
    if (!read) return;
    this.look = read.look;
    for (const id of OVERLAYS) this.shown[id] = !read.look.hide.includes(id);
    if (!this.side) this.scene = read.scene;
    this.dress(read.look.open);
    this.takeaway.open = read.look.open?.includes(TAKE) ?? false;
    const problems = read.problems.filter((p) => p.kind !== 'trace' || !this.trace.there);
    if (problems.length) this.notices.show('link', text.linkProblems(problems.length), [], text.problems(problems));
    else this.notices.hide('link');
    this.lookAt({});
    if (this.side) this.sync();
    else this.begin(read);
    this.host.follow(read);
  }

  // ---- in a room

  /** What runs in page, also while in a room. */
  get pageScene(): string {
    return this.stash?.scene ?? this.scene;
  }

  /** The settings are a room's from now on. */
  toRoom(scene: string, side: RoomSide): void {
    this.stash ??= { scene: this.scene, seed: this.seed, config: this.config };
    if (scene) this.scene = scene;
    this.side = side;
    this.base = undefined;
    this.theirs = {};
    this.redress();
    this.relock();
  }

  /** They are the page's own again. */
  toPage(): void {
    if (!this.stash) return;
    Object.assign(this, this.stash);
    this.stash = this.side = this.base = undefined;
    this.theirs = {};
    this.redress();
    this.relock();
  }

  /** What can be moved may have changed. */
  relock(): void {
    this.lock();
    if (this.model) this.sync();
  }

  private lock(): void {
    const { side, model } = this;
    if (model) model.locked = side ? (param) => side.locked(param) : () => '';
  }

  /** What the host has set for all. */
  takeFromRoom(settings: Config): void {
    if (Object.entries(settings).every(([id, v]) => this.theirs[id] === v)) return;
    this.theirs = settings;
    this.take(this.config, '');
  }

  /** The page is somewhere else: so says the address. */
  wrote(): void {
    this.address?.keep();
  }

  private link(): Link {
    const { scene, seed, config } = this.stash ?? this;
    return { scene, seed, config, ...this.host.where(), look: { ...this.look, hide: OVERLAYS.filter((id) => !this.shown[id]) } };
  }

  /** Starts a world: what is not said stays as it is, and goes along into another scene where that has it too. */
  begin({ scene = this.scene, seed = this.seed, config }: Partial<Link>): void {
    const { model: before, catalogue } = this;
    if (!before || !catalogue || this.side) return;
    const model = this.modelOf(catalogue, scene);
    const set = config ?? (model === before ? this.config : before.carried(this.config, model));
    if (model !== before) this.look.lesson = 0;
    this.scene = model.scene;
    this.seed = seed;
    this.config = { ...model.defaults(), ...set };
    this.redress();
    this.host.begins();
    this.bridge.start(this.scene, this.seed, this.config);
    sayRun(this.scene, this.seed);
    this.sync();
  }

  /** The lab's own word on what is set. */
  take(config: Config | undefined, sentence: string): void {
    if (sentence) this.notices.show('config', sentence);
    else this.notices.hide('config');
    if (!config) return;
    this.base ??= this.side && config;
    this.config = { ...config, ...this.theirs };
    this.host.stale();
    this.sync();
  }

  /** A section of the panel was opened or closed. */
  private opened(): void {
    const open = this.panel?.open() ?? [];
    this.lookAt({ open: this.takeaway.open ? [...open, TAKE] : open }, false);
  }

  /** The configuration changed: everything that shows it follows, and so does the address bar. */
  private sync(): void {
    this.panel?.sync(this.config);
    this.lesson.sync(this.config, this.model, this.drawnMs);
    this.takeaway.sync();
    this.address?.keep();
  }

  lookAt(change: Partial<Look>, redraw = true): void {
    this.look = { ...this.look, ...change };
    if (redraw) {
      this.look.lesson = this.lesson.show(this.look.lesson, this.scene);
      this.lesson.sync(this.config, this.model, this.drawnMs);
      sayLook(this.look, this.shown);
      this.host.stale();
    }
    this.address?.keep();
  }

  // ---- the reader acts

  private set(id: string, value: Value): void {
    if (this.side?.set(id, value)) return;
    this.side?.sets(id, value);
    this.config = { ...this.config, [id]: value };
    this.bridge.set(id, value);
    this.sync();
  }

  private preset(id: string): void {
    const set = this.side && this.model?.catalogue.presets.find((p) => p.id === id)?.set;
    if (!set) this.bridge.preset(id);
    else for (const [of, value] of Object.entries(set)) if (!this.lockedNow(of)) this.set(of, value);
  }

  private lockedNow(id: string): boolean {
    const param = this.model?.param(id);
    return !param || this.model?.locked(param) !== '';
  }

  /** What a phrase of the lesson sets. */
  private apply(sets: [string, string][]): void {
    for (const [id, raw] of sets) {
      if (id === 'preset') {
        this.bridge.preset(raw);
        this.panel?.flashPreset(raw);
        continue;
      }
      const param = this.model?.param(id);
      const value = param && this.model?.parse(param, raw);
      if (value === undefined) continue;
      this.set(id, value);
      this.panel?.flash(id);
    }
  }

  reset(): void {
    if (this.side) {
      for (const [id, value] of Object.entries(this.base ?? {})) if (this.config[id] !== value && !this.lockedNow(id)) this.set(id, value);
      return;
    }
    const defaults = this.model?.defaults() ?? {};
    for (const [id, value] of Object.entries(defaults)) if (this.config[id] !== value) this.bridge.set(id, value);
    this.config = defaults;
    this.sync();
  }

  setSeed(raw: string): void {
    const seed = parseSeed(raw);
    if (seed === undefined) sayRun(this.scene, this.seed);
    else this.begin({ seed });
  }

  toggle(id: Overlay): void {
    this.shown[id] = !this.shown[id];
    this.lookAt({});
  }

  async copy(): Promise<void> {
    const href = this.address?.write() ?? location.href;
    try {
      await navigator.clipboard.writeText(href);
      toast(playsTrace(this.config) ? text.copiedTraceless : text.copied);
    } catch {
      toast(text.copyFailed);
    }
  }
}
