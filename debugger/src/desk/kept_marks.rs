//! What the user keeps about a trace, one kind at a time.

use crate::notes::{Bookmarks, KeptList, KeptSearch, KeptSlice, Watches};

/// One kind of what the user keeps, as it was before a change.
#[derive(Clone, Debug, PartialEq)]
pub enum Marks {
    /// The bookmarks.
    Bookmarks(Bookmarks),
    /// What is watched.
    Watches(Watches),
    /// The values that the timeline shows.
    Waves(Watches),
    /// The searches that are kept.
    Searches(KeptList<KeptSearch>),
    /// The slices that are kept.
    Slices(KeptList<KeptSlice>),
}
