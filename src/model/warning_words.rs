//! Where a warning of the parser belongs, in words.

use stepback_index::{Index, Warning};
use stepback_parsers::Source;

use super::text::thousands;

/// `line 3, byte 7: what is wrong`. Where the format has no lines, the message itself says where.
pub fn placed<S: Source>(warning: &Warning, message: &str, index: &Index<S>) -> String {
    match place(warning, index) {
        Some(place) => format!("{place}: {message}"),
        None => message.to_owned(),
    }
}

/// `line 3, byte 7`; none where the format has no lines.
pub fn place<S: Source>(warning: &Warning, index: &Index<S>) -> Option<String> {
    let line = thousands(warning.line);
    index.source().is_text().then(|| format!("line {line}, byte {}", thousands(warning.offset)))
}
