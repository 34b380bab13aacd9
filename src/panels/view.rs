//! What a panel may look at.

use std::sync::Arc;

use crate::model::threads::Threads;
use crate::model::{SourceChoice, Windows};
use crate::session::Session;
use crate::theme::Tok;
use crate::worker::{Slot, Worker};

/// Who ran when: asked once for all panels.
pub type ThreadsSlot = Slot<(), Threads>;

/// The session and the window's state, as a panel sees them while it draws.
#[derive(Clone, Copy)]
pub struct ViewCx<'a> {
    /// The trace that is open.
    pub session: &'a Arc<Session>,
    /// Where questions are asked.
    pub worker: &'a Worker,
    /// The trace windows and their positions.
    pub windows: &'a Windows,
    /// What the user chose about sources.
    pub sources: &'a SourceChoice,
    /// Who ran where and when.
    pub threads: &'a ThreadsSlot,
    /// The colours of the theme.
    pub tok: &'a Tok,
    /// The number of the dock tile that the panel is in.
    pub tile: u64,
    /// The panel has the keyboard.
    pub has_focus: bool,
}
