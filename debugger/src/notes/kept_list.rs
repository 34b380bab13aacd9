//! Searches and slices that the user saves under names.
//!
//! Both kinds share the list [`SavedQueries`]. A query is saved as typed, and its names are
//! resolved again when it runs.

use serde::{Deserialize, Serialize};
use stepback_index::answer::EdgeKinds;

use crate::messages::{MessageValue, spoken_with};

/// Maximum number of queries in a list.
const MOST: usize = 200;
/// Maximum number of characters of a name or a text.
const LONGEST: usize = 400;

/// A named query.
pub trait SavedQuery: Clone + PartialEq {
    /// Message: a query was saved; its `name`.
    const KEPT_AS: &'static str;
    /// Message: a query was removed; its `name`.
    const FORGOTTEN: &'static str;
    /// Message: a query was not saved; the `error`.
    const NOT_KEPT: &'static str;
    /// Message: the list is full; its maximum, `most`.
    const TOO_MANY: &'static str;
    /// Message: the text is too long; the maximum number of characters, `most`.
    const TOO_LONG: &'static str;
    /// Message: no query is saved under a `name`, nor under any other.
    const NONE_KEPT: &'static str;
    /// Message: no query is saved under a `name`, but under other `names`.
    const NONE_KEPT_SO: &'static str;

    fn name(&self) -> &str;

    /// Returns a copy with another name.
    fn with_name(&self, name: String) -> Self;

    /// Returns the text of the query; empty for none.
    fn text(&self) -> &str;
}

/// Change to a list of saved queries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SavedQueryChange<K> {
    /// Adds a query; replaces another one with its name.
    Keep(K),
    /// Changes a name; replaces a query that already has the new one.
    Rename(String, String),
    /// Removes a query.
    Forget(String),
}

/// Saved queries, sorted by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedQueries<K> {
    list: Vec<K>,
}

impl<K> Default for SavedQueries<K> {
    fn default() -> Self {
        Self { list: Vec::new() }
    }
}

impl<K: SavedQuery> SavedQueries<K> {
    /// Creates a list from the first queries of `list`, up to the maximum. Each name counts once.
    pub fn of(list: Vec<K>) -> Self {
        let mut kept = Self::default();
        for question in list.into_iter().take(MOST) {
            // A query that is too long was written by another program.
            let _is_kept = kept.keep(&question);
        }
        kept
    }

    /// Returns all queries.
    pub fn list(&self) -> &[K] {
        &self.list
    }

    /// Returns the query with a name. Ignores ASCII case.
    pub fn named(&self, name: &str) -> Option<&K> {
        self.list
            .iter()
            .find(|kept| kept.name().eq_ignore_ascii_case(name.trim()))
    }

    /// Makes a change. A query without a name or a text is not saved.
    ///
    /// # Errors
    /// The list is full, or the text is too long.
    pub fn change(&mut self, change: &SavedQueryChange<K>) -> Result<(), String> {
        match change {
            SavedQueryChange::Keep(kept) => return self.keep(kept),
            SavedQueryChange::Rename(old, new) => {
                if let Some(kept) = self.named(old).filter(|_| !new.trim().is_empty()) {
                    let renamed = kept.with_name(new.clone());
                    self.forget(old);
                    return self.keep(&renamed);
                }
            }
            SavedQueryChange::Forget(name) => self.forget(name),
        }
        Ok(())
    }

