//! Searches: what is looked for, and those that are kept under names.

use serde::{Deserialize, Serialize};

use super::kept_list::{SavedQuery, SavedQueryMessages};

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
pub struct FindQuery {
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
pub struct SavedSearch {
    /// What the user calls it.
    pub name: String,
    /// What is looked for.
    pub search: FindQuery,
}

impl SavedQuery for SavedSearch {
    const MESSAGES: SavedQueryMessages = SavedQueryMessages {
        kept_as: "find-kept-as",
        forgotten: "find-forgotten",
        not_kept: "find-not-kept",
        too_many: "kept-searches-too-many",
        too_long: "kept-search-too-long",
        none_kept: "find-none-kept",
        none_kept_so: "find-none-kept-so",
    };

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
