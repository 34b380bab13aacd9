//! The cell that a hover text tells of: while the text shows, the key of "Why…" asks about that cell.

use egui::{Context, Id, Response, RichText, Ui};
use stepback_index::ThreadId;
use stepback_parsers::Position;

use super::PanelContext;
use crate::theme::{ThemeColors, ui as ui_font};
use stepback_debugger::action::{CellName, Follow};
use stepback_debugger::keymap::{CommandId, key_text, shown_text};
use stepback_debugger::messages::say;

/// A cell, and the position that its hover text means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoverCell {
    /// Which.
    pub cell: CellName,
    /// Where it has the value that the text tells.
    pub at: Position,
}

impl HoverCell {
    /// A cell at what a panel shows.
    pub fn shown(cell: CellName, follow: Follow, cx: &PanelContext<'_>) -> Self {
        Self {
            cell,
            at: cx.desk.windows.position_of(follow),
        }
    }

    /// Shows words about the cell while the pointer rests on it.
    pub fn tip(&self, response: Response, words: String) -> Response {
        response.on_hover_ui(|ui| {
            ui.label(words);
            self.line_ui(ui);
        })
    }

    /// The quiet last line of a hover text: what the key asks. Whoever draws it has the key mean this cell as long as
    /// the text shows.
    pub fn line_ui(&self, ui: &mut Ui) {
        let key = CommandId::Why.command().keys().into_iter().next();
        // In a field the key is a letter.
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

    /// The cell of the text that showed in the frame before, once.
    pub fn take(context: &Context) -> Option<Self> {
        context
            .data_mut(|data| data.remove_temp::<Option<Self>>(Self::place()))
            .flatten()
    }

    fn place() -> Id {
        Id::unique("the cell of the hover text")
    }
}

/// A register of a thread as commands name it.
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
