//! Opening, showing and closing of panes and overlays.

use crate::browser::{Overlay, TerminalBrowser};
use crate::help::HelpPage;
use crate::palette::PaletteState;
use crate::prompt::{Question, QuestionPurpose};
use stepback_debugger::action::{PanelId, PanelKind, WindowId};
use stepback_debugger::desk::Tone;
use stepback_debugger::keymap::CommandId;
use stepback_debugger::messages::{Language, LanguageChoice, say};
use stepback_debugger::program::Shell as _;
use stepback_parsers::Position;

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
    pub(super) fn ask(&mut self, requested: QuestionPurpose, text: &str) {
        self.message = None;
        self.over = Overlay::Question(Question::new(requested, text));
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
