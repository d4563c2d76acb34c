use super::*;
use crate::lab::{Driver, LabSetup, YOU};
use crate::params::Config;
use crate::scenes::open;
use scenes::Pad;

const fn ms(ms: u64) -> Micros {
    Micros::from_millis(ms)
}

fn timeline(bound: Bound) -> Timeline {
    with(Config::default(), bound)
}

fn with(config: Config, bound: Bound) -> Timeline {
    Timeline::new(open("arena", LabSetup::new(7, config)).unwrap(), bound)
}

/// A pad that differs from the one before.
fn pad(n: u64) -> Action {
    let x = (n % 64) as f32 / 64.0;
    Action::Pad(
        YOU,
        Pad {
            x,
            ..Pad::default()
        },
    )
}

#[test]
fn a_minute_fits_the_bound() {
    let mut time = timeline(Bound::default());
    time.advance(ms(100_000));
    let kept = time.standing().kept;
    assert!(kept >= ms(60_000) && kept <= ms(62_000), "{kept}");
    assert!(time.bytes() <= 64 << 20, "{}", time.bytes());
    assert!(time.keys.len() > 60, "{}", time.keys.len());
}

#[test]
fn with_less_memory_keys_are_sparser_and_then_the_past_is_shorter() {
    let mut grown = timeline(Bound::default());
    grown.advance(ms(10_000));
    let lab = grown.live.bytes();
    let mut before = Micros::MAX;
    for labs in [64, 24, 8, 2, 1] {
        let bytes = labs * lab;
        let mut time = timeline(Bound {
            bytes,
            span: ms(30_000),
        });
        for at in 1..=120 {
            time.advance(ms(500 * at));
            // Where not even the live one fits there is nothing to forget but its past; its lines stay.
            assert!(
                time.bytes() <= bytes.max(time.live.bytes() + 50_000),
                "{labs}: {}",
                time.bytes()
            );
        }
        let kept = time.standing().kept.min(ms(30_000));
        assert!(kept <= before, "{labs}: {kept}");
        assert_eq!(kept >= ms(30_000), labs >= 24, "{labs}: {kept}");
        before = kept;
    }
    assert_eq!(before, Micros::ZERO);
}

#[test]
fn the_log_goes_with_the_oldest_key_state_and_a_flood_costs_the_past() {
    let mut time = timeline(Bound::default());
    time.act(Action::Drive(YOU, Driver::Hands));
    for n in 1..=240 * 130 {
        time.advance(Micros::new(n * 1_000_000 / 240));
        assert!(time.act(pad(n)));
    }
    let kept = (time.standing().kept.as_secs_f64() * 240.0) as usize;
    assert!(
        (kept..=kept + 240).contains(&time.log.len()),
        "{} for {kept}",
        time.log.len()
    );

    // Time stands, and somebody moves a pointer for an hour.
    let now = time.shown().now();
    for n in 0..200_000 {
        time.act(pad(n));
        assert!(time.log.len() <= MOST_ACTIONS + 1);
    }
    assert_eq!(time.standing().kept, Micros::ZERO);
    time.advance(now + ms(3_000));
    time.seek(now + ms(2_000));
    assert_eq!(time.shown().now(), now + ms(2_000));
}

#[test]
fn an_hour_takes_no_more_than_its_second_minute() {
    let mut quick = Config::default();
    quick.set(params::BOTS, 0.0).unwrap();
    let mut time = with(quick, Bound::default());
    time.act(Action::Drive(YOU, Driver::Hands));
    let mut early = 0;
    for second in 1..=3_600 {
        time.advance(ms(second * 1_000));
        time.act(pad(second));
        time.act(Action::Drive(YOU, Driver::Hands));
        if second == 120 {
            early = time.bytes();
        }
    }
    assert!(time.log.len() <= 62, "{}", time.log.len());
    assert!(
        time.bytes() <= early + early / 50,
        "{early} and then {}",
        time.bytes()
    );
}

