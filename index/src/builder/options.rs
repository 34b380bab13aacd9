//! Options, progress and summary of a build.

use std::sync::atomic::AtomicU64;

/// Options of a build.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Bytes of input per segment. Answers do not depend on it.
    pub segment_bytes: u64,
    /// Number of worker threads; 0 means one for each core.
    pub threads: usize,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            segment_bytes: 16 << 20,
            threads: 0,
        }
    }
}

/// Progress of a build, shared with its observers.
#[derive(Debug, Default)]
pub struct BuildProgress {
    /// Bytes of the trace read.
    pub bytes_done: AtomicU64,
    /// Total bytes of the trace, as known until now.
    pub bytes_total: AtomicU64,
    /// Steps found.
    pub steps: AtomicU64,
    /// Semihosting calls examined, after everything else is done.
    pub host_calls_done: AtomicU64,
    /// Semihosting calls to examine; 0 until then.
    pub host_calls_total: AtomicU64,
}

/// Summary of a finished build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildSummary {
    /// Total number of steps.
    pub steps: u64,
    /// Bytes of the trace.
    pub trace_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
    /// Bytes of the trace that an earlier build had done.
    pub resumed_bytes: u64,
}
