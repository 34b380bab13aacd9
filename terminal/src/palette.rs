//! All commands by name, and where in the trace what is typed may lead: as the window's palette lists them.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

use super::look::Role;
use super::pen::{Pen, Run};
use super::prompt::{Line, Typed};
use super::registry;
use super::sent::sent_here;
use stepback_debugger::action::{
    Action, AppAction, FileAction, MarkAction, PanelAction, PanelKind, ViewAction,
};
use stepback_debugger::desk::{Choice, Desk, Item, ItemKey, Known, Places, items};
use stepback_debugger::keymap::{Command, CommandId, Situation};
use stepback_debugger::messages::say;

/// The palette while it is open.
pub struct Palette {
    /// The pane in which it was opened: what keys mean depends on it.
    kind: PanelKind,
    line: Line,
    chosen: usize,
    places: Places,
    list: Vec<Item>,
    /// How many rows were drawn last: a page key goes as far.
    rows: usize,
}

/// What came of a key.
pub enum Picked {
    /// Nothing yet.
    Nothing,
    /// The palette is closed.
    Closed,
    /// An action.
    Action(Action),
    /// A command that asks for an argument.
    Ask(&'static Command),
}

impl Palette {
    /// The commands, over a pane of a kind.
    pub fn new(kind: PanelKind) -> Self {
        Self {
            kind,
            line: Line::default(),
            chosen: 0,
            places: Places::default(),
            list: Vec::new(),
            rows: 0,
        }
    }

    /// Types a text where the cursor is.
    pub fn insert(&mut self, text: &str) {
        self.line.insert(text);
        self.chosen = 0;
    }

    /// Lists what fits what is typed.
    pub fn look(&mut self, situation: &Situation, desk: Option<&Desk>) {
        let query = self.line.text().to_owned();
        let places = desk.map_or(&[][..], |desk| {
            self.places.poll(&query, &desk.session, &desk.worker)
        });
        let searches = desk.map_or(&[][..], |desk| desk.searches.list());
        let slices = desk.map_or(&[][..], |desk| desk.slices.list());
        self.list = items(
            &query,
            situation,
            Known {
                recent: &[],
                places,
                searches,
                slices,
            },
        );
        self.list.retain(|item| match &item.choice {
            Choice::Run(_, action) => !is_of_window(action),
            Choice::Ask(command) => !asks_for_window(command),
            Choice::Nothing => true,
        });
        self.chosen = self.chosen.min(self.list.len().saturating_sub(1));
    }

    /// Does what a key asks for.
    pub fn press(&mut self, key: KeyEvent) -> Picked {
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
                Typed::Cancelled => return Picked::Closed,
                Typed::More => self.chosen = 0,
                Typed::Done(_) | Typed::Nothing => {}
            },
        }
        Picked::Nothing
    }

    /// The row at a row of the screen is picked.
    pub fn click(&mut self, row: usize) -> Picked {
        self.chosen = self.top().saturating_add(row);
        self.pick()
    }

    fn pick(&self) -> Picked {
        match self.list.get(self.chosen).map(|item| item.choice.clone()) {
            Some(Choice::Run(_, action)) => Picked::Action(action),
            Some(Choice::Ask(command)) => Picked::Ask(command),
            Some(Choice::Nothing) | None => Picked::Nothing,
        }
    }

    fn complete(&mut self) {
        if let Some(item) = self.list.get(self.chosen) {
            let text = item.text.trim_end_matches('…').to_owned();
            self.line.replace(&text);
        }
    }

    /// The key of a row, as it is typed here; a key that means something else in the pane is not named.
    fn key_of(&self, item: &Item) -> String {
        match item.key {
            ItemKey::Nothing => String::new(),
            ItemKey::Enter => say!("key-enter").to_owned(),
            ItemKey::Of(command) => sent_here(command, self.kind)
                .into_iter()
                .next()
                .unwrap_or_default(),
        }
    }

    fn top(&self) -> usize {
        self.chosen.saturating_sub(self.rows.saturating_sub(1))
    }

    /// Draws it over an area, the line that is typed at its bottom. Returns where the cursor stands.
    pub fn draw(&mut self, area: Rect, pen: &mut Pen<'_>) -> (u16, u16) {
        let rows = area.height.saturating_sub(2);
        self.rows = usize::from(rows);
        let title = Run::of(area, 0);
        pen.mark(title, pen.look.style(Role::TitleFocus));
        pen.role(title, say!("terminal-palette-title"), Role::TitleFocus);
        let top = self.top();
        let shown = self.list.iter().enumerate().skip(top);
        for (row, (place, item)) in (1..=rows).zip(shown) {
            let run = Run::of(area, row);
            let line = run.behind(2);
            let role = match item.choice {
                Choice::Nothing => Role::Text(stepback_debugger::model::Meaning::Label),
                _ => Role::Text(stepback_debugger::model::Meaning::Plain),
            };
            let right = self.key_of(item);
            let rest = pen.text_right(
                Run {
                    end: line.end.saturating_sub(1),
                    ..line
                },
                &right,
                pen.look.style(Role::Key),
            );
            pen.role(rest, &item.text, role);
            if place == self.chosen {
                pen.role(run.first(2), "> ", Role::Cursor);
                pen.mark(run, pen.look.style(Role::Cursor));
            }
        }
        if self.list.is_empty() {
            pen.role(
                Run::of(area, 1).behind(2),
                say!("terminal-no-command"),
                Role::Text(stepback_debugger::model::Meaning::Label),
            );
        }
        let bottom = Run::of(area, area.height.saturating_sub(1));
        let (before, behind) = self.line.parts();
        let rest = pen.role(bottom, ":", Role::Key);
        let rest = pen.role(
            rest,
            before,
            Role::Text(stepback_debugger::model::Meaning::Plain),
        );
        let cursor = (rest.x, rest.y);
        pen.role(
            rest,
            behind,
            Role::Text(stepback_debugger::model::Meaning::Plain),
        );
        cursor
    }
}

/// Whether a command asks for an argument of what a terminal cannot do.
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

/// Whether an action is what a terminal cannot do.
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
            !registry::has(*kind)
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
