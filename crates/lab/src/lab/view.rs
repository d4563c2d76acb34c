//! One frame for a page: everything that is drawn, as one list of floats.

use wire::Micros;

use super::{Lab, Pane};

/// The layout below; a page that knows another one must not read it.
const VERSION: f32 = 1.0;

/// Sections, in their order.
const SECTIONS: usize = 8;

/// Floats before the first section.
const HEAD: usize = 4 + 3 * SECTIONS;

/// A flat buffer of everything that a page draws, reused from frame to frame.
///
/// It begins with the version, the time (ms), the server's tick, the number of sections, and for each section its offset,
/// how many rows it has, and how many floats a row has. The sections: marks of the panes You, Server, Other; packets in
/// flight ([`Lab::flights`]); the lagometer's frames (t ms, spare ms, delay ms); its snapshots (t ms, age ms, 0 heard, 1
/// lost, 2 late); age against delay (t ms, age ms, delay ms, needed ms); errors (t ms, own, others, own naive, others naive, m).
/// What is not known (yet) is NaN.
#[derive(Clone, Debug, Default)]
pub struct View {
    floats: Vec<f32>,
}

impl View {
    /// Writes a lab as it is now.
    pub fn fill(&mut self, lab: &dyn Lab) {
        let now = lab.now();
        self.floats.clear();
        self.floats.resize(HEAD, 0.0);
        self.floats[..4].copy_from_slice(&[
            VERSION,
            ms(now),
            lab.tick().get() as f32,
            SECTIONS as f32,
        ]);

        for (at, pane) in [Pane::You, Pane::Server, Pane::Other]
            .into_iter()
            .enumerate()
        {
            self.section(at, scenes::MARK_STRIDE, |out| lab.marks(pane, out));
        }
        self.section(3, 8, |out| lab.flights(out));
        let strips = lab.strips();
        self.section(4, 3, |out| {
            strips
                .recent(now)
                .for_each(|f| out.extend_from_slice(&[ms(f.at), f.spare, f.delay]));
        });
        self.section(5, 3, |out| {
            let rows = strips.snapshots(now);
            rows.for_each(|s| {
                out.extend_from_slice(&[ms(s.at), s.age, f32::from(s.arrival as u8)]);
            });
        });
        self.section(6, 4, |out| {
            strips
                .recent(now)
                .for_each(|f| out.extend_from_slice(&[ms(f.at), f.age, f.delay, f.needs]));
        });
        self.section(7, 5, |out| {
            for f in strips.frames() {
                out.extend_from_slice(&[ms(f.at), f.own, f.others, f.own_naive, f.others_naive]);
            }
        });
    }

    fn section(&mut self, at: usize, stride: usize, write: impl FnOnce(&mut Vec<f32>)) {
        let from = self.floats.len();
        write(&mut self.floats);
        let rows = (self.floats.len() - from) / stride;
        let entry = [from as f32, rows as f32, stride as f32];
        self.floats[4 + 3 * at..][..3].copy_from_slice(&entry);
    }

    /// The floats.
    pub fn floats(&self) -> &[f32] {
        &self.floats
    }
}

fn ms(at: Micros) -> f32 {
    at.as_millis_f64() as f32
}
