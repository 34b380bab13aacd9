//! Continuation of an answer ([`Cursor`]).

use serde_json::{Map, Value as Json};
use xxhash_rust::xxh3::xxh3_64;

use super::failure::{ErrorKind, ToolError};

/// Name of the argument that holds a cursor.
pub const CURSOR: &str = "cursor";

/// Place in an answer at which the next page begins. As text it carries a checksum over the tool,
/// its other arguments and the trace, so that it continues no other answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Number of rows before it.
    pub offset: u64,
    /// Number of rows of the whole answer, if it is known.
    pub total: Option<u64>,
    /// Step of the next row, if the query can continue there instead of from its beginning.
    pub step: Option<u64>,
    /// Number of earlier rows that the continued query returns again.
    pub repeated: u64,
}

/// The answer to which a cursor belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerKey(u64);

impl AnswerKey {
    /// Identifies the answer of a tool. `trace` identifies the trace.
    pub fn new(tool: &str, arguments: &Map<String, Json>, trace: &str) -> Self {
        let mut given: Vec<String> = arguments
            .iter()
            .filter(|(name, _)| *name != CURSOR)
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        given.sort();
        Self(xxh3_64(
            format!("{trace}\n{tool}\n{}", given.join("\n")).as_bytes(),
        ))
    }

    fn check(self, body: &str) -> u64 {
        xxh3_64(format!("{:016x}{body}", self.0).as_bytes())
    }
}

impl Cursor {
    /// Returns the text for the client.
    pub fn text(self, key: AnswerKey) -> String {
        let number =
            |number: Option<u64>| number.map_or_else(String::new, |number| format!("{number:x}"));
        let body = format!(
            "{:x}.{}.{}.{:x}",
            self.offset,
            number(self.total),
            number(self.step),
            self.repeated
        );
        let check = key.check(&body);
        format!("{body}.{check:016x}")
    }

    /// Parses the text of a client.
    ///
    /// # Errors
    /// The text is no cursor of this answer.
    pub fn parse(text: &str, key: AnswerKey) -> Result<Self, ToolError> {
        let error = || {
            ToolError::new(
                ErrorKind::BadCursor,
                "the cursor does not belong to this tool with these arguments",
                "repeat the call with the same arguments and its next_cursor, or without a cursor",
            )
        };
        let (body, check) = text.rsplit_once('.').ok_or_else(error)?;
        if check != format!("{:016x}", key.check(body)) {
            return Err(error());
        }
        let fields: Option<Vec<Option<u64>>> = body.split('.').map(number).collect();
        match fields.ok_or_else(error)?.as_slice() {
            [Some(offset), total, step, Some(repeated)] => Ok(Self {
                offset: *offset,
                total: *total,
                step: *step,
                repeated: *repeated,
            }),
            _ => Err(error()),
        }
    }
}

/// Parses a hexadecimal number, or an empty text as no number. None for other texts.
fn number(text: &str) -> Option<Option<u64>> {
    match text {
        "" => Some(None),
        _ => u64::from_str_radix(text, 16).ok().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn key(tool: &str) -> AnswerKey {
        let arguments = json!({"what": "x0", "cursor": "ignored"});
        AnswerKey::new(tool, arguments.as_object().unwrap(), "trace")
    }

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let cursor = Cursor {
            offset: 12,
            total: None,
            step: Some(300),
            repeated: 2,
        };
        let text = cursor.text(key("find"));
        assert_eq!(Cursor::parse(&text, key("find")).unwrap(), cursor);
        assert!(Cursor::parse(&text, key("values")).is_err());
    }

    #[test]
    fn an_altered_cursor_is_refused() {
        let text = Cursor::default().text(key("find"));
        for place in 0..text.len() {
            let mut altered = text.clone().into_bytes();
            altered[place] ^= 1;
            let altered = String::from_utf8(altered).unwrap();
            assert!(Cursor::parse(&altered, key("find")).is_err(), "{altered}");
        }
    }
}
