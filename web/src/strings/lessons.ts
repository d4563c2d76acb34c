// The lessons, a few a scene. No DOM, no state.

/**
 * The lessons. In a paragraph, **strong**, *stress*, {id} for a setting's value now, {delay} for the delay that others are drawn with,
 * [phrase](id=value;id=value) for a button that sets ("preset" may stand for an id), and [phrase](do=deed) for one that does.
 */
export interface Lesson {
  title: string;
  paragraphs: string[];
  takeaway: string;
  falsify: string;
}

/** Back to where a lesson begins: the link of the first picture, and a delay that covers it. */
const PLAIN = 'preset=4g;interp.policy=fixed;interp.delay=160';

const arena: Lesson[] = [
  {
    title: 'Three screens, one moment',
    paragraphs: [
      'All three panes show the same instant. The server\u2019s is the truth. Your screen draws you **ahead** of it and everyone else **behind** it; so does the other player\u2019s.',
      'A white ring is where the server has a body now. The gap from a ring to its filled shape is what latency costs.',
      `Close the gaps with [a LAN](preset=lan;interp.policy=fixed;interp.delay=30). Open them with [4G](${PLAIN}) and [2G](preset=2g;interp.policy=fixed;interp.delay=600). [Pause](do=pause), compare the panes, go [a tick on](do=step), and [play](do=play).`,
    ],
    takeaway: 'Nobody sees now. You see your own future and everyone else\u2019s past.',
    falsify: '[Turn prediction off](predict.on=false): you fall back behind your ring, and each key waits a round trip. Then [turn it on](predict.on=true).',
  },
  {
    title: 'Why do your keys answer at once?',
    paragraphs: [
      'Your client runs the server\u2019s own rule on each key as you press it, and keeps what it did for every tick. The hatched trail is what the server has not confirmed.',
      'When the answer differs, the client takes it, runs the later inputs again and lets the picture ease over. That is a *correction*. A shot that hits you and the sliding gate are nothing it can know: meet one to be corrected.',
      'Lose inputs with [10 % loss up](link.up.loss=10) and [one copy of each](input.redundancy=1): watch your error. Buy them back with [twelve](input.redundancy=12). See corrections bare: [no smoothing](predict.smooth=false), at [a tenth of the speed](do=slow), then [at full speed](do=full).',
    ],
    takeaway: 'A prediction is right until somebody else interferes.',
    falsify: `[Make the link slower](link.up.latency=300;link.down.latency=300;link.up.loss=0;interp.delay=360): between two hits your error stays at zero. Why? Then [go back](${PLAIN};predict.smooth=true).`,
  },
  {
    title: 'How far back must you look?',
    paragraphs: [
      'Snapshots come late and unevenly, so others are drawn **{delay}** in the past, between two samples that are already here.',
      'Each sample ages while the next is on its way. Once the newest is older than the delay, there is nothing left to draw between: the frame is *starved*.',
      `Start from [a delay of 160 ms](${PLAIN};server.snapshots=64), [raise jitter to 60 ms](link.down.jitter=60), then [send 20 snapshots a second](server.snapshots=20). Watch the age cross the delay. Buy it back with [240 ms](interp.policy=fixed;interp.delay=240), or let [a rule](interp.policy=target) find the least that holds.`,
    ],
    takeaway: 'The delay must cover one way, the jitter and one send interval. A lost snapshot costs one interval more.',
    falsify: '[Slow the way up](link.up.latency=300): the age does not move. Why not?',
  },
];

/** By scene. */
export const lessons: Record<string, Lesson[]> = { arena };

/** A scene without lessons of its own has those of the first. */
export const lessonsOf = (scene: string): Lesson[] => lessons[scene] ?? arena;
