//! The catalogue of probes itself.

use super::{Headline, Kind, Probe, ProbeId};

const fn sampled(
    id: &'static str,
    label: &'static str,
    unit: &'static str,
    grain: f64,
    help: &'static str,
) -> Probe {
    Probe {
        id,
        label,
        unit,
        help,
        kind: Kind::Sampled { grain },
        signed: false,
        headline: Headline::Mean,
    }
}

const fn event(
    id: &'static str,
    label: &'static str,
    unit: &'static str,
    grain: f64,
    help: &'static str,
) -> Probe {
    Probe {
        id,
        label,
        unit,
        help,
        kind: Kind::Event { grain },
        signed: false,
        headline: Headline::Max,
    }
}

const fn counted(
    id: &'static str,
    label: &'static str,
    unit: &'static str,
    help: &'static str,
) -> Probe {
    Probe {
        id,
        label,
        unit,
        help,
        kind: Kind::Counted,
        signed: false,
        headline: Headline::Total,
    }
}

impl Probe {
    const fn signed(self) -> Self {
        Self {
            signed: true,
            ..self
        }
    }
}

/// A tenth of a millimetre: places are sent in millimetres.
const LENGTH: f64 = 0.0001;
/// Counts are whole; what lies between is the mean.
const COUNT: f64 = 0.01;
/// A tenth of a millisecond: a frame at 144 Hz is 69 of them.
const TIME: f64 = 0.1;

