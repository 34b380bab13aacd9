//! Values with unknown bytes, and their provenance.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// Provenance of a value.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum ValueSource {
    /// The trace states it at or before the position.
    Recorded,
    /// It follows from other facts, such as a later read without a write in between.
    Inferred,
    /// A read states it and contradicts the last write known before it.
    External,
    /// Nothing states it.
    #[default]
    Unknown,
}

/// A value as bytes, least significant first, each known or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Value(pub Vec<Option<u8>>);

impl Value {
    /// Returns true if no byte is known.
    pub fn is_unknown(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Returns the number if all bytes are known and those above 64 bits are zero.
    pub fn to_u64(&self) -> Option<u64> {
        let mut number = 0u64;
        for (place, byte) in self.0.iter().enumerate() {
            let byte = u64::from((*byte)?);
            match place {
                0..8 => number |= byte << (8 * place),
                _ if byte != 0 => return None,
                _ => {}
            }
        }
        Some(number)
    }

    /// Formats the value in hexadecimal: most significant digit first, without `0x`, at full width,
    /// `??` for an unknown byte.
    pub fn hex(&self) -> String {
        let mut text = String::with_capacity(2 * self.0.len());
        for byte in self.0.iter().rev() {
            let _infallible = match byte {
                Some(byte) => write!(text, "{byte:02x}"),
                None => text.write_str("??"),
            };
        }
        text
    }
}
