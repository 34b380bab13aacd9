//! Questions for why a cell has its value, and those that are kept under names.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::messages::say;

/// More are not kept.
const MOST_SLICES: usize = 200;
/// Characters of a name or a cell.
const LONGEST: usize = 400;

/// Which ways are followed besides those of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct SliceEdges {
    /// What addresses are made of.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub addresses: bool,
    /// The flags that decide or carry.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flags: bool,
    /// The branches that decided what ran.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub control: bool,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SliceEdge {
    /// What addresses are made of.
    Addresses,
    /// The flags that decide or carry.
    Flags,
    /// The branches that decided what ran.
    Control,
}

impl SliceEdges {
    /// Whether one is followed.
    pub fn has(self, edge: SliceEdge) -> bool {
        match edge {
            SliceEdge::Addresses => self.addresses,
            SliceEdge::Flags => self.flags,
            SliceEdge::Control => self.control,
        }
    }

    /// The same with one followed or not, the other way round.
    #[must_use]
    pub fn toggled(mut self, edge: SliceEdge) -> Self {
        match edge {
            SliceEdge::Addresses => self.addresses ^= true,
            SliceEdge::Flags => self.flags ^= true,
            SliceEdge::Control => self.control ^= true,
        }
        self
    }

    /// Whether nothing but the data is followed.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Why has a cell its value at a position?
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct SliceQuestion {
    /// The cell as it is typed: `x2`, `x2 of cpu1`, `0x80020340:8`.
    pub cell: String,
    /// Where it has the value.
    pub at: u64,
    /// Where its value went, instead of where it comes from.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forward: bool,
    /// What is followed besides the data.
    #[serde(skip_serializing_if = "SliceEdges::is_none")]
    pub edges: SliceEdges,
}

/// A question under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptSlice {
    /// What the user calls it.
    pub name: String,
    /// What is asked.
    pub slice: SliceQuestion,
}

/// Why a slice is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceNotKept {
    /// There are as many as may be.
    TooMany,
    /// Its cell is longer than one that is kept.
    TooLong,
}

impl fmt::Display for SliceNotKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany => f.write_str(&say!("kept-slices-too-many", most = MOST_SLICES.to_string())),
            Self::TooLong => f.write_str(&say!("kept-slice-too-long", most = LONGEST.to_string())),
        }
    }
}

impl std::error::Error for SliceNotKept {}

/// What becomes of the kept slices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SliceChange {
    /// One is kept; another of its name is replaced.
    Keep(KeptSlice),
    /// Another name for one; a slice that has it already is replaced.
    Rename(String, String),
    /// One is forgotten.
    Forget(String),
}

/// The kept slices of a trace, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptSlices {
    list: Vec<KeptSlice>,
}

impl KeptSlices {
    /// Those of a list, as many as are kept. Each name counts once.
    pub fn of(list: Vec<KeptSlice>) -> Self {
        let mut kept = Self::default();
        for slice in list.into_iter().take(MOST_SLICES) {
            // There is room for as many; what is too long was written by no window.
            let _is_kept = kept.change(&SliceChange::Keep(slice));
        }
        kept
    }

    /// All of them.
    pub fn list(&self) -> &[KeptSlice] {
        &self.list
    }

    /// The one of a name, in any case.
    pub fn named(&self, name: &str) -> Option<&KeptSlice> {
        self.list.iter().find(|kept| kept.name.eq_ignore_ascii_case(name.trim()))
    }

    /// Makes a change. What has no name or asks for nothing is not kept.
    ///
    /// # Errors
    /// There are too many, or it is too long.
    pub fn change(&mut self, change: &SliceChange) -> Result<(), SliceNotKept> {
        match change {
            SliceChange::Keep(kept) => self.keep(kept),
            SliceChange::Rename(old, new) => {
                let Some(slice) = self.named(old).map(|kept| kept.slice.clone()) else { return Ok(()) };
                if new.trim().is_empty() {
                    return Ok(());
                }
                self.forget(old);
                self.keep(&KeptSlice { name: new.clone(), slice })
            }
            SliceChange::Forget(name) => {
                self.forget(name);
                Ok(())
            }
        }
    }

    fn keep(&mut self, kept: &KeptSlice) -> Result<(), SliceNotKept> {
        let name: String = kept.name.trim().chars().take(LONGEST).collect();
        if name.is_empty() || kept.slice.cell.trim().is_empty() {
            return Ok(());
        }
        if kept.slice.cell.chars().count() > LONGEST {
            return Err(SliceNotKept::TooLong);
        }
        self.forget(&name);
        if self.list.len() >= MOST_SLICES {
            return Err(SliceNotKept::TooMany);
        }
        let place = self.list.partition_point(|known| known.name.to_lowercase() < name.to_lowercase());
        self.list.insert(place, KeptSlice { name, slice: kept.slice.clone() });
        Ok(())
    }

    fn forget(&mut self, name: &str) {
        self.list.retain(|kept| !kept.name.eq_ignore_ascii_case(name.trim()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(name: &str, cell: &str) -> KeptSlice {
        let slice = SliceQuestion { cell: cell.to_owned(), at: 1762, ..SliceQuestion::default() };
        KeptSlice { name: name.to_owned(), slice }
    }

    fn names(slices: &KeptSlices) -> Vec<&str> {
        slices.list().iter().map(|kept| kept.name.as_str()).collect()
    }

    #[test]
    fn a_name_stands_for_one_slice() {
        let mut slices = KeptSlices::of(vec![kept("the pointer", "x2"), kept("A byte", "0x80"), kept("", "x1")]);
        assert_eq!(names(&slices), ["A byte", "the pointer"]);
        slices.change(&SliceChange::Keep(kept("THE POINTER", "x3"))).unwrap();
        assert_eq!(slices.named("the pointer").map(|kept| kept.slice.cell.as_str()), Some("x3"));
        slices.change(&SliceChange::Rename("a byte".to_owned(), "z".to_owned())).unwrap();
        slices.change(&SliceChange::Forget("the pointer".to_owned())).unwrap();
        assert_eq!(names(&slices), ["z"]);
    }

    #[test]
    fn there_are_so_many_and_no_more() {
        let mut slices = KeptSlices::of((0..500).map(|number| kept(&format!("slice {number}"), "x")).collect());
        assert_eq!(slices.list().len(), MOST_SLICES);
        assert_eq!(slices.change(&SliceChange::Keep(kept("one more", "x"))), Err(SliceNotKept::TooMany));
        let long = SliceChange::Keep(kept("long", &"x".repeat(LONGEST + 1)));
        assert_eq!(slices.change(&long), Err(SliceNotKept::TooLong));
    }

    #[test]
    fn ways_are_followed_or_not() {
        let edges = SliceEdges::default().toggled(SliceEdge::Flags).toggled(SliceEdge::Addresses);
        assert_eq!((edges.has(SliceEdge::Flags), edges.has(SliceEdge::Control)), (true, false));
        assert!(edges.toggled(SliceEdge::Flags).toggled(SliceEdge::Addresses).is_none());
    }
}
