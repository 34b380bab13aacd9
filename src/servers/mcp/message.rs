//! Reads JSON-RPC 2.0 messages, one per line, in bounded memory.
//!
//! ```json
//! {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"overview","arguments":{}}}
//! ```
//! A message without an `id` is a notification. The Model Context Protocol allows strings and
//! integers as ids, and no batches. This file depends on nothing else of the program, so that the
//! fuzz target can include it.

use std::io::{self, BufRead};

use serde_json::{Map, Value as Json};

/// Maximum length of a line in bytes.
pub const LINE_LIMIT_BYTES: usize = 256 << 10;

/// Maximum length of an identifier, which the answers repeat.
pub const ID_LIMIT_BYTES: usize = 256;

/// Reads lines. A longer line than the limit is skipped without being stored.
#[derive(Debug)]
pub struct LineReader<R> {
    input: R,
    limit_bytes: usize,
}

/// A line of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Its bytes, without the line break.
    Complete(Vec<u8>),
    /// It exceeds the limit.
    TooLong,
}

impl Line {
    /// Returns the number of stored bytes.
    pub fn len_bytes(&self) -> usize {
        match self {
            Self::Complete(bytes) => bytes.len(),
            Self::TooLong => 0,
        }
    }
}

impl<R: BufRead> LineReader<R> {
    /// Creates a reader of lines of at most `limit_bytes`.
    pub fn new(input: R, limit_bytes: usize) -> Self {
        Self { input, limit_bytes }
    }

    /// Returns the next line. None at the end of the input.
    ///
    /// # Errors
    /// The input cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        let (mut line, mut is_too_long, mut is_empty) = (Vec::new(), false, true);
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if bytes.is_empty() && is_empty {
                return Ok(None);
            }
            is_empty = false;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            is_too_long |= line.len() + part.len() > self.limit_bytes;
            if !is_too_long {
                line.extend_from_slice(part);
            }
            let is_last = end.is_some() || bytes.is_empty();
            let used = end.map_or(bytes.len(), |end| end + 1);
            self.input.consume(used);
            if is_last {
                return Ok(Some(match is_too_long {
                    true => Line::TooLong,
                    false => Line::Complete(line),
                }));
            }
        }
    }
}

/// A message of the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A request, which is answered once.
    Request(Request),
    /// A notification, which is not answered.
    Notification {
        method: String,
        params: Map<String, Json>,
    },
    /// An answer to a request of ours. We send none.
    Response,
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub id: RequestId,
    pub method: String,
    pub params: Map<String, Json>,
}

/// Identifier of a request: a string or an integer.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestId(Json);

/// A message that is not accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Identifier of the request. None if it is missing or unreadable.
    pub id: Option<RequestId>,
    pub code: i64,
    pub message: &'static str,
}

/// Error codes of JSON-RPC.
pub const PARSE_ERROR: i64 = -32700;
pub const INVALID_REQUEST: i64 = -32600;
pub const METHOD_NOT_FOUND: i64 = -32601;
pub const INVALID_PARAMS: i64 = -32602;

impl RequestId {
    /// Converts the value of an `id`. None if it is neither an integer nor a string of at most
    /// [`ID_LIMIT_BYTES`].
    pub fn new(value: &Json) -> Option<Self> {
        let is_short = |text: &str| text.len() <= ID_LIMIT_BYTES;
        let is_id = value.as_str().is_some_and(is_short) || value.is_i64() || value.is_u64();
        is_id.then(|| Self(value.clone()))
    }

    /// Returns the value to send back.
    pub fn value(&self) -> &Json {
        &self.0
    }
}

