//! One packet: explained to its last bit, and taken in hand.

use std::collections::BTreeMap;

use lab::inspect::{Field, Inspected, Standing};
use lab::json::Json;
use lab::params::{Config, Pair};
use lab::{Action, Lab, LabSetup, OTHER, YOU};
use netsim::{Meddle, PacketId};
use wire::Micros;

const fn ms(ms: u64) -> Micros {
    Micros::from_millis(ms)
}

fn open(settings: &[(&str, &str)]) -> Box<dyn Lab> {
    let mut config = Config::default();
    for (id, value) in settings {
        config.set_text(id, value).expect("a setting");
    }
    lab::scenes::open("arena", LabSetup::new(7, config)).expect("a scene")
}

/// Seat, side and number of every packet in flight.
fn flights(lab: &dyn Lab) -> Vec<(usize, Pair, u64)> {
    let mut rows = Vec::new();
    lab.flights(&mut rows);
    let packet = |row: &[f32]| {
        let (line, way) = (row[1] as usize, [Pair::Up, Pair::Down]);
        (line / 2, way[line % 2], row[0] as u64)
    };
    rows.chunks(8).map(packet).collect()
}

fn inspect(lab: &dyn Lab, (seat, side, number): (usize, Pair, u64)) -> Inspected {
    lab.inspect(seat, side, PacketId::new(number))
}

fn bits(fields: &[Field]) -> u32 {
    let of = |field: &Field| {
        if field.fields.is_empty() {
            field.bits
        } else {
            bits(&field.fields)
        }
    };
    fields.iter().map(of).sum()
}

fn find<'a>(fields: &'a [Field], name: &str) -> Option<&'a Field> {
    let here = fields.iter().find(|field| field.name == name);
    here.or_else(|| fields.iter().find_map(|field| find(&field.fields, name)))
}

/// Runs 20 s and explains every packet of every line while it flies; how many of each kind there were.
fn explain_all(carrier: &str) -> BTreeMap<String, u64> {
    let mut lab = open(&[
        ("link.carrier", carrier),
        ("link.up.loss", "8"),
        ("link.down.loss", "8"),
    ]);
    let (mut next, mut kinds) = ([0u64; 4], BTreeMap::new());
    for step in 1..=4_000u64 {
        lab.advance(ms(step * 5));
        let mut seen = flights(&*lab);
        seen.sort_by_key(|&(_, _, number)| number);
        for packet @ (seat, side, number) in seen {
            let line = &mut next[seat * 2 + usize::from(side == Pair::Down)];
            if number < *line {
                continue;
            }
            assert_eq!(number, *line, "a packet flew by unseen");
            *line += 1;
            let told = inspect(&*lab, packet);
            assert!(told.bytes > 0, "{told:?}");
            assert_eq!(bits(&told.fields) as usize, told.bytes * 8, "{told:?}");
            assert_eq!(find(&told.fields, "not read"), None, "{told:?}");
            let (kind, own) = told.title.split_once(' ').expect("kind and number");
            assert_eq!(own, number.to_string());
            for what in [kind, "event "] {
                let has = |field: &Field| field.name.starts_with(what);
                let counts = what == kind || told.fields.iter().any(has);
                *kinds.entry(what.to_owned()).or_default() += u64::from(counts);
            }
        }
    }
    kinds
}

#[test]
fn every_bit_of_every_packet_is_explained_on_either_carrier() {
    for (carrier, inputs) in [("websocket", 2_000), ("datagram", 2_000)] {
        let kinds = explain_all(carrier);
        for (kind, least) in [
            ("Hello", 2),
            ("Welcome", 2),
            ("Ping", 100),
            ("Pong", 100),
            ("Input", inputs),
            ("Snapshot", 2_000),
            ("event ", 50),
        ] {
            let seen = kinds.get(kind).copied().unwrap_or(0);
            assert!(seen >= least, "{carrier}: {seen} of {kind} in {kinds:?}");
        }
    }
}

