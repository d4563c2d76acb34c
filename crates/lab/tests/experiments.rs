//! Every experiment's bounds hold, and not for one seed alone.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use lab::experiments::{EXPERIMENTS, SEED, named};

/// Runs an experiment on the usual seed and on another, and wants every bound to hold.
fn holds(name: &str, bounds: usize) {
    let experiment = named(name).expect("an experiment of that name");
    for seed in [SEED, 2] {
        let outcome = (experiment.run)(seed);
        assert!(outcome.holds(), "seed {seed}\n{}", outcome.text(experiment));
        assert_eq!(outcome.bounds.len(), bounds, "a bound is gone");
        assert!(
            outcome
                .rows
                .iter()
                .all(|row| row.len() == outcome.columns.len())
        );
    }
}

/// Seeds on which an earlier rule was over its rate, or paid more than another that kept to it.
#[test]
fn the_target_keeps_its_rate_where_chance_is_against_it() {
    let experiment = named("delay-policies").unwrap();
    for seed in [5, 10, 20] {
        let outcome = (experiment.run)(seed);
        assert!(outcome.holds(), "seed {seed}\n{}", outcome.text(experiment));
    }
}

macro_rules! experiments {
    ($($test:ident: $name:literal, $bounds:literal;)+) => {
        $(#[test] fn $test() { holds($name, $bounds); })+

        #[test]
        fn none_is_left_out() {
            let tested = [$($name),+];
            assert!(EXPERIMENTS.iter().all(|experiment| tested.contains(&experiment.name)));
        }
    };
}

experiments! {
    the_own_character_is_corrected_at_the_gate_alone_and_exactly: "own-corrections", 8;
    twelve_inputs_a_packet_lose_no_command_and_one_loses_some: "redundancy", 2;
    a_stream_is_whole_and_late_and_datagrams_are_neither: "carriers", 21;
    losses_in_a_row_take_what_losses_alone_do_not: "bursts", 6;
    a_full_queue_is_delay_before_it_is_loss: "bufferbloat", 6;
    the_measured_delay_starves_a_quarter_as_often_and_the_target_keeps_its_rate: "delay-policies", 15;
    the_target_is_up_at_once_and_down_over_seconds_and_does_not_swing: "delay-step", 6;
    a_drift_of_three_per_cent_is_paced_away: "pacing", 16;
    a_perfect_aim_hits_with_the_rewind_and_misses_without: "rewind", 3;
    a_screen_is_right_about_the_instant_that_it_draws: "error", 18;
    five_questions_have_their_answers_in_every_role: "roles", 5;
    a_game_alone_has_the_servers_hash: "offline", 2;
    what_a_lost_packet_carried_is_said_again_once: "horde-recovery", 14;
    a_tenth_of_the_world_is_a_tenth_of_the_bytes: "relevance", 4;
}

#[test]
fn an_unknown_name_is_told_its_neighbour() {
    let error = named("own-correction").unwrap_err().to_string();
    assert_eq!(
        error,
        "there is no experiment \"own-correction\"; the nearest is \"own-corrections\""
    );
}

#[test]
fn a_table_is_the_same_twice_in_words_and_in_json() {
    let experiment = named("redundancy").unwrap();
    let [once, again] = [(experiment.run)(3), (experiment.run)(3)];
    assert_eq!(once.text(experiment), again.text(experiment));
    assert_eq!(once.json(experiment), again.json(experiment));
    assert_ne!((experiment.run)(4), once, "the seed counts");
    let (text, json) = (once.text(experiment), once.json(experiment));
    assert!(text.contains("holds: 12 loses none") && !text.contains("NOT"));
    assert!(
        json.starts_with(r#"{"experiment":"redundancy","question":"#),
        "{json}"
    );
    assert!(
        json.contains(r#""redundancy":12,"loss_percent":5,"#),
        "{json}"
    );
}
