//! Actions on the contents of panels.

use serde::{Deserialize, Serialize};
use stepback_machine::{Address, LaneFormat, RegisterGroup};

use super::{
    CellName, EffectsOf, MemoryChange, RegisterFormat, StepRange, TimelineFit, TimelineLanes,
};

/// Range that the functions are counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FunctionsOf {
    /// The range that is selected in the timeline, or the whole trace where nothing is selected.
    #[default]
    Selection,
    /// The whole trace.
    Whole,
}

/// Measure of a call's cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CallMeasure {
    /// Steps of its thread.
    #[default]
    Steps,
    /// Time as the trace records it.
    Time,
}

/// An action on what a panel shows. Where no panel is named, the one that has the keyboard is
/// meant, or the first of its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ViewAction {
    /// Select a cell: panels of registers and memory show it, and "last write" refers to it.
    SelectCell(CellName),
    /// Choose the lanes of the timeline.
    Timeline(TimelineLanes),
    /// Choose the part of the trace that the timeline shows.
    FitTimeline(TimelineFit),
    /// Select a range, or nothing.
    SelectRange(Option<StepRange>),
    /// Count the functions of a range, also after that was cancelled.
    TellFunctions(FunctionsOf),
    /// Cancel the counting of functions.
    StopFunctions,
    /// Choose the measure of the flame graph.
    MeasureCalls(CallMeasure),
    /// Select a function by its entry address.
    SelectFunction(Option<Address>),
    /// List the calls that are entered in a range; without one, the tree of all calls.
    ListCalls(Option<StepRange>),
    /// Show disassembled steps, or the raw text of the trace.
    ToggleRawText,
    /// Show memory at an address expression.
    ShowMemory(String),
    /// List all accesses to memory: an address expression and a length in bytes; by a thread or by
    /// any.
    ListAccesses(String, u64, Option<String>),
    /// List all writes to a cell.
    ListValues(CellName),
    /// List all executions of code: an address, a function and an offset, or `file:line`.
    ListExecutions(String),
    /// Group the list of accesses by call stack, or list steps again.
    GroupAccesses,
    /// List what steps read and write, or how two calls differ.
    ShowEffects(EffectsOf),
    /// Show a group of registers.
    ShowRegisters(RegisterGroup),
    /// Open another panel with a group of registers.
    NewRegisters(RegisterGroup),
    /// Choose the lane format of vector registers.
    ReadLanes(LaneFormat),
    /// Choose the number format of registers.
    FormatRegisters(RegisterFormat),
    /// Show the lower halves of 64-bit registers, or all bits.
    HalveRegisters,
    /// Show only registers whose names contain a text.
    FilterRegisters(String),
    /// Choose the number of bytes in a group of the memory panel: 1, 2, 4 or 8.
    MemoryGroup(u8),
    /// Change the memory panel.
    Memory(MemoryChange),
}
