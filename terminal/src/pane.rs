//! Interface that every kind of pane implements ([`Pane`]), with the requests that panes return
//! ([`PaneAction`]) and the commands of their keys, which all kinds share ([`PaneCommand`]).

use ratatui::layout::Rect;
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Action, CellName, Direction, FoldAction, Follow, Moment, PanelId, PanelKind, SliceEdge,
    TravelAction,
};
use stepback_debugger::desk::Desk;
use stepback_debugger::messages::say;
use stepback_debugger::model::TextSpan;
use stepback_debugger::worker::Worker;
use stepback_machine::RegisterGroup;
use stepback_parsers::Position;

use crate::look::TerminalStyle;
use crate::pen::Pen;

pub use stepback_debugger::views::CursorDirection;

/// Data that a pane may read.
#[derive(Clone, Copy)]
pub struct PaneContext<'a> {
    /// The open trace and its queries.
    pub desk: &'a Desk,
    pub look: &'a TerminalStyle,
    pub pane: PanelId,
    /// True if the pane has the keyboard.
    pub has_focus: bool,
}

impl<'a> PaneContext<'a> {
    /// Returns the worker that runs queries.
    pub fn worker(&self) -> &'a Worker {
        &self.desk.worker
    }

    /// Returns the moment at a position of the active window's trace.
    pub fn moment(&self, position: Position) -> Moment {
        Moment {
            trace: self.desk.windows.active().trace,
            position,
        }
    }
}

/// Request of a pane.
#[derive(Clone, Debug, PartialEq)]
pub enum PaneAction {
    /// Perform an action.
    Do(Action),
    /// Open a prompt on the bottom line with an initial text; [`Pane::answer`] receives the result.
    Prompt(PromptPurpose, String),
    /// Run a command that concerns the whole terminal.
    Obey(PaneCommand),
    /// Show a message on the bottom line.
    Say(String),
}

/// Mouse event in a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MouseInput {
    pub x: u16,
    pub y: u16,
    pub kind: MouseInputKind,
}

/// Kind of a mouse event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseInputKind {
    Click,
    DoubleClick,
    /// Wheel movement in rows, positive downwards.
    Wheel(i16),
}

/// A pane: the content below a bar with its title.
pub trait Pane {
    fn kind(&self) -> PanelKind;

    /// Returns the title in the bar.
    fn title(&self, cx: &PaneContext<'_>) -> String;

    /// Returns the moment that the pane follows; none if it shows no single moment.
    fn follow(&self) -> Option<Follow> {
        None
    }

    /// Binds the pane to a window or a moment, if it supports that.
    fn bind(&mut self, _follow: Follow) {}

    /// Returns the trace window whose steps the pane lists.
    fn window(&self) -> Option<WindowId> {
        None
    }

    /// Returns the register group of the pane.
    fn group(&self) -> Option<RegisterGroup> {
        None
    }

    /// Returns true if the pane has a cursor on registers or memory; keys of such panes then apply.
    fn has_cells(&self) -> bool {
        false
    }

    /// Returns the requested number of rows, without the bar.
    fn wished_rows(&self) -> u16 {
        8
    }

    /// Returns the number of rows of a page in the step list.
    fn page_rows(&self) -> u64 {
        1
    }

    /// Returns the cell for commands such as "last write".
    fn selection(&self, _cx: &PaneContext<'_>) -> Option<CellName> {
        None
    }

    /// Returns the position at which that cell is shown; none: the active window's position.
    fn selection_at(&self, cx: &PaneContext<'_>) -> Option<Position> {
        self.follow()
            .map(|follow| cx.desk.windows.position_of(follow))
    }

    /// Returns the text to copy for the item under the cursor.
    fn copied(&self, _cx: &PaneContext<'_>) -> Option<String> {
        None
    }

    /// Returns the text of the bottom line while the pane is focused.
    fn status(&self, _cx: &PaneContext<'_>) -> Vec<TextSpan> {
        Vec::new()
    }

    /// Runs a command. Returns false if it has no meaning in this pane.
    fn obey(
        &mut self,
        command: PaneCommand,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) -> bool;

    /// Receives the text of a prompt that the pane requested.
    fn answer(
        &mut self,
        purpose: PromptPurpose,
        text: &str,
        _cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) {
        out.extend(purpose.action(text).map(PaneAction::Do));
    }

    /// Performs an action addressed to a pane of its kind: `ShowMemory`, `ShowRegisters`,
    /// `SelectCell`, …. Returns false if the action is for another kind.
    fn take(&mut self, _action: &Action, _cx: &PaneContext<'_>) -> bool {
        false
    }

    /// Handles a mouse event.
    fn touch(&mut self, _touch: MouseInput, _cx: &PaneContext<'_>, _out: &mut Vec<PaneAction>) {}

    /// Drops state that has no meaning in another trace, when another trace was opened.
    fn leave_trace(&mut self) {}

    /// Starts the queries that the pane needs, and draws the answers that it has.
    fn draw(&mut self, area: Rect, pen: &mut Pen<'_>, cx: &PaneContext<'_>);
}

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

    /// Returns the kind of position that the text names, as it precedes a position; none for other
    /// texts.
    pub fn prefix(self) -> Option<&'static str> {
        match self {
            Self::Line => Some("line:"),
            Self::Time => Some("time:"),
            _ => None,
        }
    }

    /// Returns the action for a text if it is the same in every pane.
    pub fn action(self, text: &str) -> Option<Action> {
        let place = format!("{}{}", self.prefix()?, text.trim());
        Some(Action::Travel(TravelAction::GoTo(place)))
    }
}
