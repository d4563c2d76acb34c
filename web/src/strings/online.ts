// The words of Online, where it has come. No DOM, no state.

import { NONE, num } from '../format.ts';
import { door } from './door.ts';
import type { Why } from '../online/race.ts';
import type { Stand } from '../online/session.ts';

const seconds = (ms: number) => `${num(ms / 1000, ms < 1000 ? 2 : 0)} s`;
const MINUTE_MS = 60_000;
/** A span that people say in minutes, hours or days. */
const spell = (ms: number) => {
  const minutes = ms / MINUTE_MS;
  const [n, unit] = minutes < 120 ? [minutes, 'minutes'] : minutes < 2880 ? [minutes / 60, 'hours'] : [minutes / 1440, 'days'];
  return `${num(n)} ${unit}`;
};
const carriers: Record<string, string> = { wt: 'WebTransport', ws: 'WebSocket', udp: 'UDP' };

/** Why WebTransport is not used, short: for the chip. */
const whyShort: Record<Why, string> = {
  chosen: 'as chosen',
  insecure: 'this address is not secure',
  browser: 'this browser has no WebTransport',
  relay: 'the relay has no WebTransport',
  clock: 'this computer\u2019s clock is off',
  refused: 'WebTransport was refused',
  late: 'UDP is slow or blocked',
  mute: 'UDP is blocked',
};

/** The same in a sentence, with what helps. */
const why: Record<Why, string> = {
  chosen: 'You chose WebSocket.',
  insecure: 'Browsers have WebTransport only on https and on localhost, and this address is plain http. Serve the relay with a certificate to have it.',
  browser: 'This browser has no WebTransport. A current Chrome, Edge or Firefox has it.',
  relay: 'This relay offers no WebTransport, or did not give its certificate.',
  clock: 'The relay\u2019s certificate is not valid at this computer\u2019s time, so the browser would refuse WebTransport. Set the clock to have it.',
  refused: 'The browser could not open WebTransport: UDP is blocked on the way, or the certificate was refused.',
  late: 'WebTransport had not answered after 0.8 s: UDP is slow or blocked on the way.',
  mute: 'WebTransport opened, and nothing came over it: UDP is blocked on the way.',
};

/** What ended it or keeps it waiting, by code; the relay's own sentence stands in for what is not here. */
const ends: Record<string, string> = {
  full: 'The room is full.',
  no_room: 'There is no room with this code.',
  kicked: 'The host sent you out of the room.',
  room_closed: 'The host closed the room.',
  closed: 'The host closed the room.',
  replaced: 'You play in this seat from another window. This one does not take it back by itself.',
  idle: 'The relay heard nothing from this page for too long.',
  misbehaved: 'The relay took what this page sent for nonsense and ended it.',
  declined: 'The match has started.',
  name: 'The relay does not take this name.',
  guesses: 'Too many wrong codes from this address. Wait a minute.',
  origin: 'This page\u2019s address is not one that the relay lets in. Open the page that the relay itself serves.',
  unreachable: 'The relay does not answer.',
  module: 'The code of the room\u2019s scene did not come from the relay.',
  none: 'No relay answers at this address. The page was served by something else: start the relay with npm start and open its address.',
  restarting: 'The relay is restarting.',
  lost: 'The connection was lost.',
  silent: 'Nothing was heard for 4 s.',
  silence: 'Nothing was heard from the relay.',
  no_answer: 'The relay took the connection and did not answer.',
  no_carrier: 'Neither WebTransport nor WebSocket could be opened.',
  busy: 'The relay has no room for another player now.',
  rooms: 'The relay has as many rooms as it takes, or this address made too many. Join one, or try later.',
  token: 'The ticket into the room was too old.',
};

/** Codes that mean: page and relay are of different builds. */
export const OTHER_BUILD = new Set(['version', 'schema', 'actions', 'world', 'setup']);

