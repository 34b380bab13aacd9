//! Where a warning of the parser belongs, in words.

use stepback_index::{Index, Warning};
use stepback_parsers::Source;

use super::text::thousands;

/// `line 3, byte 7: what is wrong`. Where the format has no lines, the message itself says where.
pub fn placed<S: Source>(warning: &Warning, message: &str, index: &Index<S>) -> String {
    match index.source().is_text() {
        true => format!("line {}, byte {}: {message}", thousands(warning.line), warning.offset),
        false => message.to_owned(),
    }
}
