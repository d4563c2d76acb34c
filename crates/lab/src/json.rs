//! JSON out, and flat JSON in, without a library: the same few lines run in the page's module, where each kilobyte is
//! loaded by every reader. Numbers are written from whole millionths, so that equal values are equal bytes everywhere.

use std::fmt::Write as _;

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

/// The members of a flat object of numbers, strings and truth values, in the order written, values as text.
///
/// # Errors
/// A sentence that says what stands where something else was expected.
pub fn flat_object(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut at = Cursor { rest: text.trim() };
    at.eat('{')?;
    let mut members = Vec::new();
    if at.peek() == Some('}') {
        at.eat('}')?;
    } else {
        loop {
            let key = at.string()?;
            at.eat(':')?;
            let value = match at.peek() {
                Some('"') => at.string()?,
                Some('{' | '[') => {
                    return Err(format!("the value of \"{key}\" is not a plain value"));
                }
                _ => at.word()?,
            };
            members.push((key, value));
            match at.peek() {
                Some(',') => at.eat(',')?,
                _ => break at.eat('}')?,
            }
        }
    }
    match at.peek() {
        None => Ok(members),
        Some(c) => Err(format!("`{c}` after the end of the object")),
    }
}

struct Cursor<'a> {
    rest: &'a str,
}

impl Cursor<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn eat(&mut self, wanted: char) -> Result<(), String> {
        match self.peek() {
            Some(c) if c == wanted => {
                self.rest = &self.rest[c.len_utf8()..];
                Ok(())
            }
            Some(c) => Err(format!("`{c}` where `{wanted}` is expected")),
            None => Err(format!("the text ends where `{wanted}` is expected")),
        }
    }

    fn word(&mut self) -> Result<String, String> {
        self.peek();
        let end = self
            .rest
            .find([',', '}', ' ', '\n', '\t', '\r'])
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if word.is_empty() {
            Err("a value is missing".into())
        } else {
            Ok(word.into())
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.eat('"')?;
        let mut out = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(out);
                }
                '\\' => match chars.next() {
                    Some((_, c @ ('"' | '\\' | '/'))) => out.push(c),
                    _ => return Err("an escape that a name or value here does not need".into()),
                },
                c => out.push(c),
            }
        }
        Err("a string without its end".into())
    }
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

    #[test]
    fn reads_back_a_flat_object() {
        let got = flat_object(" {\"a\": 1.5, \"b\":\"x y\",\"c\" : true } ").unwrap();
        assert_eq!(
            got,
            [("a", "1.5"), ("b", "x y"), ("c", "true")].map(|(k, v)| (k.into(), v.into()))
        );
        assert_eq!(flat_object("{}"), Ok(vec![]));
    }

    #[test]
    fn says_what_is_wrong_with_the_rest() {
        for text in [
            "",
            "[]",
            "{\"a\":}",
            "{\"a\":1",
            "{\"a\":1}x",
            "{\"a\":{}}",
            "{a:1}",
            "{\"a\":1,}",
            "{\"a\"",
        ] {
            assert!(flat_object(text).is_err(), "{text}");
        }
    }
}
