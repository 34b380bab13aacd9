//! The state of the program.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::action::Moment;
use crate::action::WindowId;
use crate::desk::{
    ActionQueue, Desk, NotesSnapshot, Opening, OpeningMode, Saver, Script, SessionPolicy,
    TraceChoice, UndoStack,
};
use crate::keymap::{IndexingState, KeyChoice};
use crate::program::file_watch::{FileWatch, WatchPace};
use crate::sync::{ServedTrace, StartServer, SyncLinks, SyncPorts};
use crate::worker::{Ticket, Worker};

/// Maximum time that the end of the program waits for the index to be written.
const CLOSING: Duration = Duration::from_secs(2);

/// Wakes the thread that draws.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Reason why the program ends with an error; shared with the caller that started the front end.
pub type Failure = Arc<Mutex<Option<String>>>;

/// State of the program.
pub struct Program {
    /// The open trace.
    pub desk: Option<Desk>,
    /// The trace that is being opened or followed.
    pub opening: Option<Opening>,
    /// Queue of actions.
    pub queue: ActionQueue,
    /// Answers queries.
    pub worker: Arc<Worker>,
    /// Writes sessions on a separate thread.
    pub saver: Saver,
    /// Changes that can be undone.
    pub undo: UndoStack<UndoSnapshot>,
    /// The script, until it is done.
    pub script: Option<Script>,
    /// Mode of the run.
    pub mode: RunMode,
    /// Place at which the next trace is shown.
    pub begin_at: Option<String>,
    /// A second trace that the next one is compared with.
    pub compare_with: Option<PathBuf>,
    /// Other programs that follow the position; none if the user did not ask for that.
    pub sync: Option<SyncLinks>,
    /// Ports of those programs.
    pub sync_ports: SyncPorts,
    /// Starts a server for gdb; none if this program has no such server.
    pub start_gdb_server: Option<StartServer>,
    /// The trace that is served to gdb; none if the user did not ask for that.
    pub served: Option<ServedTrace>,
    /// A part of the trace that is being written; its result is the message for the user.
    pub saving: Option<Ticket<String>>,
    /// Reason why the program ends with an error.
    pub failure: Failure,
    /// The script is done, or there was none: errors no longer end the program.
    pub is_script_over: bool,
    /// Wakes the thread that draws.
    pub wake: Wake,
    /// Watch over the file of the open trace.
    pub(super) watch: Option<FileWatch>,
}

/// Mode of the run: for a user, from a script, or in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunMode {
    /// A script or a picture was requested: an error ends the program, and no session is read or
    /// written automatically.
    pub is_scripted: bool,
    /// Files are read and written before a function returns.
    pub is_synchronous: bool,
    /// A trace is shown as soon as a part of it is indexed.
    pub shows_parts: bool,
}

/// State before a change, for undo.
#[derive(Debug)]
pub enum UndoSnapshot {
    /// Notes about the trace.
    Marks(NotesSnapshot),
    /// Layouts of the user.
    Layouts(Vec<UserLayout>),
    /// Keys that the user chose.
    Keys(KeyChoice),
    Panels(PanelsSnapshot),
}

/// A layout that the user saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserLayout {
    pub name: String,
    /// The panels as text.
    pub panels: String,
}

/// The panels and the positions of the trace windows.
#[derive(Clone, Debug)]
pub struct PanelsSnapshot {
    /// The panels as text, without the places of separate windows: a window that moves is no
    /// change.
    pub text: String,
    /// The panels as text, with the places of separate windows.
    pub whole: String,
    /// Trace windows with their positions.
    pub positions: Vec<(WindowId, Moment)>,
    /// The active trace window.
    pub active: WindowId,
}

impl Program {
    /// Creates a program without an open trace.
    pub fn new(worker: Worker, mode: RunMode, wake: Wake) -> Self {
        let woken = Arc::clone(&wake);
        Self {
            desk: None,
            opening: None,
            queue: ActionQueue::default(),
            worker: Arc::new(worker),
            saver: Saver::new(move || woken()),
            undo: UndoStack::default(),
            script: None,
            mode,
            begin_at: None,
            compare_with: None,
            sync: None,
            sync_ports: SyncPorts::default(),
            start_gdb_server: None,
            served: None,
            saving: None,
            failure: Failure::default(),
            is_script_over: !mode.is_scripted,
            wake,
            watch: None,
        }
    }

    /// Sets the frequency of checks of the trace file.
    pub fn set_watch_pace(&mut self, pace: WatchPace) {
        self.watch.iter_mut().for_each(|watch| watch.set_pace(pace));
    }

    /// Starts to open a trace. Cancels the opening that is under way.
    pub(super) fn start_opening(&mut self, choice: TraceChoice, showing: OpeningMode) {
        let keeping = if self.mode.is_scripted {
            SessionPolicy::Nothing
        } else {
            SessionPolicy::Sessions
        };
        let wake = Arc::clone(&self.wake);
        self.opening = Some(Opening::start(choice, showing, keeping, move || wake()));
    }

    /// Returns the indexing state of the trace that is being opened, else of the open one.
    pub fn indexing(&self) -> IndexingState {
        match (&self.opening, &self.desk) {
            (Some(opening), _) if opening.is_following() => IndexingState::Following,
            (Some(_), _) => IndexingState::UnderWay,
            (None, Some(desk)) if !desk.session.index.is_whole() => IndexingState::Stopped,
            (None, _) => IndexingState::Whole,
        }
    }

    /// Returns true if nothing is under way: no trace is being opened (except one that is
    /// followed), no query is unanswered, no action waits.
    pub fn is_idle(&self) -> bool {
        let is_busy = |desk: &Desk| {
            desk.lookup.is_some()
                || desk.is_moving()
                || desk.find.is_under_way()
                || !desk.session.images.are_lines_ready()
        };
        let is_opening = self
            .opening
            .as_ref()
            .is_some_and(|opening| !opening.has_caught_up());
        !is_opening
            && self.saving.is_none()
            && !self.desk.as_ref().is_some_and(is_busy)
            && self.queue.is_empty()
            && self.worker.is_idle()
    }

    /// Records an error that ends the program while a script runs, with the line of the script.
    /// Only the first error is kept: later ones are consequences.
    pub fn note_failure(&mut self, error: &str) {
        if self.is_script_over {
            return;
        }
        let place = self.script.as_ref().and_then(Script::place);
        let error = place.map_or_else(|| error.to_owned(), |place| format!("{place}: {error}"));
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(error);
    }

    /// Returns the reason why the program ends with an error.
    pub fn failure(&self) -> Option<String> {
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Waits for files that are being written.
    pub(super) fn finish(&mut self) {
        self.saver.finish();
        if let Some(opening) = &self.opening {
            opening.close(CLOSING);
        }
    }
}
