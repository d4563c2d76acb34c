//! The examples hold what they claim.

#[path = "../examples/acknowledged_set.rs"]
mod acknowledged_set;
#[path = "../examples/aggregation.rs"]
mod aggregation;
#[path = "../examples/relevance.rs"]
mod relevance;
#[path = "../examples/shuffle.rs"]
mod shuffle;

#[test]
fn relevance_saves_most_of_the_bytes() {
    relevance::main();
}

#[test]
fn a_few_stand_ins_cover_what_is_beyond_and_keep_its_pull() {
    aggregation::main();
}

#[test]
fn a_set_comes_right_over_a_link_that_loses_a_quarter() {
    acknowledged_set::main();
}

#[test]
fn a_game_of_ones_own_is_played_over_a_link() {
    shuffle::main();
}

#[test]
fn a_game_of_ones_own_takes_less_than_150_lines() {
    assert!(include_str!("../examples/shuffle.rs").lines().count() < 150);
}
