//! Read access of a panel to the program.

use stepback_parsers::Position;

use crate::theme::ThemeColors;
use stepback_debugger::action::{Moment, PanelId, TraceId};
use stepback_debugger::desk::Desk;

/// Read access to everything that is open, for one frame of a panel.
#[derive(Clone, Copy)]
pub struct PanelContext<'a> {
    /// The open trace and its queries.
    pub desk: &'a Desk,
    pub tok: &'a ThemeColors,
    /// Number of the dock tile that contains the panel.
    pub tile: PanelId,
    /// The panel has the keyboard.
    pub has_focus: bool,
}

impl PanelContext<'_> {
    /// Returns the number of the trace that is open.
    pub fn trace(&self) -> TraceId {
        self.desk.windows.active().trace
    }

    /// Returns a moment of the open trace.
    pub fn moment(&self, position: Position) -> Moment {
        Moment {
            trace: self.trace(),
            position,
        }
    }
}
