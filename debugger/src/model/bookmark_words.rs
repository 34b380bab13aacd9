//! Describes the places of bookmarks.

use stepback_index::{Cancel, Query as _, Steps};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::names::place_name;
use crate::messages::say;
use crate::notes::BookmarkPlace;
use crate::session::Session;

/// Describes a bookmark's place: the instruction just executed with its function, or the symbol of
/// memory. Runs on a worker, because it reads the trace.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn place_words(
    session: &Session,
    place: BookmarkPlace,
    cancel: &Cancel,
) -> anyhow::Result<String> {
    let position = match place {
        BookmarkPlace::Memory { address, .. } => {
            return Ok(place_name(&session.images, Address(address)).unwrap_or_default());
        }
        BookmarkPlace::Position(position)
        | BookmarkPlace::Range {
            first: position, ..
        } => Position(position),
    };
    if position > session.index.end() {
        return Ok(if session.index.is_whole() {
            say!("bookmarks-behind-the-end-of-the")
        } else {
            say!("bookmarks-not-indexed-yet")
        }
        .to_owned());
    }
    // The bookmark ribbon is drawn at the step just executed, which is the step that the user
    // marked.
    let step = position.last_step().unwrap_or(position.next_step());
    let records = Steps {
        first: step,
        count: 1,
    }
    .run(&session.index, cancel)?;
    let Some(record) = records.first() else {
        return Ok(String::new());
    };
    let name =
        place_name(&session.images, record.pc).unwrap_or_else(|| format!("{:x}", record.pc.0));
    let words: Vec<&str> = record.text.split_whitespace().collect();
    Ok(format!("{name}  {}", words.join(" ")))
}
