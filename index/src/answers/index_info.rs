//! What a trace is, in numbers.

/// What the trace is, in numbers.
#[derive(Clone, Debug)]
pub struct IndexInfo {
    /// `"tarmac"`.
    pub format: String,
    /// Steps in all.
    pub steps: u64,
    /// Lines in all.
    pub lines: u64,
    /// `clk`, `ns`, …
    pub time_unit: Option<String>,
    /// The first time that a step has, and that of the last step.
    pub time_range: Option<(u64, u64)>,
    /// True for big endian.
    pub is_big_endian: bool,
    /// Problems in all; the index keeps the first [`WARNINGS_KEPT`].
    pub warning_count: u64,
    /// Reads that contradicted the last value known before them.
    pub external_changes: u64,
    /// Bytes of the trace.
    pub trace_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
}

/// How many warnings an index keeps; all are counted.
pub const WARNINGS_KEPT: usize = 1000;

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Line, from 1.
    pub line: u64,
    /// Byte offset of the place in the line.
    pub offset: u64,
    /// What is wrong.
    pub message: String,
}
