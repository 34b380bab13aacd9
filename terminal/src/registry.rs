//! Registry of panes, one row per kind.

use super::pane::Pane;
use super::panes::{MemoryPane, RegistersPane, TracePane, open_list};
use stepback_debugger::action::{PanelKind, WindowId};

/// Returns true if the terminal has panes of a kind.
pub fn has(kind: PanelKind) -> bool {
    open(kind, WindowId(1)).is_some()
}

/// Opens a pane of a kind; a step list belongs to `window`. Returns none if the terminal has no
/// pane of the kind.
pub fn open(kind: PanelKind, window: WindowId) -> Option<Box<dyn Pane>> {
    match kind {
        PanelKind::Trace => Some(Box::new(TracePane::new(window))),
        PanelKind::Memory => Some(Box::<MemoryPane>::default()),
        PanelKind::Registers => Some(Box::<RegistersPane>::default()),
        _ => open_list(kind),
    }
}