    fn keep(&mut self, kept: &K) -> Result<(), String> {
        let refusal = |id: &'static str, most: usize| {
            spoken_with(id, &[("most", MessageValue::from(most.to_string()))])
        };
        let name: String = kept.name().trim().chars().take(LONGEST).collect();
        if name.is_empty() || kept.text().trim().is_empty() {
            return Ok(());
        }
        if kept.text().chars().count() > LONGEST {
            return Err(refusal(K::TOO_LONG, LONGEST));
        }
        self.forget(&name);
        if self.list.len() >= MOST {
            return Err(refusal(K::TOO_MANY, MOST));
        }
        let place = self
            .list
            .partition_point(|known| known.name().to_lowercase() < name.to_lowercase());
        self.list.insert(place, kept.with_name(name));
        Ok(())
    }

    fn forget(&mut self, name: &str) {
        self.list
            .retain(|kept| !kept.name().eq_ignore_ascii_case(name.trim()));
    }

    /// Returns the message that no query is saved under a name, with the names that exist.
    pub fn none_of(&self, name: &str) -> String {
        let names: Vec<&str> = self.list.iter().take(8).map(K::name).collect();
        let name = ("name", MessageValue::from(name));
        match names.is_empty() {
            true => spoken_with(K::NONE_KEPT, &[name]),
            false => spoken_with(
                K::NONE_KEPT_SO,
                &[name, ("names", MessageValue::from(names.join(", ")))],
            ),
        }
    }
}

/// Interpretation of a search text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FindKind {
    /// Detected from the text.
    #[default]
    Auto,
    /// Words of a step; case and spaces do not matter.
    Text,
    /// A regular expression over the lines of a step.
    Regex,
    /// A number that was written to a register or memory, or read.
    Value,
    /// Consecutive bytes in memory order.
    Bytes,
    /// An address of code: steps at that address.
    Address,
    /// A register, or a range of memory: its reads and writes.
    Accesses,
    /// A name, or a part of one: the entries of functions.
    Function,
}

/// Range of a search, in the notation of "Go to".
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct FindRange {
    /// First position; empty: the start.
    pub from: String,
    /// Last position; empty: the end.
    pub to: String,
}

impl FindRange {
    /// Returns true if it is the whole trace.
    pub fn is_whole(&self) -> bool {
        self.from.is_empty() && self.to.is_empty()
    }
}

/// A search through the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct FindQuery {
    /// Text to find.
    pub text: String,
    /// Interpretation of the text.
    pub kind: FindKind,
    #[serde(skip_serializing_if = "FindRange::is_whole")]
    pub range: FindRange,
}

/// A named search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedSearch {
    pub name: String,
    pub search: FindQuery,
}

impl SavedQuery for SavedSearch {
    const KEPT_AS: &'static str = "find-kept-as";
    const FORGOTTEN: &'static str = "find-forgotten";
    const NOT_KEPT: &'static str = "find-not-kept";
    const TOO_MANY: &'static str = "kept-searches-too-many";
    const TOO_LONG: &'static str = "kept-search-too-long";
    const NONE_KEPT: &'static str = "find-none-kept";
    const NONE_KEPT_SO: &'static str = "find-none-kept-so";

    fn name(&self) -> &str {
        &self.name
    }

    fn with_name(&self, name: String) -> Self {
        Self {
            name,
            search: self.search.clone(),
        }
    }

    fn text(&self) -> &str {
        &self.search.text
    }
}

/// An edge that a slice may follow in addition to data flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SliceEdge {
    /// Values that addresses are computed from.
    Addresses,
    /// Flags that decide a condition or are carried.
    Flags,
    /// Branches that decided which code ran.
    Control,
}

impl SliceEdge {
    /// Returns true if the edge is followed.
    pub fn is_in(self, edges: EdgeKinds) -> bool {
        match self {
            Self::Addresses => edges.addresses,
            Self::Flags => edges.flags,
            Self::Control => edges.control,
        }
    }

    /// Returns the edges with this one switched on or off.
    #[must_use]
    pub fn toggled_in(self, mut edges: EdgeKinds) -> EdgeKinds {
        match self {
            Self::Addresses => edges.addresses ^= true,
            Self::Flags => edges.flags ^= true,
            Self::Control => edges.control ^= true,
        }
        edges
    }
}

/// Query for the origin or the uses of a cell's value at a position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedSliceQuery {
    /// Cell as it is typed: `x2`, `x2 of cpu1`, `0x80020340:8`.
    pub cell: String,
    /// Position of the value.
    pub at: u64,
    /// Follows the value forward to its uses instead of backward to its origin.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forward: bool,
    #[serde(skip_serializing_if = "EdgeKinds::is_data_only")]
    pub edges: EdgeKinds,
}

