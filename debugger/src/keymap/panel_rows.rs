//! Kinds of panels with their commands and icons, and the keys and gestures that panels handle
//! themselves.
//!
//! Saved layouts contain the names of panels, so a name never changes.

use crate::action::PanelKind;
use crate::icons;
use crate::keymap::table::CommandId;

/// A kind of panel.
pub struct PanelRow {
    pub kind: PanelKind,
    /// Command that shows it.
    pub show: CommandId,
    /// Icon on its tab.
    pub icon: char,
    /// Command that opens a further one. A trace window has a separate command.
    pub another: Option<CommandId>,
}

/// One row per kind, in the order of the menu.
pub const PANELS: [PanelRow; 27] = [
    PanelRow {
        kind: PanelKind::Trace,
        show: CommandId::ShowTrace,
        icon: icons::LIST,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Registers,
        show: CommandId::ShowRegisters,
        icon: icons::REGISTERS,
        another: Some(CommandId::NewRegistersPanel),
    },
    PanelRow {
        kind: PanelKind::Memory,
        show: CommandId::ShowMemoryPanel,
        icon: icons::MEMORY,
        another: Some(CommandId::NewMemoryPanel),
    },
    PanelRow {
        kind: PanelKind::Calls,
        show: CommandId::ShowCalls,
        icon: icons::CALLS,
        another: Some(CommandId::NewCallsPanel),
    },
    PanelRow {
        kind: PanelKind::Compare,
        show: CommandId::ShowComparison,
        icon: icons::COMPARE,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Warnings,
        show: CommandId::ShowWarnings,
        icon: icons::WARNING,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Stack,
        show: CommandId::ShowStack,
        icon: icons::STACK,
        another: Some(CommandId::NewStackPanel),
    },
    PanelRow {
        kind: PanelKind::Externals,
        show: CommandId::ShowExternalChanges,
        icon: icons::SWAP,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Source,
        show: CommandId::ShowSource,
        icon: icons::SOURCE,
        another: Some(CommandId::NewSourcePanel),
    },
    PanelRow {
        kind: PanelKind::Threads,
        show: CommandId::ShowThreads,
        icon: icons::THREADS,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Tasks,
        show: CommandId::ShowTasks,
        icon: icons::TASKS,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Accesses,
        show: CommandId::ShowAccesses,
        icon: icons::ACCESSES,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Watches,
        show: CommandId::ShowWatches,
        icon: icons::WATCH,
        another: Some(CommandId::NewWatchesPanel),
    },
    PanelRow {
        kind: PanelKind::Why,
        show: CommandId::ShowWhyPanel,
        icon: icons::WHY,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Heap,
        show: CommandId::ShowHeap,
        icon: icons::HEAP,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Regions,
        show: CommandId::ShowRegionsOfMemory,
        icon: icons::REGIONS,
        another: None,
    },
    PanelRow {
        kind: PanelKind::StackMemory,
        show: CommandId::ShowStackMemory,
        icon: icons::STACK_MEMORY,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Effects,
        show: CommandId::ShowEffects,
        icon: icons::EFFECTS,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Heat,
        show: CommandId::ShowHeat,
        icon: icons::HEAT,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Functions,
        show: CommandId::ShowFunctions,
        icon: icons::FUNCTIONS,
        another: None,
    },
    PanelRow {
        kind: PanelKind::FlameGraph,
        show: CommandId::ShowFlameGraph,
        icon: icons::FLAME,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Findings,
        show: CommandId::ShowFindings,
        icon: icons::CHECK,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Differences,
        show: CommandId::ShowDifferences,
        icon: icons::DIFFERENCES,
        another: None,
    },
    PanelRow {
        kind: PanelKind::BothTraces,
        show: CommandId::ShowBothTraces,
        icon: icons::SIDE_BY_SIDE,
        another: None,
    },
    PanelRow {
        kind: PanelKind::BothStates,
        show: CommandId::ShowBothStates,
        icon: icons::VALUES,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Find,
        show: CommandId::ShowFindPanel,
        icon: icons::SEARCH,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Bookmarks,
        show: CommandId::ShowBookmarks,
        icon: icons::BOOKMARK,
        another: None,
    },
];

/// Returns the row of a kind.
pub fn panel_row(kind: PanelKind) -> Option<&'static PanelRow> {
    PANELS.iter().find(|row| row.kind == kind)
}
/// Keys of panels with a cursor, for the page of keys: message id of the meaning, and the keys'
/// names. The panels handle them, since their meaning depends on the panel.
pub const PANEL_KEYS: [(&str, &[&str]); 17] = [
    ("keys-move-the-cursor", &["Arrows", "PageUp", "PageDown"]),
    ("keys-first-last", &["Ctrl+Home", "Ctrl+End"]),
    ("keys-last-write-travel", &["Enter"]),
    ("keys-next-write", &["Shift+Enter"]),
    ("keys-previous-next-change-of-a", &["Left", "Right"]),
    ("keys-show-memory-at-the-value", &["M"]),
    ("keys-follow-the-address-expression", &["E"]),
    ("keys-compare-memory", &["D"]),
    ("keys-next-previous-changed-byte", &["C", "Shift+C"]),
    ("keys-another-group-of-registers", &["V"]),
    ("keys-read-register-lanes-in-another", &["L"]),
    ("keys-last-write-of-so-many", &["1", "2", "4", "8"]),
    ("keys-rename-a-bookmark", &["F2"]),
    ("keys-note-of-a-bookmark", &["Shift+F2"]),
    ("keys-delete-a-bookmark", &["Delete"]),
    ("keys-zoom-the-flame-graph-out", &["Enter", "Backspace"]),
    ("keys-copy", &["Ctrl+C"]),
];

/// Mouse gestures of the timeline, for the page of keys and for tooltips: message ids of the
/// gesture and of its meaning.
pub const TIMELINE_GESTURES: [(&str, &str); 7] = [
    ("keys-click", "keys-travel-there"),
    ("keys-wheel", "keys-zoom"),
    ("keys-shift-wheel-middle-drag", "keys-move-in-time"),
    ("keys-alt-wheel-wheel-over-names", "keys-scroll-depths"),
    ("keys-double-click", "keys-zoom-to-a-call-or"),
    ("keys-shift-drag", "keys-select-a-range"),
    ("keys-right-click", "keys-what-can-be-done"),
];

/// Mouse gestures of lists and tabs, for the page of keys.
pub const MOUSE_GESTURES: [(&str, &str); 6] = [
    ("keys-double-click", "keys-travel-there"),
    ("keys-middle-or-ctrl-click", "keys-open-a-window-there"),
    ("keys-right-click", "keys-what-can-be-done"),
    ("keys-middle-click-tab", "keys-close-the-panel"),
    ("keys-drag-tab", "keys-move-the-panel"),
    ("keys-drop-files", "keys-open-them"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn narrow_tabs_that_show_only_their_icons_differ() {
        let icons: BTreeSet<char> = PANELS.iter().map(|row| row.icon).collect();
        assert_eq!(icons.len(), PANELS.len());
    }
}
