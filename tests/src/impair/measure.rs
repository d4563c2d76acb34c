//! What the machine itself was like while something was measured on it. A figure that is off while whoever only slept was
//! woken in time is the fault of what was measured; one that is off while it was woken late may be anybody's.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::hurry;

/// How often the machine is asked: as often as anything happens on a link here.
const NAP: Duration = Duration::from_millis(2);

/// How often something is measured before the machine is given up.
const ATTEMPTS: usize = 2;

/// How late the machine woke somebody who slept, and had hurried as the ends of the link do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lateness {
    /// At the middle.
    pub p50: Duration,
    /// At the 99th of a hundred naps.
    pub p99: Duration,
    /// At worst.
    pub worst: Duration,
}

impl Lateness {
    fn of(mut naps: Vec<Duration>) -> Self {
        naps.sort_unstable();
        let at = |percent: usize| naps.get((naps.len().max(1) - 1) * percent / 100).copied();
        let [p50, p99, worst] = [50, 99, 100].map(|percent| at(percent).unwrap_or_default());
        Self { p50, p99, worst }
    }

    /// Whether none of the three is above that of `bound`.
    pub fn within(&self, bound: &Self) -> bool {
        self.p50 <= bound.p50 && self.p99 <= bound.p99 && self.worst <= bound.worst
    }
}

impl fmt::Display for Lateness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p50, p99, worst] =
            [self.p50, self.p99, self.worst].map(|late| late.as_secs_f64() * 1e3);
        write!(f, "{p50:.1} / {p99:.1} / {worst:.1} ms")
    }
}

/// Does `work`, and tells how late the machine was meanwhile.
pub fn watched<T>(work: impl FnOnce() -> T) -> (T, Lateness) {
    /// Ends the watch however the work ends: a scope waits for its threads even while a panic passes.
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let watch = scope.spawn(|| {
            hurry();
            let mut naps = Vec::new();
            while !ended.load(Ordering::Relaxed) {
                let began = Instant::now();
                thread::sleep(NAP);
                naps.push(began.elapsed().saturating_sub(NAP));
            }
            naps
        });
        let end = End(&ended);
        let done = work();
        drop(end);
        let naps = watch.join();
        let naps = naps.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (done, Lateness::of(naps))
    })
}

/// Measures until an attempt is as it should be. One that is not, in words, counts where the machine was no later than
/// `bound` meanwhile: then `what` is broken, and this panics. Where it was later in both attempts it is said that
/// nothing was measured, and why; false. One measures at a time: the others of a process wait.
pub fn measured(
    what: &str,
    bound: &Lateness,
    mut attempt: impl FnMut() -> Result<(), String>,
) -> bool {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for number in 1..=ATTEMPTS {
        let (found, late) = watched(&mut attempt);
        println!("attempt {number} at {what}: the machine was late by {late}");
        let Err(why) = found else {
            return true;
        };
        assert!(
            !late.within(bound),
            "{what}: {why}, on a machine that was late by {late}"
        );
        super::say(&format!(
            "attempt {number} at {what} says nothing, the machine was late by {late}: {why}"
        ));
    }
    super::say(&format!("not measured: {what}, the machine is too busy"));
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Lateness = Lateness {
        p50: Duration::MAX,
        p99: Duration::MAX,
        worst: Duration::MAX,
    };

    #[test]
    fn what_is_wrong_on_a_machine_in_time_is_a_fault() {
        let fails = || measured("a fault", &ANY, || Err("wrong".to_owned()));
        let panic = std::panic::catch_unwind(fails).expect_err("a fault fails");
        let said = panic.downcast_ref::<String>().expect("words");
        assert!(said.starts_with("a fault: wrong"), "{said}");
    }

    #[test]
    fn what_is_wrong_on_a_machine_that_is_late_is_measured_again_and_then_let_be() {
        let mut attempts = 0;
        let late = measured("nothing", &Lateness::default(), || {
            attempts += 1;
            thread::sleep(3 * NAP);
            Err("wrong".to_owned())
        });
        assert_eq!((late, attempts), (false, ATTEMPTS));
        let mut attempts = 0;
        let again = measured("the second", &Lateness::default(), || {
            attempts += 1;
            thread::sleep(3 * NAP);
            if attempts == 2 {
                Ok(())
            } else {
                Err("wrong".to_owned())
            }
        });
        assert_eq!((again, attempts), (true, 2));
    }

    #[test]
    fn a_panic_passes_the_watch() {
        std::panic::catch_unwind(|| watched(|| panic!("of the work"))).expect_err("it passes");
    }

    #[test]
    fn each_of_a_machines_figures_has_a_bound() {
        let ms = Duration::from_millis;
        let late = Lateness::of((0..1_000).map(Duration::from_micros).collect());
        assert_eq!(late.p99, Duration::from_micros(989));
        let bound = Lateness {
            p50: ms(1),
            p99: ms(1),
            worst: ms(1),
        };
        assert!(late.within(&bound));
        for less in [
            Lateness {
                p50: ms(0),
                ..bound
            },
            Lateness {
                p99: ms(0),
                ..bound
            },
            Lateness {
                worst: ms(0),
                ..bound
            },
        ] {
            assert!(!late.within(&less));
        }
    }
}
