//! Questions for why a cell has its value, and those that are kept under names.

use serde::{Deserialize, Serialize};

use super::kept_list::{SavedQuery, SavedQueryMessages};

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
pub struct SliceQuery {
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
pub struct SavedSlice {
    /// What the user calls it.
    pub name: String,
    /// What is asked.
    pub slice: SliceQuery,
}

impl SavedQuery for SavedSlice {
    const MESSAGES: SavedQueryMessages = SavedQueryMessages {
        kept_as: "slice-kept-as",
        forgotten: "slice-forgotten",
        not_kept: "slice-not-kept",
        too_many: "kept-slices-too-many",
        too_long: "kept-slice-too-long",
        none_kept: "slice-none-kept",
        none_kept_so: "slice-none-kept-so",
    };

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
    use super::*;

    #[test]
    fn ways_are_followed_or_not() {
        let edges = SliceEdges::default()
            .toggled(SliceEdge::Flags)
            .toggled(SliceEdge::Addresses);
        assert_eq!(
            (edges.has(SliceEdge::Flags), edges.has(SliceEdge::Control)),
            (true, false)
        );
        assert!(
            edges
                .toggled(SliceEdge::Flags)
                .toggled(SliceEdge::Addresses)
                .is_none()
        );
    }
}
