//! How each class is shown, where that is not as its schema says.

use wire::{ClassId, Schema, Shown};

/// How the entities of each class are shown: as the class says, or otherwise. Both ends must be set up alike, since a server
/// does not tell how an entity of a simulated class moves.
///
/// Not every class can be shown in every way: one that is simulated needs a rule that moves it from its record alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shows {
    by_class: [Option<Shown>; Self::CLASSES],
}

impl Shows {
    /// How many classes may be shown otherwise, the first ones of a schema. Later ones are always as they say.
    pub const CLASSES: usize = 16;

    /// The same, with a class shown in this way. A class past [`CLASSES`](Self::CLASSES) stays as it says.
    pub fn with(mut self, class: ClassId, shown: Shown) -> Self {
        if let Some(place) = self.by_class.get_mut(usize::from(class.0)) {
            *place = Some(shown);
        }
        self
    }

    /// How a class of a schema is shown.
    pub fn of(&self, schema: &Schema, class: ClassId) -> Shown {
        let otherwise = self.by_class.get(usize::from(class.0)).copied().flatten();
        let class = schema.classes.get(usize::from(class.0));
        let said = class.map_or(Shown::Interpolated, |class| class.shown);
        otherwise.unwrap_or(said)
    }

    /// The classes that are shown otherwise than they say, ascending.
    pub fn set(&self) -> impl Iterator<Item = (ClassId, Shown)> + '_ {
        let all = (0..).zip(&self.by_class);
        all.filter_map(|(class, shown)| Some((ClassId(class), (*shown)?)))
    }

    /// Whether entities of a class move by the rule that both ends run.
    pub fn simulates(&self, schema: &Schema, class: ClassId) -> bool {
        self.of(schema, class) == Shown::Simulated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpolate::fixture::BODY;

    #[test]
    fn a_class_is_shown_as_it_says_unless_it_is_set_otherwise() {
        static SCHEMA: Schema = Schema {
            classes: &[BODY, BODY],
            summary: None,
        };
        let shows = Shows::default().with(ClassId(1), Shown::Simulated);
        assert_eq!(shows.of(&SCHEMA, ClassId(0)), Shown::Interpolated);
        assert!(shows.simulates(&SCHEMA, ClassId(1)));
        assert!(shows.set().eq([(ClassId(1), Shown::Simulated)]));
        // What no schema has changes nothing.
        assert_eq!(shows.with(ClassId(200), Shown::Simulated), shows);
    }
}
