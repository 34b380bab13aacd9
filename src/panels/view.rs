//! What a panel may look at.

use std::sync::Arc;

use stepback_parsers::Position;

use super::functions::FunctionsState;
use crate::action::{Moment, TraceId};
use crate::desk::{FindState, OwnFinds, OwnSlices, SliceState, ThreadsSlot};
use crate::model::{SourceChoice, Windows};
use crate::notes::{Bookmarks, KeptSearches, KeptSlices, Watches};
use crate::session::{OpenOptions, Session};
use crate::theme::Tok;
use crate::worker::Worker;

/// The session and the window's state, as a panel sees them while it draws.
#[derive(Clone, Copy)]
pub struct ViewCx<'a> {
    /// The number of the trace that is open.
    pub trace: TraceId,
    /// The trace that is open.
    pub session: &'a Arc<Session>,
    /// How it was opened.
    pub options: &'a OpenOptions,
    /// Where questions are asked.
    pub worker: &'a Worker,
    /// The trace windows and their positions.
    pub windows: &'a Windows,
    /// What the user chose about sources.
    pub sources: &'a SourceChoice,
    /// Who ran where and when.
    pub threads: &'a ThreadsSlot,
    /// The search, and what it found.
    pub find: &'a FindState,
    /// The bookmarks of the trace.
    pub bookmarks: &'a Bookmarks,
    /// What is watched.
    pub watches: &'a Watches,
    /// The values that the timeline shows.
    pub waves: &'a Watches,
    /// The searches under names.
    pub searches: &'a KeptSearches,
    /// What was found of those that panels of their own show.
    pub own_finds: &'a OwnFinds,
    /// Why a cell has its value, as far as that was asked: its steps are marked.
    pub slice: &'a SliceState,
    /// The slices under names.
    pub slices: &'a KeptSlices,
    /// What was found of those that panels of their own show.
    pub own_slices: &'a OwnSlices,
    /// What the functions took.
    pub functions: &'a FunctionsState,
    /// The colours of the theme.
    pub tok: &'a Tok,
    /// The number of the dock tile that the panel is in.
    pub tile: u64,
    /// The panel has the keyboard.
    pub has_focus: bool,
}

impl ViewCx<'_> {
    /// A moment of the trace.
    pub fn moment(&self, position: Position) -> Moment {
        Moment { trace: self.trace, position: position.0 }
    }
}
