//! Questions that a panel of registers or memory asks for its cursor.

use super::ViewCx;
use stepback_debugger::action::{Action, CellName, Follow, SliceAction};

/// Asks why a cell has the value that it has at the moment that a panel shows.
pub fn ask_why(cx: &ViewCx<'_>, follow: Follow, cell: CellName) -> Action {
    Action::Slice(SliceAction::WhyAt(cell, cx.desk.windows.position_of(follow)))
}
