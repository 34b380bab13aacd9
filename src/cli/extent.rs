//! Number of results to print.

/// First result or all results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Only the first.
    First,
    /// All, as they are found.
    All,
}
