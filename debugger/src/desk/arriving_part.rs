//! Another part of the trace, before it is shown.

use std::sync::Arc;

use crate::model::{EndPolicy, Windows};
use crate::session::Session;
use crate::worker::Ticket;

/// What comes with a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartExtent {
    /// More is on its way.
    More,
    /// It is the whole of the trace.
    Whole,
}

/// A part that is known and not yet shown.
pub struct PendingPart {
    pub session: Arc<Session>,
    pub at_end: EndPolicy,
    pub arrival: PartExtent,
    /// The windows as they are in it, once that is asked for.
    pub windows: Option<Ticket<Windows>>,
}
