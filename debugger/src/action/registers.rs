//! Formats of register values.

use serde::{Deserialize, Serialize};

/// Format of a general register's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RegisterFormat {
    /// All digits in hexadecimal.
    #[default]
    Hex,
    /// Unsigned decimal.
    Unsigned,
    /// Signed decimal (two's complement).
    Signed,
    /// Floating point.
    Float,
    /// Characters of its bytes, the lowest first.
    Text,
}

impl RegisterFormat {
    /// All formats, the default first.
    pub const ALL: [Self; 5] = [
        Self::Hex,
        Self::Unsigned,
        Self::Signed,
        Self::Float,
        Self::Text,
    ];
}
