//! The state of the browser, and what it does with keys and answers.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stepback_parsers::Position;

use super::help::HelpPage;
use super::layout::Places;
use super::look::Look;
use super::options::BrowserOptions;
use super::palette::Palette;
use super::panes_open::Panes;
use super::question::Question;
use stepback_debugger::action::{Action, CellName, PanelId, PanelKind, WindowId};
use stepback_debugger::desk::{
    Desk, Keeping, Marks, Message, Opening, Queue, Saver, Script, Showing, StatusSlot, Tone, TraceChoice, Undo,
};
use stepback_debugger::keymap::{CommandId, Indexing, Situation, Switches};
use stepback_debugger::messages::say;
use stepback_debugger::model::hit_rows::Sieve;
use stepback_debugger::worker::Worker;

/// How long the end of the program waits at most for what is indexed to be kept.
const CLOSING: Duration = Duration::from_secs(2);

/// How soon a second click makes a double click.
pub const DOUBLE_CLICK: Duration = Duration::from_millis(400);

/// Tells whoever draws that there is something new.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// The browser in a terminal.
///
/// Whoever runs it hands it keys, asks it to advance, and draws it; nothing of that waits.
pub struct Browser {
    pub(super) look: Look,
    pub(super) worker: Arc<Worker>,
    pub(super) wake: Wake,
    pub(super) desk: Option<Desk>,
    pub(super) opening: Option<Opening>,
    pub(super) queue: Queue,
    pub(super) panes: Panes,
    /// What is shown over the panes.
    pub(super) over: Over,
    /// Nothing was done yet: somebody who was never here is told of the help.
    pub(super) is_greeting: bool,
    /// What was told last, until the next key.
    pub(super) message: Option<Message>,
    /// What was typed before, by the question.
    pub(super) typed: HashMap<String, Vec<String>>,
    pub(super) undo: Undo<Marks>,
    pub(super) saver: Saver,
    /// What the bottom line tells of the position.
    pub(super) status: StatusSlot,
    /// Where the trace begins that is being opened.
    pub(super) begin_at: Option<String>,
    /// The cell that was under a cursor last: "last write" means it where a pane has none.
    pub(super) cell: Option<CellName>,
    /// The position that it is shown at, where a pane shows it.
    pub(super) cell_at: Option<Position>,
    /// What is to be sent to the terminal besides cells.
    pub(super) sequences: Vec<String>,
    /// The text that was copied last.
    pub(super) copied: Option<String>,
    /// The screen is to be saved there as text once the answers to the actions before are drawn.
    pub(super) snapshot: Option<PathBuf>,
    pub(super) is_scripted: bool,
    pub(super) script: Option<Script>,
    /// What ended a script.
    pub(super) failure: Option<String>,
    pub(super) is_over: bool,
    /// The program is to stop until the shell continues it.
    pub(super) is_suspending: bool,
    /// How many rows a page of the active list of steps has, and where panes were drawn last.
    pub(super) places: Places,
    /// The screen has room for panes that nobody asked for.
    pub(super) has_room: bool,
    /// The border that is being dragged.
    pub(super) dragged: Option<PanelId>,
    /// The click before, as long as another one at its place makes it a double click.
    pub(super) clicked: Option<Clicked>,
}

/// A click, and when it was.
#[derive(Clone, Copy, Debug)]
pub struct Clicked {
    /// The column.
    pub x: u16,
    /// The row.
    pub y: u16,
    /// When.
    pub at: Instant,
}

/// What is shown over the panes and has the keyboard.
#[derive(Default)]
pub enum Over {
    /// Nothing.
    #[default]
    Nothing,
    /// A text is typed on the bottom line.
    Question(Question),
    /// All commands by name.
    Palette(Palette),
    /// The keys.
    Help(HelpPage),
}

