//! Describes the target of an address: `greeting+4 "GET /"`.

use anyhow::Result;
use stepback_index::{Cancel, MemoryAt, Query as _};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::names::place_name;
use crate::session::Session;

/// Maximum length of a shown text in bytes.
const MOST: u64 = 32;
/// Minimum length of a text.
const LEAST: usize = 3;

/// Describes the symbol at an address and the text in memory there; none if there is neither. Runs
/// on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn pointed_words(
    session: &Session,
    address: Address,
    position: Position,
    cancel: &Cancel,
) -> Result<Option<String>> {
    let symbol = place_name(&session.images, address);
    let len_bytes = (u64::MAX - address.0).min(MOST - 1) + 1;
    let bytes = MemoryAt {
        position,
        address,
        len_bytes,
    }
    .run(&session.index, cancel)?;
    let is_printed = |byte: &u8| (0x20..0x7f).contains(byte);
    let printed = bytes.iter().map_while(|byte| byte.value.filter(is_printed));
    let text: String = printed.map(char::from).collect();
    // A number may look like a short text, so a text must end with a zero byte or at the maximum
    // length.
    let is_text =
        text.len() >= LEAST && bytes.get(text.len()).is_none_or(|end| end.value == Some(0));
    let quoted = is_text.then(|| format!("{text:?}"));
    let words: Vec<String> = symbol.into_iter().chain(quoted).collect();
    Ok((!words.is_empty()).then(|| words.join(" ")))
}
