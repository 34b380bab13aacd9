//! Test harness that renders register and memory panes as text.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use stepback_debugger::action::{Action, Direction, PanelId};
use stepback_debugger::desk::{Desk, desk_over};
use stepback_debugger::session::Session;
use stepback_debugger::session::test_session::overflow;
use stepback_parsers::Position;

use crate::clean::CharacterSet;
use crate::look::{ColorDepth, TerminalStyle};
use crate::pane::{
    CursorDirection, MouseInput, MouseInputKind, Pane, PaneAction, PaneCommand, PaneContext,
    PromptPurpose,
};
use crate::pen::{Pen, text_of};

/// A pane under test, with its desk.
pub struct CellPaneBench<P> {
    pub desk: Desk,
    pub pane: P,
    pub signs: CharacterSet,
    pub requested: Vec<PaneAction>,
    pub columns: u16,
    pub rows: u16,
}

impl<P: Pane> CellPaneBench<P> {
    /// Creates the pane over the small trace at a position.
    pub fn at(position: u64, pane: P) -> Self {
        Self::over(overflow(), position, pane)
    }

    /// Creates the pane over another trace.
    pub fn over(session: Arc<Session>, position: u64, pane: P) -> Self {
        let desk = desk_over(session, position);
        let mut bench = Self {
            desk,
            pane,
            signs: CharacterSet::Unicode,
            requested: Vec::new(),
            columns: 80,
            rows: 12,
        };
        bench.go(position, position);
        bench.draw();
        bench
    }

    /// Moves the window from one position to another.
    pub fn go(&mut self, from: u64, to: u64) {
        let window = self.desk.windows.active_mut();
        (window.previous, window.position) = (Position(from), Position(to));
    }

    /// Runs commands. Returns true if the pane handled all of them.
    pub fn press(&mut self, commands: &[PaneCommand]) -> bool {
        let mut is_done = true;
        for command in commands {
            self.draw();
            is_done &= self.with(|pane, cx, requested| pane.obey(*command, cx, requested));
        }
        self.draw();
        is_done
    }

    /// Answers a prompt.
    pub fn answer(&mut self, purpose: PromptPurpose, text: &str) {
        self.with(|pane, cx, requested| pane.answer(purpose, text, cx, requested));
        self.draw();
    }

    /// Passes an action to the pane.
    pub fn take(&mut self, action: &Action) -> bool {
        self.with(|pane, cx, _| pane.take(action, cx))
    }

    pub fn touch(&mut self, x: u16, y: u16, kind: MouseInputKind) {
        self.with(|pane, cx, requested| pane.touch(MouseInput { x, y, kind }, cx, requested));
        self.draw();
    }

    pub fn with<A>(
        &mut self,
        what: impl FnOnce(&mut P, &PaneContext<'_>, &mut Vec<PaneAction>) -> A,
    ) -> A {
        let look = TerminalStyle {
            colors: ColorDepth::None,
            signs: self.signs,
        };
        what(
            &mut self.pane,
            &PaneContext {
                desk: &self.desk,
                look: &look,
                pane: PanelId(1),
                has_focus: true,
            },
            &mut self.requested,
        )
    }

    /// Returns the title, the rows and the text of the bottom line.
    pub fn screen(&mut self) -> String {
        let title = self.with(|pane, cx, _| pane.title(cx));
        let rows = self.draw();
        format!("{title}\n{rows}{}\n", self.status())
    }

    pub fn title(&mut self) -> String {
        self.with(|pane, cx, _| pane.title(cx))
    }

    pub fn status(&mut self) -> String {
        let spans = self.with(|pane, cx, _| pane.status(cx));
        spans.into_iter().map(|span| span.text).collect()
    }

    /// Draws the pane and returns its rows.
    pub fn draw(&mut self) -> String {
        let (area, signs) = (Rect::new(0, 0, self.columns, self.rows), self.signs);
        let mut buffer = Buffer::empty(area);
        // An answer may lead to a further query in the next frame.
        for _ in 0..3 {
            buffer.reset();
            let look = TerminalStyle {
                colors: ColorDepth::None,
                signs,
            };
            self.with(|pane, cx, _| {
                pane.draw(
                    area,
                    &mut Pen {
                        buffer: &mut buffer,
                        look: &look,
                    },
                    cx,
                )
            });
        }
        if signs == CharacterSet::Ascii {
            assert!(buffer.content().iter().all(|cell| cell.symbol().is_ascii()));
        }
        text_of(&buffer)
    }

    /// Takes the actions that the pane requested since the last call.
    pub fn actions(&mut self) -> Vec<Action> {
        let requested = std::mem::take(&mut self.requested);
        requested
            .into_iter()
            .filter_map(|ask| {
                if let PaneAction::Do(action) = ask {
                    Some(action)
                } else {
                    None
                }
            })
            .collect()
    }

    /// Draws the pane in all terminal sizes, with keys and mouse events in between.
    pub fn drum(&mut self) {
        use CursorDirection::{Down, First, Last, Left, PageDown, PageUp, Right, Up};
        let mut commands: Vec<PaneCommand> = [
            Up, Down, Left, Right, Last, Down, PageDown, First, Up, PageUp,
        ]
        .map(PaneCommand::Move)
        .to_vec();
        commands.extend([
            PaneCommand::Arrange,
            PaneCommand::Pick,
            PaneCommand::LastWrite(8),
            PaneCommand::ChangedByte(Direction::Forward),
        ]);
        commands.extend([Direction::Back, Direction::Forward].map(PaneCommand::Access));
        for signs in [CharacterSet::Unicode, CharacterSet::Ascii] {
            self.signs = signs;
            for (columns, rows) in [
                (0, 0),
                (1, 1),
                (5, 2),
                (20, 3),
                (200, 60),
                (80, 1),
                (3, 40),
                (80, 12),
            ] {
                (self.columns, self.rows) = (columns, rows);
                self.press(&commands);
                for kind in [
                    MouseInputKind::Click,
                    MouseInputKind::DoubleClick,
                    MouseInputKind::Wheel(-3),
                    MouseInputKind::Wheel(30_000),
                ] {
                    self.touch(columns / 2, rows.saturating_sub(1), kind);
                }
            }
        }
        self.with(|pane, _, _| pane.leave_trace());
        self.screen();
    }
}
