//! What a person knows a kind of panel by: its commands, its key and its icon.

use super::key::Key;
use crate::action::PanelKind;
use crate::icons;

/// A kind of panel.
pub struct PanelRow {
    /// Which.
    pub kind: PanelKind,
    /// The command that shows it.
    pub show: &'static str,
    /// The key of that command, with Alt.
    pub key: Option<Key>,
    /// The icon on its tab.
    pub icon: char,
    /// The command that opens another one beside the first; a trace window has a command of its own.
    pub another: Option<&'static str>,
}

/// A row a kind, in the order of the menu.
pub const PANELS: [PanelRow; 24] = [
    PanelRow { kind: PanelKind::Trace, show: "Show trace", key: Some(Key::Num1), icon: icons::LIST, another: None },
    PanelRow {
        kind: PanelKind::Registers,
        show: "Show registers",
        key: Some(Key::Num2),
        icon: icons::REGISTERS,
        another: Some("New registers panel"),
    },
    PanelRow {
        kind: PanelKind::Memory,
        show: "Show memory panel",
        key: Some(Key::Num3),
        icon: icons::MEMORY,
        another: Some("New memory panel"),
    },
    PanelRow {
        kind: PanelKind::Calls,
        show: "Show calls",
        key: Some(Key::Num4),
        icon: icons::CALLS,
        another: Some("New calls panel"),
    },
    PanelRow {
        kind: PanelKind::Compare,
        show: "Show comparison",
        key: Some(Key::Num5),
        icon: icons::COMPARE,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Warnings,
        show: "Show warnings",
        key: Some(Key::Num6),
        icon: icons::WARNING,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Stack,
        show: "Show stack",
        key: Some(Key::Num7),
        icon: icons::STACK,
        another: Some("New stack panel"),
    },
    PanelRow { kind: PanelKind::Externals, show: "Show external changes", key: None, icon: icons::SWAP, another: None },
    PanelRow {
        kind: PanelKind::Source,
        show: "Show source",
        key: Some(Key::Num8),
        icon: icons::SOURCE,
        another: Some("New source panel"),
    },
    PanelRow {
        kind: PanelKind::Threads,
        show: "Show threads",
        key: Some(Key::Num9),
        icon: icons::THREADS,
        another: None,
    },
    PanelRow { kind: PanelKind::Tasks, show: "Show tasks", key: None, icon: icons::THREADS, another: None },
    PanelRow { kind: PanelKind::Accesses, show: "Show accesses", key: None, icon: icons::LIST, another: None },
    PanelRow {
        kind: PanelKind::Watches,
        show: "Show watches",
        key: Some(Key::W),
        icon: icons::WATCH,
        another: Some("New watches panel"),
    },
    PanelRow { kind: PanelKind::Why, show: "Show slice", key: Some(Key::Y), icon: icons::WHY, another: None },
    PanelRow { kind: PanelKind::Heap, show: "Show heap", key: None, icon: icons::MEMORY, another: None },
    PanelRow {
        kind: PanelKind::Regions,
        show: "Show regions of memory",
        key: None,
        icon: icons::MEMORY,
        another: None,
    },
    PanelRow { kind: PanelKind::StackMemory, show: "Show stack memory", key: None, icon: icons::STACK, another: None },
    PanelRow { kind: PanelKind::Effects, show: "Show effects", key: None, icon: icons::SWAP, another: None },
    PanelRow { kind: PanelKind::Heat, show: "Show heat", key: None, icon: icons::SUN, another: None },
    PanelRow {
        kind: PanelKind::Functions,
        show: "Show functions",
        key: Some(Key::Num0),
        icon: icons::CALLS,
        another: None,
    },
    PanelRow { kind: PanelKind::FlameGraph, show: "Show flame graph", key: None, icon: icons::FLAME, another: None },
    PanelRow { kind: PanelKind::Findings, show: "Show findings", key: None, icon: icons::CHECK, another: None },
    PanelRow { kind: PanelKind::Find, show: "Show hits", key: None, icon: icons::SEARCH, another: None },
    PanelRow { kind: PanelKind::Bookmarks, show: "Show bookmarks", key: None, icon: icons::BOOKMARK, another: None },
];

/// The row of a kind.
pub fn panel_row(kind: PanelKind) -> Option<&'static PanelRow> {
    PANELS.iter().find(|row| row.kind == kind)
}
