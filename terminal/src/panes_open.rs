//! The open panes and the keyboard focus.
//!
//! Opening, showing and closing of panes and overlays.
//!
//! Registry of panes, one row per kind.

use stepback_debugger::action::{Direction, PanelId, PanelKind, WindowId};
use stepback_debugger::desk::Tone;
use stepback_debugger::keymap::CommandId;
use stepback_debugger::messages::{Language, LanguageChoice, say};
use stepback_debugger::program::Shell as _;
use stepback_parsers::Position;

use crate::browser::{Overlay, TerminalBrowser};
use crate::help::HelpPage;
use crate::palette::PaletteState;
use crate::pane::Pane;
use crate::panes::{MemoryPane, RegistersPane, TracePane, open_list};
use crate::prompt::{Question, QuestionPurpose};

pub struct OpenPane {
    /// Panel number, unique for the life of the program.
    pub id: PanelId,
    pub pane: Box<dyn Pane>,
    /// Number of rows chosen by the user; none for the pane's own request.
    pub rows: Option<u16>,
}

/// All open panes, from the top.
pub struct OpenPanes {
    list: Vec<OpenPane>,
    focus: PanelId,
    /// True if the focused pane takes the whole screen.
    pub is_zoomed: bool,
    opened: u64,
}

impl OpenPanes {
    /// Creates the initial panes: a step list and the general registers.
    pub fn first() -> Self {
        let mut panes = Self {
            list: Vec::new(),
            focus: PanelId(0),
            is_zoomed: false,
            opened: 0,
        };
        panes.add(PanelKind::Trace, WindowId(1));
        panes.add(PanelKind::Registers, WindowId(1));
        panes.focus = PanelId(1);
        panes
    }

    pub fn list(&self) -> &[OpenPane] {
        &self.list
    }

    pub fn list_mut(&mut self) -> &mut [OpenPane] {
        &mut self.list
    }

    /// Opens a pane and focuses it. Returns none if the terminal has no pane of this kind.
    pub fn add(&mut self, kind: PanelKind, window: WindowId) -> Option<PanelId> {
        let pane = open(kind, window)?;
        Some(self.put(pane))
    }

    /// Inserts a pane and focuses it. Step lists are placed after other step lists, other panes at
    /// the end.
    pub fn put(&mut self, pane: Box<dyn Pane>) -> PanelId {
        self.opened += 1;
        let id = PanelId(self.opened);
        let traces = self
            .list
            .iter()
            .filter(|open| open.pane.window().is_some())
            .count();
        let place = if pane.window().is_some() {
            traces
        } else {
            self.list.len()
        };
        self.list.insert(
            place,
            OpenPane {
                id,
                pane,
                rows: None,
            },
        );
        self.focus = id;
        id
    }

    /// Returns the focused pane.
    pub fn focused(&self) -> Option<&OpenPane> {
        self.list
            .iter()
            .find(|open| open.id == self.focus)
            .or_else(|| self.list.first())
    }

    /// Returns the focused pane for changes.
    pub fn focused_mut(&mut self) -> Option<&mut OpenPane> {
        let place = self
            .list
            .iter()
            .position(|open| open.id == self.focus)
            .unwrap_or(0);
        self.list.get_mut(place)
    }

    pub fn get_mut(&mut self, id: PanelId) -> Option<&mut OpenPane> {
        self.list.iter_mut().find(|open| open.id == id)
    }

    pub fn get(&self, id: PanelId) -> Option<&OpenPane> {
        self.list.iter().find(|open| open.id == id)
    }

    /// Focuses a pane, if it is open.
    pub fn focus(&mut self, id: PanelId) {
        if self.list.iter().any(|open| open.id == id) {
            self.focus = id;
        }
    }

    /// Returns the number of the focused pane.
    pub fn focus_id(&self) -> PanelId {
        self.focused().map_or(PanelId(0), |open| open.id)
    }

    /// Focuses the next or previous pane.
    pub fn focus_next(&mut self, way: Direction) {
        let count = self.list.len().max(1);
        let place = self
            .list
            .iter()
            .position(|open| open.id == self.focus_id())
            .unwrap_or(0);
        let next = match way {
            Direction::Forward => (place + 1) % count,
            Direction::Back => (place + count - 1) % count,
        };
        if let Some(open) = self.list.get(next) {
            self.focus = open.id;
        }
    }

    /// Returns the focused pane if it is of a kind, or else the first pane of that kind.
    pub fn of_kind(&self, kind: PanelKind) -> Option<PanelId> {
        let is_kind = |open: &&OpenPane| open.pane.kind() == kind;
        self.focused()
            .filter(is_kind)
            .or_else(|| self.list.iter().find(is_kind))
            .map(|open| open.id)
    }

    /// Returns the step list of a window.
    pub fn of_window(&self, window: WindowId) -> Option<PanelId> {
        self.list
            .iter()
            .find(|open| open.pane.window() == Some(window))
            .map(|open| open.id)
    }

