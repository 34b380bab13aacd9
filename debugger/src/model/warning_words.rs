//! Formats the place of a parser warning.

use stepback_index::{Index, Warning};

use crate::messages::say;

/// Formats a warning: `line 3, byte 7: what is wrong`. For formats without lines, the message
/// itself contains the place.
pub fn placed(warning: &Warning, message: &str, index: &Index) -> String {
    match index.source().is_text() {
        true => say!(
            "warnings-placed",
            line = warning.line,
            byte = warning.offset.to_string(),
            message = message
        ),
        false => message.to_owned(),
    }
}
