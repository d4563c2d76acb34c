//! One frame for a page: everything that is drawn, as one list of floats.

use wire::Micros;

use super::strips::KINDS;
use super::{Instruments, Pane};

/// The layout below; a page that knows another one must not read it.
const VERSION: f32 = 2.0;

/// Sections, in their order.
const SECTIONS: usize = 10;

/// Floats before the entries of the sections.
const FIXED: usize = 8;

/// Floats before the first section.
const HEAD: usize = FIXED + 3 * SECTIONS;

/// Where the instant that is shown stands in a timeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// How far behind live it is; nothing where it is live.
    pub behind: Micros,
    /// How far back from live the timeline reaches.
    pub kept: Micros,
    /// How often somebody acted in the past, so far.
    pub forks: u32,
}

/// A flat buffer of everything that a page draws, reused from frame to frame.
///
/// It begins with eight floats: the version, the whole seconds of the instant that is shown, the ms within the second, the
/// server's tick, the number of sections, and the [`Standing`]: ms behind live, ms kept, forks. Then for each section its
/// offset, how many rows it has, and how many floats a row has. **Every time in a section is in ms and relative to the
/// instant that is shown**, what is past below zero: so single precision is exact to a microsecond after hours.
///
/// The sections: marks of the panes You, Server, Other; packets in flight ([`Instruments::flights`]); the lagometer's frames (t,
/// spare ms, delay ms); its snapshots (t, age ms, 0 heard, 1 lost, 2 late); age against delay (t, age ms, delay ms, needed
/// ms); errors (t, own, others, own naive, others naive, m); commands waiting at the server (t, depth, target, bend %);
/// traffic by kind (t of the end of the second that it is over, then B/s: up inputs, headers, other; down own, others, events, headers, other).
/// What is not known (yet) is NaN.
#[derive(Clone, Debug, Default)]
pub struct View {
    floats: Vec<f32>,
}

impl View {
    /// Writes a match as it is now.
    pub fn fill(&mut self, lab: &dyn Instruments, standing: Standing) {
        let now = lab.now();
        self.floats.clear();
        self.floats.resize(HEAD, 0.0);
        self.floats[..FIXED].copy_from_slice(&[
            VERSION,
            (now.get() / 1_000_000) as f32,
            ms(now.get() % 1_000_000),
            lab.tick().get() as f32,
            SECTIONS as f32,
            ms(standing.behind.get()),
            ms(standing.kept.get()),
            standing.forks as f32,
        ]);

        for (at, pane) in [Pane::You, Pane::Server, Pane::Other]
            .into_iter()
            .enumerate()
        {
            self.section(at, scenes::MARK_STRIDE, |out| lab.marks(pane, out));
        }
        self.section(3, 8, |out| lab.flights(out));
        let (strips, t) = (lab.strips(), |at| relative(at, now));
        self.section(4, 3, |out| {
            strips
                .recent(now)
                .for_each(|f| out.extend_from_slice(&[t(f.at), f.spare, f.delay]));
        });
        self.section(5, 3, |out| {
            let rows = strips.snapshots(now);
            rows.for_each(|s| {
                out.extend_from_slice(&[t(s.at), s.age, f32::from(s.arrival as u8)]);
            });
        });
        self.section(6, 4, |out| {
            strips
                .recent(now)
                .for_each(|f| out.extend_from_slice(&[t(f.at), f.age, f.delay, f.needs]));
        });
        self.section(7, 5, |out| {
            for f in strips.frames() {
                out.extend_from_slice(&[t(f.at), f.own, f.others, f.own_naive, f.others_naive]);
            }
        });
        self.section(8, 4, |out| {
            for d in strips.depths() {
                out.extend_from_slice(&[t(d.at), d.depth, d.target, d.bend]);
            }
        });
        self.section(9, 1 + KINDS, |out| {
            for row in strips.traffic(now) {
                out.push(t(row.at));
                out.extend_from_slice(&row.rates);
            }
        });
    }

    fn section(&mut self, at: usize, stride: usize, write: impl FnOnce(&mut Vec<f32>)) {
        let from = self.floats.len();
        write(&mut self.floats);
        let rows = (self.floats.len() - from) / stride;
        let entry = [from as f32, rows as f32, stride as f32];
        self.floats[FIXED + 3 * at..][..3].copy_from_slice(&entry);
    }

    /// The floats.
    pub fn floats(&self) -> &[f32] {
        &self.floats
    }
}

fn ms(micros: u64) -> f32 {
    (micros as f64 / 1e3) as f32
}

/// An instant as ms after `now`; what is past is below zero.
pub(crate) fn relative(at: Micros, now: Micros) -> f32 {
    // One of the two differences saturates at nothing.
    ms((at - now).get()) - ms((now - at).get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact_to_a_microsecond_after_a_hundred_hours() {
        for hours in [0, 1, 100] {
            let now = Micros::new(hours * 3_600_000_000 + 7_654_321);
            for micros in [1, 15_625, 999_999, 6_000_001] {
                let length = Micros::new(micros);
                let exact = micros as f64 / 1e3;
                for (got, wanted) in [
                    (relative(now + length, now), exact),
                    (relative(now - length, now), -exact),
                ] {
                    assert!((f64::from(got) - wanted).abs() < 1e-3, "{got} for {wanted}");
                }
            }
        }
    }
}
