//! The index that analyses ask.

use stepback_index::Index;

/// An index of a trace of any format.
pub type TraceIndex = Index;