#[test]
fn what_changes_nothing_is_not_kept_and_does_not_fork() {
    let mut time = timeline(Bound::default());
    time.advance(ms(3_000));
    let hands = Action::Drive(YOU, Driver::Hands);
    let pad = Action::Pad(
        YOU,
        Pad {
            x: 1.0,
            ..Pad::default()
        },
    );
    let set = Action::Set(crate::params::INTERP_DELAY, 210.0);
    let same = [hands, pad, set];
    for action in same.clone() {
        assert!(
            time.act(action.clone()) && !time.act(action.clone()),
            "{action:?}"
        );
    }
    assert_eq!(time.log.len(), 3);
    time.advance(ms(5_000));
    time.seek(ms(4_000));
    for action in same {
        assert!(!time.act(action.clone()), "{action:?}");
    }
    let (behind, forks) = (time.standing().behind, time.standing().forks);
    assert_eq!((behind, forks), (ms(1_000), 0));
    assert!(time.act(Action::Pad(YOU, Pad::default())));
    assert_eq!(
        (time.standing().behind, time.standing().forks),
        (Micros::ZERO, 1)
    );
}

#[test]
fn key_states_are_dense_where_somebody_drags_and_as_exact_as_others() {
    // Room for one copy in one and a quarter seconds of the past.
    let mut one = timeline(Bound::default());
    one.advance(ms(10_000));
    let little = 48 * one.shown().bytes();
    let mut time = timeline(Bound {
        bytes: little,
        ..Bound::default()
    });
    time.act(Action::Drive(YOU, Driver::Hands));
    let mut was = Vec::new();
    for n in 1..=700 {
        time.advance(ms(n * 100));
        time.act(pad(n));
        was.push(time.shown().digest());
    }
    let around = |time: &Timeline| {
        let at = |n: u64| time.keys.before(ms(40_000 - n * 10)).map(keys::Key::at);
        let mut keys: Vec<_> = (0..200).map(at).collect();
        keys.dedup();
        keys.len()
    };
    let before = around(&time);
    for n in (380..=410).rev() {
        time.seek(ms(n * 100));
        assert_eq!(time.shown().digest(), was[n as usize - 1], "{n}");
    }
    assert!(
        around(&time) > before + 2,
        "{before} and then {}",
        around(&time)
    );
    assert!(time.bytes() <= little);
    assert!(
        time.standing().kept >= ms(60_000),
        "a look costs none of the past"
    );
}

#[test]
fn a_bound_may_shrink_while_the_past_is_shown() {
    let mut time = timeline(Bound::default());
    time.advance(ms(10_000));
    time.act(Action::Drive(YOU, Driver::Hands));
    time.seek(ms(3_000));
    time.rebound(Bound {
        bytes: 0,
        ..Bound::default()
    });
    assert_eq!(
        (time.standing().behind, time.standing().kept),
        (Micros::ZERO, Micros::ZERO)
    );
    time.advance(ms(12_000));
    time.seek(ms(11_000));
    assert_eq!((time.shown().now(), time.log.len()), (ms(12_000), 0));
}

#[test]
fn a_fork_is_told_with_how_far_back_it_was() {
    let mut time = timeline(Bound::default());
    time.advance(ms(9_000));
    let _ = time.news().count();
    for (back, said, delay) in [(6_200, "6.2 s", 200.0), (20, "0.02 s", 210.0)] {
        time.seek(time.live.now() - ms(back));
        let at = time.shown().now();
        assert!(time.act(Action::Set(crate::params::INTERP_DELAY, delay)));
        let told: Vec<_> = time.news().cloned().collect();
        let text = format!("you acted {said} back: what came after it is gone");
        assert_eq!(
            told.iter()
                .map(|line| (line.at, line.kind, &line.text))
                .collect::<Vec<_>>(),
            [(at, "fork", &text)]
        );
        time.advance(at + ms(3_000));
        let _ = time.news().count();
    }
}
