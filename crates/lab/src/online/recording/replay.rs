//! A recording put in words.

use netcode::{Client, ClientConfig, Delivery, PeerId, Server, ServerConfig};
use scenes::Scene;
use wire::Micros;

use super::{Recording, What};
use crate::inspect::{Field, Meanings, Packet, Told, explain};

/// One entry of a recording in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// What it is.
    pub what: What,
    /// When, since the recording began.
    pub at: Micros,
    /// Its length, bytes.
    pub bytes: usize,
    /// "Snapshot", "Input"; of what is no packet a word for it.
    pub title: &'static str,
    /// Every bit of a packet; see [`crate::inspect`].
    pub fields: Vec<Field>,
}

/// Plays a recording to a client as it was played to the one that recorded it, and puts each packet into the words that the
/// inspector had for it then.
pub fn replay<G: Scene>(recording: &Recording) -> Vec<Heard> {
    let world = G::new(&recording.world);
    let join = |delivery| {
        let config = ClientConfig {
            rate_hz: recording.world.rate_hz,
            delivery,
            ..ClientConfig::default()
        };
        if recording.watch {
            Client::watch(world.empty(), config, Micros::ZERO)
        } else {
            Client::join(world.empty(), config, Micros::ZERO)
        }
    };
    let mut client = join(Delivery::Datagram);
    let server = Server::new(world.clone(), ServerConfig::default(), Micros::ZERO);
    let meanings = Meanings::of::<G>();
    let words = |told, len, read: Result<(), netcode::Fault>| {
        explain(
            told,
            len,
            read.err().map(|fault| fault.to_string()),
            &meanings,
        )
    };
    let mut all = Vec::with_capacity(recording.entries.len());
    for entry in &recording.entries {
        let (bytes, mut told) = (&entry.bytes[..], Told::default());
        let plain = |kind| Packet {
            kind,
            fields: Vec::new(),
        };
        let said = match entry.what {
            What::Up => {
                let read = server.explain(PeerId(0), bytes, &mut told);
                words(told, bytes.len(), read)
            }
            What::Down => {
                let read = client.explain(bytes, &mut told);
                let said = words(told, bytes.len(), read);
                // What is refused now was refused then.
                let _ = client.handle(entry.at, bytes);
                said
            }
            What::Session => {
                let datagram = bytes == [1];
                client = join(if datagram {
                    Delivery::Datagram
                } else {
                    Delivery::Ordered
                });
                plain(if datagram {
                    "a session begins, on datagrams"
                } else {
                    "a session begins, on a stream"
                })
            }
            What::Full => plain("there was no more room"),
        };
        all.push(Heard {
            what: entry.what,
            at: entry.at,
            bytes: bytes.len(),
            title: said.kind,
            fields: said.fields,
        });
    }
    all
}
