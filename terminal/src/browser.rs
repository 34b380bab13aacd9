//! The state of the browser, and what it does with keys and answers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stepback_parsers::Position;

use super::help::HelpPage;
use super::layout::PaneAreas;
use super::look::TerminalStyle;
use super::options::BrowserOptions;
use super::palette::PaletteState;
use super::panes_open::OpenPanes;
use super::question::Question;
use stepback_debugger::action::{Action, CellName, PanelId, PanelKind, WindowId};
use stepback_debugger::desk::{Desk, Message, Script, StatusSlot, Tone};
use stepback_debugger::keymap::{CommandContext, CommandId, CommandSwitches};
use stepback_debugger::messages::say;
use stepback_debugger::model::hit_rows::StepSelection;
use stepback_debugger::program::{self, Program, RunMode, Wake};
use stepback_debugger::worker::Worker;

/// How soon a second click makes a double click.
pub const DOUBLE_CLICK: Duration = Duration::from_millis(400);

/// The browser in a terminal.
///
/// Whoever runs it hands it keys, asks it to advance, and draws it; nothing of that waits.
pub struct TerminalBrowser {
    pub(super) look: TerminalStyle,
    pub(super) program: Program,
    pub(super) panes: OpenPanes,
    /// What is shown over the panes.
    pub(super) over: Overlay,
    /// Nothing was done yet: somebody who was never here is told of the help.
    pub(super) is_greeting: bool,
    /// What was told last, until the next key.
    pub(super) message: Option<Message>,
    /// What was typed before, by the question.
    pub(super) typed: HashMap<String, Vec<String>>,
    /// What the bottom line tells of the position.
    pub(super) status: StatusSlot,
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
    pub(super) is_over: bool,
    /// The program is to stop until the shell continues it.
    pub(super) is_suspending: bool,
    /// How many rows a page of the active list of steps has, and where panes were drawn last.
    pub(super) places: PaneAreas,
    /// The screen has room for panes that nobody asked for.
    pub(super) has_room: bool,
    /// The border that is being dragged.
    pub(super) dragged: Option<PanelId>,
    /// The click before, as long as another one at its place makes it a double click.
    pub(super) clicked: Option<LastClick>,
}

/// A click, and when it was.
#[derive(Clone, Copy, Debug)]
pub struct LastClick {
    /// The column.
    pub x: u16,
    /// The row.
    pub y: u16,
    /// When.
    pub at: Instant,
}

/// What is shown over the panes and has the keyboard.
#[derive(Default)]
pub enum Overlay {
    /// Nothing.
    #[default]
    Nothing,
    /// A text is typed on the bottom line.
    Question(Question),
    /// All commands by name.
    Palette(PaletteState),
    /// The keys.
    Help(HelpPage),
}

impl TerminalBrowser {
    /// A browser that begins to open a trace. `wake` is called when there is something new.
    pub fn new(options: BrowserOptions, look: TerminalStyle, worker: Worker, wake: Wake) -> Self {
        let is_scripted = options.is_scripted();
        let mode = RunMode {
            is_scripted,
            is_synchronous: is_scripted,
            shows_parts: !is_scripted,
        };
        let mut program = Program::new(worker, mode, wake);
        program.begin_at = options.at;
        match options.script.as_deref().map(Script::read).transpose() {
            Ok(script) => program.script = script,
            Err(error) => program.note_failure(&error),
        }
        let mut browser = Self {
            look,
            program,
            panes: OpenPanes::first(),
            over: Overlay::Nothing,
            is_greeting: !is_scripted,
            message: None,
            typed: HashMap::new(),
            status: StatusSlot::default(),
            cell: None,
            cell_at: None,
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

    /// Picks up the answers that arrived, and does what waited for them.
    pub fn advance(&mut self) {
        program::advance(self);
        program::apply_queue(self);
        self.note_cell();
    }

    /// Performs an action, as a key would.
    pub fn perform(&mut self, action: Action) {
        program::perform(self, action);
    }

    /// Performs the next line of the script. False where there is none left.
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

    /// Whether lines of a script are left.
    pub fn has_script(&self) -> bool {
        self.program.script.is_some()
    }

    /// Returns the file that the screen is to be saved to as text, once.
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

    /// Whether nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.program.is_idle()
    }

    /// How many questions were asked so far. A frame that asked some is not the last one: what it asked for may be answered
    /// already, and not drawn.
    pub fn questions(&self) -> u64 {
        self.program.worker.jobs_begun()
    }

    /// Whether something is shown that changes by itself: how far something came.
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

    /// Whether windows move just now: what is drawn before they have arrived is drawn twice.
    pub fn is_moving(&self) -> bool {
        self.program.desk.as_ref().is_some_and(Desk::is_moving)
    }

    /// Whether it is to end.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns why a script ended with an error.
    pub fn failure(&self) -> Option<String> {
        self.program.failure()
    }

    /// Whether the program is to stop until it is continued; once.
    pub fn take_suspension(&mut self) -> bool {
        if self.is_suspending {
            program::keep_session(self);
            self.program.saver.finish();
        }
        std::mem::take(&mut self.is_suspending)
    }

    /// What is to be sent to the terminal besides cells.
    pub fn take_sequences(&mut self) -> Vec<String> {
        std::mem::take(&mut self.sequences)
    }

    /// The open trace.
    pub fn desk(&self) -> Option<&Desk> {
        self.program.desk.as_ref()
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
            indexing,
            switches: CommandSwitches { on },
            follow_refusal: desk.session.follow_refusal(),
        }
    }

    /// Remembers the cell under the cursor of the pane that has the keyboard.
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

    /// Of which kind the pane is that has the keyboard.
    pub(super) fn focused_kind(&self) -> PanelKind {
        self.panes
            .focused()
            .map_or(PanelKind::Trace, |open| open.pane.kind())
    }

    /// The pane that shows the list of steps of a window has the keyboard, and its window is the active one.
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

    /// Saves what has to be saved at the end of the program.
    pub fn close(&mut self) {
        program::close(self);
    }
}
