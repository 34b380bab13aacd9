//! Differences between the lists in the window.

use crate::theme::icons;
use stepback_debugger::action::PanelKind;
use stepback_debugger::keymap::panel_row;

/// Icon of an empty list.
pub fn icon_of(kind: PanelKind) -> char {
    match kind {
        // Nothing to list is good news there.
        PanelKind::Warnings | PanelKind::Externals => icons::CHECK,
        _ => panel_row(kind).map_or(icons::LIST, |row| row.icon),
    }
}

/// Number of letters of the widest column: longer texts are cut, except in the last. What matched is the last of the hits.
pub fn longest(kind: PanelKind) -> usize {
    if kind == PanelKind::Find { 24 } else { 44 }
}
