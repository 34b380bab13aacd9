//! Command palette: all commands by name, and places in the trace, listed as in the window's
//! palette.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use stepback_debugger::action::{
    Action, AppAction, FileAction, MarkAction, PanelAction, PanelKind, ViewAction,
};
use stepback_debugger::desk::{
    Desk, PaletteChoice, PaletteItem, PaletteKey, PaletteSources, PlaceSuggestions, items,
};
use stepback_debugger::keymap::{Command, CommandContext, CommandId};
use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;

use super::look::StyleRole;
use super::pen::{CellRun, Pen};
use super::prompt::{InputEvent, InputLine};
use crate::keys::sent_here;
use crate::panes_open;

/// State of the open palette.
pub struct PaletteState {
    /// Kind of the pane in which it was opened; it decides the meaning of keys.
    kind: PanelKind,
    line: InputLine,
    chosen: usize,
    places: PlaceSuggestions,
    list: Vec<PaletteItem>,
    /// Number of rows drawn in the last frame, which is the page size.
    rows: usize,
}

/// Outcome of a key press.
pub enum PaletteOutcome {
    Nothing,
    Closed,
    Action(Action),
    /// A command that needs an argument.
    Ask(&'static Command),
    /// A command that only the window has.
    OnlyInWindow,
}

impl PaletteState {
    /// Creates the palette over a kind of pane.
    pub fn new(kind: PanelKind) -> Self {
        Self {
            kind,
            line: InputLine::default(),
            chosen: 0,
            places: PlaceSuggestions::default(),
            list: Vec::new(),
            rows: 0,
        }
    }

    /// Inserts a text at the cursor.
    pub fn insert(&mut self, text: &str) {
        self.line.insert(text);
        self.chosen = 0;
    }

    /// Lists the commands and places that match the text.
    pub fn look(&mut self, situation: &CommandContext, desk: Option<&Desk>) {
        let query = self.line.text().to_owned();
        let places = desk.map_or(&[][..], |desk| {
            self.places.poll(&query, &desk.session, &desk.worker)
        });
        let searches = desk.map_or(&[][..], |desk| desk.searches.list());
        let slices = desk.map_or(&[][..], |desk| desk.slices.list());
        self.list = items(
            &query,
            situation,
            PaletteSources {
                recent: &[],
                places,
                searches,
                slices,
            },
        );
        self.chosen = self.chosen.min(self.list.len().saturating_sub(1));
    }

    /// Handles a key press.
    pub fn press(&mut self, key: KeyEvent) -> PaletteOutcome {
        let (page, last) = (self.rows.max(1), self.list.len().saturating_sub(1));
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Up => self.chosen = self.chosen.saturating_sub(1),
            KeyCode::Down => self.chosen = (self.chosen + 1).min(last),
            KeyCode::PageUp => self.chosen = self.chosen.saturating_sub(page),
            KeyCode::PageDown => self.chosen = self.chosen.saturating_add(page).min(last),
            KeyCode::Char('p') if is_control => self.chosen = self.chosen.saturating_sub(1),
            KeyCode::Char('n') if is_control => self.chosen = (self.chosen + 1).min(last),
            KeyCode::Tab => self.complete(),
            KeyCode::Enter => return self.pick(),
            _ => match self.line.press(key, &[]) {
                InputEvent::Cancelled => return PaletteOutcome::Closed,
                InputEvent::More => self.chosen = 0,
                InputEvent::Done(_) | InputEvent::Nothing => {}
            },
        }
        PaletteOutcome::Nothing
    }

    /// Picks the item at a row of the screen.
    pub fn click(&mut self, row: usize) -> PaletteOutcome {
        self.chosen = self.top().saturating_add(row);
        self.pick()
    }

    fn pick(&self) -> PaletteOutcome {
        let choice = self.list.get(self.chosen).map(|item| item.choice.clone());
        match choice {
            Some(choice) if is_choice_of_window(&choice) => PaletteOutcome::OnlyInWindow,
            Some(PaletteChoice::Run(_, action)) => PaletteOutcome::Action(action),
            Some(PaletteChoice::Ask(command)) => PaletteOutcome::Ask(command),
            Some(PaletteChoice::Nothing) | None => PaletteOutcome::Nothing,
        }
    }

    fn complete(&mut self) {
        if let Some(item) = self.list.get(self.chosen) {
            let text = item.text.trim_end_matches('…').to_owned();
            self.line.replace(&text);
        }
    }

    /// Returns the terminal key of a row. A key with another meaning in the pane is omitted.
    fn key_of(&self, place: usize, item: &PaletteItem) -> String {
        match item.key {
            PaletteKey::Enter if place == self.chosen => say!("key-enter").to_owned(),
            PaletteKey::Enter | PaletteKey::Nothing => String::new(),
            PaletteKey::Of(command) => sent_here(command, self.kind)
                .into_iter()
                .next()
                .unwrap_or_default(),
        }
    }

