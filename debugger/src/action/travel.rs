//! Moves of a trace window.

use serde::{Deserialize, Serialize};
use stepback_parsers::Position;

use super::{Way, WindowId};

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
    /// A register by name.
    Register(String),
    /// Memory: an address expression and a length in bytes.
    Memory(String, u64),
}

/// A move of the active trace window, unless another window is named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TravelAction {
    /// Move by one row: a step, or a folded call.
    StepRow(Way),
    /// Move by one step, into calls even if they are folded.
    StepInto(Way),
    /// Move over the call at the position, or by one step where there is none.
    StepOver(Way),
    /// Move to the call of the function that contains the position (back), or just after its return (forward).
    StepOut(Way),
    /// Move to the next or previous step of the thread that the window stays in, or of the thread at the position.
    StepOfThread(Way),
    /// Keep moves by steps in a thread, by its name; without a name, in that of the position, or end that.
    StayInThread(Option<String>),
    /// Move by a page of rows.
    Page(Way),
    /// Move to the first or last position.
    Edge(Way),
    /// Move to a place in the language of the command line: `1250`, `50%`, `line:7`, `time:3`, `pc:main`, `end`.
    GoTo(String),
    /// Move a window to a position.
    Travel(WindowId, Position),
    /// Move to the position visited before or after.
    History(Way),
    /// Move to the last (back) or next (forward) access of a cell.
    GoToAccess(CellName, Access, Way),
    /// Move to the next access of a cell up to a position; a register is that of the thread there.
    GoToAccessUntil(CellName, Access, Position),
    /// Move to the last or next access of the cell under the cursor of the active panel.
    GoToAccessOfSelection(Access, Way),
    /// Move to the last or next external change, of the given memory or of any.
    GoToExternal(Option<CellName>, Way),
    /// Move to the next or last execution of a source line, by a thread or by any.
    /// The end of the file's path is enough.
    GoToLine(String, u32, Way, Option<String>),
    /// Move to the last or next other execution of the instruction just executed.
    GoToVisit(Way),
    /// Move to the last or next source line, over calls.
    StepLine(Way),
    /// Move to the last or next source line, into calls.
    StepLineInto(Way),
    /// Move to the last or next exception, interrupt, trap or signal.
    GoToException(Way),
    /// Cancel the search for a place.
    StopLookup,
    /// Move to the last or next position at which a condition becomes true.
    GoToWhere(String, Way),
    /// Repeat the last `GoToWhere` with its condition.
    GoToWhereAgain(Way),
    /// Move to the last or next position at which an expression has another value.
    GoToChange(String, Way),
    /// Move to the last or next bookmark.
    GoToBookmark(Way),
    /// Move to the last or next call of a function by name; without one, of the function that is selected in a
    /// panel, else of the one that contains the position.
    GoToCall(Option<String>, Way),
}
