//! The cell that was clicked in a list of steps.

use stepback_debugger::action::{CellName, WindowId};

/// A cell that was clicked in a list of steps, until the window moves on.
#[derive(Clone, Debug)]
pub struct ChosenCell {
    /// Which.
    pub cell: CellName,
    /// In which window.
    pub window: WindowId,
    /// Where that was.
    pub position: u64,
}
