//! The user's choices about how to read a trace ([`ReadingChoices`]).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Choices for what the trace itself does not state. Names are those of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadingChoices {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// Byte order: big-endian.
    #[serde(rename = "big_endian", skip_serializing_if = "std::ops::Not::not")]
    pub is_big_endian: bool,
    /// All code is Thumb.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub implicit_thumb: bool,
    /// Description of the records or lines.
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::paths")]
    pub record_layout: Option<PathBuf>,
}

impl ReadingChoices {
    /// Returns true if the user chose nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
