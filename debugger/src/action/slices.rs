//! Actions on slices: "why has this value?" and "where did it go?".

use serde::{Deserialize, Serialize};
use stepback_parsers::Position;

use super::{CellName, Direction, SliceEdge, SliceQuery};
use crate::notes::{SavedQueryChange, SavedSlice};

/// Presentation of a slice's rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SliceView {
    /// Copies collapsed, and intermediate results combined into one expression.
    #[default]
    Chain,
    /// The inputs of a step below it.
    Tree,
    /// All steps in one list.
    Everything,
}

/// An action on the slice, or on the slices that are kept by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SliceAction {
    /// Compute why a cell has its value at the active position.
    Why(CellName),
    /// Compute why a cell has its value at a position.
    WhyAt(CellName, Position),
    /// Compute a slice with the given edges.
    WhyAgain(SliceQuery),
    /// Change the direction: back to the origin of the value, or forward to its uses.
    TurnSlice(Direction),
    /// Follow an additional kind of dependence, or stop following it.
    FollowInSlice(SliceEdge),
    /// Choose the presentation in the panel that has the keyboard, or in the first.
    ViewSlice(SliceView),
    /// Raise the limit on the number of steps.
    MoreOfSlice,
    /// Stop the computation; the rows stay.
    StopSlice,
    /// Drop the slice and its marks.
    ClearSlice,
    /// Show only steps of the slice in the active window, or all steps again.
    ToggleOnlySlice,
    /// Keep the slice under a name.
    KeepSlice(String),
    /// Change the list of kept slices.
    Slices(SavedQueryChange<SavedSlice>),
    /// Compute a kept slice again.
    RunSlice(String),
    /// Compute a kept slice in a separate panel.
    ShowSlice(String),
}
