//! How much of what is found is printed.

/// The first hit, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The first alone.
    First,
    /// Every one, as it is found.
    All,
}