/// Parses a line. Returns none for an empty one.
///
/// # Errors
/// The line is no message; the refusal is the answer to it.
pub fn parse(line: &Line) -> Result<Option<Message>, Refusal> {
    let refused = |code, message| Refusal {
        id: None,
        code,
        message,
    };
    let Line::Complete(bytes) = line else {
        let message = "the line is longer than 256 KiB";
        return Err(refused(INVALID_REQUEST, message));
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    match serde_json::from_slice(bytes) {
        Ok(Json::Object(fields)) => message_of(fields).map(Some),
        Ok(Json::Array(_)) => {
            let message = "batches are not supported: send one message per line";
            Err(refused(INVALID_REQUEST, message))
        }
        Ok(_) => Err(refused(INVALID_REQUEST, "a message is a JSON object")),
        Err(_) => Err(refused(PARSE_ERROR, "the line is not JSON")),
    }
}

fn message_of(mut fields: Map<String, Json>) -> Result<Message, Refusal> {
    let given = fields.remove("id");
    let id = given.as_ref().and_then(RequestId::new);
    let refused = |code, message| Refusal {
        id: id.clone(),
        code,
        message,
    };
    if fields.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
        return Err(refused(INVALID_REQUEST, "\"jsonrpc\" must be \"2.0\""));
    }
    let method = match fields.remove("method") {
        Some(Json::String(method)) => method,
        None if fields.contains_key("result") || fields.contains_key("error") => {
            return Ok(Message::Response);
        }
        _ => return Err(refused(INVALID_REQUEST, "\"method\" must be a string")),
    };
    if given.is_some() && id.is_none() {
        let message = "\"id\" must be an integer or a string of at most 256 bytes";
        return Err(refused(INVALID_REQUEST, message));
    }
    let params = match fields.remove("params") {
        None => Map::new(),
        Some(Json::Object(params)) => params,
        Some(_) => return Err(refused(INVALID_PARAMS, "\"params\" must be an object")),
    };
    Ok(match id {
        Some(id) => Message::Request(Request { id, method, params }),
        None => Message::Notification { method, params },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Result<&str, i64>) {
        let parsed = parse(&Line::Complete(line.as_bytes().to_vec()));
        let method = parsed.as_ref().map(|message| match message {
            Some(Message::Request(request)) => request.method.as_str(),
            Some(Message::Notification { method, .. }) => method,
            Some(Message::Response) => "a response",
            None => "",
        });
        assert_eq!(method.map_err(|refusal| refusal.code), expected, "{line}");
    }

    #[test]
    fn requests_notifications_and_responses_are_recognised() {
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Ok("ping"));
        check(r#"{"jsonrpc":"2.0","method":"note"}"#, Ok("note"));
        check(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Ok("a response"));
        check("  ", Ok(""));
    }

    #[test]
    fn other_lines_are_refused() {
        check("{", Err(PARSE_ERROR));
        check(
            r#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#,
            Err(PARSE_ERROR),
        );
        check(&"[".repeat(5000), Err(PARSE_ERROR));
        check("[]", Err(INVALID_REQUEST));
        check("7", Err(INVALID_REQUEST));
        check(r#"{"id":1,"method":"ping"}"#, Err(INVALID_REQUEST));
        check(
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            Err(INVALID_REQUEST),
        );
        check(
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            Err(INVALID_REQUEST),
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":2}"#,
            Err(INVALID_REQUEST),
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[]}"#,
            Err(INVALID_PARAMS),
        );
    }

    #[test]
    fn an_id_has_at_most_256_bytes() {
        let request = |length: usize| {
            let id = "7".repeat(length);
            format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"ping"}}"#)
        };
        check(&request(256), Ok("ping"));
        check(&request(257), Err(INVALID_REQUEST));
        let refusal = parse(&Line::Complete(request(257).into_bytes())).unwrap_err();
        assert_eq!(refusal.id, None);
    }

    #[test]
    fn a_long_line_is_skipped() {
        let mut reader = LineReader::new(&b"12345\n1234\n\n123"[..], 4);
        let mut lines = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            lines.push(line);
        }
        let text = |text: &str| Line::Complete(text.as_bytes().to_vec());
        assert_eq!(lines, [Line::TooLong, text("1234"), text(""), text("123")]);
    }
}
