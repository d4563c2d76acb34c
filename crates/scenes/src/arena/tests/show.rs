//! Hands, pictures and sentences.

use super::*;
use crate::mark::MarkKind;

#[test]
fn no_pad_is_harmful() {
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e30] {
        let pad = Pad {
            x: value,
            y: value,
            aim_x: value,
            aim_y: value,
            ..Pad::default()
        };
        for me in [None, Some([value, 0.0]), Some([0.0, 0.0])] {
            let input = Arena::input(&pad, me);
            assert_eq!(input.aim, None, "{value} from {me:?} points nowhere");
            let stick = input.stick();
            assert!(stick.length() <= 1.0, "{value} gives {input:?}");
            let mut fighter = Fighter::at(Vec2::ZERO, false);
            for _ in 0..50 {
                fighter.run(Some(&input), None, 1.0 / 64.0);
            }
            assert_eq!(fighter, fighter.clamped());
        }
    }
    let pad = Pad {
        aim_x: 3.0,
        aim_y: 4.0,
        buttons: 0b11,
        pressed: 0b10,
        ..Pad::default()
    };
    let input = Arena::input(&pad, Some([3.0, 2.0]));
    assert_eq!(
        input,
        Input {
            aim: Some(16_384),
            dash: true,
            held: true,
            ..Input::default()
        }
    );
    assert_eq!(Arena::input(&pad, None).aim, None);
}

#[test]
fn a_picture_has_walls_first_and_who_is_who() {
    let (drawn, keys) = screen(|_, _| {});
    let mut out = Vec::new();
    let view = View {
        you: Some(keys[1]),
        without_walls: false,
    };
    Arena::marks(&drawn, &view, &mut out);
    let kind_of = |key| {
        out.iter()
            .find(|mark| mark.key == Mark::key_of(key))
            .map(|mark| mark.kind)
    };
    assert_eq!(kind_of(keys[0]), Some(MarkKind::Bot));
    assert_eq!(kind_of(keys[1]), Some(MarkKind::You));
    assert_eq!(kind_of(keys[2]), Some(MarkKind::Other));
    let walls = out
        .iter()
        .take_while(|mark| mark.kind == MarkKind::Wall)
        .count();
    assert_eq!(walls, 14);
    assert_eq!(out[walls].kind, MarkKind::Gate);
    let mut bare = Vec::new();
    Arena::marks(
        &drawn,
        &View {
            without_walls: true,
            ..view
        },
        &mut bare,
    );
    assert_eq!(bare, out[walls..]);
}

/// A bot, a player whose screen it is, and another player for whom the screen has no news; each as `change` leaves it.
fn screen(change: impl Fn(SlotKey, &mut [f32])) -> (Drawn, [SlotKey; 3]) {
    let mut world = World::new(Setup::default(), &[BotStyle::Still; 3]);
    // The picture is that of the tick before, and before the first nobody has come in.
    (0..2).for_each(|_| drop(world.tick()));
    let keys = [0, 1, 2].map(|index: usize| world.bots[index].0);
    let mut drawn = Drawn::default();
    drawn.mine = Some(keys[1]);
    for (body, values) in world.drawn.iter() {
        let (mine, starved) = (body.key == keys[1], body.key == keys[2]);
        let out = drawn.push(body.key, body.class, values.len(), mine, starved);
        out.copy_from_slice(values);
        if body.class == FIGHTER_CLASS && body.key != keys[0] {
            out[Fighter::AT.bot] = 0.0;
        }
        change(body.key, out);
    }
    (drawn, keys)
}

#[test]
fn the_own_character_lies_on_top_and_who_starves_is_marked() {
    let (drawn, [_, me, other]) = screen(|_, _| {});
    let mut out = Vec::new();
    Arena::marks(
        &drawn,
        &View {
            you: Some(me),
            without_walls: true,
        },
        &mut out,
    );
    assert_eq!(out.last().map(|mark| mark.key), Some(Mark::key_of(me)));
    let starved = |key| {
        out.iter()
            .any(|mark| mark.key == Mark::key_of(key) && mark.flags & Mark::STARVED != 0)
    };
    assert!(starved(other) && !starved(me));
}

