//! Output of the parts of a panel: row clicks, state changes, and actions.

use super::cursor_list::CursorList;
use stepback_debugger::action::Action;
use stepback_debugger::desk::Desk;
use stepback_debugger::views::{PanelView, RowGesture};

/// Output of a part of a panel in one frame.
pub struct PanelOutput<'a, T> {
    /// Changes of the panel's state.
    pub touched: &'a mut T,
    /// Actions for the program.
    pub out: &'a mut Vec<Action>,
}

/// Clicks and gestures on the rows of a view in one frame.
#[derive(Debug, Default)]
pub struct RowInput {
    pub cursor: Option<usize>,
    gesture: Option<(usize, RowGesture)>,
}

impl RowInput {
    /// Records a gesture on a row; a later one in the same frame replaces it.
    pub fn gesture(&mut self, row: usize, gesture: RowGesture) {
        self.gesture = Some((row, gesture));
    }

    /// Moves the cursor to the clicked row, then applies the gesture to the view.
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
