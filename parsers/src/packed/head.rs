//! Reads the beginning of a packed text, to detect its format before a copy is made.

use std::io::{self, Read as _};
use std::sync::Arc;

use crate::packed::damage::Damage;
use crate::packed::input::SequentialReader;
use crate::packed::kind::PackedKind;
use crate::packed::unpacker::TextUnpacker;
use crate::read_at::ReadAt;

/// The beginning of a packed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedHead {
    /// The text.
    pub text: Vec<u8>,
    /// The reason why the text ends here, if the input is damaged this early.
    pub damage: Option<Damage>,
}

/// Reads the first `length` bytes of a packed text.
///
/// # Errors
/// The input could not be read.
pub fn head_of(input: Arc<dyn ReadAt>, kind: PackedKind, length: usize) -> io::Result<PackedHead> {
    let mut unpacker = TextUnpacker::new(
        Box::new(SequentialReader {
            input,
            offset: 0,
            done: Arc::default(),
        }),
        kind,
    );
    let mut text = Vec::new();
    unpacker
        .by_ref()
        .take(length as u64)
        .read_to_end(&mut text)?;
    Ok(PackedHead {
        text,
        damage: unpacker.damage().cloned(),
    })
}