#[test]
fn fields_are_in_words_with_their_units() {
    let mut lab = open(&[]);
    lab.advance(ms(3_000));
    let of = |kind: &str, line: (usize, Pair)| {
        let mut packets = flights(&*lab)
            .into_iter()
            .filter(|&(seat, side, _)| (seat, side) == line);
        packets
            .find_map(|packet| {
                Some(inspect(&*lab, packet)).filter(|told| told.title.starts_with(kind))
            })
            .unwrap()
    };
    let value = |told: &Inspected, name: &str| {
        find(&told.fields, name)
            .unwrap_or_else(|| panic!("{name} in {told:?}"))
            .value
            .clone()
    };
    let up = of("Input", (YOU, Pair::Up));
    assert_eq!(up.overhead, (28, "UDP/IP"));
    let newest: u64 = value(&up, "newest input")
        .strip_prefix("tick ")
        .unwrap()
        .parse()
        .unwrap();
    assert!(find(&up.fields, &format!("input {newest}")).is_some());
    assert!(find(&up.fields, &format!("input {}", newest - 1)).is_some());
    assert!(value(&up, "aim").ends_with('°') && ["yes", "no"].contains(&&*value(&up, "held")));
    assert_eq!(value(&up, "heard of the 32 before it").len(), 32 + 7);

    let down = of("Snapshot", (YOU, Pair::Down));
    let me = down
        .fields
        .iter()
        .find(|field| field.name.ends_with(", fighter, its own"))
        .unwrap();
    assert!(value(&down, "x").ends_with(" m") && value(&down, "hp").ends_with(" hp"));
    assert!(
        find(&me.fields, "vx").unwrap().value.ends_with(" m/s")
            && find(&me.fields, "dash wait")
                .unwrap()
                .value
                .ends_with(" ticks")
    );
    let entities: usize = value(&down, "entities").parse().unwrap();
    assert_eq!(
        down.fields
            .iter()
            .filter(|field| field.name.starts_with("entity "))
            .count(),
        entities
    );

    let mut json = Json::new();
    down.write(&mut json);
    let json = json.finish();
    assert!(
        json.starts_with(&format!(
            "{{\"title\":\"{}\",\"bytes\":{},\"bits\":{}",
            down.title,
            down.bytes,
            down.bytes * 8
        )),
        "{json}"
    );
    assert!(
        json.ends_with("\"refused\":{\"drop\":\"\",\"hold\":\"\",\"twice\":\"\"}}"),
        "{json}"
    );
}

#[test]
fn looking_at_packets_changes_nothing() {
    let mut lab = open(&[]);
    lab.advance(ms(2_000));
    let before = lab.digest();
    let packets = flights(&*lab);
    assert!(packets.len() > 10);
    for packet in packets {
        assert_eq!(inspect(&*lab, packet), inspect(&*lab.fork(), packet));
    }
    assert_eq!(lab.digest(), before);
    let far = inspect(&*lab, (OTHER, Pair::Up, 1 << 40));
    assert_eq!(
        (far.standing, far.bytes, &*far.says),
        (Standing::Unsent, 0, "not sent yet")
    );
    assert_eq!(
        inspect(&*lab, (YOU, Pair::Down, 0)).standing,
        Standing::Arrived
    );
}

#[test]
fn of_a_packet_sent_long_ago_is_said_that_nothing_is_known_and_not_that_it_came() {
    let mut lab = open(&[("link.down.loss", "20")]);
    lab.advance(ms(10_000));
    // Of the first half a second one in five was lost.
    for number in 0..30 {
        let told = inspect(&*lab, (YOU, Pair::Down, number));
        assert_eq!(
            (told.standing, told.refused),
            (Standing::Forgotten, [Some("its time is past"); 3])
        );
        assert_eq!(&*told.says, "over; whether it came is no longer known");
    }
}

/// A quiet link, and a packet on it that was sent just now.
fn one(carrier: &str, side: Pair, kind: &str) -> (Box<dyn Lab>, (usize, Pair, u64)) {
    let quiet =
        ["up", "down"].map(|way| ["loss", "jitter"].map(|what| format!("link.{way}.{what}")));
    let mut settings: Vec<(&str, &str)> = quiet.iter().flatten().map(|id| (&**id, "0")).collect();
    settings.push(("link.carrier", carrier));
    let mut lab = open(&settings);
    lab.advance(ms(2_000));
    lab.drain();
    let packets = flights(&*lab)
        .into_iter()
        .filter(|&(seat, way, _)| (seat, way) == (YOU, side));
    let newest = packets
        .filter(|&packet| inspect(&*lab, packet).title.starts_with(kind))
        .max_by_key(|packet| packet.2);
    (lab, newest.expect("one in flight"))
}

fn act(lab: &mut dyn Lab, (seat, side, number): (usize, Pair, u64), what: Meddle) {
    let id = PacketId::new(number);
    lab.act(Action::Meddle {
        seat,
        side,
        id,
        what,
    });
}

