//! How values of registers are written.

use serde::{Deserialize, Serialize};

/// A way to write the value of a general register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RegisterFormat {
    /// All digits in hexadecimal.
    #[default]
    Hex,
    /// A decimal number from 0 on.
    Unsigned,
    /// A decimal number in two's complement.
    Signed,
    /// Floating point.
    Float,
    /// The characters of its bytes, the lowest first.
    Text,
}

impl RegisterFormat {
    /// All of them, the usual one first.
    pub const ALL: [Self; 5] = [
        Self::Hex,
        Self::Unsigned,
        Self::Signed,
        Self::Float,
        Self::Text,
    ];
}
