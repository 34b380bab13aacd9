//! What a trace is, in numbers.

use stepback_parsers::Step;

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
    /// Problems in all, however often one occurs.
    pub warning_count: u64,
    /// Reads that contradicted the last value known before them.
    pub external_changes: u64,
    /// Bytes of the trace.
    pub trace_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
}

/// How many different warnings an index keeps; all are counted.
pub const WARNINGS_KEPT: usize = 1000;

/// What is wrong with a line, or with several in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The first line, from 1.
    pub line: u64,
    /// Byte offset of the place in it.
    pub offset: u64,
    /// What is wrong.
    pub message: String,
    /// How often it occurs. Where one part of a trace has thousands of different warnings, at least so often.
    pub count: u64,
}

impl Warning {
    /// True when the line could be read, and only its time is unlikely.
    pub fn is_of_time(&self) -> bool {
        self.message.starts_with(TIME_FALLS)
    }
}

/// How the warning of a time begins that runs backwards.
pub const TIME_FALLS: &str = "time runs backwards";

/// A step of a thread that bears an earlier time than the thread's step before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeFall {
    /// The step.
    pub step: Step,
    /// The time before it.
    pub from: u64,
    /// Its own.
    pub to: u64,
}
