//! Characters and strings of variables: of C in arrays and at pointers, and of Rust.

use anyhow::Result;
use stepback_debugger::image::TypeShape;
use stepback_debugger::model::typed_value::TypedValue;
use stepback_debugger::model::variable_members::{SLICE_LENGTH, SLICE_POINTER};
use stepback_index::answer::ByteState;

use super::variable_text::ValueText;

/// Maximum length of a character string.
pub const STRING_BYTES: usize = 80;

/// Members around the pointer in `String` of Rust, which depend on the version of its library.
const POINTER_WRAPPERS: [&str; 5] = ["vec", "buf", "inner", "ptr", "pointer"];

/// Maximum number of structures around the pointer.
const WRAPPERS: usize = 8;

impl ValueText<'_> {
    /// Formats a text of Rust: `&str` or `String`. None for another value, and if it is unknown.
    pub(super) fn rust_text(&self, value: &TypedValue) -> Result<Option<String>> {
        let (pointer, length) = match value.is_text() {
            true => (
                self.0.named_member(value, SLICE_POINTER)?,
                self.0.named_member(value, SLICE_LENGTH)?,
            ),
            false if value.type_name() == "String" => self.string_members(value)?,
            false => return Ok(None),
        };
        let (Some(pointer), Some(length)) = (pointer, length) else {
            return Ok(None);
        };
        let address = self
            .0
            .signed_number(&pointer)?
            .filter(|_| pointer.is_pointer());
        let (Some(address), Some(length)) = (address, self.0.signed_number(&length)?) else {
            return Ok(None);
        };
        let bytes = match length {
            0 => Vec::new(),
            _ => self.0.memory(address, length.min(STRING_BYTES as u64))?,
        };
        let known: Vec<u8> = bytes.iter().map_while(|byte| byte.value).collect();
        if known.is_empty() && length > 0 {
            return Ok(None);
        }
        let end = match known.len() as u64 == length {
            true => "",
            false => "…",
        };
        Ok(Some(format!("\"{}\"{end}", utf8_text(&known))))
    }

    /// Returns the pointer and the length of a `String`.
    fn string_members(
        &self,
        value: &TypedValue,
    ) -> Result<(Option<TypedValue>, Option<TypedValue>)> {
        let Some(vector) = self.0.named_member(value, "vec")? else {
            return Ok((None, None));
        };
        let length = self.0.named_member(&vector, "len")?;
        let mut inner = vector;
        for _ in 0..WRAPPERS {
            if inner.is_pointer() {
                return Ok((Some(inner), length));
            }
            let mut next = None;
            for name in POINTER_WRAPPERS {
                if next.is_none() && matches!(inner.description().shape, TypeShape::Record { .. }) {
                    next = self.0.named_member(&inner, name)?;
                }
            }
            let Some(found) = next else { break };
            inner = found;
        }
        Ok((None, length))
    }
}

/// Escapes a text in UTF-8. A character that the end of the bytes cuts is left out.
fn utf8_text(bytes: &[u8]) -> String {
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    };
    let mut text = String::new();
    for chunk in bytes.get(..whole).unwrap_or_default().utf8_chunks() {
        text.extend(chunk.valid().chars().map(printable_character));
        text.push_str(&chunk.invalid().escape_ascii().to_string());
    }
    text
}

fn printable_character(letter: char) -> String {
    match u8::try_from(letter) {
        Ok(byte) if byte.is_ascii() => byte.escape_ascii().to_string(),
        _ if letter.is_control() => format!("\\u{:04x}", u32::from(letter)),
        _ => letter.to_string(),
    }
}

/// Formats a character of a size in the syntax of C; none if the number is no character.
pub fn character(number: u64, size_bytes: usize) -> Option<String> {
    let letter = u32::try_from(number).ok().and_then(char::from_u32)?;
    Some(match u8::try_from(letter) {
        Ok(0) => "\\0".to_owned(),
        // A byte of an unknown character set.
        Ok(byte) if size_bytes == 1 => byte.escape_ascii().to_string(),
        _ => printable_character(letter),
    })
}

