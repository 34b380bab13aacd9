//! What every kind of pane does.

use ratatui::layout::Rect;
use stepback_machine::RegisterGroup;
use stepback_parsers::Position;

use super::command::{PaneCommand, PromptPurpose};
use super::look::TerminalStyle;
use super::pen::Pen;
use stepback_debugger::action::{Action, CellName, Follow, Moment, PanelId, PanelKind, WindowId};
use stepback_debugger::desk::Desk;
use stepback_debugger::model::TextSpan;
use stepback_debugger::worker::Worker;

/// What a pane may look at.
#[derive(Clone, Copy)]
pub struct PaneContext<'a> {
    /// The open trace, and all that is asked of it.
    pub desk: &'a Desk,
    /// How things look.
    pub look: &'a TerminalStyle,
    /// The number of the pane.
    pub pane: PanelId,
    /// It has the keyboard.
    pub has_focus: bool,
}

impl<'a> PaneContext<'a> {
    /// Where questions are asked.
    pub fn worker(&self) -> &'a Worker {
        &self.desk.worker
    }

    /// A moment of the trace.
    pub fn moment(&self, position: Position) -> Moment {
        Moment {
            trace: self.desk.windows.active().trace,
            position,
        }
    }
}

/// What a pane asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum PaneAction {
    /// An action, as the window's panels push them.
    Do(Action),
    /// A text on the bottom line, which [`Pane::answer`] gets; with what stands there at first.
    Prompt(PromptPurpose, String),
    /// Another pane of memory at an address expression.
    OpenMemory(String),
    /// What is for the terminal as a whole.
    Obey(PaneCommand),
    /// Words on the bottom line.
    Say(String),
}

/// What the mouse does in a pane: where it is on the screen, and what it does there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MouseInput {
    /// The column.
    pub x: u16,
    /// The row.
    pub y: u16,
    /// What it does.
    pub kind: MouseInputKind,
}

/// What the mouse does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseInputKind {
    /// A button is pressed.
    Click,
    /// Twice at once.
    DoubleClick,
    /// The wheel turns by so many rows, down when positive.
    Wheel(i16),
}

/// What stands in a part of the screen below a bar with its title.
pub trait Pane {
    /// Its kind.
    fn kind(&self) -> PanelKind;

    /// What its bar says.
    fn title(&self, cx: &PaneContext<'_>) -> String;

    /// What it shows the state at; none for a pane that shows no one moment.
    fn follow(&self) -> Option<Follow> {
        None
    }

    /// Binds it to a window or a moment, where it can.
    fn bind(&mut self, _follow: Follow) {}

    /// The trace window that it is the list of steps of.
    fn window(&self) -> Option<WindowId> {
        None
    }

    /// The group of registers that it shows.
    fn group(&self) -> Option<RegisterGroup> {
        None
    }

    /// Whether it has a cursor on registers or memory: the keys of such panes count in it.
    fn has_cells(&self) -> bool {
        false
    }

    /// How many rows it would have, its bar not counted.
    fn wished_rows(&self) -> u16 {
        8
    }

    /// How many rows a page key moves by in the list of steps.
    fn page_rows(&self) -> u64 {
        1
    }

    /// The cell that "last write" means.
    fn selection(&self, _cx: &PaneContext<'_>) -> Option<CellName> {
        None
    }

    /// The position at which that cell has the value that is shown; none: that of the active window.
    fn selection_at(&self, cx: &PaneContext<'_>) -> Option<Position> {
        self.follow()
            .map(|follow| cx.desk.windows.position_of(follow))
    }

    /// What is under its cursor, as it is copied.
    fn copied(&self, _cx: &PaneContext<'_>) -> Option<String> {
        None
    }

    /// What the bottom line says while it has the keyboard.
    fn status(&self, _cx: &PaneContext<'_>) -> Vec<TextSpan> {
        Vec::new()
    }

    /// Does what a key asks for. False where that means nothing here.
    fn obey(
        &mut self,
        command: PaneCommand,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) -> bool;

    /// Takes the text that it asked for.
    fn answer(
        &mut self,
        purpose: PromptPurpose,
        text: &str,
        _cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) {
        out.extend(purpose.actions(text).into_iter().map(PaneAction::Do));
    }

    /// Does an action that is meant for a pane of its kind: `ShowMemory`, `ShowRegisters`, `SelectCell`, ….
    /// False where it is not.
    fn take(&mut self, _action: &Action, _cx: &PaneContext<'_>) -> bool {
        false
    }

    /// Does what the mouse asks for.
    fn touch(&mut self, _touch: MouseInput, _cx: &PaneContext<'_>, _out: &mut Vec<PaneAction>) {}

    /// Another trace is open than the one that its settings were made in: gives up what means nothing there.
    fn leave_trace(&mut self) {}

    /// Asks what it needs and draws what it has.
    fn draw(&mut self, area: Rect, pen: &mut Pen<'_>, cx: &PaneContext<'_>);
}
