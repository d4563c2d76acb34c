// Every sentence and label of the page that does not come from the lab's catalogue. No DOM, no state.

import { NONE, num, signed } from './format.ts';
import type { Problem } from './link.ts';
import type { Config, Needs, Readings } from './protocol.ts';
import { door } from './strings/door.ts';
import { drawn } from './strings/drawn.ts';
import type { Cast } from './summary.ts';

/** A figure now, its mean and its greatest. */
interface Spread {
  now: number;
  mean: number;
  max: number;
}

/** The lab says how far behind the present something is drawn; the page writes where it stands: 160 behind is −160. */
const behind = (ms: number | null) => signed(ms === null ? null : -ms);

/** A stranger's text, no longer than a line. */
const brief = (s: string) => (s.length > 40 ? `${s.slice(0, 40)}\u2026` : s);

/** How much of each the tape shows. */
export interface TapeCounts {
  loss: number;
  /** Losses that somebody had to do without. */
  missed: number;
  correct: number;
  starvedMs: number;
  hit: number;
  miss: number;
}

/** What index.html is filled with. */
export const page = {
  title: 'Afterimage: netcode workbench',
  description:
    'A real client and a real server play over a simulated link in this page. Move the link, the prediction and the delay, and see what each of them does.',
  lost: 'A file of this page did not come: the server may have newer ones. The link keeps every setting.',
  reload: 'Reload',
  noScript: 'Afterimage runs its server and its clients in this page, so it needs JavaScript and WebAssembly.',
};

/** By line: two lines a player, up before down. */
const ways = ['you to server', 'server to you', 'other player to server', 'server to other player'];

/** The unit of the scene's lengths. */
const lengths = (r: Readings): string => r.probes['own.error']?.unit ?? 'm';