/// Every probe.
pub const PROBES: &[Probe] = &[
    sampled(
        "own.error",
        "Error, you",
        "m",
        LENGTH,
        "Your character as drawn against where the server had it after the same command.",
    ),
    sampled(
        "others.error",
        "Error, others",
        "m",
        LENGTH,
        "Others as drawn against where the server had them at the instant that was drawn; mean over bodies.",
    ),
    sampled(
        "own.error_naive",
        "Against the newest truth, you",
        "m",
        LENGTH,
        "Your character as drawn against the server's present: mostly the round trip, not a mistake.",
    ),
    sampled(
        "others.error_naive",
        "Against the newest truth, others",
        "m",
        LENGTH,
        "Others as drawn against the server's present: mostly their age, not a mistake.",
    ),
    sampled(
        "others.age",
        "Age of the newest sample",
        "ms",
        TIME,
        "How far the newest snapshot that was heard lies behind the server's present.",
    ),
    sampled(
        "others.delay",
        "Delay of others",
        "ms",
        TIME,
        "How far behind the server's present others are drawn.",
    ),
    sampled(
        "others.needs",
        "Needed delay",
        "ms",
        TIME,
        "One way, the most jitter, what a variation adds and a snapshot interval: enough where nothing is lost and nothing queues.",
    ),
    sampled(
        "others.spare",
        "Spare",
        "ms",
        TIME,
        "How long samples would last if none came any more; below zero they have run out.",
    )
    .signed(),
    counted(
        "others.starved",
        "Starved frames",
        "frames",
        "Frames drawn after samples ran out.",
    ),
    sampled(
        "others.judder",
        "Judder of others",
        "m",
        LENGTH,
        "How much the step of others from frame to frame changes; mean over bodies that move.",
    ),
    sampled(
        "simulated.error",
        "Error of the crowd",
        "m",
        LENGTH,
        "Those whom both ends move, as drawn against where the server had them at that very tick; mean over a hundred and more of them.",
    ),
    counted(
        "simulated.told",
        "News of the crowd",
        "entities",
        "Births, turns and corrections of those whom both ends move that your screen took.",
    ),
    counted(
        "simulated.corrections",
        "Corrections of the crowd",
        "corrections",
        "News that moved one of those whom both ends move by more than the floor.",
    ),
    sampled(
        "mirror.phantom",
        "Phantoms",
        "entities",
        COUNT,
        "Entities on your screen that were gone, or not heard of any more, at the newest tick that it was told of.",
    ),
    sampled(
        "mirror.missing",
        "Missing",
        "entities",
        COUNT,
        "Entities that you hear of at the newest tick that your screen was told of, and that it does not have.",
    ),
    counted(
        "own.corrections",
        "Corrections",
        "corrections",
        "Answers of the server that moved your character by more than the floor.",
    ),
    event(
        "own.corrected",
        "Corrected by",
        "m",
        LENGTH,
        "How far a correction moved your character in the simulation.",
    ),
    event(
        "own.jump",
        "Jump at a correction",
        "m",
        LENGTH,
        "How far a correction moved your character on your screen at once.",
    ),
    sampled(
        "own.offset",
        "Still easing",
        "m",
        LENGTH,
        "How far your picture still has to ease after corrections.",
    ),
    counted(
        "own.adjustments",
        "Adjustments",
        "adjustments",
        "Answers that differed in something that does not move: health, a cooldown.",
    ),
    counted(
        "own.replayed",
        "Replayed ticks",
        "ticks",
        "Ticks that ran again after an answer that differed.",
    ),
    sampled(
        "input.response",
        "Response",
        "ms",
        TIME,
        "From a command being made to your screen showing what it did.",
    ),
    sampled(
        "input.depth",
        "Commands waiting",
        "commands",
        0.01,
        "How many of your commands a tick of the server finds waiting, the one that it takes included.",
    ),
    counted(
        "input.lost",
        "Inputs lost",
        "commands",
        "Commands that never reached the server.",
    ),
    counted(
        "input.repeated",
        "Inputs repeated",
        "ticks",
        "Ticks that the server ran on a repeat of your last command, or on none, because the next was not there.",
    ),
    counted(
        "input.skipped",
        "Inputs skipped",
        "commands",
        "Commands that the server passed over because its queue was too deep.",
    ),
    counted(
        "input.late",
        "Inputs late",
        "commands",
        "Commands that arrived after a repeat had stood in for them.",
    ),
    counted(
        "shots.fired",
        "Shots",
        "shots",
        "Your shots that the server judged.",
    ),
    counted(
        "shots.hit",
        "Hits",
        "shots",
        "Hits in the server's present and on your screen.",
    ),
    counted(
        "shots.granted",
        "Granted by the rewind",
        "shots",
        "Hits on your screen that the server's present would have denied.",
    ),
    counted(
        "shots.denied",
        "Denied by the rewind",
        "shots",
        "Misses on your screen that would have hit in the server's present.",
    ),
    counted("shots.miss", "Misses", "shots", "Misses either way."),
    counted(
        "shots.behind_cover",
        "Hit behind cover",
        "hits",
        "Times that you were hit while, on your screen, you were already behind cover.",
    ),
    counted(
        "bytes.up",
        "Bytes up",
        "B",
        "Bytes that you send, headers below our own not counted.",
    ),
    counted(
        "bytes.up.inputs",
        "Up: inputs",
        "B",
        "Commands, repeated ones included, and the instant that your screen showed.",
    ),
    counted(
        "bytes.up.headers",
        "Up: headers",
        "B",
        "What a packet of commands takes whatever is in it: sequence, acknowledgements, ticks.",
    ),
    counted(
        "bytes.up.other",
        "Up: other",
        "B",
        "Joining, leaving, pings.",
    ),
    counted(
        "bytes.down",
        "Bytes down",
        "B",
        "Bytes that the server sends you, headers below our own not counted.",
    ),
    counted(
        "bytes.down.own",
        "Down: your character",
        "B",
        "Your own character, which is in every snapshot.",
    ),
    counted(
        "bytes.down.others",
        "Down: others",
        "B",
        "Everything else in the world.",
    ),
    counted(
        "bytes.down.events",
        "Down: events",
        "B",
        "What happened once: shots and their verdicts.",
    ),
    counted(
        "bytes.down.summaries",
        "Down: summaries",
        "B",
        "What stands in for groups that you are not told of one by one.",
    ),
    counted(
        "bytes.down.headers",
        "Down: headers",
        "B",
        "What a snapshot takes whatever is in it: sequence, acknowledgements, ticks, counts.",
    ),
    counted(
        "bytes.down.other",
        "Down: other",
        "B",
        "Joining, goodbyes, pongs.",
    ),
    counted(
        "packets.lost",
        "Packets lost",
        "packets",
        "Packets that the link lost, both ways.",
    ),
    counted(
        "packets.late",
        "Packets late",
        "packets",
        "Packets that a later one overtook, or that were sent again, both ways.",
    ),
    counted(
        "packets.doubled",
        "Packets doubled",
        "packets",
        "Second copies, both ways.",
    ),
    counted(
        "packets.up.lost",
        "Lost up",
        "packets",
        "Packets of yours that the link lost.",
    ),
    counted(
        "packets.up.late",
        "Late up",
        "packets",
        "Packets of yours that a later one overtook, or that were sent again.",
    ),
    counted(
        "packets.up.doubled",
        "Doubled up",
        "packets",
        "Second copies of packets of yours.",
    ),
    counted(
        "packets.down.lost",
        "Lost down",
        "packets",
        "Packets to you that the link lost.",
    ),
    counted(
        "packets.down.late",
        "Late down",
        "packets",
        "Packets to you that a later one overtook, or that were sent again.",
    ),
    counted(
        "packets.down.doubled",
        "Doubled down",
        "packets",
        "Second copies of packets to you.",
    ),
    sampled(
        "clock.rtt",
        "Round trip",
        "ms",
        TIME,
        "The round trip as your client measures it, smoothed.",
    ),
    sampled(
        "clock.jitter",
        "Jitter",
        "ms",
        TIME,
        "How far arrivals stray from when they were due, as your client measures it.",
    ),
    sampled(
        "clock.bend",
        "Clock bend",
        "%",
        0.01,
        "How much faster than its own clock your client buys ticks; above zero it hurries.",
    )
    .signed(),
    sampled(
        "clock.offset",
        "Clock offset",
        "ms",
        TIME,
        "How far ahead of the server's present your client's idea of it is.",
    )
    .signed(),
];