impl Browser {
    /// A browser that begins to open a trace. `wake` is called when there is something new.
    pub fn new(options: BrowserOptions, look: Look, worker: Worker, wake: Wake) -> Self {
        let is_scripted = options.is_scripted();
        let read = options.script.as_deref().map(Script::read).transpose();
        let (script, failure) = read.map_or_else(|error| (None, Some(error)), |script| (script, None));
        let woken = Arc::clone(&wake);
        let mut browser = Self {
            look,
            worker: Arc::new(worker),
            wake,
            desk: None,
            opening: None,
            queue: Queue::default(),
            panes: Panes::first(),
            over: Over::Nothing,
            is_greeting: !is_scripted,
            message: None,
            typed: HashMap::new(),
            undo: Undo::default(),
            saver: Saver::new(move || woken()),
            status: StatusSlot::default(),
            begin_at: options.at,
            cell: None,
            cell_at: None,
            sequences: Vec::new(),
            copied: None,
            snapshot: None,
            is_scripted,
            script,
            failure,
            is_over: false,
            is_suspending: false,
            places: Places::default(),
            has_room: false,
            dragged: None,
            clicked: None,
        };
        if let Some(choice) = options.trace {
            browser.open(choice);
        }
        browser
    }

    /// Starts to open a trace; what was being opened is given up.
    pub(super) fn open(&mut self, choice: TraceChoice) {
        // What is read may be what was changed here last.
        self.keep_session();
        self.saver.finish();
        let showing = if self.is_scripted { Showing::Whole } else { Showing::Parts };
        self.start_opening(choice, showing);
    }

    pub(super) fn start_opening(&mut self, choice: TraceChoice, showing: Showing) {
        let keeping = if self.is_scripted { Keeping::Nothing } else { Keeping::Sessions };
        let wake = Arc::clone(&self.wake);
        self.opening = Some(Opening::start(choice, showing, keeping, move || wake()));
    }

    /// Picks up the answers that arrived, and does what waited for them.
    pub fn advance(&mut self) {
        self.take_opened();
        if let Some(desk) = &mut self.desk {
            desk.is_opening = self.opening.is_some();
            desk.take_answers();
        }
        self.take_news();
        self.take_saved();
        self.apply_queue();
        self.look_at_change();
        self.note_cell();
    }

    /// Asks for an action, as a key would.
    pub fn perform(&mut self, action: Action) {
        self.queue.push(action);
        self.apply_queue();
    }

    /// Whether nothing is on its way.
    pub fn is_idle(&self) -> bool {
        let is_looking = self.desk.as_ref().is_some_and(|desk| {
            desk.lookup.is_some()
                || desk.is_moving()
                || desk.find.is_under_way()
                || !desk.session.images.are_lines_ready()
        });
        let is_opening = self.opening.as_ref().is_some_and(|opening| !opening.has_caught_up());
        !is_opening && !is_looking && self.queue.is_empty() && self.worker.is_idle()
    }

    /// How many questions were asked so far. A frame that asked some is not the last one: what it asked for may be answered
    /// already, and not drawn.
    pub fn questions(&self) -> u64 {
        self.worker.jobs_begun()
    }

    /// Whether something is shown that changes by itself: how far something came.
    pub fn is_counting(&self) -> bool {
        let is_looking = self.desk.as_ref().is_some_and(|desk| desk.lookup.is_some() || desk.find.is_under_way());
        is_looking || self.opening.as_ref().is_some_and(|opening| !opening.is_following())
    }

    /// Whether windows move just now: what is drawn before they have arrived is drawn twice.
    pub fn is_moving(&self) -> bool {
        self.desk.as_ref().is_some_and(Desk::is_moving)
    }

    /// Whether it is to end.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Why a script ended with an error.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Whether the program is to stop until it is continued; once.
    pub fn take_suspension(&mut self) -> bool {
        if self.is_suspending {
            self.keep_session();
            self.saver.finish();
        }
        std::mem::take(&mut self.is_suspending)
    }

    /// What is to be sent to the terminal besides cells.
    pub fn take_sequences(&mut self) -> Vec<String> {
        std::mem::take(&mut self.sequences)
    }

