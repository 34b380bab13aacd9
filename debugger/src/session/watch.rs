//! Observer of a trace that is being opened.

use crate::session::Session;
use stepback_index::Cancel;

/// Observer of a trace that is being opened.
#[derive(Clone, Copy)]
pub struct OpeningObserver<'a> {
    /// Receives the indexed part: soon after the start, and again whenever it has grown enough. The
    /// part answers queries as if the trace ended there ([`stepback_index::Index::is_whole`] is
    /// false).
    pub on_part: &'a (dyn Fn(Session) + Sync),
    /// If present, the build follows a growing trace until this is cancelled.
    pub follow: Option<&'a Cancel>,
}
