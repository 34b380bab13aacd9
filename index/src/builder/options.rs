//! How to build an index, how far it is, and what it did.

use std::sync::atomic::AtomicU64;

/// How to build.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Bytes of input in a segment. Answers do not depend on it.
    pub segment_bytes: u64,
    /// Worker threads; 0: one for each core.
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

/// How far a build is. Shared with whoever shows it.
#[derive(Debug, Default)]
pub struct BuildProgress {
    /// Bytes of the trace read so far.
    pub bytes_done: AtomicU64,
    /// Bytes of the trace in all, as far as they are known.
    pub bytes_total: AtomicU64,
    /// Steps found so far.
    pub steps: AtomicU64,
    /// Semihosting calls that were looked at so far, when all else is done.
    pub host_calls_done: AtomicU64,
    /// Semihosting calls to look at; 0 until then.
    pub host_calls_total: AtomicU64,
}

/// What a build did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildSummary {
    /// Steps in all.
    pub steps: u64,
    /// Bytes of the trace.
    pub trace_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
    /// How many bytes of the trace an earlier build had done.
    pub resumed_bytes: u64,
}
