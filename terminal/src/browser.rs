//! State of the terminal program, and its reaction to keys and answers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, CellName, PanelId, PanelKind};
use stepback_debugger::desk::{Desk, Message, Script, StatusSlot, Tone};
use stepback_debugger::expression::ExampleRegisters;
use stepback_debugger::keymap::{CommandContext, CommandId, CommandSwitches};
use stepback_debugger::messages::say;
use stepback_debugger::model::hit_rows::StepSelection;
use stepback_debugger::program;
use stepback_debugger::program::{Program, RunMode, Wake};
use stepback_debugger::worker::Worker;
use stepback_parsers::Position;

use super::help::HelpPage;
use super::layout::PaneAreas;
use super::look::TerminalStyle;
use super::palette::PaletteState;
use super::panes_open::OpenPanes;
use super::typed_address::TypedAddress;
use crate::prompt::{Question, QuestionPurpose};
use crate::run::BrowserOptions;

/// Maximum time between the two clicks of a double click.
pub const DOUBLE_CLICK: Duration = Duration::from_millis(400);

/// State of the terminal program.
///
/// The run loop passes it keys, calls [`TerminalBrowser::advance`] and draws it. None of these calls
/// blocks.
pub struct TerminalBrowser {
    pub(super) look: TerminalStyle,
    pub(super) program: Program,
    pub(super) panes: OpenPanes,
    pub(super) over: Overlay,
    /// No key was pressed yet: the bottom line shows a hint about the help.
    pub(super) is_greeting: bool,
    /// The latest message, shown until the next key.
    pub(super) message: Option<Message>,
    /// History of typed texts, by the prompt they answered.
    pub(super) typed: HashMap<String, Vec<String>>,
    /// Text of the bottom line about the position.
    pub(super) status: StatusSlot,
    /// Cell most recently under a cursor; commands such as "last write" use it if the focused pane
    /// has none.
    pub(super) cell: Option<CellName>,
    /// Position at which that cell is shown, if the pane shows it.
    pub(super) cell_at: Option<Position>,
    /// The last position that a prompt asked for, with the prompt: it opens again if the position
    /// does not exist.
    pub(super) asked_place: Option<(String, QuestionPurpose)>,
    /// Address of memory that is evaluated before a pane shows it.
    pub(super) typed_address: Option<TypedAddress>,
    /// Escape sequences to send to the terminal in addition to the cells.
    pub(super) sequences: Vec<String>,
    /// The most recently copied text.
    pub(super) copied: Option<String>,
    /// File for a text picture of the screen, saved once the answers to all earlier actions are
    /// drawn.
    pub(super) snapshot: Option<PathBuf>,
    pub(super) is_over: bool,
    /// The process is to be suspended until the shell continues it.
    pub(super) is_suspending: bool,
    /// Areas in which the panes were last drawn; they also give the page size of the active step
    /// list.
    pub(super) places: PaneAreas,
    /// The screen has room for panes that the program opens unprompted.
    pub(super) has_room: bool,
    pub(super) dragged: Option<PanelId>,
    /// The previous click, kept to recognise a double click on the same cell.
    pub(super) clicked: Option<LastClick>,
}

/// The position and time of a click.
#[derive(Clone, Copy, Debug)]
pub struct LastClick {
    pub x: u16,
    pub y: u16,
    pub at: Instant,
}

/// Content drawn over the panes; it has the keyboard.
#[derive(Default)]
pub enum Overlay {
    #[default]
    Nothing,
    /// A text prompt on the bottom line.
    Question(Question),
    /// The command palette.
    Palette(PaletteState),
    /// The page of keys.
    Help(HelpPage),
}

impl TerminalBrowser {
    /// Creates a browser and starts opening the trace. `wake` is called when something new arrives.
    pub fn new(options: BrowserOptions, look: TerminalStyle, worker: Worker, wake: Wake) -> Self {
        let is_scripted = options.is_scripted();
        let mode = RunMode {
            is_scripted,
            is_synchronous: is_scripted,
            shows_parts: !is_scripted,
        };
        let mut program = Program::new(worker, mode, wake);
        program.begin_at = options.at;
        program.compare_with = options.compare;
        program.start_gdb_server = options.gdb_server;
        if let Some(ports) = options.sync {
            program.start_sync(ports);
        }
        match options.script.as_deref().map(Script::read).transpose() {
            Ok(script) => program.script = script,
            Err(error) => program.note_failure(&error),
        }
        let mut browser = Self {
            look,
            program,
            panes: OpenPanes::first(WindowId(1)),
            over: Overlay::Nothing,
            is_greeting: !is_scripted,
            message: None,
            typed: HashMap::new(),
            status: StatusSlot::default(),
            cell: None,
            cell_at: None,
            asked_place: None,
            typed_address: None,
            sequences: Vec::new(),
            copied: None,
            snapshot: None,
            is_over: false,
            is_suspending: false,
            places: PaneAreas::default(),
            has_room: false,
            dragged: None,
            clicked: None,
        };
        if let Some(choice) = options.trace {
            program::open(&mut browser, choice);
        }
        browser
    }

    /// Collects the answers that arrived, and runs the actions that waited for them.
    pub fn advance(&mut self) {
        program::advance(self);
        self.poll_typed_address();
        program::apply_queue(self);
        self.note_cell();
    }

    /// Performs an action, as a key would.
    pub fn perform(&mut self, action: Action) {
        program::perform(self, action);
    }

    /// Performs the next line of the script. Returns false if no line is left.
    pub fn next_of_script(&mut self) -> bool {
        if self.failure().is_some() {
            self.is_over = self.program.mode.is_scripted;
            return false;
        }
        let situation = self.situation();
        let has_line = program::next_of_script(self, &situation);
        if !has_line {
            self.program.script = None;
        }
        has_line
    }

