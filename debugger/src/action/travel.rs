//! Moves of a trace window, and actions on the search and on slices.
//!
//! They name cells, conditions and functions as the user types them; a worker resolves the names at
//! the position.

use std::fmt;

use serde::{Deserialize, Serialize};
pub use stepback_index::answer::Direction;
use stepback_parsers::Position;

use crate::action::{FindQuery, SavedSliceQuery, SliceEdge};
use crate::notes::{SavedQueryChange, SavedSearch, SavedSlice};

/// Number of a trace of a window. The default is the first trace.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct TraceId(pub u32);

/// Number of a trace window: 1, 2, … Each has its own position in one trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WindowId(pub u32);

/// A part of a trace, from one position to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StepRange {
    /// First position.
    pub first: Position,
    /// Last position, not before the first.
    pub last: Position,
}

/// Kind of access to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Access {
    /// A store.
    Write,
    /// A load.
    Read,
}

/// A cell as the user names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CellName {
    Register(String),
    /// Memory: an address expression and a length in bytes.
    Memory(String, u64),
}

/// Formats the cell as the argument of `Last write` and similar commands.
impl fmt::Display for CellName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(name) => f.write_str(name),
            Self::Memory(address, length) => write!(f, "{address}:{length}"),
        }
    }
}

/// A move of the active trace window, unless another window is named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TravelAction {
    /// Move by one row: a step, or a folded call.
    StepRow(Direction),
    /// Move by one step, into calls even if they are folded.
    StepInto(Direction),
    /// Move over the call at the position, or by one step where there is none.
    StepOver(Direction),
    /// Move to the call of the function that contains the position (back), or just after its return
    /// (forward).
    StepOut(Direction),
    /// Move to the next or previous step of the thread that the window stays in, or of the thread
    /// at the position.
    StepOfThread(Direction),
    /// Keep moves by steps in a thread, by its name; without a name, in that of the position, or
    /// end that.
    StayInThread(Option<String>),
    /// Move by a page of rows.
    Page(Direction),
    /// Move to the first or last position.
    Edge(Direction),
    /// Move to a place in the language of the command line: `1250`, `50%`, `line:7`, `time:3`,
    /// `pc:main`, `end`.
    GoTo(String),
    /// Move a window to a position.
    Travel(WindowId, Position),
    /// Move to the position visited before or after.
    History(Direction),
    /// Move to the last (back) or next (forward) access of a cell.
    GoToAccess(CellName, Access, Direction),
    /// Move to the next access of a cell up to a position; a register is that of the thread there.
    GoToAccessUntil(CellName, Access, Position),
    /// Move to the last or next access of the cell under the cursor of the active panel.
    GoToAccessOfSelection(Access, Direction),
    /// Move to the last or next external change, of the given memory or of any.
    GoToExternal(Option<CellName>, Direction),
    /// Move to the next or last execution of a source line, by a thread or by any.
    /// The end of the file's path is enough.
    GoToLine(String, u32, Direction, Option<String>),
    /// Move to the last or next other execution of the instruction just executed.
    GoToVisit(Direction),
    /// Move to the last or next source line, over calls.
    StepLine(Direction),
    /// Move to the last or next source line, into calls.
    StepLineInto(Direction),
    /// Move to the last or next exception, interrupt, trap or signal.
    GoToException(Direction),
    /// Move to the step at which the trace ends badly, and show how.
    GoToEnding,
    /// Move to the nearest step at which the two compared traces differ.
    GoToDifference(Direction),
    /// Cancel the search for a place.
    StopLookup,
    /// Move to the last or next position at which a condition becomes true.
    GoToWhere(String, Direction),
    /// Repeat the last `GoToWhere` with its condition.
    GoToWhereAgain(Direction),
    /// Forget the condition, so that the next repetition prompts for one.
    ForgetCondition,
    /// Move to the last or next position at which an expression has another value.
    GoToChange(String, Direction),
    /// Move to the last or next bookmark.
    GoToBookmark(Direction),
    /// Move to the last or next call of a function by name; without one, of the function that is
    /// selected in a panel, else of the one that contains the position.
    GoToCall(Option<String>, Direction),
}

/// An action on the search, its hits, or the saved searches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SearchAction {
    /// Put the cursor into the field of the panel "Find".
    FocusFind,
    /// Search the whole trace; list and mark the hits.
    Find(FindQuery),
    /// Move to the last (back) or next (forward) hit.
    FindNext(Direction),
    /// Raise the limit on the number of hits.
    FindMore,
    /// Stop the search; the hits stay.
    StopFind,
    /// Drop the search and its marks.
    ClearFind,
    /// Show only hits in the active window, or all steps again.
    ToggleOnlyHits,
    /// Show only hits, with this number of steps around each.
    SurroundHits(u64),
    /// Keep the search under a name.
    KeepSearch(String),
    /// Change the list of kept searches.
    Searches(SavedQueryChange<SavedSearch>),
    /// Run a kept search.
    RunSearch(String),
    /// Run a kept search in a separate panel.
    ShowSearch(String),
    /// Show some steps in a window that shows only hits.
    OpenHidden(WindowId, StepRange),
}

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
    WhyAgain(SavedSliceQuery),
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
