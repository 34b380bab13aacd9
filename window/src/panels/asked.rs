//! What a part of a panel hands back.

use super::cursor_list::CursorList;
use stepback_debugger::action::Action;
use stepback_debugger::desk::Desk;
use stepback_debugger::views::{PanelView, RowGesture};

/// What was done in this frame, to the panel and to the program.
pub struct PanelOutput<'a, T> {
    /// What was done to the panel's own state.
    pub touched: &'a mut T,
    /// What the program is to do.
    pub out: &'a mut Vec<Action>,
}

/// What was done to the rows of a view in this frame.
#[derive(Debug, Default)]
pub struct RowInput {
    /// The row that was clicked.
    pub cursor: Option<usize>,
    gesture: Option<(usize, RowGesture)>,
}

impl RowInput {
    /// Notes a gesture on a row.
    pub fn gesture(&mut self, row: usize, gesture: RowGesture) {
        self.gesture = Some((row, gesture));
    }

    /// Applies what was done.
    pub fn apply(
        self,
        view: &mut impl PanelView,
        list: &mut CursorList,
        desk: &Desk,
        out: &mut Vec<Action>,
    ) {
        if let Some(row) = self.cursor {
            list.click(row);
        }
        if let Some((row, gesture)) = self.gesture {
            view.act(row, gesture, desk, out);
        }
    }
}