    /// Closes a pane and focuses the one above it. Returns none for the last step list and for
    /// unknown panes.
    pub fn close(&mut self, id: PanelId) -> Option<OpenPane> {
        let place = self.list.iter().position(|open| open.id == id)?;
        let lists = self
            .list
            .iter()
            .filter(|open| open.pane.window().is_some())
            .count();
        let is_list = self
            .list
            .get(place)
            .is_some_and(|open| open.pane.window().is_some());
        if is_list && lists < 2 {
            return None;
        }
        let closed = self.list.remove(place);
        if self.focus == id {
            self.is_zoomed = false;
            self.focus = self
                .list
                .get(place.saturating_sub(1))
                .map_or(PanelId(0), |open| open.id);
        }
        Some(closed)
    }
}

impl TerminalBrowser {
    pub(super) fn help(&mut self) {
        self.over = Overlay::Help(HelpPage::new(self.focused_kind(), &self.situation()));
    }

    /// Prompts for the argument of a command.
    pub(super) fn ask_argument(&mut self, command: CommandId) {
        let command = command.command();
        if command.argument.is_some() {
            self.ask(QuestionPurpose::Argument(command), "");
        }
    }

    /// Copies a text to the terminal's clipboard.
    pub(super) fn copy(&mut self, text: String) {
        match super::screen::copy_sequence(&text) {
            Some(sequence) => {
                self.sequences.push(sequence);
                self.say(Tone::Info, say!("terminal-copied"));
                self.copied = Some(text);
            }
            None => self.report(say!("terminal-too-long-to-copy")),
        }
    }

    pub(super) fn open_list_at(&mut self, at: Position) {
        if let Some(desk) = self.program.desk.as_mut() {
            let window = desk.windows.open_at(at);
            self.panes.add(PanelKind::Trace, window);
        }
    }

    pub(super) fn activate(&mut self, id: WindowId) {
        let Some(desk) = self.program.desk.as_mut() else {
            return;
        };
        if desk.windows.get(id).is_none() {
            let count = desk.windows.list.len();
            return self.report(&say!("apply-no-window", number = id.0, count = count));
        }
        desk.windows.activate(id);
        if let Some(list) = self.panes.of_window(id) {
            self.panes.focus(list);
        }
    }

    pub(super) fn close_pane(&mut self, id: PanelId) {
        match self.panes.close(id) {
            None => self.say(Tone::Info, say!("apply-the-last-trace-window-stays")),
            Some(closed) => {
                if let (Some(window), Some(desk)) =
                    (closed.pane.window(), self.program.desk.as_mut())
                {
                    desk.windows.close(window);
                }
                self.activate_focused();
            }
        }
    }

    /// Opens a prompt on the bottom line.
    pub(super) fn ask(&mut self, asked: QuestionPurpose, text: &str) {
        self.message = None;
        self.over = Overlay::Question(Question::new(asked, text));
    }

    /// Shows a pane of a kind and focuses it.
    pub(super) fn show(&mut self, kind: PanelKind) {
        match self.panes.of_kind(kind) {
            Some(id) => self.focus(id),
            None => self.open_pane(kind),
        }
    }

    /// Shows a pane of a kind without moving the focus.
    pub(super) fn reveal(&mut self, kind: PanelKind) {
        if self.panes.of_kind(kind).is_none() {
            let focus = self.panes.focus_id();
            self.open_pane(kind);
            self.panes.focus(focus);
        }
    }

    /// Opens a pane. A step list gets its own trace window.
    pub(super) fn open_pane(&mut self, kind: PanelKind) {
        let Some(desk) = self.program.desk.as_mut() else {
            return;
        };
        let window = match kind {
            PanelKind::Trace => desk.windows.open_at(desk.windows.active().position),
            _ => desk.windows.active,
        };
        if self.panes.add(kind, window).is_none() {
            return self.refuse_window_matter();
        }
        self.panes.is_zoomed = false;
    }

    /// Opens a second step list at the position.
    pub(super) fn side_by_side(&mut self) {
        let at = self
            .program
            .desk
            .as_ref()
            .map(|desk| desk.windows.active().position);
        let other = at.and_then(|at| self.other_window(at));
        if let Some(id) = other.and_then(|other| self.panes.of_window(other)) {
            self.focus(id);
        }
    }

    /// Compares two windows; opens the second one first if there is only one.
    pub(super) fn compare(&mut self) {
        let at = self
            .program
            .desk
            .as_ref()
            .map(|desk| desk.windows.active().position);
        if at.and_then(|at| self.other_window(at)).is_some() {
            self.show(PanelKind::Compare);
        }
    }

    pub(super) fn open_palette(&mut self) {
        self.over = Overlay::Palette(PaletteState::new(self.focused_kind()));
    }

    pub(super) fn choose_language(&mut self, choice: LanguageChoice) {
        choice.of(Language::of_system()).speak();
        self.program.worker.renew();
    }
}

/// Returns true if the terminal has panes of a kind.
pub fn has(kind: PanelKind) -> bool {
    open(kind, WindowId(1)).is_some()
}

/// Opens a pane of a kind; a step list belongs to `window`. Returns none if the terminal has no
/// pane of the kind.
pub fn open(kind: PanelKind, window: WindowId) -> Option<Box<dyn Pane>> {
    match kind {
        PanelKind::Trace => Some(Box::new(TracePane::new(window))),
        PanelKind::Memory => Some(Box::<MemoryPane>::default()),
        PanelKind::Registers => Some(Box::<RegistersPane>::default()),
        _ => open_list(kind),
    }
}
