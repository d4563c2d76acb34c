//! What a client may send once it is seated.

use wire::{
    Goodbye, InputHead, InputsHead, Instant, Kind, MAX_INPUTS, Ping, Reader, Tick, read_drawn,
};

use crate::game::{Input, InputOrder};
use crate::output::{Fault, finish};

/// What a client may send once it is seated, read whole before anything is applied.
pub(super) enum Uplink<I> {
    /// Commands, oldest first, of unbroken ticks up to the newest.
    Inputs {
        newest: Tick,
        commands: [(Tick, I); MAX_INPUTS as usize],
        count: usize,
        saw: Option<Instant>,
    },
    Ping(u32),
    Goodbye,
}

impl<I: Input> Uplink<I> {
    pub(super) fn read(r: &mut Reader<'_>, near: Tick, server_tick: Tick) -> Result<Self, Fault> {
        let mut commands = [(Tick::default(), I::default()); MAX_INPUTS as usize];
        match Kind::peek(r)? {
            Kind::Input => {
                let newest = Tick::from_wire(InputHead::read(r)?.seq, near);
                commands[0] = (newest, read_input(r)?);
                let saw = read_drawn(server_tick, r)?;
                Ok(Self::Inputs {
                    newest,
                    commands,
                    count: 1,
                    saw,
                })
            }
            Kind::Inputs => {
                let head = InputsHead::read(r)?;
                let newest = Tick::from_wire(head.newest, near);
                let count = usize::from(head.count);
                for read in 0..count {
                    let at = match I::ORDER {
                        InputOrder::NewestFirst => count - 1 - read,
                        InputOrder::OldestFirst => read,
                    };
                    commands[at] = (newest - (count - 1 - at) as u64, read_input(r)?);
                }
                let saw = read_drawn(server_tick, r)?;
                Ok(Self::Inputs {
                    newest,
                    commands,
                    count,
                    saw,
                })
            }
            Kind::Ping => {
                let Ping { stamp } = Ping::read(r)?;
                finish(r)?;
                Ok(Self::Ping(stamp))
            }
            Kind::Goodbye => {
                Goodbye::read(r)?;
                finish(r)?;
                Ok(Self::Goodbye)
            }
            kind @ (Kind::Snapshot | Kind::Pong) => {
                Err(Fault::WrongDirection { kind: kind.code() })
            }
        }
    }
}

fn read_input<I: Input>(r: &mut Reader<'_>) -> Result<I, Fault> {
    r.open("input");
    let input = I::read(r)?;
    r.close();
    Ok(input)
}
