//! What a client did.

use wire::Micros;

use crate::digest::Digest;
use crate::traffic::UpTraffic;

/// What a client did since it was made. Plain counters; the reader takes differences.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClientCounters {
    /// Ticks run.
    pub ticks: u64,
    /// Ticks that were due and never ran, after a stall.
    pub slipped: u64,
    /// Packets sent.
    pub packets_sent: u64,
    /// Packets heard, refused ones included.
    pub packets_heard: u64,
    /// Sequences passed over: packets lost, or late by then.
    pub packets_missed: u64,
    /// Packets that came after a newer one.
    pub packets_late: u64,
    /// Packets that came again.
    pub packets_doubled: u64,
    /// Frames refused.
    pub faults: u64,
    /// Bytes sent.
    pub bytes_up: u64,
    /// The same, by what they say.
    pub up: UpTraffic,
    /// Bytes heard.
    pub bytes_down: u64,
    /// Snapshots applied.
    pub snapshots: u64,
    /// Entries applied or left.
    pub entries: u64,
    /// Entries that a newer one had overtaken; they only fill holes between samples.
    pub entries_late: u64,
    /// Entities that came: changes of what is held, however often they were told.
    pub births: u64,
    /// Entities that went, or gave way to another in their slot.
    pub ends: u64,
    /// Samples that came after they could be of use.
    pub samples_late: u64,
    /// Corrections that moved the own character by more than the floor.
    pub corrections: u64,
    /// How far they moved it where it was by then, in all; the unit of the class's place.
    pub corrected: f64,
    /// Corrections that changed something other than by moving: health, a cooldown, a teleport.
    pub adjustments: u64,
    /// Ticks run again after a correction.
    pub replayed: u64,
    /// News of simulated entities that was loaded.
    pub simulated_told: u64,
    /// Corrections that moved a simulated entity by more than the floor.
    pub simulated_corrections: u64,
    /// How far they moved them where they were by then, in all; the unit of the class's place.
    pub simulated_corrected: f64,
    /// Ticks run again for what was set right among them, however many those were.
    pub simulated_replayed: u64,
    /// Own commands forgotten before they were acknowledged.
    pub inputs_lost: u64,
    /// Fresh inputs that ran.
    pub responses: u64,
    /// From a fresh input to the tick that ran it, in all.
    pub response_time: Micros,
}

impl ClientCounters {
    /// Folds every counter in.
    pub(super) fn digest(&self, digest: &mut Digest) {
        let Self {
            ticks,
            slipped,
            packets_sent,
            packets_heard,
            packets_missed,
            packets_late,
            packets_doubled,
            faults,
            bytes_up,
            up:
                UpTraffic {
                    inputs,
                    headers,
                    other,
                },
            bytes_down,
            snapshots,
            entries,
            entries_late,
            births,
            ends,
            samples_late,
            corrections,
            corrected,
            adjustments,
            replayed,
            simulated_told,
            simulated_corrections,
            simulated_corrected,
            simulated_replayed,
            inputs_lost,
            responses,
            response_time,
        } = *self;
        for count in [
            ticks,
            slipped,
            packets_sent,
            packets_heard,
            packets_missed,
            packets_late,
            packets_doubled,
            faults,
            bytes_up,
            inputs,
            headers,
            other,
            bytes_down,
            snapshots,
            entries,
            entries_late,
            births,
            ends,
            samples_late,
            corrections,
            adjustments,
            replayed,
            simulated_told,
            simulated_corrections,
            simulated_replayed,
            inputs_lost,
            responses,
            response_time.get(),
        ] {
            digest.u64(count);
        }
        digest.f64(corrected);
        digest.f64(simulated_corrected);
    }
}
