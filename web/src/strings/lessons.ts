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

const horde: Lesson[] = [
  {
    title: 'How do thousands move on every screen?',
    paragraphs: [
      'Nobody sends where the enemies are, tick by tick. The server announces a birth and a turn, and your client moves each of them by the server\u2019s own rule until it hears otherwise.',
      'So a burst of births or deaths costs bytes, and a crowd that only walks costs next to none. Compare [200 enemies](horde.enemies=200) with [3,000](horde.enemies=3000) and [8,000](horde.enemies=8000), and look at the bytes down.',
      'What was lost must be told again, or a dead enemy walks on. Lose [a quarter of what comes down](link.down.loss=25): the screens stay right, a round trip later.',
    ],
    takeaway: 'Send what a rule cannot know, and let both ends run the rule.',
    falsify: '[Lose nothing](link.down.loss=0) and [slow the way down](link.down.latency=300): the enemies are no further from their truth. Why not?',
  },
  {
    title: 'Who needs to hear of whom?',
    paragraphs: [
      'The world is many screens wide. The dashed circle is how far you hear: beyond it the server tells you nothing, and whoever leaves it ends on your screen as if dead.',
      '[Hear of everything](interest.on=false) and watch the bytes down. Then [of what is near](interest.on=true), [within 620 px](interest.radius=620).',
      'Too near shows. At [300 px](interest.radius=300) enemies appear in the middle of the picture, and the other player\u2019s screen knows a crowd that yours does not.',
    ],
    takeaway: 'What nobody can see need not be sent. Most of a large world is that.',
    falsify: '[8,000 enemies](horde.enemies=8000) cost you less than 8,000 would if you heard of all. By how much, and what decides it?',
  },
];

/** By scene. */
export const lessons: Record<string, Lesson[]> = { arena, horde };

/** A scene without lessons of its own has those of the first. */
export const lessonsOf = (scene: string): Lesson[] => lessons[scene] ?? arena;