/// A named slice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedSlice {
    pub name: String,
    pub slice: SavedSliceQuery,
}

impl SavedQuery for SavedSlice {
    const KEPT_AS: &'static str = "slice-kept-as";
    const FORGOTTEN: &'static str = "slice-forgotten";
    const NOT_KEPT: &'static str = "slice-not-kept";
    const TOO_MANY: &'static str = "kept-slices-too-many";
    const TOO_LONG: &'static str = "kept-slice-too-long";
    const NONE_KEPT: &'static str = "slice-none-kept";
    const NONE_KEPT_SO: &'static str = "slice-none-kept-so";

    fn name(&self) -> &str {
        &self.name
    }

    fn with_name(&self, name: String) -> Self {
        Self {
            name,
            slice: self.slice.clone(),
        }
    }

    fn text(&self) -> &str {
        &self.slice.cell
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FindQuery, SavedSearch};
    use super::*;

    fn kept(name: &str, text: &str) -> SavedSearch {
        let search = FindQuery {
            text: text.to_owned(),
            ..FindQuery::default()
        };
        SavedSearch {
            name: name.to_owned(),
            search,
        }
    }

    fn names(searches: &SavedQueries<SavedSearch>) -> Vec<&str> {
        searches
            .list()
            .iter()
            .map(|kept| kept.name.as_str())
            .collect()
    }

    #[test]
    fn a_name_stands_for_one_question() {
        let mut searches = SavedQueries::of(vec![
            kept("stores", "strb"),
            kept("Calls", "bl"),
            kept("", "x"),
        ]);
        assert_eq!(names(&searches), ["Calls", "stores"]);
        searches
            .change(&SavedQueryChange::Keep(kept("CALLS", "blr")))
            .unwrap();
        assert_eq!(
            (
                names(&searches),
                searches.named("calls").unwrap().search.text.as_str()
            ),
            (vec!["CALLS", "stores"], "blr")
        );
        searches
            .change(&SavedQueryChange::Rename(
                "calls".to_owned(),
                "x calls".to_owned(),
            ))
            .unwrap();
        searches
            .change(&SavedQueryChange::Rename(
                "nosuch".to_owned(),
                "y".to_owned(),
            ))
            .unwrap();
        assert_eq!(names(&searches), ["stores", "x calls"]);
        searches
            .change(&SavedQueryChange::Forget("stores".to_owned()))
            .unwrap();
        assert_eq!(names(&searches), ["x calls"]);
    }

    #[test]
    fn a_list_has_a_maximum_of_questions_and_of_characters() {
        let mut searches = SavedQueries::of(
            (0..500)
                .map(|number| kept(&format!("search {number}"), "x"))
                .collect(),
        );
        assert_eq!(searches.list().len(), MOST);
        let full = searches
            .change(&SavedQueryChange::Keep(kept("one more", "x")))
            .unwrap_err();
        let long = searches
            .change(&SavedQueryChange::Keep(kept(
                "long",
                &"x".repeat(LONGEST + 1),
            )))
            .unwrap_err();
        assert!(
            full.contains("200") && long.contains("400"),
            "{full}; {long}"
        );
        assert_eq!(
            searches.change(&SavedQueryChange::Keep(kept("search 3", "y"))),
            Ok(())
        );
    }
}

#[cfg(test)]
mod slices_tests {
    use super::*;

    #[test]
    fn ways_are_followed_or_not() {
        let edges = SliceEdge::Addresses.toggled_in(EdgeKinds::default());
        let edges = SliceEdge::Flags.toggled_in(edges);
        assert!(SliceEdge::Flags.is_in(edges) && !SliceEdge::Control.is_in(edges));
        let edges = SliceEdge::Addresses.toggled_in(edges);
        assert!(SliceEdge::Flags.toggled_in(edges).is_data_only());
    }
}
