//! A struct and its class from one list.

/// Makes a struct of codes and its [`Class`](crate::Class) from one list of fields.
///
/// For each field: name, quantizer, unit, blend, audience, and `place` if it is part of the
/// position.
///
/// ```
/// use afterimage_wire::{Quant, record};
///
/// record! {
///     /// A player's body.
///     pub struct Fighter as FIGHTER ("fighter", shown: Interpolated, rewind: true, share: 1) {
///         /// Along the long wall.
///         x: Quant::Signed { bits: 17, step: 0.001 }, "m", Linear, All, place;
///         /// What is left.
///         hp: Quant::Count { bits: 7 }, "hp", Nearer, All;
///     }
/// }
///
/// let mut codes = [0; Fighter::WIDTH];
/// Fighter { x: -1500, hp: 100 }.save(&mut codes);
/// assert_eq!(codes, [-1500, 100]);
/// assert_eq!(Fighter::load(&codes), Fighter { x: -1500, hp: 100 });
///
/// // Decoded values are read by name too.
/// let mut drawn = [0.0; Fighter::WIDTH];
/// FIGHTER.decode(&codes, &mut drawn);
/// assert_eq!(drawn[Fighter::AT.hp], 100.0);
/// ```
///
/// The struct gets `WIDTH`, `AT` (the position of each field by its name), `save`, `load` and
/// `clamped`. A class that cannot be written (see [`Class::check`](crate::Class::check)) does not
/// compile.
#[macro_export]
macro_rules! record {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident as $class:ident
        ($label:literal, shown: $shown:ident, rewind: $rewind:expr, share: $share:expr) {
            $(
                $(#[$field_meta:meta])*
                $field:ident: $quant:expr, $unit:literal, $blend:ident, $to:ident
                $(, $place:ident)?;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        $vis struct $name {
            $($(#[$field_meta])* $vis $field: i32,)*
        }

        #[doc = concat!("The class of [`", stringify!($name), "`].")]
        $vis const $class: $crate::Class = $crate::Class {
            name: $label,
            fields: &[$($crate::Field {
                name: stringify!($field),
                quant: $quant,
                unit: $unit,
                blend: $crate::Blend::$blend,
                to: $crate::Audience::$to,
                place: $crate::__is_place!($($place)?),
            },)*],
            shown: $crate::Shown::$shown,
            rewind: $rewind,
            share: $share,
        };

        // Without a name of its own, so that two records in one module do not meet.
        const _: () = {
            $class.check();

            #[allow(non_camel_case_types, reason = "named as the fields")]
            enum Order { $($field,)* }

            /// The position of each field in the record.
            #[derive(Clone, Copy, Debug)]
            $vis struct At {
                $(
                    #[doc = concat!("Position of `", stringify!($field), "`.")]
                    $vis $field: usize,
                )*
            }

            #[allow(dead_code, reason = "not every record is read by name or clamped")]
            impl $name {
                /// Codes in a record.
                $vis const WIDTH: usize = $class.width();
                /// The position of each field, by its name.
                $vis const AT: At = At { $($field: Order::$field as usize,)* };

                /// Writes the codes into the first of `out`, in order.
                $vis fn save(&self, out: &mut [i32]) {
                    $(out[Self::AT.$field] = self.$field;)*
                }

                /// Takes the codes from the first of `rec`, in order.
                $vis fn load(rec: &[i32]) -> Self {
                    Self { $($field: rec[Self::AT.$field],)* }
                }

                /// With every code in its range; turns wrap.
                #[must_use]
                $vis fn clamped(self) -> Self {
                    Self { $($field: $class.fields[Self::AT.$field].quant.clamp(self.$field),)* }
                }
            }
        };
    };
}

/// The last word of a field's line.
#[doc(hidden)]
#[macro_export]
macro_rules! __is_place {
    () => {
        false
    };
    (place) => {
        true
    };
}

#[cfg(test)]
mod tests {
    use crate::{Audience, Blend, Quant, Shown};

    record! {
        /// One.
        struct Gate as GATE ("gate", shown: Simulated, rewind: false, share: 3) {
            /// How far it stands open.
            open: Quant::Share { bits: 8 }, "", Linear, All;
        }
    }

    // Two in one module, the second with a field of the same name.
    record! {
        struct Door as DOOR ("door", shown: Interpolated, rewind: true, share: 1) {
            x: Quant::Signed { bits: 9, step: 0.5 }, "m", Linear, Owner, place;
            open: Quant::Flag, "", Cut, Birth;
        }
    }

    #[test]
    fn the_list_makes_struct_class_and_positions() {
        assert_eq!(
            (GATE.name, GATE.shown, GATE.share),
            ("gate", Shown::Simulated, 3)
        );
        assert_eq!((Gate::WIDTH, Door::WIDTH), (1, 2));
        assert_eq!((Door::AT.x, Door::AT.open), (0, 1));
        let [x, open] = DOOR.fields else {
            panic!("two fields")
        };
        assert_eq!(
            (x.name, x.unit, x.to, x.place),
            ("x", "m", Audience::Owner, true)
        );
        assert_eq!(
            (open.name, open.blend, open.place),
            ("open", Blend::Cut, false)
        );
        assert_eq!(Gate::default(), Gate { open: 0 });
    }
}
