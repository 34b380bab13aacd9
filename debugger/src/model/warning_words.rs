//! Where a warning of the parser belongs, in words.

use stepback_index::{Index, Warning};

use crate::messages::say;

/// `line 3, byte 7: what is wrong`. Where the format has no lines, the message itself says where.
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
