//! JSON out, and simple JSON in, without a library: the same few lines run in the page's module, where each kilobyte is
//! loaded by every reader. Numbers are written from whole millionths, so that equal values are equal bytes everywhere.

mod read;

use std::fmt::Write as _;

pub use read::{Value, flat_object, members};

/// Writes JSON. It puts the commas; the caller keeps keys and brackets in order.
#[derive(Clone, Debug, Default)]
pub struct Json {
    out: String,
    comma: bool,
}

impl Json {
    /// Nothing written yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens an object.
    pub fn object(&mut self) -> &mut Self {
        self.open('{')
    }

    /// Opens a list.
    pub fn list(&mut self) -> &mut Self {
        self.open('[')
    }

    fn open(&mut self, bracket: char) -> &mut Self {
        self.separate();
        self.out.push(bracket);
        self.comma = false;
        self
    }

    /// Closes an object.
    pub fn end_object(&mut self) -> &mut Self {
        self.out.push('}');
        self.comma = true;
        self
    }

    /// Closes a list.
    pub fn end_list(&mut self) -> &mut Self {
        self.out.push(']');
        self.comma = true;
        self
    }

    /// A key; its value follows.
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.text(key);
        self.out.push(':');
        self.comma = false;
        self
    }

    /// A string.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.separate();
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                c if u32::from(c) < 0x20 => {
                    // Writing into a string does not fail.
                    let _ = write!(self.out, "\\u{:04x}", u32::from(c));
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
        self.comma = true;
        self
    }

    /// A number to a millionth; what is not finite is `null`.
    pub fn number(&mut self, value: f64) -> &mut Self {
        self.separate();
        if value.is_finite() {
            push_number(&mut self.out, value, 6);
        } else {
            self.out.push_str("null");
        }
        self.comma = true;
        self
    }

    /// A truth value.
    pub fn flag(&mut self, value: bool) -> &mut Self {
        self.separate();
        self.out.push_str(if value { "true" } else { "false" });
        self.comma = true;
        self
    }

    /// `null`.
    pub fn null(&mut self) -> &mut Self {
        self.number(f64::NAN)
    }

    /// The text so far.
    pub fn finish(self) -> String {
        self.out
    }

    fn separate(&mut self) {
        if self.comma {
            self.out.push(',');
        }
    }
}

/// Writes a finite number with at most `places` (0 to 9) decimals and no trailing zeros.
pub fn push_number(out: &mut String, value: f64, places: usize) {
    let scale = 10u64.pow(places as u32);
    let whole = (value.abs() * scale as f64 + 0.5) as u64;
    if value < 0.0 && whole > 0 {
        out.push('-');
    }
    let _ = write!(out, "{}", whole / scale);
    let mut rest = whole % scale;
    if rest > 0 {
        let mut digits = places;
        while rest.is_multiple_of(10) {
            rest /= 10;
            digits -= 1;
        }
        let _ = write!(out, ".{rest:0digits$}");
    }
}

/// A number as text with at most `places` decimals; an en dash for what is not finite.
pub fn number(value: f64, places: usize) -> String {
    let mut out = String::new();
    if value.is_finite() {
        push_number(&mut out, value, places);
    } else {
        out.push('–');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puts_commas_and_escapes() {
        let mut json = Json::new();
        json.object()
            .key("a")
            .number(1.0)
            .key("b")
            .list()
            .text("x\"\n")
            .flag(true)
            .null()
            .end_list();
        json.key("c").object().end_object().end_object();
        assert_eq!(json.finish(), r#"{"a":1,"b":["x\"\n",true,null],"c":{}}"#);
    }

    #[test]
    fn numbers_are_rounded_to_a_millionth_without_trailing_zeros() {
        let text = |v| number(v, 6);
        assert_eq!(
            [0.5, -2.0, 1.0 / 3.0, -0.000_000_4, 15.625, 1e12].map(text),
            ["0.5", "-2", "0.333333", "0", "15.625", "1000000000000"]
        );
        assert_eq!(number(0.051, 2), "0.05");
        assert_eq!(number(f64::NAN, 2), "–");
    }
}
