use super::*;

#[test]
fn the_catalogue_is_sound() {
    let mut seen = Vec::new();
    for param in CATALOGUE {
        assert!(!seen.contains(&param.id), "{} twice", param.id);
        seen.push(param.id);
        assert_eq!(
            param.check(param.default),
            Ok(param.default),
            "{}: default",
            param.id
        );
        assert!(
            GROUPS.iter().any(|g| g.id == param.group),
            "{}: group {}",
            param.id,
            param.group
        );
        assert!(
            !param.label.is_empty() && !param.off.is_empty() && !param.help.is_empty(),
            "{}",
            param.id
        );
        assert!(!param.moves.is_empty(), "{} moves nothing", param.id);
        if let Some((other, need)) = param.requires {
            let other = ParamId::named(other).unwrap().param();
            let values = match need {
                Need::Is(value) => vec![value],
                Need::Among(values) => values.to_vec(),
                Need::Above(least) => vec![least + 1.0],
            };
            for value in values {
                assert!(
                    other.check(value) == Ok(value) && need.met(value),
                    "{}",
                    param.id
                );
            }
        }
        for (_, value) in param.defaults {
            assert_eq!(param.check(*value), Ok(*value), "{}: default", param.id);
        }
        for (other, text) in param.given {
            ParamId::named(other).unwrap().param().parse(text).unwrap();
        }
        if let Kind::Range { min, max, step, .. } = param.kind {
            assert_eq!(
                ((max - min) / step).fract(),
                0.0,
                "{}: whole steps",
                param.id
            );
        }
    }
}

#[test]
fn a_value_goes_to_text_and_back() {
    for param in CATALOGUE {
        let (first, last) = param.ends();
        for value in [first, param.default, last] {
            assert_eq!(param.parse(&param.text(value)), Ok(value), "{}", param.id);
        }
    }
}

#[test]
fn says_what_is_wrong_and_what_was_meant() {
    let mut config = Config::default();
    let mut wrong = |id: &str, text: &str| config.set_text(id, text).unwrap_err().to_string();
    assert_eq!(
        wrong("interp.dely", "100"),
        "there is no parameter \"interp.dely\"; the nearest is \"interp.delay\""
    );
    assert_eq!(
        wrong("interp.delay", "601"),
        "interp.delay goes from 0 to 600 ms; 601 is outside"
    );
    assert_eq!(
        wrong("interp.delay", "NaN"),
        "interp.delay goes from 0 to 600 ms; – is outside"
    );
    assert_eq!(
        wrong("interp.delay", "soon"),
        "interp.delay takes a number; \"soon\" is not one"
    );
    assert_eq!(
        wrong("bots", "1.5"),
        "bots takes whole numbers; 1.5 is not one"
    );
    assert_eq!(
        wrong("rewind.on", "maybe"),
        "rewind.on is true or false; \"maybe\" is neither"
    );
    assert_eq!(
        wrong("link.carrier", "datagrams"),
        "link.carrier is one of websocket, datagram; \"datagrams\" is not, the nearest is \"datagram\""
    );
    assert!(
        config
            .set_link("4h")
            .unwrap_err()
            .to_string()
            .contains("the nearest is")
    );
    assert_eq!(config, Config::default(), "nothing was set");
}

#[test]
fn a_configuration_survives_json() {
    let mut config = Config::default();
    config.set_text("interp.delay", "122.5").unwrap();
    config.set_text("link.carrier", "websocket").unwrap();
    config.set_text("predict.on", "false").unwrap();
    let mut all = Json::new();
    config.write(&mut all);
    assert_eq!(Config::from_json("arena", &all.finish()), Ok(config));
    let mut few = Json::new();
    config.write_differences(&mut few);
    let few = few.finish();
    assert_eq!(
        few,
        r#"{"link.carrier":"websocket","predict.on":false,"interp.delay":122.5}"#
    );
    assert_eq!(Config::from_json("arena", &few), Ok(config));
    assert!(Config::from_json("arena", "[]").is_err());
}

#[test]
fn a_requirement_reaches_through() {
    let mut config = Config::default();
    assert!(config.on(PREDICT_SMOOTH));
    config.set(PREDICT_ON, 0.0).unwrap();
    assert!(
        !config.on(PREDICT_SMOOTH),
        "smoothing needs reconciling, which needs predicting"
    );
    config.set(INTERP_POLICY, TWO_SNAPSHOTS).unwrap();
    assert!(!config.applies(INTERP_DELAY));
}

#[test]
fn the_default_link_is_4g_and_its_delay_covers_it() {
    let mut config = Config::default();
    assert_eq!(config.link().map(|p| p.id), Some("4g"));
    let needs = config.get(LINK_DOWN_LATENCY)
        + config.get(LINK_DOWN_JITTER)
        + 1000.0 / config.get(SERVER_SNAPSHOTS);
    let spare = config.get(INTERP_DELAY) - needs;
    assert!((0.0..40.0).contains(&spare), "{spare} ms to spare");
    for preset in PRESETS {
        config.set_link(preset.id).unwrap();
        assert_eq!(config.link().map(|p| p.id), Some(preset.id));
    }
    config.set_text("link.down.reorder", "3").unwrap();
    config.set_text("link.vary", "ramp").unwrap();
    let mut plain = Config::default();
    config.set_link("lan").unwrap();
    plain.set_link("lan").unwrap();
    assert_eq!(config, plain, "nothing of the link before is left");
    config.set(LINK_UP_LOSS, 33.0).unwrap();
    assert_eq!(config.link(), None);
}

#[test]
fn what_another_scene_has_cannot_be_set_and_is_passed_over_in_a_link() {
    let mut config = Config::of("horde");
    assert_eq!(
        config.set_text("bots", "3").unwrap_err().to_string(),
        "bots is for the scene arena or black-holes; horde does not have it"
    );
    assert!(config.set(BOTS, 3.0).is_err());
    assert_eq!(config.take_text("bots", "3"), Ok(Some("bots")));
    assert!(config.take_text("bot", "3").is_err(), "nobody has it");
    assert_eq!(config, Config::of("horde"), "nothing was set");
    let link = r#"{"interp.delay":90,"bots":3}"#;
    let config = Config::from_json("horde", link).unwrap();
    let mut few = Json::new();
    config.write_differences(&mut few);
    assert_eq!(few.finish(), r#"{"interp.delay":90}"#);
    assert!(!config.params().any(|id| id == BOTS));
}

#[test]
fn settings_go_along_to_another_scene_as_far_as_it_has_them() {
    let mut config = Config::of("arena");
    config.set(BOTS, 3.0).unwrap();
    config.set(INTERP_DELAY, 90.0).unwrap();
    let there = config.to("horde");
    assert_eq!((there.scene(), there.get(INTERP_DELAY)), ("horde", 90.0));
    assert_eq!(there.get(BOTS), Config::of("horde").get(BOTS));
    assert_eq!(config.to("arena"), config);
}
