//! Deserialization of strings without allocating more than the input contains.
//!
//! A decoder that produces an owned string first allocates the length that the file claims, and
//! only then looks for the bytes. A borrowed string must be present in the input. So every string
//! is decoded with one of these functions (`#[serde(deserialize_with = "…")]`). They require a
//! decoder that can lend strings.

use serde::{Deserialize as _, Deserializer};

/// Deserializes a string.
///
/// # Errors
/// Returns the decoder's error, for example if the input has fewer bytes than claimed.
pub fn text<'de, D: Deserializer<'de>>(decoder: D) -> Result<String, D::Error> {
    <&str>::deserialize(decoder).map(str::to_owned)
}

/// Deserializes an optional string.
///
/// # Errors
/// Fails like [`text`].
pub fn text_or_none<'de, D: Deserializer<'de>>(decoder: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<&str>::deserialize(decoder)?.map(str::to_owned))
}

/// Deserializes a list of strings.
///
/// # Errors
/// Fails like [`text`].
pub fn texts<'de, D: Deserializer<'de>>(decoder: D) -> Result<Vec<String>, D::Error> {
    Ok(Vec::<&str>::deserialize(decoder)?
        .into_iter()
        .map(str::to_owned)
        .collect())
}
