//! Which pane shows what: a row a kind.

use super::pane::Pane;
use super::panes::{MemoryPane, RegistersPane, TracePane, open_list};
use stepback_debugger::action::{PanelKind, WindowId};

/// Whether a terminal has panes of a kind.
pub fn has(kind: PanelKind) -> bool {
    open(kind, WindowId(1)).is_some()
}

/// Opens a pane of a kind; the list of steps is that of a window. None where a terminal has none of the kind.
pub fn open(kind: PanelKind, window: WindowId) -> Option<Box<dyn Pane>> {
    match kind {
        PanelKind::Trace => Some(Box::new(TracePane::new(window))),
        PanelKind::Memory => Some(Box::<MemoryPane>::default()),
        PanelKind::Registers => Some(Box::<RegistersPane>::default()),
        _ => open_list(kind),
    }
}
