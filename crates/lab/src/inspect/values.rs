//! Values of the wire as a reader takes them.

use wire::Quant;

use crate::json::number;

/// A code in the unit of its field, as exactly as its steps are fine.
pub(super) fn in_unit(quant: Quant, code: i32, unit: &str) -> String {
    let value = f64::from(quant.decode(code));
    match quant {
        Quant::Flag => yes(code as u64),
        Quant::Turn { .. } => signed(value.to_degrees(), 1) + "°",
        Quant::Share { .. } => signed(value * 100.0, 1) + " %",
        Quant::Axis => signed(value, 2),
        Quant::Count { .. } => with_unit(code.to_string(), unit),
        Quant::Signed { step, .. } | Quant::Unsigned { step, .. } => {
            with_unit(signed(value, decimals(step)), unit)
        }
    }
}

/// Decimals that write a step whole, at most six.
fn decimals(step: f32) -> usize {
    let (mut size, mut places) = (f64::from(step), 0);
    while places < 6 && (size - (size + 0.5).trunc()).abs() > 1e-3 * size {
        size *= 10.0;
        places += 1;
    }
    places
}

/// With a true minus sign.
fn signed(value: f64, places: usize) -> String {
    number(value, places).replace('-', "\u{2212}")
}

pub(super) fn with_unit(value: String, unit: &str) -> String {
    match unit {
        "" => value,
        unit => value + " " + unit,
    }
}

pub(super) fn ticks(raw: u64) -> String {
    if raw == 1 {
        "1 tick".to_owned()
    } else {
        format!("{raw} ticks")
    }
}

pub(super) fn yes(raw: u64) -> String {
    if raw == 0 { "no" } else { "yes" }.to_owned()
}

/// A mask of so many bits, the lowest first, four by four.
pub(super) fn mask(raw: u64, bits: u32) -> String {
    let mut out = String::new();
    for bit in 0..bits {
        if bit > 0 && bit % 4 == 0 {
            out.push(' ');
        }
        out.push(if raw >> bit & 1 == 1 { '1' } else { '0' });
    }
    out
}

pub(super) fn hex(raw: u64) -> String {
    format!("{raw:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_its_unit_and_as_many_decimals_as_its_steps_tell_apart() {
        let place = Quant::Signed {
            bits: 15,
            step: 0.001,
        };
        let speed = Quant::Signed {
            bits: 13,
            step: 0.01,
        };
        for (quant, code, unit, says) in [
            (place, -3_214, "m", "\u{2212}3.214 m"),
            (place, 0, "m", "0 m"),
            (speed, 412, "m/s", "4.12 m/s"),
            (Quant::Unsigned { bits: 9, step: 2.5 }, 3, "", "7.5"),
            (Quant::Turn { bits: 16 }, 38_994, "rad", "214.2°"),
            (Quant::Axis, -90, "", "\u{2212}0.71"),
            (Quant::Share { bits: 8 }, 255, "", "100 %"),
            (Quant::Count { bits: 6 }, 12, "ticks", "12 ticks"),
            (Quant::Flag, 1, "", "yes"),
        ] {
            assert_eq!(in_unit(quant, code, unit), says);
        }
    }

    #[test]
    fn a_mask_begins_with_its_lowest_bit() {
        assert_eq!(mask(0b1101_0001, 8), "1000 1011");
    }
}
