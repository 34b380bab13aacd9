//! What is told of a trace while it is being opened.

use stepback_index::Cancel;

use super::Session;

/// What is told of a trace while it is being opened.
#[derive(Clone, Copy)]
pub struct OpeningObserver<'a> {
    /// Is handed the part that is indexed: soon after the start, and again whenever it is worth it.
    /// It answers as if the trace ended there ([`stepback_index::Index::is_whole`] is false).
    pub on_part: &'a (dyn Fn(Session) + Sync),
    /// Goes on as the trace grows, until this is cancelled.
    pub follow: Option<&'a Cancel>,
}
