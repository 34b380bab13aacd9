//! Differences between the kinds of lists.

use crate::theme::icons;
use stepback_debugger::action::PanelKind;
use stepback_debugger::keymap::panel_row;

/// Returns the icon of an empty list.
pub fn icon_of(kind: PanelKind) -> char {
    match kind {
        // An empty list of these kinds is good news.
        PanelKind::Warnings | PanelKind::Externals => icons::CHECK,
        _ => panel_row(kind).map_or(icons::LIST, |row| row.icon),
    }
}

/// Returns the maximum number of letters of a column. Longer texts are cut, except in the last
/// column, which contains the matched text of a hit.
pub fn longest(kind: PanelKind) -> usize {
    if kind == PanelKind::Find { 24 } else { 44 }
}
