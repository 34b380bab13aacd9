//! Results of a search, possibly still incomplete, and descriptions of a search.
//!
//! [`SearchResults`] includes the position up to which all hits are known. Beyond it, a query for
//! the next hit has to search.

use std::ops::RangeInclusive;
use std::sync::Arc;

use stepback_index::answer::{AccessKinds, Cell};
use stepback_index::read::NameReader;
use stepback_machine::Address;
use stepback_parsers::{Position, RegisterSource};

use crate::action::{Direction, FindKind};
use crate::analysis::search::Search;
use crate::analysis::search::meaning::ParsedSearch;
use crate::image::Images;
use crate::messages::say;
use crate::model::hit_rows::{Spot, is_any_in, spots};
use crate::model::names::{function_name, place_name};
use crate::model::so_far::{nothing_so_far, so_far};
use crate::model::table::Table;
use crate::model::text::{bytes_text, thousands};
use crate::session::Session;

/// State of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// The search is still running.
    UnderWay,
    /// The whole range was searched.
    Done,
    /// The search reached its limit of hits.
    Limit,
    /// The user stopped the search.
    Stopped,
}

/// Results of a search up to now.
#[derive(Clone, Debug)]
pub struct SearchResults {
    /// Parsed form of the search text.
    pub meaning: Arc<ParsedSearch>,
    /// Hits, in trace order.
    pub table: Arc<Table>,
    /// Positions at which hits are visible, ascending and unique.
    pub positions: Arc<[u64]>,
    /// Start of the searched range: hits are visible after it.
    pub from: Position,
    /// End of the searched range; a hit may be visible exactly here.
    pub to: Position,
    /// Position up to which all hits are known.
    pub searched: Position,
    pub end: SearchEnd,
}

/// Answer of a list of hits to a query for the next hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitLookup {
    /// Position of the next hit.
    At(Position),
    /// No further hit exists.
    None,
    /// The search has not covered that part of the trace.
    Unknown,
}

impl SearchResults {
    /// Returns the number of hits.
    pub fn count(&self) -> u64 {
        self.table.rows.len() as u64
    }

    /// Returns the nearest hit in one direction, if the list covers that part of the trace.
    pub fn neighbour(&self, direction: Direction, at: Position) -> HitLookup {
        let place = self.positions.partition_point(|position| *position <= at.0);
        let is_whole = self.end == SearchEnd::Done;
        let at_place = |place: usize| {
            self.positions
                .get(place)
                .map(|position| HitLookup::At(Position(*position)))
        };
        match direction {
            Direction::Forward if at >= self.from || is_whole => {
                at_place(place).unwrap_or(if is_whole {
                    HitLookup::None
                } else {
                    HitLookup::Unknown
                })
            }
            Direction::Back if at <= self.searched || is_whole => {
                let before = self.positions.partition_point(|position| *position < at.0);
                before
                    .checked_sub(1)
                    .and_then(at_place)
                    .unwrap_or(HitLookup::None)
            }
            Direction::Forward | Direction::Back => HitLookup::Unknown,
        }
    }

    /// Returns true if a hit is visible in a range of positions. O(log n).
    pub fn is_any_in(&self, positions: RangeInclusive<u64>) -> bool {
        is_any_in(&self.positions, positions)
    }

    /// Maps the hits in a range of positions to distinct spots of a strip. `spot_of` must not
    /// decrease. Cost: grows with the number of spots, not of hits.
    pub fn spots(&self, positions: RangeInclusive<u64>, spot_of: impl Fn(u64) -> u32) -> Vec<Spot> {
        spots(&self.positions, positions, spot_of)
    }

    /// Returns the results restricted to hits up to a position; the rest must be searched again.
    #[must_use]
    pub fn up_to(&self, position: Position) -> Self {
        let is_kept =
            |row: &&crate::model::table::TableRow| row.position.is_none_or(|at| at <= position);
        let rows = self.table.rows.iter().filter(is_kept).cloned().collect();
        let positions = self
            .positions
            .iter()
            .copied()
            .take_while(|at| *at <= position.0)
            .collect();
        Self {
            table: Arc::new(Table {
                rows,
                ..Table::clone(&self.table)
            }),
            positions,
            searched: self.searched.min(position),
            ..self.clone()
        }
    }
}

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

/// Describes the entries of functions with a text in their names: `entries of decode_field`,
/// `entries of 2 functions with "dec"`.
pub fn entries_words(functions: &[Address], text: &str, images: &Images) -> String {
    match functions {
        // An alias is named as the user names it.
        [one] if images.symbols_named(text).is_empty() => {
            say!("find-entries-of", function = function_name(images, *one))
        }
        [_] => say!("find-entries-of", function = text),
        several => say!(
            "find-entries-of-several",
            count = several.len().to_string(),
            text = format!("{text:?}")
        ),
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
        (Search::Accesses(_, _, Some(_)), _) => meaning.stated(),
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
        (Search::Visits(functions), FindKind::Function) => {
            entries_words(functions, text, &session.images)
        }
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
            let hits = if found.to >= end {
                so_far(session, &hits)
            } else {
                hits
            };
            let words = match (found.from.0, found.to) {
                (0, to) if to >= end => say!("find-done", hits = hits, what = what),
                (from, to) if to >= end => {
                    say!("find-from-step", hits = hits, what = what, step = from)
                }
                (0, to) => say!("find-up-to-step", hits = hits, what = what, step = to.0),
                (from, to) => say!(
                    "find-between-steps",
                    hits = hits,
                    what = what,
                    from = from,
                    to = to.0
                ),
            };
            with_reason(words, found, session)
        }
    }
}

/// Describes an empty result in a sentence, with the reason if another reading was not possible.
pub fn nothing_words(found: &SearchResults, session: &Session) -> String {
    let what = subject(&found.meaning, session);
    let words = match found.end {
        SearchEnd::UnderWay => return say!("find-looking-for", what = what),
        SearchEnd::Stopped => say!("find-no-hit-up-to", step = found.searched.0, what = what),
        _ if !is_everywhere(found, session) => say!("find-no-hit-in-range", what = what),
        _ => nothing_so_far(session, say!("find-no-hit", what = what)),
    };
    with_reason(words, found, session)
}

/// Advises what to do after a search that has ended without a hit.
pub fn nothing_advice(found: &SearchResults, session: &Session) -> &'static str {
    match is_everywhere(found, session) {
        true => say!("find-search-for-something-else"),
        false => say!("find-read-the-text-in-another"),
    }
}

fn is_everywhere(found: &SearchResults, session: &Session) -> bool {
    found.from.0 == 0 && found.to >= session.index.end()
}

/// Adds why a text was read as words, or why a value cannot be found.
fn with_reason(words: String, found: &SearchResults, session: &Session) -> String {
    let meaning = &found.meaning;
    let is_value = matches!(
        meaning.search,
        Search::Value(_) | Search::Bytes(_) | Search::Accesses(_, _, Some(_))
    );
    if let Some(reason) = &meaning.not_read {
        return say!("find-read-as-words", words = words, reason = &**reason);
    }
    let has_values = session.index.source().traits().registers == RegisterSource::Recorded;
    if is_value && !has_values {
        return say!("find-no-values", words = words);
    }
    words
}
