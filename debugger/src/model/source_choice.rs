//! What the user chose about sources.

use crate::source::SourceMap;

/// Where sources are, and where their lines are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceChoice {
    /// Directories that moved.
    pub map: SourceMap,
    /// The rows of the trace tell their lines, where there is room.
    pub is_in_rows: bool,
}
