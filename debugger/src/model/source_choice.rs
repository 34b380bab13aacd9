//! User settings for source files.

use crate::source::SourceMap;

/// Settings for finding and showing source files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceChoice {
    /// Mapping for moved directories.
    pub map: SourceMap,
    /// Shows source lines in the rows of the trace if there is room.
    pub is_in_rows: bool,
}
