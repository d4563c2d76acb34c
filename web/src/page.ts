// The page: wires the worker's pictures to the panes, and the reader's hands to the worker. Decides nothing about the game.

import { Bridge, type Fault } from './bridge.ts';
import { isLarge, toUnits } from './camera.ts';
import { Clock } from './clock.ts';
import { byId, choose } from './dom.ts';
import { Faults } from './faults.ts';
import { Feed } from './feed.ts';
import { type Feeder, installHook } from './hook.ts';
import { FORK, Happened } from './happened.ts';
import { listen } from './keys.ts';
import type { Deed } from './lesson.ts';
import { build } from './layout.ts';
import { skipTo } from './layout/skip.ts';
import { DEFAULT_SEED, LOOK, sceneOf } from './link.ts';
import { Notices } from './notice.ts';
import { Door } from './online/door.ts';
import { Packets } from './packets.ts';
import { Picture } from './picture.ts';
import { Player } from './player.ts';
import { settingOf } from './plots/plot.ts';
import type { Catalogue, Config, LabEvent, Readings } from './protocol.ts';
import { Scrub } from './scrub.ts';
import { Settings } from './settings.ts';
import { text } from './strings.ts';
import { Summaries } from './summary.ts';
import { LayoutError, Section, View } from './view.ts';
import { many } from './paint/crowd/kinds.ts';
import { roleOf, sayConnection, sayHeard, sayPlay, sayReadings, sayStand, toast } from './words.ts';

/** Single precision tells an instant to less than this. */
const SAME_MS = 1;
const TEXT_MS = 1000 / 8;
const SPIKE_MS = 500;
const DARK_MS = 3000;
const SPEEDS = text.speeds.map((s) => s.id);
const REDUCED = matchMedia('(prefers-reduced-motion: reduce)').matches;

export class Page {
  private readonly clock = new Clock(!REDUCED);
  private readonly happened = new Happened();
  /** What your client was when it was last asked. */
  private role = '';
  private frameAt = 0;
  private textAt = 0;
  /** What happened may be told anew. */
  private tells = false;
  /** Something other than time asks for a new picture. */
  private unpainted = false;
  private stale = true;
  private ready = false;
  private view: View | undefined;

  private readonly bridge = new Bridge({
    ready: (c) => this.onReady(c),
    loads: () => this.onLoads(),
    started: (c) => this.onStarted(c),
    refused: (s) => this.onRefused(s),
    frame: (v, r, e, ran) => this.onFrame(v, r, e, ran),
    moved: () => (this.stale = true),
    config: (c, s) => this.settings.take(c, s),
    online: (tell) => this.place.hear(tell),
    fault: (when, message) => this.onFault(when, message),
  });
  private readonly hook: Feeder;
  private readonly notices: Notices;
  private readonly faults: Faults;
  private readonly settings: Settings;
  private readonly place: Door;
  private readonly picture: Picture;
  private readonly packets: Packets;
  private readonly scrub: Scrub;
  private readonly feed: Feed;
  private readonly summaries: Summaries;
  private readonly player: Player;

