//! Describes searches.

use stepback_index::{AccessKinds, Cell, NameReader};

use super::list::{SearchEnd, SearchResults};
use crate::action::FindKind;
use crate::analysis::search::Search;
use crate::analysis::search::meaning::ParsedSearch;
use crate::messages::say;
use crate::model::names::place_name;
use crate::model::so_far::{nothing_so_far, so_far};
use crate::model::text::{bytes_text, thousands};
use crate::session::Session;

/// Returns the name of a kind for menus.
pub fn kind_name(kind: FindKind) -> &'static str {
    match kind {
        FindKind::Auto => say!("find-auto"),
        FindKind::Text => say!("find-text"),
        FindKind::Regex => say!("find-regex"),
        FindKind::Value => say!("find-value"),
        FindKind::Bytes => say!("find-bytes"),
        FindKind::Address => say!("find-address-pc"),
        FindKind::Accesses => say!("find-accesses"),
        FindKind::Function => say!("find-function"),
    }
}

/// Describes the subject of a search: `text "ldr x1"`, `steps at 80000494 (decode_field+10c)`.
pub fn subject(meaning: &ParsedSearch, session: &Session) -> String {
    let text = &meaning.text;
    match (&meaning.search, meaning.kind) {
        (Search::Text(_), FindKind::Regex) => format!("/{text}/"),
        (Search::Text(_), _) => say!("find-text-of", text = format!("{text:?}")),
        (Search::Value(_), _) => say!("find-value-of", text = text),
        (Search::Bytes(bytes), _) => {
            say!(
                "find-bytes-of",
                bytes = bytes_text(&bytes.iter().copied().map(Some).collect::<Vec<_>>())
            )
        }
        (Search::Accesses(_, _, Some(_)), _) => meaning.told(),
        (Search::Accesses(cell, kinds, None), _) => {
            let of = match *cell {
                Cell::Register { thread, view } => NameReader(&session.index)
                    .register_name(view, session.index.instruction_set(thread)),
                Cell::Memory { address, len_bytes } => {
                    say!(
                        "find-bytes-at",
                        count = len_bytes,
                        address = format!("{:x}", address.0)
                    )
                }
                Cell::Physical { address, len_bytes } => {
                    say!(
                        "find-bytes-at-physical",
                        count = len_bytes,
                        address = format!("{:x}", address.0)
                    )
                }
            };
            match kinds {
                AccessKinds::Reads => say!("find-reads-of", of = of),
                AccessKinds::Writes => say!("find-writes-of", of = of),
                AccessKinds::All => say!("find-accesses-of", of = of),
            }
        }
        (Search::Visits(addresses), FindKind::Function) => match addresses.as_slice() {
            [_] => say!("find-entries-of", function = text),
            several => say!(
                "find-entries-of-several",
                count = several.len().to_string(),
                text = format!("{text:?}")
            ),
        },
        (Search::Visits(addresses), _) => match addresses.as_slice() {
            [one] => match place_name(&session.images, *one) {
                Some(name) => say!(
                    "find-steps-at-named",
                    address = format!("{:x}", one.0),
                    name = name
                ),
                None => say!("find-steps-at", address = format!("{:x}", one.0)),
            },
            _ => say!("find-steps-of", text = text),
        },
    }
}

/// Summarises the number of hits, the subject and the searched range.
pub fn summary(found: &SearchResults, session: &Session) -> String {
    let (what, hits) = (
        subject(&found.meaning, session),
        say!("find-hits", count = found.count()),
    );
    let searched = thousands(found.searched.0);
    match found.end {
        SearchEnd::UnderWay => {
            let whole = found.to.0.saturating_sub(found.from.0).max(1);
            let share =
                u128::from(found.searched.0.saturating_sub(found.from.0)) * 100 / u128::from(whole);
            say!(
                "find-so-far",
                hits = hits,
                what = what,
                searched = searched,
                share = share.to_string()
            )
        }
        SearchEnd::Limit => say!(
            "find-the-first",
            hits = hits,
            what = what,
            searched = searched
        ),
        SearchEnd::Stopped => say!(
            "find-stopped",
            hits = hits,
            what = what,
            searched = searched
        ),
        SearchEnd::Done => {
            let end = session.index.end();
            let range = match (found.from.0, found.to) {
                (0, to) if to >= end => String::new(),
                (from, to) if to >= end => say!("find-from-step", step = from),
                (0, to) => say!("find-up-to-step", step = to.0),
                (from, to) => say!("find-between-steps", from = from, to = to.0),
            };
            let hits = if found.to >= end {
                so_far(session, &hits)
            } else {
                hits
            };
            say!("find-done", hits = hits, what = what, range = range)
        }
    }
}

/// Describes an empty result in a sentence.
pub fn nothing_words(found: &SearchResults, session: &Session) -> String {
    let what = subject(&found.meaning, session);
    match found.end {
        SearchEnd::UnderWay => say!("find-looking-for", what = what),
        SearchEnd::Stopped => say!("find-no-hit-up-to", step = found.searched.0, what = what),
        _ if found.from.0 > 0 || found.to < session.index.end() => {
            say!("find-no-hit-in-range", what = what)
        }
        _ => nothing_so_far(session, say!("find-no-hit", what = what)),
    }
}
