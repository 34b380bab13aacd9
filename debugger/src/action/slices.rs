//! How slices are shown.

use serde::{Deserialize, Serialize};

/// How the rows of a slice stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SliceView {
    /// Copies collapsed, and what is computed in between in one expression.
    #[default]
    Chain,
    /// Below a step what it takes in.
    Tree,
    /// All of them below each other, each step by itself.
    Everything,
}