  constructor() {
    build({
      skip: (to) => skipTo(to, (tab) => this.settings.lookAt({ tab })),
      home: () => this.settings.begin({ config: {}, seed: DEFAULT_SEED }),
      scene: (scene) => this.settings.begin({ scene }),
      place: (id) => this.place.go(id === 'online' ? 'online' : 'page'),
      fold: () => this.fold(),
      seed: (raw) => this.settings.setSeed(raw),
      copy: () => void this.settings.copy(),
      play: () => this.play(!this.clock.playing),
      step: (ticks) => this.step(ticks),
      live: () => this.live(),
      restart: () => this.settings.begin({}),
      speed: (id) => this.setSpeed(Number(id)),
      pane: (pane) => this.settings.lookAt({ pane }),
      tab: (tab) => this.settings.lookAt({ tab }),
      side: (id) => this.settings.lookAt({ tab: id === 'les' ? 'les' : LOOK.tab }),
      overlay: (id) => this.settings.toggle(id),
      perturb: (what) => this.perturb(what),
      explain: (explain) => this.settings.lookAt({ explain }),
      reset: () => this.settings.reset(),
      keys: () => this.player.keys.open(),
      leave: () => this.player.leave(),
    });
    this.notices = new Notices(byId('notices'));
    this.faults = new Faults(this.notices, {
      again: () => this.open(),
      afresh: () => ((this.settings.config = {}), this.open()),
      copy: () => void this.settings.copy(),
    });
    this.place = new Door(this.bridge, this.notices, () => this.settings, { moved: () => this.moved(), entered: (scene, watch) => this.entered(scene, watch), graph: (canvas) => this.picture.easel.put('net', canvas) });
    this.settings = new Settings(
      this.bridge,
      this.notices,
      {
        begins: () => this.begins(),
        stale: () => this.redraw(),
        act: (deed) => this.act(deed),
        follow: (where) => this.place.follow(where),
        where: () => this.place.where(),
      },
      this.place.panelRoot,
    );
    this.picture = new Picture(this.happened, { stale: () => (this.stale = true), fell: (message) => this.onUnpainted(message) }, () => this.redraw());
    this.packets = new Packets(this.picture.lane, this.bridge, { pause: () => this.play(false), redraw: () => this.redraw(), step: (by) => this.step(by) });
    this.scrub = new Scrub(byId<HTMLInputElement>('scrub'), this.picture.tape, {
      seek: (behind) => this.inTime((clock) => clock.seek(behind)),
      heading: () => this.clock.heading(this.view?.behind ?? 0),
      step: (ticks) => this.step(ticks),
      live: () => this.live(),
      letGo: (behind) => this.inTime((clock) => clock.letGo(behind)),
    });
    this.feed = new Feed(byId('feed'), byId('live'), this.happened);
    this.summaries = new Summaries();
    this.player = new Player(this.bridge, (x, y) => {
      const bounds = this.settings.info()?.bounds;
      return bounds && toUnits(this.picture.camera(bounds, this.view), x, y);
    });
    this.hook = installHook(this.bridge, () => this.state(), () => this.settings.model?.catalogue ?? null, (times) => this.setSpeed(times), () => this.picture.easel.settled());
    sayConnection(undefined);
    sayPlay(this.clock.playing);
    if (REDUCED) this.notices.show('reduced', text.reducedPaused);
    listen({ play: () => this.play(!this.clock.playing), step: (ticks) => this.step(ticks), live: () => this.live(), faster: (by) => this.faster(by) }, () => this.player.keys.time && !this.place.active);
    document.addEventListener('visibilitychange', () => this.hidden());
    if (typeof WebAssembly === 'object') this.open();
    else this.faults.sayNoWasm();
    requestAnimationFrame((t) => this.frame(t));
  }

  /** Asks for the lab, or for a new one in place of one that fell. */
  private open(): void {
    this.bridge.open(this.settings.pageScene || sceneOf(location.hash));
  }

  // ---- the lab answers

  /** Another module comes: what is on the page is of the one before. */
  private onLoads(): void {
    this.ready = false;
    this.view = undefined;
    this.stale = true;
    this.forgiveFault();
    this.faults.waits();
  }

  private onReady(catalogue: Catalogue): void {
    this.faults.came();
    if (catalogue.build !== __BUILD__) {
      this.bridge.close();
      this.onFault('layout', catalogue.build);
      return;
    }
    this.ready = true;
    // A new worker in place of one that fell or has another scene: the world from its start.
    if (this.settings.model) return this.settings.begin({});
    this.picture.instruments.setProbes(catalogue);
    this.settings.offer(catalogue);
  }

  private onStarted(config: Config): void {
    this.forgiveFault();
    this.notices.hide('refused');
    this.settings.runs();
    this.settings.take(config, '');
  }

  private onRefused(sentence: string): void {
    this.notices.show('refused', text.refused(sentence), [{ label: text.afresh, go: () => this.settings.begin({ config: {}, seed: DEFAULT_SEED }) }]);
  }

  private onFault(when: Fault, message: string): void {
    if (when !== 'silent') this.ready = false;
    const other = this.settings.other;
    if (when === 'load' && other) this.faults.sayScene(this.settings.info()?.label ?? '', message, { label: other.label, go: () => this.settings.begin({ scene: other.id }) });
    else this.faults.say(when, message);
  }