#[test]
fn a_snapshot_dropped_is_lost_in_the_picture_in_the_figures_and_in_the_feed() {
    let (mut lab, packet) = one("datagram", Pair::Down, "Snapshot");
    let before = inspect(&*lab, packet);
    assert_eq!(before.refused, [None; 3]);
    act(&mut *lab, packet, Meddle::Drop);
    let after = inspect(&*lab, packet);
    assert_eq!(
        (after.standing, &after.fields),
        (Standing::Lost, &before.fields)
    );
    assert_eq!(after.refused, [Some("it is lost"); 3]);
    assert_eq!(lab.lost_of_last_100(YOU, Pair::Down), 1);
    let feed = lab.drain();
    assert_eq!(
        (feed[0].kind, &*feed[0].text),
        (
            "losses",
            &*format!("snapshot packet {} dropped by hand", packet.2)
        )
    );
    // Once more changes nothing, and a run on from a copy is the same.
    let digest = lab.digest();
    act(&mut *lab, packet, Meddle::Drop);
    assert!(lab.digest() == digest && lab.drain().is_empty());
    let mut copy = lab.fork();
    copy.advance(ms(3_000));
    let over = inspect(&*copy, packet);
    assert_eq!((over.standing, &*over.says), (Standing::Lost, "lost"));
    assert_eq!(over.refused, [Some("it is lost"); 3]);
    lab.advance(ms(5_000));
    copy.advance(ms(5_000));
    assert_eq!(lab.digest(), copy.digest());
    // What became of it is said as of any loss.
    let verdicts = lab.drain();
    assert!(verdicts.iter().any(|line| line.kind == "resent"));
    assert!(
        verdicts
            .iter()
            .any(|line| line.text == "1 snapshot packet lost in 2 s: made good")
    );
}

#[test]
fn an_input_held_is_late_and_one_sent_twice_is_doubled() {
    let (mut lab, packet) = one("datagram", Pair::Up, "Input");
    let (mut twice, _) = one("datagram", Pair::Up, "Input");
    act(&mut *lab, packet, Meddle::Hold(ms(200)));
    lab.advance(lab.now() + ms(60));
    assert_eq!(inspect(&*lab, packet).standing, Standing::Late);
    assert_eq!(
        lab.drain()[0].text,
        format!("input packet {} held by hand for 200 ms", packet.2)
    );
    act(&mut *twice, packet, Meddle::Twice);
    assert_eq!(
        inspect(&*twice, packet).refused,
        [None, None, Some("it is doubled as it is")]
    );
    assert_eq!(
        flights(&*twice)
            .iter()
            .filter(|other| **other == packet)
            .count(),
        2
    );
    assert_eq!(
        twice.drain()[0].text,
        format!("input packet {} sent twice by hand", packet.2)
    );
    // Its copy comes 3 ms behind it, and dropping that loses nothing.
    while inspect(&*twice, packet).standing == Standing::Flight {
        twice.advance(twice.now() + ms(1));
    }
    act(&mut *twice, packet, Meddle::Drop);
    assert_eq!(twice.lost_of_last_100(YOU, Pair::Up), 0);
    let told = twice.drain().pop().map(|line| line.text);
    let said = format!(
        "input packet {} came, its second copy dropped by hand",
        packet.2
    );
    assert_eq!(told, Some(said));
}

#[test]
fn on_a_stream_a_packet_dropped_comes_late_and_none_comes_twice() {
    let (mut lab, packet) = one("websocket", Pair::Up, "Input");
    let before = inspect(&*lab, packet);
    assert_eq!(before.overhead, (46, "WebSocket, TCP/IP"));
    assert_eq!(
        before.refused,
        [None, None, Some("a stream throws a second copy away")]
    );
    act(&mut *lab, packet, Meddle::Drop);
    let after = inspect(&*lab, packet);
    assert_eq!(
        (after.standing, after.refused[0]),
        (Standing::Late, Some("it is lost, and not sent again yet"))
    );
    assert!(
        after.says.starts_with("lost and to be sent again, due in "),
        "{}",
        after.says
    );
    assert!(
        lab.drain()[0]
            .text
            .ends_with("dropped by hand, to be sent again")
    );
    lab.advance(lab.now() + ms(1_000));
    assert_eq!(inspect(&*lab, packet).standing, Standing::Arrived);
}
