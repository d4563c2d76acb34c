//! One packet by the name that a page knows it by: its line as in the view, and its number there.

use netsim::{Meddle, PacketId};
use wire::Micros;

use super::LONGEST_SHOCK;
use crate::inspect::Inspected;
use crate::json::{Json, number as number_of};
use crate::lab::{Action, Lab, OTHER};
use crate::params::Pair;

/// The packet, explained; `None` where there is no such line, or no packet can have that number.
fn look(lab: &dyn Lab, line: u32, number: f64) -> Option<(usize, Pair, PacketId, Inspected)> {
    let seat = line as usize / 2;
    // A number of JavaScript holds whole numbers to 2^53.
    let whole = number as u64;
    if seat > OTHER || whole as f64 != number {
        return None;
    }
    let side = if line.is_multiple_of(2) {
        Pair::Up
    } else {
        Pair::Down
    };
    let id = PacketId::new(whole);
    Some((seat, side, id, lab.inspect(seat, side, id)))
}

/// See [`super::Page::inspect`].
pub(super) fn inspect(lab: &dyn Lab, line: u32, number: f64) -> String {
    let mut json = Json::new();
    if let Some((.., packet)) = look(lab, line, number) {
        packet.write(&mut json);
    }
    json.finish()
}

/// See [`super::Page::meddle`]: what to do, or why not.
pub(super) fn meddle(
    lab: &dyn Lab,
    line: u32,
    number: f64,
    what: &str,
    ms: f64,
) -> Result<Action, String> {
    let (seat, side, id, packet) = look(lab, line, number)
        .ok_or_else(|| format!("there is no such packet on a line {line}"))?;
    let (at, what) = match what {
        "drop" => (0, Meddle::Drop),
        "hold" if !(0.0..=LONGEST_SHOCK).contains(&ms) => {
            return Err(format!(
                "a packet is held from 0 to {} ms; {} is outside",
                number_of(LONGEST_SHOCK, 0),
                number_of(ms, 3)
            ));
        }
        "hold" => (1, Meddle::Hold(Micros::new((ms * 1_000.0) as u64))),
        "twice" => (2, Meddle::Twice),
        _ => {
            return Err(format!(
                "a packet is to drop, hold or twice; \"{what}\" is none"
            ));
        }
    };
    match packet.refused[at] {
        Some(why) => Err(why.to_owned()),
        None => Ok(Action::Meddle {
            seat,
            side,
            id,
            what,
        }),
    }
}

#[cfg(test)]
mod tests {
    use crate::page::Page;
    use wire::Micros;

    #[test]
    fn a_packet_is_looked_at_and_taken_in_hand_by_line_and_number() {
        let mut page = Page::open("arena", 7, "{\"link.up.loss\":0}").unwrap();
        for _ in 0..20 {
            page.advance(Micros::from_millis(100));
        }
        let newest = newest(&page);
        assert!(page.inspect(0, newest).contains("\"standing\":\"flight\""));
        let hash = page.hash();
        for (line, number, what, ms, why) in [
            (9, newest, "drop", 0.0, "there is no such packet"),
            (0, 0.5, "drop", 0.0, "there is no such packet"),
            (0, newest, "hold", -1.0, "a packet is held from 0"),
            (0, newest, "hold", f64::NAN, "a packet is held from 0"),
            (0, newest, "burn", 0.0, "a packet is to drop, hold or twice"),
            (0, 1e9, "drop", 0.0, "it was not sent yet"),
            (0, newest - 40.0, "drop", 0.0, "it has arrived"),
            (0, 1.0, "drop", 0.0, "its time is past"),
        ] {
            let told = page.meddle(line, number, what, ms).unwrap_err();
            assert!(told.starts_with(why), "{told}");
        }
        assert_eq!((page.hash(), page.inspect(4, 0.0)), (hash, String::new()));
        page.meddle(0, newest, "hold", 200.0).unwrap();
        assert!(page.events().contains("held by hand for 200 ms"));
        page.meddle(0, newest, "drop", 0.0).unwrap();
        assert!(page.inspect(0, newest).contains("\"standing\":\"lost\""));
        assert!(page.readings().contains("\"lost_up_of_last_100\":1"));
    }

    /// Your newest packet to the server that can still be dropped.
    fn newest(page: &Page) -> f64 {
        let mut flights = Vec::new();
        page.lab().flights(&mut flights);
        let up = flights.chunks(8).filter(|flight| flight[1] == 0.0);
        up.map(|flight| f64::from(flight[0])).fold(0.0, f64::max)
    }

    #[test]
    fn a_packet_dropped_in_the_past_forks_there_and_one_that_cannot_be_does_not() {
        let mut page = Page::open("arena", 7, "{\"link.up.loss\":0}").unwrap();
        for _ in 0..30 {
            page.advance(Micros::from_millis(100));
        }
        let live = page.hash();
        page.seek(1_000.0);
        let number = newest(&page);
        assert!(page.meddle(0, 1.0, "drop", 0.0).is_err());
        page.live();
        assert_eq!(page.hash(), live, "what was refused dropped no future");
        page.seek(1_000.0);
        let then = page.hash();
        page.meddle(0, number, "drop", 0.0).unwrap();
        for _ in 0..10 {
            page.advance(Micros::from_millis(100));
        }
        assert_ne!(page.hash(), live);
        // Back at that instant it is what was done, and just before it is what was.
        page.seek(1_000.0);
        assert!(page.inspect(0, number).contains("\"standing\":\"lost\""));
        assert_ne!(page.hash(), then);
        page.step(-1);
        assert!(!page.inspect(0, number).contains("\"standing\":\"lost\""));
    }
}