export const online = {
  ...door,

  // ---- the lobby
  title: 'Play online',
  about: 'The same match, with people, over a real network: this page\u2019s client, the relay\u2019s server, and the bench\u2019s instruments on the link between them.',
  name: 'Your name',
  anonymous: 'Guest',
  create: 'Create a room',
  createAbout: 'You are its host: you choose what its server does, and whom to let in.',
  publicRoom: 'List it publicly',
  bots: 'Bots',
  join: 'Join',
  joinTitle: 'Join a room',
  watch: 'Watch',
  code: 'Room code or invite link',
  codeWrong: 'A room code has six letters, like BCD-FGH: no vowels, no digits.',
  rooms: 'Public rooms',
  roomsNone: 'No public room is open. Create one.',
  roomsLoad: 'Asking the relay.',
  columns: { code: 'Room', scene: 'Scene', players: 'Players', watching: 'Watching', go: 'Enter' },
  players: (n: number, seats: number) => `${num(n)} of ${num(seats)}`,
  joinOf: (code: string) => `Join ${code}`,
  watchOf: (code: string) => `Watch ${code}`,
  transport: 'Transport',
  choices: [
    { id: 'auto', label: 'Automatic' },
    { id: 'wt', label: 'WebTransport' },
    { id: 'ws', label: 'WebSocket' },
  ],
  choiceAbout: 'Automatic takes WebTransport, and WebSocket where that is not there after 0.8 s.',
  otherBuild: 'Page and relay are of different builds: reload to get the relay\u2019s page.',

  // ---- the chip
  chip: (room: string, ping: number | null, via: string, short: string) => [room, ping === null ? '' : `${num(ping)} ms`, [carriers[via], short].filter(Boolean).join(': ')].filter(Boolean).join(', '),
  chipStates: { asking: 'asking', opening: 'connecting', joining: 'joining', waiting: 'reconnecting', over: 'not connected' } as Record<string, string>,
  chipQuiet: (ms: number) => `silent for ${seconds(ms)}`,
  chipLobby: 'not in a room',
  whyShort,
  why,
  /** The same, and where it is the clock, how far it is off. */
  whyNow: (of: Why, skewMs: number) => (of === 'clock' && Math.abs(skewMs) > MINUTE_MS ? `This computer\u2019s clock is ${spell(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} the relay\u2019s. ${why.clock}` : why[of]),

  // ---- in a room
  letGo: 'Let go',
  invite: 'Copy invite link',
  inviteShort: 'Invite',
  invited: 'Invite link copied.',
  inviteFailed: 'The browser refused the clipboard. The code alone is enough to join.',
  leave: 'Leave',
  public: 'Listed publicly',
  close: 'Close the room',
  closeSure: 'Close it for everybody',
  watching: (n: number) => (n === 0 ? '' : `${num(n)} watching`),
  carriers,
  inUse: 'In use',
  inUseIs: { wt: 'WebTransport, datagrams', ws: 'WebSocket, a stream' } as Record<string, string>,
  lostIs: 'A lost packet is',
  lostAs: { wt: 'a hole', ws: 'a stall, then a burst' } as Record<string, string>,
  largest: 'Largest datagram',
  bytes: (n: number | undefined) => (n === undefined ? `${NONE}` : `${num(n)} B`),
  fallback: 'Fallback',
  fallbackIs: { wt: 'WebSocket, loss is a stall', ws: 'none needed' } as Record<string, string>,
  change: 'Transport to use',
  playersTitle: 'Players',
  table: { name: 'Name', via: 'Via', ping: 'Ping', loss: 'Loss', score: 'Score', out: 'Kick' },
  viaShort: { wt: 'WT', ws: 'WS', udp: 'UDP' } as Record<string, string>,
  you: 'You',
  nameless: 'Nameless',
  tags: { host: 'host', away: 'away', hidden: 'tab hidden', rematch: 'again' },
  ms: (ms: number | null) => (ms === null ? NONE : `${num(ms)} ms`),
  loss: (percent: number | null) => (percent === null ? NONE : `${num(percent, 1)} %`),
  stalls: (n: number) => `stalls ${num(n)}`,
  kick: 'Kick',
  kickOf: (name: string) => `Kick ${name}`,
  round: (n: number, leftMs: number | null) => `Round ${num(n)}${leftMs === null ? '' : `, ${num(Math.ceil(leftMs / 1000))} s left`}`,
  roundOver: (n: number, best: string) => `Round ${num(n)} is over${best ? `: ${best}` : ''}.`,
  wins: (name: string, score: number) => `${name} wins with ${num(score)}`,
  draw: 'a draw',
  rematch: 'Play again',
  rematchAsked: 'Waiting for the others',
  onTop: 'Your link on top',
  onTopAbout: 'The sliders under Link still act, on the real path, on your side only.',
  who: 'Who can change what',
  whoHost: (you: boolean, name: string) => (you ? 'Host (you)' : name ? `Host (${name})` : 'Host'),
  whoHostWhat: 'server, bots, lag compensation',
  whoAll: 'Everyone',
  whoAllWhat: 'own link, prediction, delay',
  record: 'Packets',
  recordAbout: 'What went over the link, byte for byte, with its times: the first minutes, or those since you began afresh.',
  recordAfresh: 'Record afresh',
  recordedAfresh: 'The recording begins now.',
  save: 'Save packets',
  saveName: (room: string) => `afterimage-${room}.packets`,
  saveNone: 'Nothing is recorded yet.',
  locks: {
    host: 'the host sets it',
    relay: 'the relay sets it',
    transport: 'see Transport',
    page: 'in page only',
  },
  hostCannot: (what: string, sentence: string) => `${what} was not changed: ${sentence}`,

  // ---- the net graph
  graph: 'Net graph',
  graphShow: 'Show the net graph',
  graphWhen: [
    { id: 'always', label: 'Always' },
    { id: 'poor', label: 'When poor' },
  ],
  graphNames: { ping: 'ping', loss: 'loss', up: 'up', down: 'down', delay: 'delay', starved: 'starved', error: 'error', frame: 'frame, max' },
  graphMost: 'ms',
  graphPlot: 'Age of the newest sample against the delay, the last 3 s',
  stallsName: 'stalls',

  // ---- what is said
  joined: (name: string) => `${name} joined.`,
  left: (name: string) => `${name} left.`,
  isAway: (name: string) => `${name} lost the connection; the seat is kept for a minute.`,
  isBack: (name: string) => `${name} is back.`,
  isHost: (name: string) => `${name} is the host now.`,
  youHost: 'You are the host now.',
  begun: (n: number) => `Round ${num(n)} begins.`,
  isIn: (stand: Stand) => `In room ${stand.room.slice(0, 3)}-${stand.room.slice(3)} over ${carriers[stand.via ?? ''] ?? ''}.`,
  back: 'Back in the room.',
  waits: (end: string, ms: number, attempt: number) => `${end} Attempt ${num(attempt)} comes in ${seconds(ms)}; your seat is kept for a minute.`,
  waitsFirst: (end: string, ms: number, attempt: number) => `${end} Attempt ${num(attempt)} comes in ${seconds(ms)}.`,
  roomGone: 'The room is gone: the relay was started anew, or the room was closed.',
  wtOnly: (reason: string) => `WebTransport could not be opened, and you chose it alone. ${reason}`,
  tryAgain: 'Try again',
  playHere: 'Play here',
  toLobby: 'Back to the rooms',
  takeAuto: 'Let the page choose',
  newRoom: 'Create a new room',
  watchInstead: 'Watch instead',

  /** Why it is over, or waits, in a sentence: what is known here, or the relay's own words. */
  end: ({ code, sentence, been, why: reason }: Pick<Stand, 'code' | 'sentence' | 'been' | 'why'>): string => {
    if (OTHER_BUILD.has(code)) return online.otherBuild;
    if (code === 'no_room' && been) return online.roomGone;
    if (code === 'no_carrier' && reason && reason !== 'chosen') return `${ends[code]} ${why[reason]}`;
    return ends[code] ?? (sentence || ends['lost']!);
  },
};