    fn top(&self) -> usize {
        self.chosen.saturating_sub(self.rows.saturating_sub(1))
    }

    /// Draws the palette over an area, its input line above the list. Returns the cursor's cell.
    pub fn draw(&mut self, area: Rect, pen: &mut Pen<'_>) -> (u16, u16) {
        let rows = area.height.saturating_sub(2);
        self.rows = usize::from(rows);
        let title = CellRun::of(area, area.height.saturating_sub(1));
        pen.mark(title, pen.look.style(StyleRole::TitleFocus));
        pen.role(title, say!("terminal-palette-title"), StyleRole::TitleFocus);
        let top = self.top();
        let shown = self.list.iter().enumerate().skip(top);
        for (row, (place, item)) in (1..=rows).zip(shown) {
            let run = CellRun::of(area, row);
            let line = run.after(2);
            let is_of_window = is_choice_of_window(&item.choice);
            let is_grey = match item.choice {
                PaletteChoice::Nothing => true,
                _ => is_of_window,
            };
            let role = StyleRole::Text(if is_grey {
                TextRole::Label
            } else {
                TextRole::Plain
            });
            let right = if is_of_window {
                say!("terminal-in-the-window").to_owned()
            } else {
                self.key_of(place, item)
            };
            let rest = pen.text_right(
                CellRun {
                    end: line.end.saturating_sub(1),
                    ..line
                },
                &right,
                pen.look.style(StyleRole::Key),
            );
            pen.role(rest, &item.text, role);
            if place == self.chosen {
                pen.role(run.first(2), "> ", StyleRole::Cursor);
                pen.mark(run, pen.look.style(StyleRole::Cursor));
            }
        }
        if self.list.is_empty() {
            pen.role(
                CellRun::of(area, 1).after(2),
                say!("terminal-no-command"),
                StyleRole::Text(TextRole::Label),
            );
        }
        let (before, after) = self.line.parts();
        let rest = pen.role(CellRun::of(area, 0), ":", StyleRole::Key);
        let rest = pen.role(rest, before, StyleRole::Text(TextRole::Plain));
        let cursor = (rest.x, rest.y);
        pen.role(rest, after, StyleRole::Text(TextRole::Plain));
        cursor
    }
}

/// Returns true if choosing a row needs a feature that only the window has.
fn is_choice_of_window(choice: &PaletteChoice) -> bool {
    match choice {
        PaletteChoice::Run(_, action) => is_of_window(action),
        PaletteChoice::Ask(command) => asks_for_window(command),
        PaletteChoice::Nothing => false,
    }
}

/// Returns true if a command needs an argument for a feature that only the window has.
pub fn asks_for_window(command: &Command) -> bool {
    use CommandId::{
        ChangeKeys, FixedWidthFont, ForgetLayout, ImportKeys, InterfaceFont, SaveLayoutAs,
        UseLayout, Waveform,
    };
    matches!(
        command.id,
        InterfaceFont
            | FixedWidthFont
            | ChangeKeys
            | ImportKeys
            | Waveform
            | UseLayout
            | SaveLayoutAs
            | ForgetLayout
    )
}

/// Returns true if an action needs a feature that only the window has.
pub fn is_of_window(action: &Action) -> bool {
    match action {
        Action::App(action) => matches!(
            action,
            AppAction::Theme(_)
                | AppAction::Zoom(_)
                | AppAction::Font(_)
                | AppAction::Settings
                | AppAction::SetKeys(..)
                | AppAction::ResetKeys(_)
                | AppAction::ExportKeys
                | AppAction::ImportKeys(_)
                | AppAction::ToggleOwnBrowser
        ),
        Action::File(action) => matches!(
            action,
            FileAction::ToggleIndexingCard
                | FileAction::SavePart(..)
                | FileAction::ClearRecent
                | FileAction::ForgetRecent(_)
        ),
        Action::Panel(PanelAction::ShowPanel(kind) | PanelAction::NewPanel(kind)) => {
            !panes_open::has(*kind)
        }
        Action::Panel(action) => matches!(
            action,
            PanelAction::TearOff(_)
                | PanelAction::PutBack(_)
                | PanelAction::UseLayout(_)
                | PanelAction::SaveLayout(_)
                | PanelAction::ForgetLayout(_)
                | PanelAction::DuplicatePanel(_)
                | PanelAction::ScrollAlong(..)
        ),
        Action::View(action) => matches!(
            action,
            ViewAction::Timeline(_)
                | ViewAction::FitTimeline(_)
                | ViewAction::SelectRange(_)
                | ViewAction::MeasureCalls(_)
                | ViewAction::SelectFunction(_)
        ),
        Action::Mark(action) => matches!(
            action,
            MarkAction::Wave(_) | MarkAction::BookmarkSelection(_)
        ),
        Action::Travel(_) | Action::Search(_) | Action::Slice(_) | Action::Fold(_) => false,
    }
}
