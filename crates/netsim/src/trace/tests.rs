//! What a trace takes, what it says of what it does not, and what it does at any instant.

use super::*;
use crate::Rng;
use crate::testing::ms;

#[test]
fn a_row_holds_until_the_next_and_the_last_as_long_as_the_one_before() {
    let trace = Trace::parse("time_ms,delay_ms,lost\n100,40,0\n120,55.5,1\r\n\n150,0,0\n").unwrap();
    assert_eq!(
        (trace.rows(), trace.length(), trace.slowest()),
        (3, ms(80), Micros::new(55_500))
    );
    let at = |millis| trace.at(ms(millis));
    assert_eq!([at(0), at(19)], [(ms(40), false); 2]);
    assert_eq!([at(20), at(49)], [(Micros::new(55_500), true); 2]);
    assert_eq!([at(50), at(79)], [(ms(0), false); 2]);
    assert_eq!(at(80), at(0), "it begins again");
    assert_eq!(trace.loss(), 30.0 / 80.0);
    let _ = trace.at(Micros::MAX);
}

#[test]
fn the_header_is_optional_and_the_hash_is_of_the_rows() {
    let hash = |text| Trace::parse(text).unwrap().hash();
    let plain = hash("0,40,0\n20,50,1");
    assert_eq!(
        hash("\u{feff}Time_ms, Delay_ms, LOST\r\n5, 40, false\r\n25, 50, true\r\n"),
        plain
    );
    for other in [
        "0,40,0\n20,50,0",
        "0,40,0\n21,50,1",
        "0,41,0\n20,50,1",
        "0,40,0",
    ] {
        assert_ne!(hash(other), plain, "{other}");
    }
    assert_eq!(
        Trace::parse("7,40,1").unwrap().at(ms(5_000)),
        (ms(40), true)
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_what_is_right() {
    let said = |text: &str| Trace::parse(text).unwrap_err().to_string();
    for (text, sentence) in [
        (
            "",
            "line 1, column 1 (time_ms): there is no row; one is as in \"20,35.5,0\"",
        ),
        (
            "0,40,0\n\n20,fast,0",
            "line 3, column 2 (delay_ms): \"fast\" is not a number from 0 to 10000",
        ),
        (
            "0,40,0\n20,10001,0",
            "line 2, column 2 (delay_ms): \"10001\" is not a number from 0 to 10000",
        ),
        (
            "0,NaN,0",
            "line 1, column 2 (delay_ms): \"NaN\" is not a number from 0 to 10000",
        ),
        (
            "-1,4,0",
            "line 1, column 1 (time_ms): \"-1\" is not a number from 0 to 86400000",
        ),
        (
            "0,4,yes",
            "line 1, column 3 (lost): \"yes\" is neither 0 (arrives) nor 1 (lost)",
        ),
        (
            "0,4",
            "line 1, column 3 (lost): a row has three columns, time_ms,delay_ms,lost; this one has 2",
        ),
        (
            "0,4,0,9",
            "line 1, column 4: a row has three columns, time_ms,delay_ms,lost; this one has 4",
        ),
        (
            "9,4,0\n9,4,0",
            "line 2, column 1 (time_ms): the time 9 is not after the one before it; times rise from row to row",
        ),
        (
            "9,4,0\n8,4,0",
            "line 2, column 1 (time_ms): the time 8 is not after the one before it; times rise from row to row",
        ),
        (
            "time,lost,delay\n",
            "line 1, column 1 (time_ms): the header says \"time\" where \"time_ms\" belongs",
        ),
        (
            "0,4,0\ntime_ms,delay_ms,lost",
            "line 2, column 1 (time_ms): \"time_ms\" is not a number from 0 to 86400000",
        ),
    ] {
        assert_eq!(said(text), sentence);
    }
}

#[test]
fn rows_are_bounded() {
    let rows = |n: usize| (0..n).map(|row| format!("{row},1,0\n")).collect::<String>();
    assert_eq!(Trace::parse(&rows(MAX_ROWS)).unwrap().rows(), MAX_ROWS);
    let error = Trace::parse(&rows(MAX_ROWS + 1)).unwrap_err();
    assert_eq!((error.line, error.wrong), (MAX_ROWS + 1, Wrong::TooMany));
}

#[test]
fn no_text_does_harm() {
    let parts = [
        "0,1,0\n", "5,2,1", "9,4", "\n", "\r\n", ",", "-", ".", "e9", "\u{feff}", " ", "ms",
        "1e400", "inf",
    ];
    let mut rng = Rng::new(5);
    let mut taken = 0;
    for _ in 0..20_000 {
        let text: String = (0..rng.below(6))
            .map(|_| parts[rng.below(parts.len() as u64) as usize])
            .collect();
        if let Ok(trace) = Trace::parse(&text) {
            taken += 1;
            trace.at(Micros::MAX);
            assert!((0.0..=1.0).contains(&trace.loss()) && trace.rows() > 0);
        }
    }
    assert!(taken > 50, "{taken} were traces");
}