  /** Nothing can be drawn until the page is loaded again, whatever becomes of the lab. */
  private onUnpainted(message: string): void {
    this.unpainted = true;
    this.onFault('worker', message);
  }

  private forgiveFault(): void {
    if (!this.unpainted) this.notices.hide('fault');
  }

  private onFrame(data: Float32Array, readings: Readings | undefined, events: LabEvent[], ran: number): void {
    const began = performance.now();
    const before = this.view;
    this.clock.ran(ran);
    try {
      this.view = new View(data);
    } catch (e) {
      if (!(e instanceof LayoutError)) throw e;
      this.bridge.close();
      this.onFault('layout', e.message);
      return;
    }
    const { view } = this;
    const { interpolates } = settingOf(this.settings.config);
    this.notices.hide('silent');
    if (before && beganAnew(before, view)) this.forget();
    if (view.forks > (before?.forks ?? 0)) this.forked();
    this.hear(events);
    if (interpolates) this.picture.starved.add(view.section(Section.Frames), view.now);
    const bounds = this.settings.info()?.bounds;
    const playing = this.clock.playing || this.place.active;
    const { config } = this.settings;
    if (bounds) this.picture.draw(view, { bounds, shown: this.settings.shown, stick: this.player.stick, config, chosen: this.packets.chosen }, began, playing, this.place.inRoom);
    // Words a part at a time: those of the page, then the instruments' in three pictures, then the feed's.
    this.tells ||= readings !== undefined;
    const tells = this.tells && (!playing || (!readings && this.picture.instruments.said));
    const news = tells && this.feed.owes(view.now);
    if (!readings && !news) this.picture.instruments.say(view, config, began);
    if (tells) this.tells = false;
    if (news) this.feed.show(view.now);
    if (readings) {
      sayReadings(readings, interpolates);
      if (this.place.active) this.place.take(view, readings, began);
      else this.sayTime(view, readings, began);
      if (bounds && isLarge(bounds)) sayHeard(many(view.section(Section.You)), many(view.section(Section.Server)));
      this.picture.instruments.take(view, readings, config, began, !playing);
      this.settings.sayReadings(readings);
      // What a drag passes by is not news.
      if (view.behind === 0 || playing) this.feed.speak(began);
      this.packets.seen();
      this.summaries.say(view, readings, began, playing);
    }
    this.hook.seen(data, this.player.pad);
    this.hook.worked(performance.now() - began);
  }

  /** What there is only in page: where the instant stands, and the link of the lab. */
  private sayTime(view: View, readings: Readings, began: number): void {
    sayConnection(readings);
    sayStand(view.behind, view.forks);
    this.player.past(view.behind > 0);
    this.scrub.say(view);
    this.picture.tape.summarize(view.now, began, this.clock.playing);
    this.sayRole(readings);
  }

  /** A client that has given up decides nothing any more: the reader is told once, with the way out. */
  private sayRole(readings: Readings): void {
    const { role, why } = roleOf(readings);
    if (role === this.role) return;
    this.role = role;
    if (role === 'disconnected') this.notices.show('role', text.disconnected(why), [{ label: text.restart, go: () => this.settings.begin({}) }]);
    else this.notices.hide('role');
  }

  // ---- each frame

  private frame(t: number): void {
    requestAnimationFrame((next) => this.frame(next));
    const passed = t - this.frameAt;
    this.frameAt = t;
    this.player.poll();
    if (!this.ready) {
      if (this.stale && !this.view) this.picture.idle();
      this.stale = false;
      return;
    }
    const { clock } = this;
    if (this.place.active) return this.frameOnline(t, passed);
    clock.passed(passed);
    if (!clock.moves && !this.stale) return;
    // While paused each picture brings its words with it: nothing else will.
    const words = !clock.playing || t - this.textAt >= TEXT_MS;
    const due = clock.due();
    if (!this.bridge.frame(due, words, this.picture.easel.box('you').w)) return;
    if (words) this.textAt = t;
    clock.taken(due);
    this.stale = false;
  }

