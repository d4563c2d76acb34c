//! What a client predicted for each tick, and whether the server agrees.

use wire::{Class, Tick};

/// The records that a client predicted for its newest ticks, to be compared with what the server says of them.
///
/// The server's answer is about a moment that has passed, so it is compared and not believed: where it agrees with the
/// prediction of *that* tick, everything since stands. Where it does not, the server's record is loaded and every later
/// input runs again from there, since each of those ticks was computed on top of the mistake.
///
/// Memory: [`CAPACITY`](Self::CAPACITY) records. Source: seed `000_0607df23ba563941.txt` (64 ticks) and seed
/// `001_545bc6c5b0a72338.txt` (the floor).
#[derive(Clone, Debug)]
pub struct Predictor {
    width: usize,
    /// By tick modulo the capacity.
    ticks: [Option<Tick>; SPAN],
    records: Vec<i32>,
    newest: Option<Tick>,
}

/// What the server's record says of a prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// That tick is no longer kept, or never was: nothing can be said, and nothing changes.
    Unknown,
    /// That tick has not been predicted yet: the server is ahead. Its record is where to go on from.
    Ahead,
    /// The prediction was right.
    Stands,
    /// The prediction was wrong: load the server's record and run every later input again.
    Differs {
        /// How far the place was off, world units. Below the floor where another field differs.
        distance: f32,
    },
}

impl Predictor {
    /// Ticks kept, as many as commands are.
    pub const CAPACITY: usize = SPAN;
    /// The place may be off by this much, world units (3 mm): quantization and the noise of floats. Half a step of the
    /// wire where that is more.
    pub const FLOOR: f32 = 0.003;

    /// Nothing predicted; records of at most `width` codes.
    pub fn new(width: usize) -> Self {
        Self {
            width,
            ticks: [None; SPAN],
            records: vec![0; SPAN * width],
            newest: None,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.records.as_slice())
    }

    /// Keeps the record that a tick led to, in place of an earlier one of that tick.
    pub fn keep(&mut self, tick: Tick, record: &[i32]) {
        self.ticks[at(tick)] = Some(tick);
        let place = at(tick) * self.width;
        self.records[place..place + record.len()].copy_from_slice(record);
        self.newest = self.newest.max(Some(tick));
    }

    /// The record predicted for a tick, as wide as [`new`](Self::new) was told; `None` if it is not kept.
    pub fn get(&self, tick: Tick) -> Option<&[i32]> {
        let place = at(tick) * self.width;
        (self.ticks[at(tick)] == Some(tick)).then(|| &self.records[place..place + self.width])
    }

    /// The distance of places of a class, world units, up to which a prediction stands.
    pub const fn floor(class: &Class) -> f32 {
        let half = class.place_step() / 2.0;
        if half > Self::FLOOR {
            half
        } else {
            Self::FLOOR
        }
    }

    /// Compares the server's record after it ran `tick` with the prediction.
    ///
    /// The place stands within the floor; every other field stands if it is equal.
    pub fn judge(&self, tick: Tick, class: &Class, server: &[i32]) -> Verdict {
        let Some(predicted) = self.get(tick) else {
            let ahead = self.newest.is_none_or(|newest| tick > newest);
            return if ahead {
                Verdict::Ahead
            } else {
                Verdict::Unknown
            };
        };
        let distance = class.distance(predicted, server);
        let floor = Self::floor(class);
        let others_equal = class
            .fields
            .iter()
            .zip(predicted.iter().zip(server))
            .all(|(field, (ours, theirs))| field.place || ours == theirs);
        if others_equal && distance <= floor {
            Verdict::Stands
        } else {
            Verdict::Differs { distance }
        }
    }

    /// The newest tick predicted.
    pub fn newest(&self) -> Option<Tick> {
        self.newest
    }

    /// Forgets every prediction: another life, or another session.
    pub fn clear(&mut self) {
        self.ticks = [None; SPAN];
        self.newest = None;
    }
}

fn at(tick: Tick) -> usize {
    (tick.get() % SPAN as u64) as usize
}

const SPAN: usize = 64;

#[cfg(test)]
mod tests {
    use wire::{Quant, record};

    use super::*;
    use crate::interpolate::fixture::{BODY, Body, STEP, at_x};

    /// Ticks `from` to `to`, each as many steps along as its number.
    fn predicted(from: u64, to: u64) -> Predictor {
        let mut predictor = Predictor::new(Body::WIDTH);
        (from..=to).for_each(|tick| predictor.keep(Tick::new(tick), &at_x(tick as i32)));
        predictor
    }

    #[test]
    fn a_prediction_that_the_server_agrees_with_stands() {
        let predictor = predicted(0, 20);
        assert_eq!(
            predictor.judge(Tick::new(12), &BODY, &at_x(12)),
            Verdict::Stands
        );
    }

    #[test]
    fn three_millimetres_stand_and_more_does_not() {
        let predictor = predicted(0, 20);
        for off in [-3, 3] {
            assert_eq!(
                predictor.judge(Tick::new(12), &BODY, &at_x(12 + off)),
                Verdict::Stands
            );
        }
        for off in [-4i32, 4] {
            let distance = off.abs() as f32 * STEP;
            let verdict = predictor.judge(Tick::new(12), &BODY, &at_x(12 + off));
            assert_eq!(verdict, Verdict::Differs { distance });
        }
    }

