//! Kinds of panels with their commands and icons.

use super::table::CommandId;
use crate::action::PanelKind;
use crate::icons;

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
pub const PANELS: [PanelRow; 24] = [
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
        icon: icons::THREADS,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Accesses,
        show: CommandId::ShowAccesses,
        icon: icons::LIST,
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
        show: CommandId::ShowSlice,
        icon: icons::WHY,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Heap,
        show: CommandId::ShowHeap,
        icon: icons::MEMORY,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Regions,
        show: CommandId::ShowRegionsOfMemory,
        icon: icons::MEMORY,
        another: None,
    },
    PanelRow {
        kind: PanelKind::StackMemory,
        show: CommandId::ShowStackMemory,
        icon: icons::STACK,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Effects,
        show: CommandId::ShowEffects,
        icon: icons::SWAP,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Heat,
        show: CommandId::ShowHeat,
        icon: icons::SUN,
        another: None,
    },
    PanelRow {
        kind: PanelKind::Functions,
        show: CommandId::ShowFunctions,
        icon: icons::CALLS,
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
        kind: PanelKind::Find,
        show: CommandId::ShowHits,
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
