//! Reading what configurations are made of: objects of plain values, at most one inside another.

/// What a member of an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number, a string or a truth value, as text.
    Plain(String),
    /// An object of plain values.
    Object(Vec<(String, Self)>),
}

/// The members of an object, in the order written. An object in it holds plain values only, so that no text makes the
/// reader go deep; lists there are none.
///
/// # Errors
/// A sentence that says what stands where something else was expected, and in which line where there are several.
pub fn members(text: &str) -> Result<Vec<(String, Value)>, String> {
    let mut at = Cursor { text, rest: text };
    let members = at.members(true)?;
    match at.peek() {
        None => Ok(members),
        Some(c) => Err(at.fault(&format!("`{c}` after the end of the object"))),
    }
}

/// The members of a flat object of numbers, strings and truth values, in the order written, values as text.
///
/// # Errors
/// As [`members`], and for an object where a plain value is expected.
pub fn flat_object(text: &str) -> Result<Vec<(String, String)>, String> {
    let plain = |(key, value): (String, Value)| match value {
        Value::Plain(value) => Ok((key, value)),
        Value::Object(_) => Err(not_plain(&key)),
    };
    members(text)?.into_iter().map(plain).collect()
}

fn not_plain(key: &str) -> String {
    format!("the value of \"{key}\" is not a plain value")
}

struct Cursor<'a> {
    text: &'a str,
    rest: &'a str,
}

impl Cursor<'_> {
    /// An object whose members may be objects of plain values, or may not.
    fn members(&mut self, objects: bool) -> Result<Vec<(String, Value)>, String> {
        self.eat('{')?;
        let mut members = Vec::new();
        if self.peek() == Some('}') {
            self.eat('}')?;
            return Ok(members);
        }
        loop {
            let key = self.string()?;
            self.eat(':')?;
            let value = match self.peek() {
                Some('"') => Value::Plain(self.string()?),
                Some('{') if objects => Value::Object(self.members(false)?),
                Some('{' | '[') => return Err(self.fault(&not_plain(&key))),
                _ => Value::Plain(self.word()?),
            };
            members.push((key, value));
            match self.peek() {
                Some(',') => self.eat(',')?,
                _ => {
                    self.eat('}')?;
                    return Ok(members);
                }
            }
        }
    }

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
            Some(c) => Err(self.fault(&format!("`{c}` where `{wanted}` is expected"))),
            None => Err(self.fault(&format!("the text ends where `{wanted}` is expected"))),
        }
    }

    fn word(&mut self) -> Result<String, String> {
        self.peek();
        let end = self
            .rest
            .find([',', '}', ' ', '\n', '\t', '\r'])
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(self.fault("a value is missing"));
        }
        self.rest = rest;
        Ok(word.into())
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
                    _ => {
                        return Err(self.fault("an escape that a name or value here does not need"));
                    }
                },
                c => out.push(c),
            }
        }
        Err(self.fault("a string without its end"))
    }

    /// The sentence, and in which line where there are several.
    fn fault(&self, what: &str) -> String {
        let lines = |text: &str| text.matches('\n').count();
        if lines(self.text.trim_end()) == 0 {
            return what.into();
        }
        let before = &self.text[..self.text.len() - self.rest.len()];
        format!("line {}: {what}", lines(before) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn reads_an_object_in_an_object_and_none_in_that() {
        let got = members("{\"a\":{\"b\":1},\"c\":{}}").unwrap();
        let inner = vec![("b".into(), Value::Plain("1".into()))];
        assert_eq!(
            got,
            [
                ("a".into(), Value::Object(inner)),
                ("c".into(), Value::Object(vec![]))
            ]
        );
        assert!(members("{\"a\":{\"b\":{}}}").is_err());
        assert!(members(&"{\"a\":".repeat(100_000)).is_err());
    }

    #[test]
    fn says_what_is_wrong_with_the_rest_and_in_which_line() {
        for text in [
            "",
            "[]",
            "{\"a\":}",
            "{\"a\":1",
            "{\"a\":1}x",
            "{\"a\":{}}",
            "{\"a\":[]}",
            "{a:1}",
            "{\"a\":1,}",
            "{\"a\"",
        ] {
            assert!(flat_object(text).is_err(), "{text}");
        }
        let fault = members("{\n \"a\": 1,\n b\n}").unwrap_err();
        assert_eq!(fault, "line 3: `b` where `\"` is expected");
    }
}
