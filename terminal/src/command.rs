//! Commands of the keys in panes, shared by all kinds of pane.

use stepback_machine::RegisterGroup;

use stepback_debugger::action::{Action, Direction, FoldAction, SliceEdge, TravelAction};
use stepback_debugger::messages::say;
pub use stepback_debugger::views::CursorDirection;

/// Command of a key in a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaneCommand {
    /// Focuses the next or previous pane.
    Focus(Direction),
    /// Shows the keys of the focused pane.
    Help,
    /// Quits the program.
    Quit,
    /// Opens the command palette.
    Palette,
    /// Starts a search, forwards or backwards.
    Search(Direction),
    /// Maximises or restores the focused pane.
    Zoom,
    /// Moves the cursor or the position.
    Move(CursorDirection),
    /// Rearranges the view; locks or unlocks a pane of registers or memory to its moment.
    Arrange,
    /// Travels to the previous or next write of the cell under the cursor.
    Access(Direction),
    /// Travels to the last write of a number of aligned bytes.
    LastWrite(u8),
    /// Moves one step, into calls.
    Into(Direction),
    /// Moves over the call at the position.
    Over(Direction),
    /// Returns to the previous or next visited position.
    History(Direction),
    /// Removes the item of the row under the cursor.
    Remove,
    /// Copies the item under the cursor to the terminal's clipboard.
    Copy,
    /// Undoes or redoes the last change of bookmarks and other saved items.
    Undo(Direction),
    /// Folds or unfolds calls.
    Fold(FoldAction),
    /// Opens a prompt on the bottom line.
    Ask(PromptPurpose),
    /// Goes to the next or previous hit of the last search.
    FindAgain(Direction),
    /// Opens or closes the pane of a register group.
    Registers(RegisterGroup),
    /// Picks the next line of the last step; in registers, shows or hides the target of a pointer.
    Pick,
    /// Turns the trace's colours on or off.
    Colors,
    /// Switches between steps and the raw text of the trace.
    Raw,
    /// Shows symbols instead of addresses, or addresses again.
    Symbols,
    /// Adds a row to the pane (1) or takes one (-1).
    Resize(i8),
    /// Goes to the next or previous changed byte.
    ChangedByte(Direction),
    /// Explains the value under the cursor.
    Why,
    /// Shows the rows of the slice in the next arrangement.
    NextView,
    /// Adds an edge kind besides data to the slice, or removes it.
    Follow(SliceEdge),
    /// Lets the address expression follow the registers in it, or stops that.
    FollowAddress,
}

/// Purpose of a text typed on the bottom line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptPurpose {
    /// Go to a line of the trace.
    Line,
    /// Go to a time of the trace.
    Time,
    /// Go to the next or previous step at an address.
    Visit(Direction),
    /// Open another memory pane at an address.
    Memory,
    /// Lock a pane to a line.
    LockAtLine,
    /// Lock a pane to a time.
    LockAtTime,
    /// Compare memory with its content at a line.
    CompareWithLine,
    /// Show another address in a memory pane.
    Address,
    /// Show only registers whose names contain a text.
    Filter,
    /// Find bytes, a number or a text in memory.
    FindInMemory,
}

impl PromptPurpose {
    /// Returns the label in front of the text.
    pub fn question(self) -> &'static str {
        match self {
            Self::Line => say!("terminal-ask-line"),
            Self::Time => say!("terminal-ask-time"),
            Self::Visit(Direction::Forward) => say!("terminal-ask-next-visit"),
            Self::Visit(Direction::Back) => say!("terminal-ask-last-visit"),
            Self::Memory => say!("terminal-ask-memory"),
            Self::LockAtLine => say!("terminal-ask-lock-line"),
            Self::LockAtTime => say!("terminal-ask-lock-time"),
            Self::CompareWithLine => say!("terminal-ask-compare-line"),
            Self::Address => say!("terminal-ask-address"),
            Self::Filter => say!("terminal-ask-filter"),
            Self::FindInMemory => say!("terminal-ask-find-in-memory"),
        }
    }

    /// Returns the actions for a text if they are the same in every pane.
    pub fn actions(self, text: &str) -> Vec<Action> {
        match self {
            Self::Line => vec![Action::Travel(TravelAction::GoTo(format!(
                "line:{}",
                text.trim()
            )))],
            Self::Time => vec![Action::Travel(TravelAction::GoTo(format!(
                "time:{}",
                text.trim()
            )))],
            _ => Vec::new(),
        }
    }
}
