//! Statistics and warnings of a trace.

use stepback_parsers::Step;

/// Statistics of a trace.
#[derive(Clone, Debug)]
pub struct IndexInfo {
    /// Name of the format: `"tarmac"`.
    pub format: String,
    /// Number of steps.
    pub steps: u64,
    /// Number of lines.
    pub lines: u64,
    /// Unit of times: `clk`, `ns`, …
    pub time_unit: Option<String>,
    /// First time of a step, and time of the last step.
    pub time_range: Option<(u64, u64)>,
    /// True for big-endian memory.
    pub is_big_endian: bool,
    /// Number of problems, counting repetitions.
    pub warning_count: u64,
    /// Number of reads that contradicted the last value known before them.
    pub external_changes: u64,
    /// Size of the trace in bytes.
    pub trace_bytes: u64,
    /// Size of the index in bytes.
    pub index_bytes: u64,
}

/// Maximum number of different warnings in an index; all are counted.
pub const WARNINGS_KEPT: usize = 1000;

/// A problem of one line, or of several lines in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// First line, counted from 1.
    pub line: u64,
    /// Byte offset of the problem in the line.
    pub offset: u64,
    /// Description.
    pub message: String,
    /// Number of occurrences. A lower bound if one part of the trace has thousands of different
    /// warnings.
    pub count: u64,
}

impl Warning {
    /// Returns true if the line was readable and only its time is implausible.
    pub fn is_of_time(&self) -> bool {
        self.message.starts_with(TIME_FALLS)
    }
}

/// Start of the warning about decreasing times.
pub const TIME_FALLS: &str = "time runs backwards";

/// A step with an earlier time than its thread's previous step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeFall {
    /// The step.
    pub step: Step,
    /// Time of the previous step.
    pub from: u64,
    /// Time of this step.
    pub to: u64,
}
