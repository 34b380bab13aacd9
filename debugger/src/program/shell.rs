//! The interface that a front end implements.

use std::path::PathBuf;

use stepback_machine::Address;
use stepback_parsers::Position;

use super::prompt::Prompt;
use super::state::{Program, UndoSnapshot};
use crate::action::{
    Action, AppAction, CellName, Direction, FindQuery, Follow, PanelAction, PanelKind, SliceView,
    ViewAction,
};
use crate::action::{StepRange, WindowId};
use crate::desk::{Desk, Message, RecentTrace, SaveEvent, SavedSession};
use crate::notes::{SavedSearch, SavedSlice};
use crate::session::{Notice, Session, TraceChange};
use crate::source::SourceMapping;

/// An event that a front end reports in its own words.
#[derive(Debug)]
pub enum Report<'a> {
    Message(Message),
    Error(String),
    /// An action that needs a trace, and none is open.
    NoTrace,
    /// An action on the recent list, but the front end has none.
    NoRecentList,
    /// A trace could not be opened, or its indexing stopped.
    NotOpened {
        error: &'a anyhow::Error,
        /// A part of the trace is shown.
        is_shown: bool,
    },
    /// The user cancelled the opening of a trace whose index is whole.
    OpeningCancelled,
    /// The user cancelled indexing.
    IndexingCancelled {
        /// A part of the trace is shown.
        is_shown: bool,
    },
    /// A notice about the open trace.
    Notice(&'a Notice),
    /// The index was just built: lines that could not be read are reported.
    Built(&'a Session),
    /// The trace file changed.
    TraceChanged(TraceChange),
    /// The trace is read again: an earlier report about its change is obsolete.
    ReadAgain,
    /// The user's notes are not saved anywhere.
    NotesNotKept,
    /// Result of saving a session.
    Saved(SaveEvent),
    /// There is nothing to undo (back) or redo (forward).
    NothingToUndo(Direction),
    /// There is no cell under the cursor.
    NoCell,
    /// A bookmark of the timeline's selection was requested, but nothing is selected.
    NothingToBookmark,
    /// A trace of the timeline's selection was requested, but nothing is selected.
    NothingToSave,
    /// The format of the trace does not permit saving a part.
    NotDivisible,
    /// The position in the "Go to" box was found.
    Arrived,
    /// The position in the "Go to" box was not found.
    Refused {
        /// Text that the user entered.
        place: String,
        /// Reason.
        error: String,
    },
}

/// Panels for an opened trace.
pub enum PanelArrangement<'a> {
    /// The trace was already open: its panels stay.
    Same(&'a Desk),
    /// The saved panels, or the default ones.
    New(&'a SavedSession),
}

/// A front end: reports events, prompts the user, owns the panels.
pub trait Shell {
    fn program(&self) -> &Program;
    fn program_mut(&mut self) -> &mut Program;

    /// Shows a report.
    fn tell(&mut self, report: Report<'_>);
    /// Prompts the user; the answer arrives as an action.
    fn prompt(&mut self, prompt: Prompt);

    /// Applies an action on panels.
    fn apply_panel(&mut self, action: PanelAction);
    /// Applies an action on the contents of panels.
    fn apply_view(&mut self, action: ViewAction);
    /// Applies an action on the program itself.
    fn apply_app(&mut self, action: AppAction);
    /// Prepares for an action.
    fn before_action(&mut self, _action: &Action) {}

    /// Arranges panels for a trace that was opened and places its trace windows.
    fn arrange(&mut self, desk: &mut Desk, arrangement: PanelArrangement<'_>);
    /// Follows up on a trace that is shown now.
    fn trace_opened(&mut self);
    /// Follows up on a trace that was closed.
    fn trace_closed(&mut self);
    /// Follows up on another part of the trace.
    fn part_shown(&mut self) {}
    /// Returns the panels as text for a session; none if they cannot be serialised.
    fn panels_text(&self) -> Option<String>;

    /// Shows a panel and gives it the keyboard focus.
    fn show_panel(&mut self, kind: PanelKind);
    /// Shows a panel; the keyboard focus stays.
    fn reveal_panel(&mut self, kind: PanelKind);
    /// Shows a saved search in a separate panel.
    fn show_search(&mut self, kept: SavedSearch);
    /// Shows a saved slice in a separate panel.
    fn show_slice(&mut self, kept: SavedSlice);
    /// Chooses the presentation of the slice.
    fn view_slice(&mut self, view: SliceView);
    /// Returns a trace window other than the active one. Opens one at a position if there is none.
    fn other_window(&mut self, at: Position) -> Option<WindowId>;

    /// Returns the number of rows on a page of the active trace window.
    fn page_rows(&self) -> u64;
    /// Returns the cell under the cursor, and the binding of the panel that shows it if a panel of
    /// cells has the keyboard focus.
    fn selected_cell(&mut self) -> Option<(CellName, Option<Follow>)>;
    /// Returns the function that is selected in a visible panel.
    fn selected_function(&self) -> Option<Address> {
        None
    }
    /// Returns the range that is selected in the timeline.
    fn selected_range(&self) -> Option<StepRange> {
        None
    }

    /// Returns the recent list; none if the front end has none.
    fn recent(&mut self) -> Option<&mut Vec<RecentTrace>> {
        None
    }
    /// Adds a query to the search history.
    fn remember_search(&mut self, _question: &FindQuery) {}
    /// Saves a source mapping for later runs.
    fn keep_source_mapping(&mut self, _mapping: &SourceMapping) {}
    /// Removes the source mappings that were saved for the images of the open trace.
    fn forget_source_mappings(&mut self) {}
    /// Restores a state before a change, other than notes about the trace. Returns the state that
    /// it replaces.
    fn exchange(&mut self, before: UndoSnapshot) -> UndoSnapshot {
        before
    }
    /// Saves a picture of the window, or the screen as text.
    fn save_picture(&mut self, path: PathBuf);
}

/// Reports an error. While a script runs, an error ends the program.
pub fn report(shell: &mut dyn Shell, error: &str) {
    shell.tell(Report::Error(error.to_owned()));
    shell.program_mut().note_failure(error);
}

/// Changes the open trace, if there is one.
pub(super) fn in_desk(shell: &mut dyn Shell, change: impl FnOnce(&mut Desk)) {
    if let Some(desk) = shell.program_mut().desk.as_mut() {
        change(desk);
    }
}
