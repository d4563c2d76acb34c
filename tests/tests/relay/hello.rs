//! The hello: what is compared, and what is said to whom it does not fit.

use afterimage_tests::guest::{Carrier, Host, Via, hello};
use server::Settings;
use wire::Refusal;

use super::{closes, join_word, opening, room};
use std::time::Duration;

/// Where a hello says what: a prefix of tag, version, kind and token, then schema, actions, world and rate.
const VERSION: usize = 2;
const SCHEMA: usize = 12;
const ACTIONS: usize = 20;
const WORLD: usize = 28;
const RATE: usize = 36;

/// What is done to a good hello, and how it is refused.
type Case = (&'static str, fn(&mut Vec<u8>), Refusal);

const CASES: [Case; 8] = [
    (
        "another version",
        |hello| hello[VERSION] += 1,
        Refusal::Version,
    ),
    (
        "another schema",
        |hello| hello[SCHEMA] ^= 1,
        Refusal::Schema,
    ),
    (
        "other actions",
        |hello| hello[ACTIONS..WORLD].fill(0x55),
        Refusal::Actions,
    ),
    (
        "another world",
        |hello| hello[WORLD..RATE].fill(0x55),
        Refusal::World,
    ),
    ("another rate", |hello| hello[RATE] = 30, Refusal::Rate),
    (
        "a rate that is too high",
        |hello| hello[RATE] = 129,
        Refusal::RateTooHigh,
    ),
    ("no rate", |hello| hello[RATE..].fill(0), Refusal::Malformed),
    (
        "half a hello",
        |hello| hello.truncate(20),
        Refusal::Malformed,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn whoever_does_not_fit_is_told_why_on_each_carrier() {
    let host = Host::start(Settings::default()).await;
    let (code, _) = room(&host.door, 4).await;
    for via in Via::ALL {
        for (what, change, refusal) in CASES {
            let ticket = host.door.seat(&code, "Anna").await;
            let mut said = hello(&ticket);
            change(&mut said);
            let mut carrier = Carrier::open(&host.door, via, None).await.unwrap();
            carrier.word(&join_word(&ticket.token)).await.unwrap();
            carrier.frame(&said).await.unwrap();
            let refused = opening(&mut carrier, 0x13).await;
            let refused = refused.unwrap_or_else(|| panic!("{what} on {via:?} is not answered"));
            assert_eq!(refused[12], refusal.code(), "{what} on {via:?}");
            assert!(
                closes(&mut carrier, Duration::from_secs(3)).await,
                "{what} on {via:?} is let stay"
            );
        }
        // Zeros compare with nothing.
        let ticket = host.door.seat(&code, "Anna").await;
        let mut said = hello(&ticket);
        said[ACTIONS..RATE].fill(0);
        let mut carrier = Carrier::open(&host.door, via, None).await.unwrap();
        carrier.word(&join_word(&ticket.token)).await.unwrap();
        carrier.frame(&said).await.unwrap();
        assert!(opening(&mut carrier, 0x12).await.is_some(), "{via:?}");
    }
}