    /// Returns true if the script has lines left.
    pub fn has_script(&self) -> bool {
        self.program.script.is_some()
    }

    /// Takes the path under which the screen is to be saved as text.
    pub fn take_snapshot(&mut self) -> Option<PathBuf> {
        self.snapshot.take()
    }

    /// Reports that the screen was saved.
    pub fn tell_saved_picture(&mut self, place: &Path) {
        self.say(
            Tone::Info,
            &say!("dialog-saved", path = place.display().to_string()),
        );
    }

    /// Ends the program.
    pub fn end(&mut self) {
        self.is_over = true;
    }

    /// Returns true if no answer or action is pending.
    pub fn is_idle(&self) -> bool {
        self.program.is_idle()
    }

    /// Returns the number of queries started until now. If a frame starts queries, another frame
    /// must follow: their answers may already be there but not drawn.
    pub fn questions(&self) -> u64 {
        self.program.worker.jobs_begun()
    }

    /// Returns true if the screen shows a progress counter, which changes without input.
    pub fn is_counting(&self) -> bool {
        let is_looking = self
            .program
            .desk
            .as_ref()
            .is_some_and(|desk| desk.lookup.is_some() || desk.find.is_under_way());
        is_looking
            || self
                .program
                .opening
                .as_ref()
                .is_some_and(|opening| !opening.is_following())
    }

    /// Returns true while a window is moving; a frame drawn before it arrives would be drawn twice.
    pub fn is_moving(&self) -> bool {
        self.program.desk.as_ref().is_some_and(Desk::is_moving)
    }

    /// Returns true if the program is to end.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the reason why a script failed.
    pub fn failure(&self) -> Option<String> {
        self.program.failure()
    }

    /// Takes the request to suspend the process. Saves the session first.
    pub fn take_suspension(&mut self) -> bool {
        if self.is_suspending {
            program::keep_session(self);
            self.program.saver.finish();
        }
        std::mem::take(&mut self.is_suspending)
    }

    /// Takes the escape sequences to send to the terminal in addition to the cells.
    pub fn take_sequences(&mut self) -> Vec<String> {
        std::mem::take(&mut self.sequences)
    }

    pub fn desk(&self) -> Option<&Desk> {
        self.program.desk.as_ref()
    }

    /// Returns the latest message.
    pub fn message(&self) -> Option<&Message> {
        self.message.as_ref()
    }

    /// Returns the most recently copied text.
    pub fn copied(&self) -> Option<&str> {
        self.copied.as_deref()
    }

    /// Returns the state that decides which commands apply.
    pub(super) fn situation(&self) -> CommandContext {
        let Some(desk) = &self.program.desk else {
            return CommandContext::default();
        };
        let window = desk.windows.active();
        let focused = self.panes.focused();
        let indexing = self.program.indexing();
        let mut on = Vec::new();
        on.extend(window.is_raw.then_some(CommandId::RawText));
        let only = match window.only_hits.of {
            StepSelection::Hits => CommandId::OnlyHits,
            StepSelection::Slice => CommandId::OnlyStepsOfTheSlice,
        };
        on.extend(window.only_hits.is_on.then_some(only));
        on.extend(window.thread.is_some().then_some(CommandId::StayInThread));
        on.extend(
            desk.windows
                .is_synced
                .then_some(CommandId::WindowsMoveTogether),
        );
        CommandContext {
            active: Some((desk.windows.active, window.position)),
            trace: window.trace,
            tile: focused.map(|open| open.id),
            is_in_trace: focused.is_none_or(|open| open.pane.window().is_some()),
            is_in_cells: focused.is_some_and(|open| open.pane.has_cells()),
            cell: self.cell.clone(),
            cell_at: self.cell_at.filter(|at| *at != window.position),
            pointed: None,
            condition: desk.condition.clone(),
            culprit: desk
                .ending()
                .filter(|_| self.cell.is_none())
                .and_then(|report| report.ending.culprit.clone()),
            indexing,
            switches: CommandSwitches { on },
            registers: ExampleRegisters::of_index(&desk.session.index),
            follow_refusal: desk.session.follow_refusal(),
            is_without_text: !desk.session.index.source().is_text(),
        }
    }

    /// Remembers the cell under the cursor of the focused pane.
    fn note_cell(&mut self) {
        let Self {
            panes,
            program: Program {
                desk: Some(desk), ..
            },
            look,
            ..
        } = self
        else {
            return;
        };
        let Some(open) = panes.focused() else { return };
        let cx = super::pane::PaneContext {
            desk,
            look,
            pane: open.id,
            has_focus: true,
        };
        let selected = open.pane.selection(&cx);
        self.cell_at = selected.as_ref().and_then(|_| open.pane.selection_at(&cx));
        self.cell = selected.or_else(|| self.cell.take());
    }

    /// Returns the kind of the focused pane.
    pub(super) fn focused_kind(&self) -> PanelKind {
        self.panes
            .focused()
            .map_or(PanelKind::Trace, |open| open.pane.kind())
    }

    /// Focuses a pane; if it is a step list, activates its window.
    pub(super) fn focus(&mut self, id: PanelId) {
        self.panes.focus(id);
        self.activate_focused();
    }

    pub(super) fn activate_focused(&mut self) {
        let window: Option<WindowId> = self.panes.focused().and_then(|open| open.pane.window());
        if let (Some(window), Some(desk)) = (window, self.program.desk.as_mut()) {
            desk.windows.activate(window);
        }
    }

    /// Saves the session and settings at the end of the program.
    pub fn close(&mut self) {
        program::close(self);
    }
}