/// Formats the known characters up to the first zero as a string; none if the first is unknown.
pub fn string(bytes: &[ByteState]) -> Option<String> {
    let mut text = String::new();
    for byte in bytes {
        match byte.value {
            Some(0) => return Some(format!("\"{text}\"")),
            Some(letter) => text.extend(letter.escape_ascii().map(char::from)),
            None if text.is_empty() => return None,
            None => break,
        }
    }
    Some(format!("\"{text}\"…")).filter(|_| !text.is_empty())
}

/// Formats an array of characters as a string. If characters follow the first zero, all are shown up
/// to the zeros at the end, as gdb does. None if a byte of these is unknown, or the first.
pub fn array_string(bytes: &[ByteState]) -> Option<String> {
    let is_zero = |byte: &ByteState| byte.value == Some(0);
    let is_letter = |byte: &ByteState| byte.value.is_some_and(|value| value != 0);
    let zero = bytes.iter().position(is_zero).unwrap_or(bytes.len());
    let letters = bytes.iter().rposition(is_letter).map_or(0, |last| last + 1);
    if letters <= zero {
        let whole = bytes.get(..letters).unwrap_or_default();
        let is_complete = letters == bytes.len() && letters <= STRING_BYTES;
        let zero = [ByteState {
            value: Some(0),
            ..ByteState::default()
        }];
        return match is_complete && whole.iter().all(|byte| byte.value.is_some()) {
            true => string(&[whole, &zero].concat()),
            false => string(bytes.get(..bytes.len().min(STRING_BYTES))?),
        };
    }
    let known: Option<Vec<u8>> = bytes.iter().take(letters).map(|byte| byte.value).collect();
    let known = known?;
    let shown = known.get(..STRING_BYTES).unwrap_or(&known);
    let end = if shown.len() < known.len() { "…" } else { "" };
    Some(format!("\"{}\"{end}", shown.escape_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_escaped_as_in_c() {
        let texts = [0, 10, 39, 97, 0xe9].map(|number| character(number, 1).unwrap());
        assert_eq!(texts, [r"\0", r"\n", r"\'", "a", r"\xe9"]);
        let texts = [0, 10, 97, 0xe9, 0x20ac, 0x85].map(|number| character(number, 4).unwrap());
        assert_eq!(texts, [r"\0", r"\n", "a", "é", "€", r"\u0085"]);
        assert_eq!(character(0xd800, 4), None);
    }

    fn bytes(text: &[u8]) -> Vec<ByteState> {
        let byte = |byte: &u8| ByteState {
            value: (*byte != b'?').then_some(*byte),
            ..ByteState::default()
        };
        text.iter().map(byte).collect()
    }

    #[test]
    fn a_string_ends_where_its_bytes_are_unknown() {
        assert_eq!(string(&bytes(b"ab\n\0c")).unwrap(), r#""ab\n""#);
        assert_eq!(string(&bytes(b"ab?c")).unwrap(), r#""ab"…"#);
        assert_eq!(string(&bytes(b"?")), None);
    }

    #[test]
    fn an_array_shows_the_characters_after_its_first_zero() {
        let check = |text: &[u8], expected: Option<&str>| {
            assert_eq!(array_string(&bytes(text)).as_deref(), expected, "{text:?}");
        };
        check(b"ab\0\0\0", Some(r#""ab""#));
        check(b"\0\0", Some(r#""""#));
        check(b"\0\0\xc0@", Some(r#""\x00\x00\xc0@""#));
        check(b"a\0b\0\0", Some(r#""a\x00b""#));
        check(b"abcd", Some(r#""abcd""#));
        check(b"ab?\0", Some(r#""ab"…"#));
        check(b"ab\0?", Some(r#""ab""#));
        check(b"a\0?b", None);
        check(b"?b", None);
        check(&[b'x'; 100], Some(&format!("\"{}\"…", "x".repeat(80))));
        check(
            &[&b"\0"[..], &[b'x'; 100]].concat(),
            Some(&format!("\"\\x00{}\"…", "x".repeat(79))),
        );
    }

    #[test]
    fn a_text_is_shown_in_its_characters() {
        assert_eq!(utf8_text("né\n\"€".as_bytes()), "né\\n\\\"€");
        assert_eq!(utf8_text(b"a\xffb"), "a\\xffb");
    }
}
