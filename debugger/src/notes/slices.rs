//! Slice queries for the origin of a cell's value, and their form with a name.

use serde::{Deserialize, Serialize};

use super::kept_list::{SavedQuery, SavedQueryMessages};

/// Edges that a slice follows in addition to data flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct SliceEdges {
    /// Values that addresses are computed from.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub addresses: bool,
    /// Flags that decide a condition or are carried.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flags: bool,
    /// Branches that decided which code ran.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub control: bool,
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

impl SliceEdges {
    /// Returns true if an edge is followed.
    pub fn has(self, edge: SliceEdge) -> bool {
        match edge {
            SliceEdge::Addresses => self.addresses,
            SliceEdge::Flags => self.flags,
            SliceEdge::Control => self.control,
        }
    }

    /// Returns a copy in which an edge is switched on or off.
    #[must_use]
    pub fn toggled(mut self, edge: SliceEdge) -> Self {
        match edge {
            SliceEdge::Addresses => self.addresses ^= true,
            SliceEdge::Flags => self.flags ^= true,
            SliceEdge::Control => self.control ^= true,
        }
        self
    }

    /// Returns true if only data flow is followed.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Query for the origin or the uses of a cell's value at a position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct SliceQuery {
    /// Cell as it is typed: `x2`, `x2 of cpu1`, `0x80020340:8`.
    pub cell: String,
    /// Position of the value.
    pub at: u64,
    /// Follows the value forward to its uses instead of backward to its origin.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forward: bool,
    #[serde(skip_serializing_if = "SliceEdges::is_none")]
    pub edges: SliceEdges,
}

/// A named slice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedSlice {
    pub name: String,
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
