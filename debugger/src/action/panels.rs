//! Actions on windows, panels and layouts.

use serde::{Deserialize, Serialize};
use stepback_index::answer::CallId;

use super::{Direction, Moment};
use crate::action::{StepRange, WindowId};

/// A panel by its number: a tile of the dock, a pane of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PanelId(pub u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PanelKind {
    /// The list of steps.
    Trace,
    /// The register file.
    Registers,
    Memory,
    /// The call tree.
    Calls,
    /// The difference between two positions.
    Compare,
    /// The warnings of the parser.
    Warnings,
    /// The call stack.
    Stack,
    /// The external changes of memory.
    Externals,
    /// A source file.
    Source,
    Threads,
    /// All accesses to a range of memory.
    Accesses,
    /// The blocks of the heap.
    Heap,
    /// The pages of memory by number of accesses.
    Heat,
    /// The tasks of an operating system.
    Tasks,
    /// The functions by cost.
    Functions,
    /// Violations of the trace's rules.
    Findings,
    /// The hits of a search.
    Find,
    /// Watched expressions.
    Watches,
    Bookmarks,
    /// The functions as a flame graph.
    FlameGraph,
    /// The regions of memory.
    Regions,
    /// The words of the stack.
    StackMemory,
    /// The reads and writes of calls or steps.
    Effects,
    /// Why a cell has its value.
    Why,
    /// The differences of two traces.
    Differences,
    /// The steps of two traces side by side.
    BothTraces,
    /// The registers and memory of two traces.
    BothStates,
}

/// Position whose state a register or memory panel shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Follow {
    /// The position of the active trace window.
    #[default]
    Active,
    /// The position of a given trace window.
    Window(WindowId),
    /// A fixed moment.
    Pinned(Moment),
}

/// An action on windows, panels and layouts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PanelAction {
    /// Open another trace window at a moment.
    OpenWindowAt(Moment),
    /// Make a trace window the active one.
    Activate(WindowId),
    /// Bring a panel to the front, or open it.
    ShowPanel(PanelKind),
    /// Open another panel of a kind.
    NewPanel(PanelKind),
    /// Open a second trace window next to the first.
    SideBySide,
    /// Move windows together by the same number of steps, or separately again.
    SyncWindows,
    /// Scroll the other windows along with one that was scrolled, in thousandths of a row.
    ScrollAlong(WindowId, i64),
    /// Compare the positions of two windows.
    Compare,
    /// Bind a panel to a window or a moment.
    Bind(PanelId, Follow),
    /// Show a thread by its name in a panel; without a name, that of the position.
    ChooseThread(PanelId, Option<String>),
    ClosePanel(PanelId),
    /// Open a copy of a panel.
    DuplicatePanel(PanelId),
    /// Give the keyboard to the next or previous panel.
    FocusPanel(Direction),
    /// Restore the default panels.
    ResetLayout,
    /// Use a layout by its name: debug, compare, profile, source, or one of the user's.
    UseLayout(String),
    /// Keep the panels as a layout under a name, for all traces.
    SaveLayout(String),
    /// Forget one of the user's layouts.
    ForgetLayout(String),
    /// Move a panel into a separate window, or back; without a number, the one that has the
    /// keyboard.
    TearOff(Option<PanelId>),
    /// Put a panel from a separate window back; without a number, all.
    PutBack(Option<PanelId>),
    /// Compare the positions of two windows, the earlier one first.
    CompareWindows(WindowId, WindowId),
    /// Compare the two ends of a range.
    CompareEnds(StepRange),
    /// Compare the active window's position with another place, which a second window shows.
    CompareWith(String),
    /// Compare before and after a call; without one, the call that contains the position.
    CompareCall(Option<CallId>),
}
