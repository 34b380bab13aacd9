//! Texts in what is decoded from a file: each is looked at where it stands before it gets room of its own.
//!
//! A decoder that makes an owned text gives it room by the length that the file claims, before it looks for the bytes.
//! A borrowed one must be there. So every text that is decoded is read by one of these functions
//! (`#[serde(deserialize_with = "…")]`), which the decoder must be able to lend to.

use serde::{Deserialize as _, Deserializer};

/// A text.
///
/// # Errors
/// The decoder's own, among them that there are not so many bytes.
pub fn text<'de, D: Deserializer<'de>>(decoder: D) -> Result<String, D::Error> {
    <&str>::deserialize(decoder).map(str::to_owned)
}

/// A text or none.
///
/// # Errors
/// As those of [`text`].
pub fn text_or_none<'de, D: Deserializer<'de>>(decoder: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<&str>::deserialize(decoder)?.map(str::to_owned))
}

/// A list of texts.
///
/// # Errors
/// As those of [`text`].
pub fn texts<'de, D: Deserializer<'de>>(decoder: D) -> Result<Vec<String>, D::Error> {
    Ok(Vec::<&str>::deserialize(decoder)?
        .into_iter()
        .map(str::to_owned)
        .collect())
}
