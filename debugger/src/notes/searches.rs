//! Searches: what is looked for, and those that are kept under names.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::messages::say;

/// More are not kept.
const MOST_SEARCHES: usize = 200;
/// Characters of a name or a text.
const LONGEST: usize = 400;

/// How the text of a search is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FindKind {
    /// By what it looks like.
    #[default]
    Auto,
    /// Words of a step, in any case and with any spaces.
    Text,
    /// A regular expression over the lines of a step.
    Regex,
    /// A number that a register or memory got, or that was read.
    Value,
    /// Bytes in a row, as they lie in memory.
    Bytes,
    /// Where code lies: steps at that address.
    Address,
    /// A register, or a range of memory: what reads or writes it.
    Accesses,
    /// A name, or a part of one: the entries of functions.
    Function,
}

/// Where a search looks, in places as "Go to" takes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct FindRange {
    /// From there on; empty: from the start.
    pub from: String,
    /// Up to there; empty: up to the end.
    pub to: String,
}

impl FindRange {
    /// Whether it is the whole trace.
    pub fn is_whole(&self) -> bool {
        self.from.is_empty() && self.to.is_empty()
    }
}

/// A search through the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct FindQuestion {
    /// What is looked for.
    pub text: String,
    /// How that is read.
    pub kind: FindKind,
    /// Where.
    #[serde(skip_serializing_if = "FindRange::is_whole")]
    pub range: FindRange,
}

/// A search under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptSearch {
    /// What the user calls it.
    pub name: String,
    /// What is looked for.
    pub search: FindQuestion,
}

/// Why a search is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchNotKept {
    /// There are as many as may be.
    TooMany,
    /// Its text is longer than one that is kept.
    TooLong,
}

impl fmt::Display for SearchNotKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany => f.write_str(&say!("kept-searches-too-many", most = MOST_SEARCHES.to_string())),
            Self::TooLong => f.write_str(&say!("kept-search-too-long", most = LONGEST.to_string())),
        }
    }
}

impl std::error::Error for SearchNotKept {}

/// What becomes of the kept searches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchChange {
    /// One is kept; another of its name is replaced.
    Keep(KeptSearch),
    /// Another name for one; a search that has it already is replaced.
    Rename(String, String),
    /// One is forgotten.
    Forget(String),
}

/// The kept searches of a trace, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptSearches {
    list: Vec<KeptSearch>,
}

impl KeptSearches {
    /// Those of a list, as many as are kept. Each name counts once.
    pub fn of(list: Vec<KeptSearch>) -> Self {
        let mut kept = Self::default();
        for search in list.into_iter().take(MOST_SEARCHES) {
            // There is room for as many; what is too long was written by no window.
            let _is_kept = kept.change(&SearchChange::Keep(search));
        }
        kept
    }

    /// All of them.
    pub fn list(&self) -> &[KeptSearch] {
        &self.list
    }

    /// The one of a name, in any case.
    pub fn named(&self, name: &str) -> Option<&KeptSearch> {
        self.list.iter().find(|kept| kept.name.eq_ignore_ascii_case(name.trim()))
    }

    /// Makes a change. What has no name or looks for nothing is not kept.
    ///
    /// # Errors
    /// There are too many, or it is too long.
    pub fn change(&mut self, change: &SearchChange) -> Result<(), SearchNotKept> {
        match change {
            SearchChange::Keep(kept) => self.keep(kept),
            SearchChange::Rename(old, new) => {
                let Some(search) = self.named(old).map(|kept| kept.search.clone()) else { return Ok(()) };
                if !new.trim().is_empty() {
                    self.forget(old);
                    self.keep(&KeptSearch { name: new.clone(), search })?;
                }
                Ok(())
            }
            SearchChange::Forget(name) => {
                self.forget(name);
                Ok(())
            }
        }
    }

    fn keep(&mut self, kept: &KeptSearch) -> Result<(), SearchNotKept> {
        let name: String = kept.name.trim().chars().take(LONGEST).collect();
        if name.is_empty() || kept.search.text.trim().is_empty() {
            return Ok(());
        }
        if kept.search.text.chars().count() > LONGEST {
            return Err(SearchNotKept::TooLong);
        }
        self.forget(&name);
        if self.list.len() >= MOST_SEARCHES {
            return Err(SearchNotKept::TooMany);
        }
        let place = self.list.partition_point(|known| known.name.to_lowercase() < name.to_lowercase());
        self.list.insert(place, KeptSearch { name, search: kept.search.clone() });
        Ok(())
    }

    fn forget(&mut self, name: &str) {
        self.list.retain(|kept| !kept.name.eq_ignore_ascii_case(name.trim()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(name: &str, text: &str) -> KeptSearch {
        let search = FindQuestion { text: text.to_owned(), ..FindQuestion::default() };
        KeptSearch { name: name.to_owned(), search }
    }

    fn names(searches: &KeptSearches) -> Vec<&str> {
        searches.list().iter().map(|kept| kept.name.as_str()).collect()
    }

    #[test]
    fn a_name_stands_for_one_search() {
        let mut searches = KeptSearches::of(vec![kept("stores", "strb"), kept("Calls", "bl"), kept("", "x")]);
        assert_eq!(names(&searches), ["Calls", "stores"]);
        searches.change(&SearchChange::Keep(kept("CALLS", "blr"))).unwrap();
        assert_eq!(
            (names(&searches), searches.named("calls").unwrap().search.text.as_str()),
            (vec!["CALLS", "stores"], "blr")
        );
        searches.change(&SearchChange::Rename("calls".to_owned(), "x calls".to_owned())).unwrap();
        searches.change(&SearchChange::Rename("nosuch".to_owned(), "y".to_owned())).unwrap();
        assert_eq!(names(&searches), ["stores", "x calls"]);
        searches.change(&SearchChange::Forget("stores".to_owned())).unwrap();
        assert_eq!(names(&searches), ["x calls"]);
    }

    #[test]
    fn there_are_so_many_and_no_more() {
        let many = (0..500).map(|number| kept(&format!("search {number}"), "x")).collect();
        let mut searches = KeptSearches::of(many);
        assert_eq!(searches.list().len(), MOST_SEARCHES);
        assert_eq!(searches.change(&SearchChange::Keep(kept("one more", "x"))), Err(SearchNotKept::TooMany));
        let long = SearchChange::Keep(kept("long", &"x".repeat(LONGEST + 1)));
        assert_eq!(searches.change(&long), Err(SearchNotKept::TooLong));
        assert_eq!(searches.change(&SearchChange::Keep(kept("search 3", "y"))), Ok(()));
    }
}
