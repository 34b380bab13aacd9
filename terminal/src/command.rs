//! What the keys of panes ask for: one language for all of them.

use stepback_machine::RegisterGroup;

use stepback_debugger::action::{Action, Direction, FoldAction, SliceEdge, TravelAction};
use stepback_debugger::messages::say;
pub use stepback_debugger::views::CursorDirection;

/// What a key asks for in a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaneCommand {
    /// The keyboard goes to the next or last pane.
    Focus(Direction),
    /// The keys of the pane that has the keyboard.
    Help,
    /// The end.
    Quit,
    /// One to all commands by name.
    Palette,
    /// A search is asked for, forwards or backwards.
    Search(Direction),
    /// The pane that has the keyboard takes the whole screen, or no longer.
    Zoom,
    /// The cursor or the position moves.
    Move(CursorDirection),
    /// What is in view is arranged anew; a pane of registers or memory is locked to its moment, or no longer.
    Arrange,
    /// To the last or next write of what is under the cursor.
    Access(Direction),
    /// To the last write of so many aligned bytes.
    LastWrite(u8),
    /// One step, into calls.
    Into(Direction),
    /// Over the call at the position.
    Over(Direction),
    /// The position visited before or after.
    History(Direction),
    /// What the row under the cursor stands for is taken away.
    Remove,
    /// What is under the cursor goes to the clipboard of the terminal.
    Copy,
    /// The last change of what is kept is taken back, or done again.
    Undo(Direction),
    /// Fold or unfold.
    Fold(FoldAction),
    /// Ask on the bottom line.
    Ask(PromptPurpose),
    /// The next or last hit of the last search.
    FindAgain(Direction),
    /// A pane with a group of registers opens or closes.
    Registers(RegisterGroup),
    /// The next line of the step just done is picked; in registers: what a value points to is told, or no longer.
    Pick,
    /// The trace's colours on or off.
    Colors,
    /// The raw text of the trace instead of steps, or no longer.
    Raw,
    /// Symbols for addresses on or off.
    Symbols,
    /// The pane gets one row more (1) or less (-1).
    Resize(i8),
    /// To the next or last changed byte.
    ChangedByte(Direction),
    /// Why has what is under the cursor its value?
    Why,
    /// The rows of the slice stand in another way.
    NextView,
    /// The slice follows something besides the data, or no longer.
    Follow(SliceEdge),
    /// The address expression follows the registers in it, or no longer.
    FollowAddress,
}

/// What a text on the bottom line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptPurpose {
    /// To a line of the trace.
    Line,
    /// To a time of the trace.
    Time,
    /// To the next or last step at an address.
    Visit(Direction),
    /// Another pane of memory at an address.
    Memory,
    /// A pane is locked to a line.
    LockAtLine,
    /// A pane is locked to a time.
    LockAtTime,
    /// Memory is compared with what it is at a line.
    CompareWithLine,
    /// A pane of memory shows another address.
    Address,
    /// Registers whose names contain a text.
    Filter,
    /// Memory that holds bytes, a number or a text.
    FindInMemory,
}

impl PromptPurpose {
    /// The words before the text.
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

    /// What a text asks for, where that is the same in every pane.
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
