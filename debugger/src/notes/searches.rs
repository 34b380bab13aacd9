//! Searches, and their form with a name.

use serde::{Deserialize, Serialize};

use super::kept_list::{SavedQuery, SavedQueryMessages};

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