#[test]
fn an_own_shot_is_shown_where_the_screen_says_that_it_ends() {
    assert_eq!(
        Arena::unjudged(&Drawn::default()),
        None,
        "a screen without a character"
    );
    let (drawn, _) = screen(|key, values| {
        let x = match key.slot {
            1 => -4.0,
            2 => -10.0,
            _ => return,
        };
        (values[Fighter::AT.x], values[Fighter::AT.y]) = (x, 0.6);
        (values[Fighter::AT.aim], values[Fighter::AT.shots]) = (0.0, 3.0);
    });
    let shot = Arena::unjudged(&drawn).expect("it has a character");
    assert_eq!(
        (shot.number, shot.from, shot.to),
        (3, [-10.0, 0.6], [-4.5, 0.6])
    );
}

#[test]
fn everyone_is_told_their_own_side_of_a_shot() {
    let (drawn, [bot, me, other]) = screen(|_, _| {});
    let tell = |verdict, by, to, fell, viewer| {
        let struck = Struck {
            key: to,
            then: [0, 0],
            fell,
        };
        let shot = Judged {
            by,
            number: 0,
            from: [0, 0],
            to: [0, 0],
            rewound_ms: 260,
            verdict,
            struck: (verdict != Verdict::Miss).then_some(struck),
        };
        Arena::tell(&Event::Shot(shot), viewer, &drawn).map(|note| (note.kind, note.text))
    };
    let said = |kind, text: &str| Some((kind, text.to_owned()));
    assert_eq!(
        tell(Verdict::Hit, me, bot, false, me),
        said("hit", "your shot hit bot 1")
    );
    assert_eq!(
        tell(Verdict::Granted, me, other, true, me),
        said(
            "granted",
            "your shot put out the other player, granted by rewinding 260 ms"
        )
    );
    assert_eq!(
        tell(Verdict::Denied, me, bot, false, me),
        said(
            "denied",
            "your shot passed where bot 1 was 260 ms ago, denied by the rewind"
        )
    );
    assert_eq!(
        tell(Verdict::Miss, me, bot, false, me),
        said("miss", "your shot missed")
    );
    assert_eq!(
        tell(Verdict::Hit, bot, me, true, me),
        said("hurt", "bot 1 put you out")
    );
    assert_eq!(
        tell(Verdict::Granted, bot, me, false, me),
        said("hurt", "bot 1 hit you, 260 ms ago")
    );
    assert_eq!(
        tell(Verdict::Denied, bot, me, false, me),
        None,
        "nothing happened to me"
    );
    assert_eq!(tell(Verdict::Hit, bot, other, false, me), None, "nor here");
    let behind = Event::BehindCover {
        by: other,
        ago_ms: 180,
    };
    let note = Arena::tell(&behind, me, &drawn).expect("it is for me");
    assert_eq!(note.kind, "behind");
    assert_eq!(
        note.text,
        "hit behind cover: the other player hit where you were 180 ms ago"
    );
}

#[test]
fn a_player_is_called_the_other_one_while_there_is_one_and_by_number_among_several() {
    let behind = |by, drawn: &Drawn| {
        let event = Event::BehindCover { by, ago_ms: 10 };
        let me = drawn.mine.expect("it has a character");
        Arena::tell(&event, me, drawn).expect("it is for me").text
    };
    let (drawn, [bot, _, other]) = screen(|_, _| {});
    assert!(behind(other, &drawn).contains(": the other player hit"));
    assert!(behind(bot, &drawn).contains(": bot 1 hit"));
    let gone = SlotKey { slot: 40, life: 0 };
    assert!(behind(gone, &drawn).contains(": somebody hit"));
    let (drawn, [second, _, other]) = screen(|_, values| {
        if values.len() == Fighter::WIDTH {
            values[Fighter::AT.bot] = 0.0;
        }
    });
    assert!(behind(other, &drawn).contains(": player 3 hit"));
    assert!(behind(second, &drawn).contains(": player 1 hit"));
}