    /// The open trace.
    pub fn desk(&self) -> Option<&Desk> {
        self.desk.as_ref()
    }

    /// What was told last.
    pub fn message(&self) -> Option<&Message> {
        self.message.as_ref()
    }

    /// The text that was copied last.
    pub fn copied(&self) -> Option<&str> {
        self.copied.as_deref()
    }

    /// What commands are made for.
    pub(super) fn situation(&self) -> Situation {
        let Some(desk) = &self.desk else { return Situation::default() };
        let window = desk.windows.active();
        let focused = self.panes.focused();
        let indexing = match &self.opening {
            Some(opening) if opening.is_following() => Indexing::Following,
            Some(_) => Indexing::UnderWay,
            None if desk.session.index.is_whole() => Indexing::Whole,
            None => Indexing::Stopped,
        };
        let mut on = Vec::new();
        on.extend(window.is_raw.then_some(CommandId::RawText));
        let only = match window.only_hits.of {
            Sieve::Hits => CommandId::OnlyHits,
            Sieve::Slice => CommandId::OnlyStepsOfTheSlice,
        };
        on.extend(window.only_hits.is_on.then_some(only));
        on.extend(window.thread.is_some().then_some(CommandId::StayInThread));
        on.extend(desk.windows.is_synced.then_some(CommandId::WindowsMoveTogether));
        Situation {
            active: Some((desk.windows.active, window.position.0)),
            trace: window.trace,
            tile: focused.map(|open| open.id),
            is_in_trace: focused.is_none_or(|open| open.pane.window().is_some()),
            is_in_cells: focused.is_some_and(|open| open.pane.has_cells()),
            cell: self.cell.clone(),
            cell_at: self.cell_at.filter(|at| *at != window.position).map(|at| at.0),
            pointed: None,
            indexing,
            switches: Switches { on },
            follow_refusal: desk.session.follow_refusal(),
        }
    }

    /// Remembers the cell under the cursor of the pane that has the keyboard.
    fn note_cell(&mut self) {
        let Self { panes, desk: Some(desk), look, .. } = self else { return };
        let Some(open) = panes.focused() else { return };
        let cx = super::pane::Cx { desk, look, pane: open.id, has_focus: true };
        let selected = open.pane.selection(&cx);
        self.cell_at = selected.as_ref().and_then(|_| open.pane.selection_at(&cx));
        self.cell = selected.or_else(|| self.cell.take());
    }

    /// Of which kind the pane is that has the keyboard.
    pub(super) fn focused_kind(&self) -> PanelKind {
        self.panes.focused().map_or(PanelKind::Trace, |open| open.pane.kind())
    }

    /// The pane that shows the list of steps of a window has the keyboard, and its window is the active one.
    pub(super) fn focus(&mut self, id: PanelId) {
        self.panes.focus(id);
        self.activate_focused();
    }

    pub(super) fn activate_focused(&mut self) {
        let window: Option<WindowId> = self.panes.focused().and_then(|open| open.pane.window());
        if let (Some(window), Some(desk)) = (window, self.desk.as_mut()) {
            desk.windows.activate(window);
        }
    }

    /// Tells something on the bottom line.
    pub(super) fn tell(&mut self, tone: Tone, words: &str) {
        self.message = Some(Message::new(tone, words));
    }

    /// Tells of an error. In a run from a script it ends the program.
    pub(super) fn report(&mut self, error: &str) {
        self.tell(Tone::Error, error);
        if self.is_scripted {
            let place = self.script.as_ref().and_then(Script::place);
            let error = place.map_or_else(|| error.to_owned(), |place| format!("{place}: {error}"));
            self.failure.get_or_insert(error);
        }
    }

    /// What only the window has.
    pub(super) fn refuse_window_matter(&mut self) {
        self.report(say!("terminal-only-in-the-window"));
    }

    /// Keeps what is to be kept, at the end of the program.
    pub fn close(&mut self) {
        self.keep_session();
        self.saver.finish();
        if let Some(opening) = &self.opening {
            opening.close(CLOSING);
        }
    }
}
