//! Actions on the contents of panels ([`ViewAction`]), with the formats, ranges and lanes that they
//! choose.

use serde::{Deserialize, Serialize};
use stepback_machine::display::LaneFormat;
use stepback_machine::{Address, RegisterGroup};
use stepback_parsers::Position;

use crate::action::StepRange;
use crate::action::{CellName, Direction, Follow};

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

/// Steps whose reads and writes are listed, or calls to compare. A position identifies the call
/// that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EffectsOf {
    /// The innermost call around a position.
    Call(Position),
    /// The round of the innermost loop around a position.
    Round(Position),
    /// A range of steps.
    Range(StepRange),
    /// The difference between the innermost call around a position and another call of its
    /// function.
    Comparison(Position, OtherCall),
}

/// The call to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OtherCall {
    /// The last or next one of the same function.
    Near(Direction),
    /// The innermost one of the same function around a position.
    Around(Position),
}

/// Encoding of the text after the bytes of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MemoryText {
    /// One character per byte.
    #[default]
    Ascii,
    /// Characters of one to four bytes.
    Utf8,
}

/// A change of a panel of memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MemoryChange {
    /// Number of bytes per row (8, 16, 32 or 64); none: the maximum that fits.
    Width(Option<u8>),
    /// Toggle between floating point and digits for groups of four and eight bytes.
    Floats,
    /// Encoding of the text after the bytes.
    Text(MemoryText),
    /// Mark differences from another moment; none: from the position before the last move.
    Compare(Option<Follow>),
    /// Compare with the other window, else with the position before the last move, or end the
    /// comparison.
    ToggleCompare,
    /// Go to the next (or last) byte that differs in the comparison.
    GoToChanged(Direction),
    /// Go to the next (or last) occurrence of some bytes, a number or a text in the known memory.
    Find(String, Direction),
    /// Repeat the search.
    FindAgain(Direction),
    /// Cancel the search.
    StopSeeking,
}

/// Format of a general register's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RegisterFormat {
    /// All digits in hexadecimal.
    #[default]
    Hex,
    /// Unsigned decimal.
    Unsigned,
    /// Signed decimal (two's complement).
    Signed,
    /// Floating point.
    Float,
    /// Characters of its bytes, the lowest first.
    Text,
}

impl RegisterFormat {
    /// All formats, the default first.
    pub const ALL: [Self; 5] = [
        Self::Hex,
        Self::Unsigned,
        Self::Signed,
        Self::Float,
        Self::Text,
    ];
}

/// Contents of the timeline below its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimelineLanes {
    /// Calls as a flame chart.
    Calls,
    /// One lane per thread.
    Threads,
    /// One lane per core.
    Cores,
    /// Calls, and below them one lane per thread.
    CallsAndThreads,
    /// Calls, and below them one lane per core.
    CallsAndCores,
}

impl TimelineLanes {
    /// Returns true if calls are shown.
    pub fn has_calls(self) -> bool {
        matches!(
            self,
            Self::Calls | Self::CallsAndThreads | Self::CallsAndCores
        )
    }

    /// Returns the lanes that are shown, with or without calls; none if only calls are shown.
    pub fn lanes(self) -> Option<Self> {
        match self {
            Self::Calls => None,
            Self::Threads | Self::CallsAndThreads => Some(Self::Threads),
            Self::Cores | Self::CallsAndCores => Some(Self::Cores),
        }
    }
}

/// Part of the trace that the timeline shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimelineFit {
    /// The whole trace.
    Whole,
    /// The call around the position; if that is already shown, its caller.
    Call,
    /// The current width, with the position in the middle.
    Position,
    Selection,
}
