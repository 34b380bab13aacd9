//! What a panel may look at.

use stepback_parsers::Position;

use crate::theme::ThemeColors;
use stepback_debugger::action::{Moment, PanelId, TraceId};
use stepback_debugger::desk::Desk;

/// What is open, as a panel sees it while it draws.
#[derive(Clone, Copy)]
pub struct PanelContext<'a> {
    /// The open trace, and all that is asked of it.
    pub desk: &'a Desk,
    /// The colours of the theme.
    pub tok: &'a ThemeColors,
    /// The number of the dock tile that the panel is in.
    pub tile: PanelId,
    /// The panel has the keyboard.
    pub has_focus: bool,
}

impl PanelContext<'_> {
    /// The number of the trace that is open.
    pub fn trace(&self) -> TraceId {
        self.desk.windows.active().trace
    }

    /// A moment of the trace.
    pub fn moment(&self, position: Position) -> Moment {
        Moment {
            trace: self.trace(),
            position,
        }
    }
}
