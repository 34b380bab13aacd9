//! The cell that a tooltip describes: while the tooltip shows, the key of "Why…" refers to that
//! cell.

use egui::{Context, Id, Response, RichText, Ui};
use stepback_index::ThreadId;
use stepback_parsers::Position;

use super::PanelContext;
use crate::theme::{ThemeColors, ui as ui_font};
use stepback_debugger::action::{CellName, Follow};
use stepback_debugger::keymap::{CommandId, key_text, shown_text};
use stepback_debugger::messages::say;

/// A cell, and the position at which its tooltip describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoverCell {
    pub cell: CellName,
    /// Position at which the cell has the value in the tooltip.
    pub at: Position,
}

impl HoverCell {
    /// Creates the cell at the position that a panel shows.
    pub fn shown(cell: CellName, follow: Follow, cx: &PanelContext<'_>) -> Self {
        Self {
            cell,
            at: cx.desk.windows.position_of(follow),
        }
    }

    /// Shows a tooltip about the cell while the pointer rests on the response.
    pub fn tip(&self, response: Response, words: String) -> Response {
        response.on_hover_ui(|ui| {
            ui.label(words);
            self.line_ui(ui);
        })
    }

    /// Draws the last, quiet line of a tooltip: the key and its query.
    /// The key refers to this cell for as long as the tooltip shows.
    pub fn line_ui(&self, ui: &mut Ui) {
        let key = CommandId::Why.command().keys().into_iter().next();
        // In a text field the key is a letter.
        let Some(key) = key.filter(|_| !ui.ctx().text_edit_focused()) else {
            return;
        };
        let words = say!(
            "hover-why",
            key = key_text(&key),
            cell = shown_text(&self.cell)
        );
        ui.label(
            RichText::new(words)
                .font(ui_font(11.5))
                .color(ThemeColors::current(ui).t2),
        );
        ui.data_mut(|data| data.insert_temp(Self::place(), Some(self.clone())));
    }

    /// Takes the cell of the tooltip that showed in the previous frame.
    pub fn take(context: &Context) -> Option<Self> {
        context
            .data_mut(|data| data.remove_temp::<Option<Self>>(Self::place()))
            .flatten()
    }

    fn place() -> Id {
        Id::unique("the cell of the hover text")
    }
}

/// Returns a register under the name that commands use, with its thread if the trace has several.
pub fn register_of(thread: ThreadId, name: &str, cx: &PanelContext<'_>) -> CellName {
    let threads = cx.desk.session.index.threads();
    let owner = threads
        .get(usize::from(thread.0))
        .filter(|_| threads.len() > 1);
    CellName::Register(owner.map_or_else(
        || name.to_owned(),
        |owner| format!("{name} of {}", owner.name),
    ))
}
