//! Differences between the lists in the window.

use crate::theme::icons;
use stepback_debugger::action::PanelKind;
use stepback_debugger::keymap::panel_row;
use stepback_debugger::messages::say;
use stepback_debugger::views::TableSource;

/// The name on the tab.
pub fn title_of(source: &impl TableSource) -> String {
    match source.kind() {
        PanelKind::Accesses => say!("table-accesses").to_owned(),
        _ => source.title(),
    }
}

/// The icon where the list is empty.
pub fn icon_of(kind: PanelKind) -> char {
    panel_row(kind).map_or(icons::LIST, |row| row.icon)
}

/// Letters of the widest column: longer texts are cut, except in the last. What matched is the last of the hits.
pub fn longest(kind: PanelKind) -> usize {
    if kind == PanelKind::Find { 24 } else { 44 }
}

/// Whether one click travels; where a row is about many moments, two do.
pub fn travels_at_once(kind: PanelKind) -> bool {
    !matches!(kind, PanelKind::Functions | PanelKind::StackMemory)
}

/// The column by which rows stand before any was chosen, the highest first; none where they stand as in the trace.
pub fn usual_order(kind: PanelKind) -> Option<&'static str> {
    (kind == PanelKind::Functions).then_some("Self")
}

/// What going to the step of a row is called.
pub fn travel_words(kind: PanelKind) -> &'static str {
    match kind {
        PanelKind::Functions => say!("table-travel-to-the-first-call"),
        PanelKind::StackMemory => say!("table-travel-to-its-write"),
        _ => say!("table-travel-there"),
    }
}
