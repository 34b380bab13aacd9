//! The index that analyses ask.

use stepback_index::Index;
use stepback_parsers::AnySource;

/// An index of a trace of any format.
pub type TraceIndex = Index<AnySource>;
