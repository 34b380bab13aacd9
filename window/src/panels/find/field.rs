//! The search field and its history.

use egui::{Id, Key, Modifiers, Rect, Ui};

use crate::panels::field::Field;
use crate::panels::pen::Pen;
use crate::theme::icons;
use stepback_debugger::action::FindQuery;
use stepback_debugger::messages::spoken;
use stepback_debugger::model::found::kind_name;

/// Message id of its name for screen readers and tests.
const NAME: &str = "find-find";

/// The field, and the index of the recalled search in the history.
#[derive(Debug, Default)]
pub struct FindField {
    pub text: String,
    recalled: Option<usize>,
}

/// Event in the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindFieldEvent {
    Nothing,
    /// Enter.
    Submitted,
    /// Escape: the typed text is dropped.
    GivenUp,
    /// An earlier search was recalled.
    Recalled(FindQuery),
}

impl FindField {
    /// Draws the field.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        rect: Rect,
        history: &[FindQuery],
        focus: FocusRequest,
    ) -> FindFieldEvent {
        let recalled = self.recall(ui, history);
        let response = Field {
            hint: spoken(NAME),
            icon: icons::SEARCH,
        }
        .ui(ui, pen, rect, &mut self.text);
        if focus == FocusRequest::Wanted {
            response.request_focus();
            select_all(ui, response.id, &self.text);
        }
        if response.changed() {
            self.recalled = None;
        }
        if let Some(question) = recalled {
            select_all(ui, response.id, &self.text);
            return FindFieldEvent::Recalled(question);
        }
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape)) {
            return FindFieldEvent::GivenUp;
        }
        let is_entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if is_entered && !self.text.trim().is_empty() {
            FindFieldEvent::Submitted
        } else {
            FindFieldEvent::Nothing
        }
    }

    /// Recalls earlier searches with Up and Down; Down from the newest moves the focus to the list.
    fn recall(&mut self, ui: &Ui, history: &[FindQuery]) -> Option<FindQuery> {
        let id = ui.unique_id().with(spoken(NAME));
        if !ui.memory(|memory| memory.has_focus(id)) {
            return None;
        }
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let place = match (
            pressed(Key::ArrowUp),
            pressed(Key::ArrowDown),
            self.recalled,
        ) {
            (true, _, None) => 0,
            (true, _, Some(place)) => (place + 1).min(history.len().saturating_sub(1)),
            (_, true, Some(place)) if place > 0 => place - 1,
            (_, true, _) => {
                ui.memory_mut(|memory| memory.surrender_focus(id));
                return None;
            }
            _ => return None,
        };
        let question = history.get(place)?.clone();
        (self.recalled, self.text) = (Some(place), question.text.clone());
        Some(question)
    }
}

/// Keyboard focus of a field in this frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FocusRequest {
    /// The field takes the keyboard.
    Wanted,
    /// The focus stays where it is.
    Left,
}

/// Formats a search for the history list: `ldr x1`, `Value  0x1f`.
pub fn history_text(question: &FindQuery) -> String {
    match question.kind {
        stepback_debugger::action::FindKind::Auto => question.text.clone(),
        kind => format!("{}  {}", kind_name(kind), question.text),
    }
}

fn select_all(ui: &Ui, id: Id, text: &str) {
    use egui::text::{CCursor, CCursorRange};
    let mut state = egui::text_edit::TextEditState::load(ui.ctx(), id).unwrap_or_default();
    let range = CCursorRange::two(CCursor::new(0usize), CCursor::new(text.chars().count()));
    state.cursor.set_char_range(Some(range));
    state.store(ui.ctx(), id);
}
