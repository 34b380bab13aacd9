//! The cell clicked in a step list.

use stepback_debugger::action::{CellName, WindowId};

/// A cell that was clicked in a step list; valid until the window moves.
#[derive(Clone, Debug)]
pub struct ChosenCell {
    pub cell: CellName,
    pub window: WindowId,
    /// Position of the window at the click.
    pub position: u64,
}
