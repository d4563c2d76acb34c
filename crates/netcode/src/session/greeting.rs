//! What two ends hold, in words: of a join that is refused each logs a line, and the two lines show the difference.

use std::fmt;

use wire::Hello;

use crate::game::{Game, Input};
use crate::session::hello_of;

/// What a hello said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The version of the protocol.
    pub version: u8,
    /// What that end holds; of another version nobody can read it.
    pub hello: Option<Hello>,
}

impl Greeting {
    /// A hello of our version.
    pub const fn of(hello: Hello) -> Self {
        Self {
            version: wire::VERSION,
            hello: Some(hello),
        }
    }

    /// A hello of another version.
    pub const fn foreign(version: u8) -> Self {
        Self {
            version,
            hello: None,
        }
    }
}

/// One line: the version and the prints.
impl fmt::Display for Greeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "version {}", self.version)?;
        let Some(hello) = &self.hello else {
            return Ok(());
        };
        write!(
            f,
            ", schema {:#018x}, actions {:#018x}, world {:#018x}, {} Hz",
            hello.schema, hello.actions, hello.world, hello.rate
        )
    }
}

/// What an end holds, to be logged: the prints as a hello says them, and the schema and the actions that they stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    greeting: Greeting,
    schema: String,
    actions: String,
}

impl Holding {
    /// What an end with this game and tick rate holds.
    pub fn of<G: Game>(game: &G, rate_hz: u16) -> Self {
        Self {
            greeting: Greeting::of(hello_of(game, rate_hz)),
            schema: G::SCHEMA.describe().trim_end().replace('\n', "; "),
            actions: G::Input::ACTIONS.join(", "),
        }
    }
}

/// One line.
impl fmt::Display for Holding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            greeting,
            schema,
            actions,
        } = self;
        write!(f, "{greeting}; actions: {actions}; {schema}")
    }
}
