//! A new part of the trace that is not shown yet.

use std::sync::Arc;

use crate::model::{EndPolicy, Windows};
use crate::session::Session;
use crate::worker::Ticket;

/// Extent of an arriving part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartExtent {
    /// More of the trace follows.
    More,
    /// The part is the whole trace.
    Whole,
}

/// A part of the trace that has arrived and is not shown yet.
pub struct PendingPart {
    pub session: Arc<Session>,
    pub at_end: EndPolicy,
    pub arrival: PartExtent,
    /// The windows converted to this part; none before the conversion is requested.
    pub windows: Option<Ticket<Windows>>,
}
