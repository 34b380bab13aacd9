//! Moves of a trace window.

use serde::{Deserialize, Serialize};
use stepback_parsers::Position;

use super::{Direction, WindowId};

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
    /// Cancel the search for a place.
    StopLookup,
    /// Move to the last or next position at which a condition becomes true.
    GoToWhere(String, Direction),
    /// Repeat the last `GoToWhere` with its condition.
    GoToWhereAgain(Direction),
    /// Move to the last or next position at which an expression has another value.
    GoToChange(String, Direction),
    /// Move to the last or next bookmark.
    GoToBookmark(Direction),
    /// Move to the last or next call of a function by name; without one, of the function that is
    /// selected in a panel, else of the one that contains the position.
    GoToCall(Option<String>, Direction),
}