export const text = {
  name: 'Afterimage',
  home: 'Afterimage, from the start',
  skip: { stage: 'Skip to the stage', lesson: 'Skip to the lesson', controls: 'Skip to the controls' },
  scene: 'Scene',
  scenes: 'Scene',
  seed: 'Seed',
  seedHelp: 'Seed: equal seeds and settings give equal runs',
  copy: 'Copy link',
  copied: 'Link copied: scene, seed, settings and view.',
  copiedTraceless: 'Link copied: scene, seed, settings and view. The trace does not fit in a link: send its CSV along.',
  copyFailed: 'The browser refused the clipboard. The address bar holds the same link.',
  custom: 'Custom',
  online: door,

  transport: 'Time control',
  play: 'Play',
  pause: 'Pause',
  step: 'Step one tick',
  stepBack: 'Step back one tick',
  restart: 'Restart',
  restartHelp: 'Restart the run from its first tick',
  speed: 'Speed',
  speeds: [
    { id: '1', label: '1\u00d7' },
    { id: '0.5', label: '1/2' },
    { id: '0.25', label: '1/4' },
    { id: '0.1', label: '1/10' },
    { id: '0.01', label: '1/100' },
    { id: '0.001', label: '1/1000' },
  ],
  slower: 'slower',
  faster: 'faster',
  space: 'Space',
  tick: (tick: number | null) => (tick === null ? `tick ${NONE}` : `tick ${tick}`),
  tape: 'What happened lately',
  /** The tape in a sentence: what happened in the last so many seconds. */
  tapeSummary: (seconds: number, n: TapeCounts) =>
    `The ${num(seconds)} seconds before the instant shown: ${num(n.loss)} packets lost or late and ${num(n.missed)} of them missed, ${num(n.correct)} corrections, starved for ${num(n.starvedMs / 1000, 1)} seconds, ${num(n.hit)} shots hit, ${num(n.miss)} missed.`,
  scrub: 'Scrub the tape',
  live: 'live',
  liveWord: 'LIVE',
  /** How far behind live, short: for a button, and on the tape. */
  behind: (ms: number) => `${num(-ms / 1000, ms < 1000 ? 2 : 1)} s`,
  /** The same in words. */
  behindLive: (ms: number) => (ms > 0 ? `${num(ms / 1000, ms < 1000 ? 3 : 1)} s behind live` : text.live),
  forks: (n: number) => (n === 0 ? '' : n === 1 ? '1 fork' : `${num(n)} forks`),
  said: (sentence: string) => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`,

  stage: 'Stage and instruments',
  pane: 'Pane',
  panes: {
    you: { label: 'You', sub: 'your screen' },
    server: { label: 'Server', sub: 'the truth' },
    other: { label: 'Other player', short: 'Other', sub: 'their screen' },
  },
  paneHelp: {
    you: 'Your screen. Press Enter, click or tap to play; Escape leaves. Keys, in the header, lists what moves and fires.',
    server: 'The world as the server has it.',
    other: 'The other player\u2019s screen.',
  },
  /** What a pane shows, for who reads instead of looks. */
  paneSummary: {
    you: (r: Readings, cast: Cast) =>
      [
        `Your screen: you ${num(r.panes.you.ahead_ms)} ms ahead of the server and off by ${num(r.probes['own.error']?.now ?? null, 2)} ${lengths(r)}; others ${num(r.panes.you.others_ms)} ms behind it and off by ${num(r.probes['others.error']?.now ?? null, 2)} ${lengths(r)}.`,
        text.cast(cast, lengths(r)),
        `${num(r.probes['shots.hit']?.total ?? 0)} hits of ${num(r.probes['shots.fired']?.total ?? 0)} shots.`,
      ].join(' '),
    server: (r: Readings, cast: Cast) => `The server, tick ${r.panes.server.tick}. ${text.cast(cast, lengths(r))}`,
    other: (r: Readings, cast: Cast) => `The other player\u2019s screen: you ${num(r.panes.other.you_ms)} ms behind the server. ${text.cast(cast, lengths(r))}`,
  },
  cast: ({ others, bots, nearest }: Cast, unit: string) => {
    const who = [...(others ? ['the other player'] : []), ...(bots ? [bots === 1 ? '1 bot' : `${bots} bots`] : [])].join(' and ') || 'nobody else';
    const stands = others + bots > 1 ? 'stand' : 'stands';
    return `${who[0]!.toUpperCase()}${who.slice(1)} ${stands}${Number.isFinite(nearest) ? `; the nearest is ${num(nearest, 1)} ${unit} from you` : ''}.`;
  },
  paneFigures: {
    /** What is small there gives way to a sign where the pane is narrow. */
    you: (ms: number | null, starved: boolean) => (ms === null ? text.noSampleYet : `others ${behind(ms)} ms${starved ? '~, starved~' : ''}`),
    server: (tick: number | null) => text.tick(tick),
    other: (ms: number | null) => (ms === null ? text.noSampleYet : `you ${behind(ms)} ms`),
  },
  noSampleYet: 'no sample yet',
  botDrives: 'A bot drives. Click to play.',
  touchBotDrives: 'A bot drives. Tap to play.',
  pastHint: 'Acting here undoes what came after.',
  /** How to play, by what is printed on the first key of each; the short one is for a pane that has no room for the other. */
  keysHint: (moves: string, keys: string[], names: string[]) => {
    const click = names[0] === undefined ? [] : [`click: ${names[0]}`];
    return ['Esc leaves', `${moves} move`, ...click, ...names.flatMap((name, i) => (i > 0 ? [`${keys[i] ?? NONE}: ${name}`] : []))].join(', ') + '.';
  },
  keysHintShort: (moves: string, keys: string[], names: string[]) => {
    const click = names[0] === undefined ? [] : [`click ${names[0]}`];
    return ['Esc leaves', moves.replaceAll(' ', ''), ...click, ...names.flatMap((name, i) => (i > 0 ? [`${keys[i] ?? NONE} ${name}`] : []))].join(', ');
  },
  keysHintLeast: 'Esc leaves; see Keys',
  touchHint: 'Left thumb moves. Touch the world to aim and fire.',
  touchHintShort: 'Drag moves, touch fires',
  touchControls: 'Touch controls',
  leave: 'Leave',
  gamepad: {
    here: (standard: boolean) =>
      standard
        ? 'Gamepad connected: press a button to play. Left stick moves, right stick aims, Back leaves.'
        : 'Gamepad connected, of no standard layout: only its first stick and two buttons are used. Press one to play.',
    gone: 'Gamepad disconnected.',
  },
  keys: {
    label: 'Keys',
    title: 'Keys on the stage',
    how: 'Choose a key below, then press the one that takes its place. Escape and Tab stay as they are.',
    pads: 'A mouse aims, its left button is the first action, its right the second. A gamepad: left stick, right stick, A and B or the triggers.',
    press: 'press a key',
    none: 'none',
    moves: { up: 'Up', left: 'Left', down: 'Down', right: 'Right' } as Record<string, string>,
    names: { ArrowUp: '\u2191', ArrowLeft: '\u2190', ArrowDown: '\u2193', ArrowRight: '\u2192', Space: 'Space', Shift: 'Shift', Backspace: 'Backspace', Delete: 'Delete' } as Record<string, string>,
    slot: (title: string, slot: number, key: string) => `${title}, ${slot === 0 ? 'first' : 'second'} key: ${key}`,
    waiting: (title: string) => `Press the key for ${title}; Escape keeps the one that it has.`,
    notFree: (key: string) => `${key} cannot be given away. Press another key.`,
    set: (key: string, title: string) => `${key}: ${title}.`,
    moved: (key: string, title: string, from: string, left: string[]) =>
      `${key}: ${title}. It was ${from}, which ${left.length ? `has ${left.join(' and ')} left` : 'has no key now'}.`,
    reset: 'Reset keys',
    wereReset: 'The keys are as they were at first.',
    notKept: 'This browser stores nothing here, so the change is gone with the page.',
    time: 'Keys for time act anywhere on the page: Space, arrows, [, ] and L',
    close: 'Done',
  },
  waitingLab: 'Loading the lab',
  noSamples: drawn.noSamples,

  heardOf: (here: number, there: number) => (there === 0 ? text.legend.hears : `${text.legend.hears} ${num(here)} of ${num(there)}, ${num((here / there) * 100)} %`),
  inUnit: (name: string, unit: string) => `${name}, ${unit}`,
  overlays: 'Overlays',
  legend: {
    you: 'You',
    other: 'Other',
    bot: 'Bot',
    truth: 'Truth',
    unconfirmed: 'Unconfirmed',
    samples: 'Samples',
    lag: 'Lag',
    rewound: 'Rewound',
    hit: 'Hit',
    miss: 'Miss',
    granted: 'By rewind',
    crowd: 'Crowd',
    hears: 'Heard of',
  },

  lane: 'Packets in flight',
  laneHelp: 'Left and right arrow choose a packet in the order of sending, Enter opens it, Escape leaves it.',
  laneStat: (r: Readings | null) =>
    r ? `up **${r.link.up_in_flight}**  down **${r.link.down_in_flight}**  lost **${r.link.lost_up_of_last_100}**~ of the last 100~ up, **${r.link.lost_of_last_100}** down` : '',
  laneSummary: (r: Readings) =>
    `In flight between you and the server: ${r.link.up_in_flight} up, ${r.link.down_in_flight} down. Lost of the last 100: ${r.link.lost_up_of_last_100} up, ${r.link.lost_of_last_100} down.`,
  perturb: {
    drop: { label: 'Drop next', done: 'The next packet each way is lost; on WebSocket it is sent again.' },
    spike: { label: 'Spike 500 ms', done: 'Both ways hold what is sent for 500 ms, then let it go at once.' },
    dark: { label: 'Go dark 3 s', done: 'Nothing passes for 3 s.' },
  },

  packet: {
    /** As far as the lane knows: the card says it exactly. */
    name: (mark: { cargo: number; number: number }) => `${['Input', 'Snapshot'][mark.cargo] ?? 'Packet'} ${mark.number}`,
    /** A packet that the keys have chosen, in the order of all. */
    chosen: (mark: { line: number; number: number; cargo: number; fate: number; due: number }, at: number, all: number) =>
      `${text.packet.name(mark)}, ${ways[mark.line] ?? ''}, ${['in flight', 'lost', 'late', 'doubled'][mark.fate] ?? ''}, due in ${num(mark.due)} ms. ${at} of ${all}.`,
    sizes: (p: { bytes: number; bits: number; overhead: number; carrier: string }, yours: boolean, up: boolean) =>
      `${p.bytes} B, ${p.bits} bits, +${p.overhead} B ${p.carrier}, ${ways[(yours ? 0 : 2) + (up ? 0 : 1)] ?? ''}`,
    fields: 'Fields of the packet',
    columns: { field: 'Field', bits: 'Bits', value: 'Value' },
    total: 'together',
    bytes: (bytes: number) => `${bytes} bytes`,
    drop: 'Drop this one',
    hold: 'Hold 200 ms',
    twice: 'Send twice',
    /** Why something cannot be done, said once where it holds for all. */
    why: (reasons: [string, string[]][], all: number) =>
      reasons.map(([why, labels]) => (labels.length === all ? `Nothing can be done to it: ${why}.` : `${labels.join(', ')}: ${why}.`)).join(' '),
    close: 'Close the packet',
  },

  section: 'Section',
  tabs: { inst: 'Instruments', ctl: 'Controls', les: 'Lesson' },
  side: 'Side panel',

  instruments: {
    lagometer: {
      label: 'Lagometer',
      short: 'Lagometer',
      sub: 'a bar per frame, a bar per snapshot',
      unit: 'ms spare',
      columns: ['least spare, ms', 'heard', 'lost', 'late', 'oldest on arrival, ms'],
      key: { late: 'late', lost: 'lost' },
      summary: (s: Spread, starvedPercent: number, longestMs: number) =>
        `${num(s.now)} milliseconds to spare now, mean ${num(s.mean)}, most ${num(s.max)}. Of the frames of the last 3 seconds ${num(starvedPercent, 1)} percent starved, the longest run ${num(longestMs)} milliseconds.`,
    },
    age: {
      label: 'Age of newest sample',
      short: 'Age of sample',
      sub: 'against render delay',
      unit: 'ms',
      columns: ['age, ms', 'delay, ms', 'needs, ms'],
      key: { starved: 'starved' },
      summary: (s: Spread, delay: number, needs: number) =>
        `${num(s.now)} milliseconds now, mean ${num(s.mean)}, most ${num(s.max)}, against a render delay of ${num(delay)}; the link needs ${num(needs)}.`,
      alone: (s: Spread): string => `${num(s.now)} milliseconds now, mean ${num(s.mean)}, most ${num(s.max)}. ${text.notInterpolated}`,
    },
    depth: {
      label: 'Input buffer at the server',
      short: 'Input buffer',
      sub: '',
      unit: 'inputs',
      columns: ['inputs waiting', 'target', 'clock bend, %'],
      empty: (ticks: number) => `empty **${ticks}\u00d7**`,
      summary: (s: Spread, target: number, bend: number, empty: number) =>
        `${num(s.now)} inputs waiting at the server now, mean ${num(s.mean, 1)}, most ${num(s.max)}. ${
          Number.isFinite(target) ? `The clock aims at ${num(target, 1)} and runs ${signed(bend, 2)} percent fast.` : 'The clock is not paced.'
        } Of the ticks of the last 3 seconds ${empty} found none.`,
    },
    error: {
      label: 'Error at the drawn instant',
      short: 'Error as drawn',
      sub: '',
      unit: 'm',
      columns: ['you', 'others', 'you naive', 'others naive'],
      summary: (own: Spread, others: Spread, ownNaive: number, othersNaive: number) =>
        `You are ${num(own.now, 3)} metres off, mean ${num(own.mean, 3)}, most ${num(own.max, 3)}; others ${num(others.now, 3)}, mean ${num(others.mean, 3)}, most ${num(others.max, 3)}. Against the newest truth it would be ${num(ownNaive, 2)} and ${num(othersNaive, 2)}. The axis goes by the square root.`,
    },
    bandwidth: {
      label: 'Bandwidth',
      short: 'Bandwidth',
      sub: '',
      unit: 'KiB/s',
      columns: ['up inputs', 'up headers', 'up other', 'down you', 'down others', 'down events', 'down headers', 'down other'],
      /** By the end of the probe's name. */
      kinds: {
        'up.inputs': 'inputs up',
        'up.headers': 'headers up',
        'up.other': 'pings and the like up',
        'down.own': 'your character down',
        'down.others': 'others down',
        'down.events': 'events down',
        'down.headers': 'headers down',
        'down.other': 'pongs and the like down',
      },
      now: (up: string, down: string) => `~\u2191~${up} ~\u2193~${down}`,
      summary: (up: string, down: string, kinds: string[]) => `${up} kibibytes went up in the last second and ${down} down: ${kinds.join(', ')}. What the carrier adds below our packets is not counted.`,
    },
  },
  table: 'table',
  asTable: (label: string) => `${label} as a table`,
  time: 'time, s',
  mean: 'mean',
  max: 'max',
  meanMax: (mean: string, max: string) => `mean **${mean}** max **${max}**`,
  notInterpolated: 'Others are not interpolated: there is no delay, and no frame can starve.',
  figures: {
    label: 'Figures',
    sub: 'every probe, of 3 s; total of all',
    name: 'Figure',
    now: 'now',
    mean: 'mean',
    max: 'max',
    total: 'total',
    perSecond: (unit: string) => `${unit}/s`,
  },

  controls: 'Controls',
  explain: 'Explain',
  reset: 'Reset',
  controlsLoad: 'The controls come with the lab.',
  needs: (what: string) => `needs ${what}`,
  above: (what: string, least: number) => `${what} above ${num(least)}`,
  or: ' or ',
  /** A count's unit is left out beside its own name. */
  unitAfter: (unit: string, label: string) => (unit && unit !== 'packets' && !label.toLowerCase().includes(unit.toLowerCase()) ? ` ${unit}` : ''),
  trace: {
    none: 'Trace needs a CSV of time_ms,delay_ms,lost.',
    load: 'Load trace',
    another: 'Load another',
    is: (name: string, about: string) => `${name}: ${about}.`,
    refused: (name: string, sentence: string) => `${name} was not taken. ${sentence}.`,
    tooLong: 'It is longer than any trace of 100000 rows',
  },
  restarts: 'Restarts the world.',
  linkPreset: 'Preset',
  source: (of: string) => `Source: ${of}.`,
  more: 'More impairments',
  up: 'up',
  down: 'down',
  upDown: (label: string, which: string, unit: string) => `${label} ${which}${unit ? `, ${unit}` : ''}`,
  summary: {
    off: 'off',
    none: 'none',
    without: (label: string) => `no ${label}`,
    bursts: (packets: string) => `bursts of ${packets}`,
    capped: (rate: string) => `${rate} kB/s`,
    link: (preset: string, latency: string, loss: string) => `${preset}: ${latency} ms, ${loss} % loss`,
    server: (tick: number, snapshots: number, bots: number) => `${num(tick)} Hz tick, ${num(snapshots)} Hz snapshots, ${num(bots)} bots`,
    input: (copies: number, paced: boolean) => `${num(copies)} per packet, ${paced ? 'paced' : 'not paced'}`,
    predictOff: 'off: you wait a round trip',
    predictBlind: 'on, never reconciled',
    predictSnap: 'on, reconciled, corrections snap',
    predictAll: 'on, reconciled, smoothed',
    interpOff: 'off: others jump',
    interpFixed: (ms: number) => `${num(ms)} ms, fixed`,
    interpTarget: (percent: number) => `at most ${num(percent, 1)} % starved`,
    rewind: (ms: number) => `rewind up to ${num(ms)} ms`,
  },
  budget: (n: Needs) =>
    `needs **${num(n.total_ms)} ms** = ${num(n.one_way_ms)} one way + ${num(n.jitter_ms)} jitter` +
    `${n.variation_ms > 0 ? ` + ${num(n.variation_ms)} variation` : ''} + ${num(n.interval_ms)} send interval`,
  budgetSpare: (delay: number, spare: number) => `${num(delay)} ms leaves ${num(spare)} ms to spare.`,
  /** What the sum leaves out, where snapshots are lost. */
  budgetLoss: (intervalMs: number) => ` Each snapshot lost in a row takes ${num(intervalMs)} ms of it.`,
  budgetStall: ' On WebSocket each loss stalls the stream for about a round trip: expect starved frames.',
  /** What the sum cannot know: how much is sent. */
  budgetQueue: (ms: number) => ` Where more is sent than fits through, its queue adds up to ${num(ms)} ms.`,
  budgetShort: (delay: number, short: number) => `\u25b2 ${num(delay)} ms is ${num(short)} ms short: expect starved frames.`,
  budgetRuled: 'The rule chooses for you.',
  budgetOff: 'Nothing is interpolated, so no delay is needed.',
  delayHandle: 'The dashed mark is what the link needs.',

  take: {
    title: 'Take it away',
    summary: 'a file, Rust',
    save: 'Save JSON',
    load: 'Load JSON',
    fileHelp: 'Scene, seed and every setting. A file dropped anywhere on the page is loaded too, and the command line takes it:',
    command: 'afterimage-lab run --config FILE',
    rust: 'As Rust',
    copyRust: 'Copy Rust',
    rustHelp: 'The same settings for a server, a client and a link of your own. What is not said is as by default.',
    rustCode: 'The settings as Rust',
    copied: 'Rust copied.',
    copyFailed: 'The browser refused the clipboard. The code can be marked and copied.',
    loaded: (name: string) => `${name} loaded: scene, seed and settings are as it says.`,
    ignored: (ids: string[]) => `The file sets what this scene does not have: ${ids.join(', ')}.`,
    refused: (name: string, sentence: string) => `${name} was not taken, and nothing changed: ${sentence}.`,
  },

  lessonOf: (n: number, of: number) => `Lesson ${n} of ${of}`,
  /** How far in the past others are drawn, in a sentence about it. */
  lessonDelay: (config: Config, drawnMs: number | null) => {
    if (config['interp.on'] === false) return 'not at all';
    if (config['interp.policy'] === 'fixed') return `${config['interp.delay']} ms`;
    return drawnMs === null ? 'as far as the rule says' : `${num(drawnMs)} ms (by the rule)`;
  },
  previousLesson: 'Previous lesson',
  nextLesson: 'Next lesson',
  takeaway: 'Takeaway.',
  falsify: 'Try to break it.',
  feed: 'What just happened',
  nothingYet: 'Nothing yet.',
  seconds: (ms: number) => num(ms / 1000, 2),

  connection: (label: string | undefined, rtt: number | null, role = 'playing') =>
    label === undefined ? 'loading' : role !== 'playing' ? `${label}, ${role}` : rtt === null ? label : `${label}, ${num(rtt)} ms`,
  disconnected: (why: string) => `Your client is disconnected${why ? `: ${why}` : ''}. Nothing on your screen moves any more.`,
  roundTrip: 'round trip',

  hiddenPaused: 'Paused: the page was hidden.',
  reducedPaused: 'Paused at the start, because you asked for less motion. Step or play.',
  dismiss: 'Dismiss',
  again: 'Start again',
  afresh: 'Start with the defaults',
  reload: page.reload,
  noWasm:
    'This browser has no WebAssembly, or it is switched off, so the lab cannot run here. The link keeps every setting: open it in a current Chrome, Edge, Firefox or Safari.',
  noWorker:
    'The lab\u2019s script did not start: the server may have newer files than this page, or this browser has no module workers. Reload, and if that does not help, take the link to a current Chrome, Edge, Firefox or Safari. It keeps every setting.',
  loadFailed: (why: string) =>
    `The lab could not be loaded (${why}). Reload: the server may have newer files than this page, or did not answer. The link keeps every setting.`,
  sceneFailed: (label: string, why: string) => `${label} could not be loaded (${why}). The server may have newer files than this page, or did not answer. The link keeps every setting.`,
  tryAgain: 'Try again',
  backTo: (label: string) => `Back to ${label}`,
  slow: 'The lab is not there after 10 s. It may still come; reloading asks for it again.',
  trapped: (why: string) => `The lab stopped in the middle (${why}). The link keeps the scene, the seed and every setting.`,
  silent: 'The lab has not answered for 5 s. The link keeps every setting.',
  otherBuild: 'The page and the lab are of different builds: reload to get both anew.',
  refused: (sentence: string) => `The lab could not start with these settings: ${sentence}`,
  linkProblems: (n: number) => (n === 1 ? 'One thing in this link could not be taken as it stands:' : `${n} things in this link could not be taken as they stand:`),
  /** A line each; past a dozen, how many more. */
  problems: (all: Problem[]): string[] => {
    const lines = all.slice(0, 12).map(text.problem);
    return all.length > lines.length ? [...lines, `and ${all.length - lines.length} more`] : lines;
  },
  problem: (p: Problem): string => {
    switch (p.kind) {
      case 'trace':
        return 'the trace that it was made with does not fit in a link: load its CSV under Link, More impairments. Until then the link does not vary';
      case 'version':
        return `the link is of version ${brief(p.value)}, this page reads version 1: settings may have other names`;
      case 'elsewhere':
        return `${brief(p.key)} is a setting of ${p.scenes.join(', ')}, and not of this scene`;
      case 'unknown':
        return `${brief(p.key)} is not a setting of this build`;
      case 'bad':
        return `${brief(p.key)} cannot be \u201c${brief(p.value)}\u201d`;
      case 'clamped':
        return `${p.key} was ${brief(p.value)}, ${p.taken} is the nearest it takes`;
      case 'twice':
        return `${brief(p.key)} stands there twice, \u201c${brief(p.value)}\u201d was not taken`;
      case 'long':
        return `it is longer than ${p.most} characters: what is beyond was not read`;
    }
  },
};
