//! Questions that a panel of registers or memory asks for its cursor.

use super::ViewCx;
use crate::action::{Access, Action, CellName, Follow, Way};

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
    start_from(cx, follow, out);
    out.push(Action::GoToAccess(cell, access, way));
}

/// Questions start from the position of the active window, so the window that the panel follows becomes active;
/// for a pinned panel the active window travels to its moment first.
pub fn start_from(cx: &ViewCx<'_>, follow: Follow, out: &mut Vec<Action>) {
    match follow {
        Follow::Window(id) => {
            let id = cx.windows.followed(id).id;
            if id != cx.windows.active {
                out.push(Action::Activate(id));
            }
        }
        Follow::Pinned(moment) => out.push(Action::Travel(cx.windows.active, moment.position)),
    }
}
