//! Arbitrary bytes as the input of `stepback mcp`: no panic, the same lines in any portions, and no
//! line is kept beyond the limit.

#![no_main]

use std::io::BufReader;

use libfuzzer_sys::fuzz_target;

#[path = "../../src/servers/mcp/message.rs"]
#[expect(dead_code, reason = "the server uses the rest")]
mod message;

use message::{Line, LineReader, Message, parse};

/// Limit of a line, which the inputs exceed easily.
const LIMIT_BYTES: usize = 64;

/// Reads all lines in portions of a size.
fn lines(bytes: &[u8], portion: usize, limit: usize) -> Vec<Line> {
    let mut reader = LineReader::new(BufReader::with_capacity(portion, bytes), limit);
    let mut lines = Vec::new();
    while let Some(line) = reader.next_line().expect("memory can be read") {
        lines.push(line);
    }
    lines
}

fuzz_target!(|bytes: &[u8]| {
    let whole = lines(bytes, bytes.len().max(1), bytes.len());
    for portion in [1, 7] {
        assert_eq!(lines(bytes, portion, bytes.len()), whole);
    }
    let short = lines(bytes, 7, LIMIT_BYTES);
    assert_eq!(short.len(), whole.len());
    for (line, whole) in short.iter().zip(&whole) {
        match (line, whole) {
            (Line::TooLong, Line::Complete(bytes)) => assert!(bytes.len() > LIMIT_BYTES),
            (line, whole) => assert_eq!(line, whole),
        }
    }
    for line in &whole {
        match parse(line) {
            Ok(Some(Message::Request(request))) => {
                let id = request.id.value();
                assert!(id.is_string() || id.is_number());
            }
            Ok(_) => {}
            Err(refusal) => assert!((-32700..=-32600).contains(&refusal.code)),
        }
    }
});
