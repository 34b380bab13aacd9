//! Questions that a panel of registers or memory asks for its cursor.

use super::ViewCx;
use stepback_debugger::action::{Access, Action, CellName, Follow, SliceAction, TravelAction, Way};

/// Which accesses are sought, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sought {
    pub access: Access,
    pub way: Way,
}

/// Travels to an access of a cell as seen from the moment that a panel shows.
pub fn ask_access(
    cx: &ViewCx<'_>,
    follow: Follow,
    cell: CellName,
    Sought { access, way }: Sought,
    out: &mut Vec<Action>,
) {
    out.extend(cx.desk.windows.start_from(follow));
    out.push(Action::Travel(TravelAction::GoToAccess(cell, access, way)));
}

/// Asks why a cell has the value that it has at the moment that a panel shows.
pub fn ask_why(cx: &ViewCx<'_>, follow: Follow, cell: CellName) -> Action {
    Action::Slice(SliceAction::WhyAt(cell, cx.desk.windows.position_of(follow)))
}
