//! The command line as somebody types it.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::process::{Command, Output};

use lab::online::{Online, OnlineOf, OnlineSetup};
use wire::Micros;

fn lab(arguments: &str) -> Output {
    let arguments = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_afterimage-lab"))
        .args(arguments)
        .output()
        .unwrap()
}

fn out(arguments: &str) -> String {
    let output = lab(arguments);
    assert!(
        output.status.success(),
        "{arguments}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The sentence of a mistake, whose exit code is 2.
fn mistake(arguments: &str) -> String {
    let output = lab(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    assert!(output.stdout.is_empty(), "{arguments}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn equal_arguments_print_equal_bytes() {
    for arguments in [
        "run --scene arena --link 4g --set interp.delay=120 --seconds 5 --json",
        "run --seconds 5 --seed 11 --fps 144",
        "sweep --set interp.delay=80..160:40 --seconds 4",
    ] {
        assert_eq!(out(arguments), out(arguments), "{arguments}");
    }
    assert_ne!(out("run --seconds 5"), out("run --seconds 5 --seed 8"));
}

#[test]
fn a_run_prints_one_object_with_everything_in_it() {
    let text =
        out("run --link dsl --set interp.delay=90 --set predict.smooth=off --seconds 4 --json");
    for part in [
        "{\"scene\":\"arena\",\"seed\":7,\"seconds\":4,",
        "\"config\":{\"link.up.latency\":30,",
        "\"interp.delay\":90,",
        "\"predict.smooth\":false,",
        "\"probes\":{\"own.error\":{\"mean\":",
        "\"unit\":\"B\"}",
        "\"hash\":\"",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn a_sweep_prints_a_row_for_each_value() {
    let text = out("sweep --set interp.delay=40..240:20 --seconds 4");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 12);
    assert!(lines[0].starts_with("interp.delay, ms") && lines[11].starts_with("240"));
    let json = out("sweep --set link.carrier=websocket,datagram --seconds 4 --json");
    assert_eq!(json.matches("\"value\":").count(), 2);
    assert!(json.contains("\"value\":\"websocket\""));
    let chosen = out("sweep --set bots=0..2:1 --seconds 4 --probe bytes.down");
    assert!(
        chosen.starts_with("bots, bots  bytes.down, B\n"),
        "{chosen}"
    );
}

#[test]
fn a_trace_is_played_from_its_file() {
    let file = std::env::temp_dir().join("afterimage-cli-trace.csv");
    let run = |text: &str, rest: &str| {
        std::fs::write(&file, text).unwrap();
        format!("{rest} --seconds 4 --link lan --trace {}", file.display())
    };
    let played = out(&run("0,0,0\n100,80,0\n200,0,1\n230,0,0\n", "run --json"));
    assert!(
        played.contains("\"link.vary\":\"trace\"") && played.contains("},\"trace\":\""),
        "{played}"
    );
    assert_ne!(
        played,
        out(&run("0,0,0\n100,81,0\n200,0,1\n230,0,0\n", "run --json"))
    );
    let both = out(&run(
        "0,50,0",
        "sweep --set link.vary=none,trace --probe others.age",
    ));
    assert!(
        both.lines().count() == 3 && both.contains("\ntrace"),
        "{both}"
    );

    let wrong = mistake(&run("0,0,0\n100,fast,0", "run"));
    assert!(
        wrong.contains("afterimage-cli-trace.csv: line 2, column 2 (delay_ms): \"fast\""),
        "{wrong}"
    );
    let other = mistake(&run("0,0,0", "run --set link.vary=wave"));
    assert!(
        other.contains("--trace is played by link.vary=trace; link.vary=wave"),
        "{other}"
    );
    std::fs::remove_file(&file).unwrap();
    assert!(
        mistake(&run("", "run").replace(".csv", ".none")).contains("afterimage-cli-trace.none: ")
    );
    let none = mistake("run --set link.vary=trace");
    assert!(
        none.contains("link.vary=trace needs --trace FILE"),
        "{none}"
    );
}

#[test]
fn mistakes_are_said_with_what_was_probably_meant() {
    for (arguments, sentence) in [
        (
            "run --set interp.dely=5",
            "there is no parameter \"interp.dely\"; the nearest is \"interp.delay\"",
        ),
        (
            "run --set interp.delay=700",
            "interp.delay goes from 0 to 600 ms; 700 is outside",
        ),
        ("run --set interp.delay", "has no ="),
        (
            "run --scene arna",
            "there is no scene \"arna\"; the nearest is \"arena\"",
        ),
        (
            "run --link 6g",
            "there is no link preset \"6g\"; the nearest is \"5g\"",
        ),
        ("run --seconds -1", ""),
        ("run --fps 0", "0 is not in 1..=1000"),
        (
            "sweep --set bots=3",
            "a sweep takes exactly one --set with a range",
        ),
        (
            "sweep --set bots=0..40:1",
            "bots goes from 0 to 30 bots; 40 is outside",
        ),
        (
            "sweep --set bots=0..2:1 --probe bytes.dwn",
            "the nearest is \"bytes.down\"",
        ),
        ("experiment pacin", "the nearest is \"pacing\""),
        ("walk", "unrecognized subcommand"),
    ] {
        let said = mistake(arguments);
        assert!(said.contains(sentence), "{arguments}: {said}");
    }
}

#[test]
fn the_catalogues_are_printed() {
    let params = out("params");
    for param in lab::params::CATALOGUE {
        assert!(
            params.contains(param.id) && params.contains(param.help),
            "{}",
            param.id
        );
    }
    assert!(params.contains("satellite"));
    let probes = out("probes");
    assert!(
        lab::probe::PROBES
            .iter()
            .all(|probe| probes.contains(probe.id))
    );
    let scenes = out("scenes");
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let named: Vec<_> = scenes.lines().map(words).collect();
    for scene in [
        "arena Arena 32 x 24 m",
        "horde Horde 6000 x 4000 px",
        "black-holes Black holes 3000 x 3000 px",
    ] {
        assert!(named.iter().any(|line| line.starts_with(scene)), "{scenes}");
    }
    let of_arena = out("params --scene arena");
    assert!(of_arena.contains("\nbots ") && !of_arena.contains("For arena only."));
    assert!(params.contains("For arena only."));
    assert!(mistake("params --scene arna").contains("the nearest is \"arena\""));
    assert!(out("experiment").contains("pacing"));
    assert_eq!(out("trace --ticks 1000").lines().count(), 2);
}

#[test]
fn a_configuration_file_is_what_the_settings_were_and_what_is_said_beside_it_goes_before() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let settings = "--link dsl --seed 11 --set interp.delay=90 --set predict.smooth=off";
    let saved = file("saved.json", &out(&format!("config {settings}")));
    let by_hand = out(&format!("run {settings} --seconds 4"));
    assert_eq!(out(&format!("run --config {saved} --seconds 4")), by_hand);
    assert_eq!(
        out(&format!("config --config {saved} --set interp.delay=85")),
        { out(&format!("config {settings} --set interp.delay=85")) }
    );
    let beside = format!("run --config {saved} --set interp.delay=160 --seed 12 --seconds 4");
    assert_ne!(out(&beside), by_hand);
    let swept = out(&format!(
        "sweep --config {saved} --set interp.delay=80..90:10 --seconds 4"
    ));
    assert!(swept.contains("interp.delay"), "{swept}");
    assert!(out(&format!("rust --config {saved}")).contains("Micros::from_millis(90)"));

    let wrong = file(
        "wrong.json",
        "{\n  \"afterimage\": 1,\n  \"config\": {\n    \"interp.dely\": 3\n  }\n}",
    );
    let sentence = mistake(&format!("run --config {wrong}"));
    assert!(
        sentence.contains(
            "wrong.json: there is no parameter \"interp.dely\"; the nearest is \"interp.delay\""
        ),
        "{sentence}"
    );
    assert!(mistake("run --config no-such-file.json").contains("no-such-file.json: "));
}

#[test]
fn a_recording_is_listed_in_words() {
    let setup = OnlineSetup::new(scenes::Setup::default(), netcode::Delivery::Ordered);
    let mut online = OnlineOf::<scenes::Arena>::new(setup, Micros::ZERO);
    online.record(true);
    let now = Micros::from_millis(5);
    online.advance(now);
    while online.poll(now, &mut Vec::new()).is_some() {}
    online.handle(now, b"what no relay says");
    let file = std::env::temp_dir().join(format!("lab-cli-{}.rec", std::process::id()));
    std::fs::write(&file, online.recording()).unwrap();
    let name = file.display();
    let brief = out(&format!("recording {name} --brief"));
    let rows: Vec<Vec<&str>> = brief
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0][2..4], ["a", "session"], "{brief}");
    assert_eq!(rows[1][..3], ["5.000", "ms", "up"]);
    assert_eq!((rows[1].last(), rows[2][2]), (Some(&"Hello"), "down"));
    let whole = out(&format!("recording {name}"));
    assert!(
        whole.contains("tick rate: 64 Hz") && whole.contains("not read"),
        "{whole}"
    );
    std::fs::write(&file, b"GIF89a").unwrap();
    assert!(mistake(&format!("recording {name}")).contains("no recording"));
    std::fs::remove_file(&file).unwrap();
    assert!(mistake(&format!("recording {name}")).contains(&name.to_string()));
}