  /** In a room time is everybody's: each frame shows what is there. */
  private frameOnline(t: number, passed: number): void {
    if (!this.place.inRoom) return;
    if (!this.view) this.picture.idle(text.online.waiting, true);
    this.place.frame(passed);
    const words = t - this.textAt >= TEXT_MS;
    if (this.bridge.frame({ seek: undefined, step: 0, us: 0 }, words, this.picture.easel.box('you').w) && words) this.textAt = t;
  }

  /** The next frame brings a new picture, with its words. */
  private redraw(): void {
    this.stale = true;
    this.textAt = 0;
  }

  // ---- the page changes its state

  private state() {
    const { scene, seed, config } = this.settings;
    return { scene, seed, config: { ...config }, playing: this.clock.playing, speed: this.clock.speed, driving: this.player.drives };
  }

  /** Another world: hands off, nothing owed. */
  private begins(): void {
    this.player.begins(this.settings.info()?.buttons ?? []);
    this.clock.reset();
    this.packets.forget();
  }

  /** In page, in the lobby, in a room: nothing of the one before is shown any more. */
  private moved(): void {
    this.view = undefined;
    this.forget();
    this.begins();
    this.player.goes('no');
    this.player.past(false);
    document.body.removeAttribute('data-paused');
    if (!this.place.active) sayPlay(this.clock.playing);
    this.redraw();
  }

  private entered(_scene: string, watch: boolean): void {
    this.moved();
    this.player.goes(watch ? 'watches' : 'plays');
    this.settings.lookAt({ pane: 'you' });
  }

  /** Online the stage has most of the room: the instruments come when they are asked for. */
  private fold(): void {
    const open = document.body.toggleAttribute('data-insts');
    byId('o-fold').setAttribute('aria-expanded', String(open));
    this.redraw();
  }

  /** Time began again: what happened before is of another world. */
  private forget(): void {
    this.picture.forget();
    this.happened.clear();
  }

  /** What the lab tells. Where somebody acted in the past, what was told of later than that never happened. */
  private hear(events: LabEvent[]): void {
    this.happened.add(events);
    this.picture.hear(events);
    for (const event of events) {
      if (event.kind !== FORK) continue;
      this.picture.starved.forgetAfter(event.t_ms);
      toast(text.said(event.text));
    }
  }

  /** Somebody acted in the past: the words follow at once. */
  private forked(): void {
    this.player.takeOver();
    this.textAt = 0;
  }

  private perturb(what: 'drop' | 'spike' | 'dark'): void {
    this.bridge.perturb({ what, direction: 'both', ms: { drop: 0, spike: SPIKE_MS, dark: DARK_MS }[what] });
    toast(text.perturb[what].done);
  }

  private play(yes: boolean): void {
    this.inTime((clock) => clock.play(yes));
    this.notices.hide('hidden');
    this.notices.hide('reduced');
  }

  private step(ticks: number): void {
    this.inTime((clock) => clock.step(ticks));
  }

  private live(): void {
    this.inTime((clock) => clock.live());
  }

  /** Changes how time goes. */
  private inTime(change: (clock: Clock) => void): void {
    change(this.clock);
    this.stale = true;
    sayPlay(this.clock.playing);
  }

  private hidden(): void {
    if (!document.hidden || !this.clock.playing || this.place.active) return;
    this.play(false);
    this.notices.show('hidden', text.hiddenPaused, [{ label: text.play, go: () => this.play(true) }]);
  }

  private faster(by: number): void {
    const id = SPEEDS[SPEEDS.indexOf(String(this.clock.speed)) - by];
    if (id !== undefined) this.setSpeed(Number(id));
  }

  private setSpeed(times: number): void {
    this.clock.speed = times;
    choose(byId('speed'), String(times));
  }

  /** What a phrase of a lesson does. */
  private act(deed: Deed): void {
    switch (deed) {
      case 'play':
      case 'pause':
        return this.play(deed === 'play');
      case 'step':
        return this.step(1);
      case 'slow':
      case 'full':
        this.setSpeed(deed === 'slow' ? 0.1 : 1);
        return this.play(true);
      default:
        return this.perturb(deed);
    }
  }
}

/** Whether the second view is of another world: its time is not that of the first gone on, nor gone back to somewhere. */
function beganAnew(before: View, now: View): boolean {
  return now.forks < before.forks || (now.forks === before.forks && now.now + now.behind < before.now + before.behind - SAME_MS);
}
