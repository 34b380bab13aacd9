//! Words about searches.

use stepback_index::{AccessKinds, Cell, NameReader};

use super::list::{Found, SearchEnd};
use crate::action::FindKind;
use crate::analysis::search::Search;
use crate::analysis::search::meaning::Meaning;
use crate::model::names::place_name;
use crate::model::so_far::{nothing_so_far, so_far};
use crate::model::text::{bytes_text, counted, thousands};
use crate::session::Session;

/// A kind as choosers call it.
pub fn kind_name(kind: FindKind) -> &'static str {
    match kind {
        FindKind::Auto => "Auto",
        FindKind::Text => "Text",
        FindKind::Regex => "Regex",
        FindKind::Value => "Value",
        FindKind::Bytes => "Bytes",
        FindKind::Address => "Address (pc)",
        FindKind::Accesses => "Accesses",
        FindKind::Function => "Function",
    }
}

/// What was looked for: `text "ldr x1"`, `steps at 80000494 (decode_field+10c)`.
pub fn subject(meaning: &Meaning, session: &Session) -> String {
    let text = &meaning.text;
    match (&meaning.search, meaning.kind) {
        (Search::Text(_), FindKind::Regex) => format!("/{text}/"),
        (Search::Text(_), _) => format!("text {text:?}"),
        (Search::Value(_), _) => format!("value {text}"),
        (Search::Bytes(bytes), _) => {
            format!("bytes {}", bytes_text(&bytes.iter().copied().map(Some).collect::<Vec<_>>()))
        }
        (Search::Accesses(_, _, Some(_)), _) => text.clone(),
        (Search::Accesses(cell, kinds, None), _) => {
            let kinds = match kinds {
                AccessKinds::Reads => "reads",
                AccessKinds::Writes => "writes",
                AccessKinds::All => "accesses",
            };
            let of = match *cell {
                Cell::Register { thread, view } => {
                    NameReader(&*session.index).register_name(view, session.index.instruction_set(thread))
                }
                Cell::Memory { address, len_bytes } => {
                    format!("{} at {:x}", counted(len_bytes, "byte", "bytes"), address.0)
                }
                Cell::Physical { address, len_bytes } => {
                    format!("{} at physical {:x}", counted(len_bytes, "byte", "bytes"), address.0)
                }
            };
            format!("{kinds} of {of}")
        }
        (Search::Visits(addresses), FindKind::Function) => match addresses.as_slice() {
            [_] => format!("entries of {text}"),
            several => format!("entries of {} functions with {text:?}", several.len()),
        },
        (Search::Visits(addresses), _) => match addresses.as_slice() {
            [one] => match place_name(&session.images, *one) {
                Some(name) => format!("steps at {:x} ({name})", one.0),
                None => format!("steps at {:x}", one.0),
            },
            _ => format!("steps of {text}"),
        },
    }
}

/// How much was found of what, and how far was looked.
pub fn summary(found: &Found, session: &Session) -> String {
    let (what, hits) = (subject(&found.meaning, session), counted(found.count(), "hit", "hits"));
    let searched = thousands(found.searched.0);
    match found.end {
        SearchEnd::UnderWay => {
            let whole = found.to.0.saturating_sub(found.from.0).max(1);
            let share = u128::from(found.searched.0.saturating_sub(found.from.0)) * 100 / u128::from(whole);
            format!("{hits} so far: {what}, up to step {searched} ({share} %)")
        }
        SearchEnd::Limit => format!("The first {hits}: {what}, up to step {searched}"),
        SearchEnd::Stopped => format!("{hits} up to step {searched}, then stopped: {what}"),
        SearchEnd::Done => {
            let end = session.index.end();
            let range = match (found.from.0, found.to) {
                (0, to) if to >= end => String::new(),
                (from, to) if to >= end => format!(" from step {} on", thousands(from)),
                (0, to) => format!(" up to step {}", thousands(to.0)),
                (from, to) => format!(" between steps {} and {}", thousands(from), thousands(to.0)),
            };
            let hits = if found.to >= end { so_far(session, &hits) } else { hits };
            format!("{hits}: {what}{range}")
        }
    }
}

/// That nothing was found, as a sentence.
pub fn nothing_words(found: &Found, session: &Session) -> String {
    let what = subject(&found.meaning, session);
    match found.end {
        SearchEnd::UnderWay => format!("Looking for {what}"),
        SearchEnd::Stopped => format!("No hit up to step {}: {what}", thousands(found.searched.0)),
        _ if found.from.0 > 0 || found.to < session.index.end() => format!("No hit in this range: {what}"),
        _ => nothing_so_far(session, format!("No hit: {what}")),
    }
}