macro_rules! ids {
    ($($name:ident = $id:literal),+ $(,)?) => {
        $(#[doc = concat!("`", $id, "`")] pub const $name: ProbeId = ProbeId::find($id);)+
    };
}

ids! {
    OWN_ERROR = "own.error",
    OTHERS_ERROR = "others.error",
    OWN_ERROR_NAIVE = "own.error_naive",
    OTHERS_ERROR_NAIVE = "others.error_naive",
    OTHERS_AGE = "others.age",
    OTHERS_DELAY = "others.delay",
    OTHERS_NEEDS = "others.needs",
    OTHERS_SPARE = "others.spare",
    OTHERS_STARVED = "others.starved",
    OTHERS_JUDDER = "others.judder",
    OWN_CORRECTIONS = "own.corrections",
    OWN_CORRECTED = "own.corrected",
    OWN_JUMP = "own.jump",
    OWN_OFFSET = "own.offset",
    OWN_ADJUSTMENTS = "own.adjustments",
    OWN_REPLAYED = "own.replayed",
    INPUT_RESPONSE = "input.response",
    INPUT_DEPTH = "input.depth",
    INPUT_LOST = "input.lost",
    INPUT_REPEATED = "input.repeated",
    INPUT_SKIPPED = "input.skipped",
    INPUT_LATE = "input.late",
    SHOTS_FIRED = "shots.fired",
    SHOTS_HIT = "shots.hit",
    SHOTS_GRANTED = "shots.granted",
    SIMULATED_ERROR = "simulated.error",
    SIMULATED_TOLD = "simulated.told",
    SIMULATED_CORRECTIONS = "simulated.corrections",
    MIRROR_PHANTOM = "mirror.phantom",
    MIRROR_MISSING = "mirror.missing",
    SHOTS_DENIED = "shots.denied",
    SHOTS_MISS = "shots.miss",
    SHOTS_BEHIND_COVER = "shots.behind_cover",
    BYTES_UP = "bytes.up",
    BYTES_UP_INPUTS = "bytes.up.inputs",
    BYTES_UP_HEADERS = "bytes.up.headers",
    BYTES_UP_OTHER = "bytes.up.other",
    BYTES_DOWN = "bytes.down",
    BYTES_DOWN_OWN = "bytes.down.own",
    BYTES_DOWN_OTHERS = "bytes.down.others",
    BYTES_DOWN_EVENTS = "bytes.down.events",
    BYTES_DOWN_SUMMARIES = "bytes.down.summaries",
    BYTES_DOWN_HEADERS = "bytes.down.headers",
    BYTES_DOWN_OTHER = "bytes.down.other",
    PACKETS_LOST = "packets.lost",
    PACKETS_LATE = "packets.late",
    PACKETS_DOUBLED = "packets.doubled",
    PACKETS_UP_LOST = "packets.up.lost",
    PACKETS_UP_LATE = "packets.up.late",
    PACKETS_UP_DOUBLED = "packets.up.doubled",
    PACKETS_DOWN_LOST = "packets.down.lost",
    PACKETS_DOWN_LATE = "packets.down.late",
    PACKETS_DOWN_DOUBLED = "packets.down.doubled",
    CLOCK_RTT = "clock.rtt",
    CLOCK_JITTER = "clock.jitter",
    CLOCK_BEND = "clock.bend",
    CLOCK_OFFSET = "clock.offset",
}