    #[test]
    fn the_floor_is_a_distance_and_not_one_for_each_axis() {
        let predictor = predicted(0, 20);
        let mut server = at_x(12 + 3);
        server[Body::AT.y] = 3;
        assert!(matches!(
            predictor.judge(Tick::new(12), &BODY, &server),
            Verdict::Differs { distance } if (distance - 3.0 * std::f32::consts::SQRT_2 * STEP).abs() < 1e-6
        ));
    }

    #[test]
    fn any_other_field_must_be_equal() {
        let predictor = predicted(0, 20);
        for field in [Body::AT.facing, Body::AT.hp, Body::AT.jump] {
            let mut server = at_x(12);
            server[field] = 1;
            let verdict = predictor.judge(Tick::new(12), &BODY, &server);
            assert_eq!(verdict, Verdict::Differs { distance: 0.0 }, "{field}");
        }
    }

    record! {
        /// A place that the wire tells in decimetres along, and in millimetres up.
        struct Coarse as COARSE ("coarse", shown: Interpolated, rewind: false, share: 1) {
            /// Along.
            along: Quant::Signed { bits: 16, step: 0.1 }, "m", Linear, All, place;
            /// Up.
            up: Quant::Signed { bits: 16, step: 0.001 }, "m", Linear, All, place;
        }
    }

    #[test]
    fn on_a_coarse_wire_half_of_the_largest_step_is_the_floor() {
        let mut predictor = Predictor::new(Coarse::WIDTH);
        predictor.keep(Tick::new(1), &[100, 0]);
        let judge = |server: [i32; 2]| predictor.judge(Tick::new(1), &COARSE, &server);
        assert_eq!(judge([100, 49]), Verdict::Stands);
        assert!(matches!(judge([100, 51]), Verdict::Differs { .. }));
        assert!(matches!(judge([101, 0]), Verdict::Differs { .. }));
    }

    #[test]
    fn sixty_four_ticks_are_kept() {
        let predictor = predicted(0, 80);
        assert_eq!(predictor.get(Tick::new(16)), None);
        assert_eq!(predictor.get(Tick::new(17)), Some(&at_x(17)[..]));
        assert_eq!(
            predictor.judge(Tick::new(16), &BODY, &at_x(16)),
            Verdict::Unknown
        );
        assert_eq!(
            predictor.judge(Tick::new(81), &BODY, &at_x(81)),
            Verdict::Ahead
        );
        assert_eq!(predictor.newest(), Some(Tick::new(80)));
    }

    #[test]
    fn a_tick_run_again_replaces_its_record() {
        let mut predictor = predicted(0, 20);
        predictor.keep(Tick::new(12), &at_x(500));
        assert_eq!(
            predictor.judge(Tick::new(12), &BODY, &at_x(500)),
            Verdict::Stands
        );
        assert_eq!(predictor.newest(), Some(Tick::new(20)));
    }

    #[test]
    fn forgotten_predictions_judge_nothing() {
        let mut predictor = predicted(0, 20);
        predictor.clear();
        assert_eq!(predictor.get(Tick::new(12)), None);
        assert_eq!(
            predictor.judge(Tick::new(12), &BODY, &at_x(12)),
            Verdict::Ahead
        );
    }

    /// A body that moves `input` steps a tick and stops at a wall.
    fn step(body: &mut Body, input: i32, wall: i32) {
        body.x = (body.x + input).min(wall);
    }

    #[test]
    fn a_correction_replayed_over_twenty_ticks_lands_on_the_servers_answer_exactly() {
        const ROUND_TRIP: u64 = 20;
        let (mut predictor, mut client, mut server) =
            (Predictor::new(Body::WIDTH), Body::default(), Vec::new());
        let mut inputs = crate::input::InputHistory::new();
        let (mut truth, mut corrections, mut last_correction) = (Body::default(), 0, 0);
        for tick in 0..200u64 {
            let input = 40 - (tick as i32 % 7);
            inputs.push(Tick::new(tick), input);
            step(&mut client, input, i32::MAX);
            predictor.keep(Tick::new(tick), &saved(&client));
            // A wall that the client cannot see, for a while.
            step(
                &mut truth,
                input,
                if (50..60).contains(&tick) {
                    1_900
                } else {
                    i32::MAX
                },
            );
            server.push(truth);

            let Some(judged) = tick.checked_sub(ROUND_TRIP) else {
                continue;
            };
            let answer = saved(&server[judged as usize]);
            if let Verdict::Differs { .. } = predictor.judge(Tick::new(judged), &BODY, &answer) {
                corrections += 1;
                last_correction = tick;
                client = Body::load(&answer);
                predictor.keep(Tick::new(judged), &answer);
                for (later, input) in inputs.iter_from(Tick::new(judged + 1)) {
                    step(&mut client, *input, i32::MAX);
                    predictor.keep(later, &saved(&client));
                }
            }
        }
        assert!((1..=11).contains(&corrections), "{corrections}");
        assert!(last_correction <= 60 + ROUND_TRIP, "{last_correction}");
        assert_eq!(client, truth);
    }

    fn saved(body: &Body) -> [i32; Body::WIDTH] {
        let mut record = [0; Body::WIDTH];
        body.save(&mut record);
        record
    }
}
