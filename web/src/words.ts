// The page's running text: what the lab reads, who drives, what is switched on. Eight times a second, or when something was done.

import { byId, choose, h, say, sayRich } from './dom.ts';
import { clock, num } from './format.ts';
import { glyph } from './glyphs.ts';
import type { Look } from './link.ts';
import type { Readings } from './protocol.ts';
import type { Overlay, Overlays } from './paint/stage/frame.ts';
import { text } from './strings.ts';

const TOAST_MS = 2200;
/** A device that has fingers alone is told to tap from the start. */
const FINGERS = matchMedia('(hover: none) and (pointer: coarse)').matches;

let toastTimer = 0;

/** A line over the page for a moment: what a button has done where nothing else shows it. */
export function toast(sentence: string): void {
  const el = byId('toast');
  el.textContent = sentence;
  el.classList.add('on');
  clearTimeout(toastTimer);
  toastTimer = window.setTimeout(() => el.classList.remove('on'), TOAST_MS);
}

/** `interpolates`: others are drawn between two samples, so that a screen can starve. */
export function sayReadings(r: Readings, interpolates: boolean): void {
  say(byId('clock'), clock(r.now_ms));
  say(byId('tick'), text.tick(r.tick));
  sayRich(byId('r-you'), text.paneFigures.you(r.panes.you.others_ms, interpolates && (r.probes['others.spare']?.now ?? 0) < 0));
  say(byId('r-server'), text.paneFigures.server(r.panes.server.tick));
  say(byId('r-other'), text.paneFigures.other(r.panes.other.you_ms));
  sayRich(byId('lane-stat'), text.laneStat(r));
  say(byId('lane-sum'), text.laneSummary(r));
}

/** What your client is, and, where it is disconnected, why. */
export function roleOf(r: Readings): { role: string; why: string } {
  const [role = '', ...why] = r.roles.you.split(': ');
  return { role, why: why.join(': ') };
}

const link = { before: h('span'), ms: h('span', { class: 'ms' }), after: h('span'), trip: h('span', { class: 'rt', text: ` ${text.roundTrip}` }) };

/** The link in a few words; undefined while the lab is not there yet. The figure goes with time, so it has a box of its own. */
export function sayConnection(r: Readings | undefined): void {
  const role = r && roleOf(r).role;
  const rtt = role === 'playing' ? (r?.probes['clock.rtt']?.now ?? null) : null;
  const { before, ms, after, trip } = link;
  const line = text.connection(r?.link.label, rtt, role);
  const figure = rtt === null ? '' : num(rtt);
  const place = figure ? line.lastIndexOf(figure) : line.length;
  say(before, line.slice(0, place));
  say(after, line.slice(place + figure.length));
  if (figure.length !== ms.textContent.length) ms.style.width = `${figure.length}ch`;
  say(ms, figure);
  trip.hidden = rtt === null;
  const conn = byId('conn');
  if (before.isConnected) return;
  // Online had it.
  delete conn.dataset['line'];
  conn.title = '';
  conn.replaceChildren(glyph('disc'), h('span', {}, before, ms, after, trip));
}

/** Who plays, and what: with fingers, in the past, in a room. */
export interface Playing {
  driving: boolean;
  /** Online nobody plays for you; whoever watches cannot play. */
  online: 'no' | 'plays' | 'watches';
  fingers: boolean;
  past: boolean;
}

/** Who drives you, and how to: `keys` are the labels of the first keys, `names` the scene's buttons. */
export function sayHint({ driving, online, fingers, past }: Playing, keys: { moves: string; buttons: string[] }, names: readonly string[]): void {
  const { body } = document;
  body.toggleAttribute('data-driving', driving);
  body.toggleAttribute('data-fingers', fingers);
  const own = [...names];
  // The shorter ones take the place of the long one where the pane is narrow.
  const tap = fingers || FINGERS;
  const says = online === 'watches'
    ? { long: text.online.watchingYou }
    : !driving
    ? { long: past ? text.pastHint : online === 'plays' ? (tap ? text.online.hintTouch : text.online.hint) : tap ? text.touchBotDrives : text.botDrives }
    : fingers
      ? { long: text.touchHint, short: text.touchHintShort, least: text.touchHintShort }
      : { long: text.keysHint(keys.moves, keys.buttons, own), short: text.keysHintShort(keys.moves, keys.buttons, own), least: text.keysHintLeast };
  const hint = byId('hint');
  if (hint.dataset['said'] === says.long) return;
  hint.dataset['said'] = says.long;
  hint.replaceChildren(...Object.entries(says).map(([size, line]) => h('span', { class: size, text: line, 'aria-hidden': size !== 'long' && 'true' })));
}

/** The names on the buttons for thumbs; a scene without that button has none. */
export function sayPresses(names: readonly string[]): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-press]')) {
    const name = names[Number(button.dataset['press'])];
    button.hidden = name === undefined;
    say(button, name ?? '');
  }
}

/** Where the instant shown stands: at live, or so far behind. */
export function sayStand(behind: number, forks: number): void {
  const live = String(behind <= 0);
  const button = byId('golive');
  if (button.getAttribute('aria-pressed') !== live) button.setAttribute('aria-pressed', live);
  say(byId('behind'), behind > 0 ? text.behind(behind) : '');
  say(byId('forks'), text.forks(forks));
}

export function sayPlay(playing: boolean): void {
  document.body.toggleAttribute('data-paused', !playing);
  byId('play').setAttribute('aria-label', playing ? text.pause : text.play);
}

/** What is looked at. */
export function sayLook(look: Look, shown: Overlays): void {
  const { dataset } = document.body;
  dataset['pane'] = look.pane;
  dataset['tab'] = look.tab;
  dataset['ptab'] = look.tab === 'les' ? 'les' : 'ctl';
  dataset['explain'] = look.explain ? '1' : '0';
  choose(byId('panetabs'), look.pane);
  choose(byId('mtabs'), look.tab);
  choose(byId('ptabs'), dataset['ptab']);
  byId<HTMLInputElement>('explain').checked = look.explain;
  for (const chip of document.querySelectorAll<HTMLElement>('.lg')) chip.setAttribute('aria-pressed', String(shown[chip.dataset['lg'] as Overlay]));
}

/** Which scene and seed run. */
/** How many of a crowd your screen has, of how many there are. */
export function sayHeard(here: number, there: number): void {
  const words = document.querySelector('[data-lg="hears"]')?.lastChild;
  const says = text.heardOf(here, there);
  if (words && words.textContent !== says) words.textContent = says;
}

export function sayRun(scene: string, seed: number): void {
  byId<HTMLInputElement>('seed').value = String(seed);
  byId<HTMLSelectElement>('scene').value = scene;
  for (const b of document.querySelectorAll('[data-scene]')) b.setAttribute('aria-current', String(b.getAttribute('data-scene') === scene));
}
