//! Test harness that renders list panes as text.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use stepback_debugger::action::{Action, CellName, Direction, PanelId, TravelAction};
use stepback_debugger::desk::{Desk, desk_over};
use stepback_debugger::model::Windows;
use stepback_debugger::session::Session;
use stepback_debugger::session::test_session::overflow;
use stepback_parsers::Position;

use crate::CharacterSet;
use crate::look::{ColorDepth, TerminalStyle};
use crate::pane::{
    CursorDirection, MouseInput, MouseInputKind, Pane, PaneAction, PaneCommand, PaneContext,
    PromptPurpose,
};
use crate::pen::Pen;

/// A pane under test, with its desk.
pub struct PaneStage<P> {
    pub desk: Desk,
    pub pane: P,
    pub signs: CharacterSet,
    /// Requests of the pane.
    pub requested: Vec<PaneAction>,
}

impl<P: Pane> PaneStage<P> {
    /// Creates the pane over the small trace at a position.
    pub fn at(position: u64, pane: P) -> Self {
        Self::over(overflow(), position, pane)
    }

    /// Creates the pane over another trace.
    pub fn over(session: Arc<Session>, position: u64, pane: P) -> Self {
        let desk = desk_over(session, position);
        Self {
            desk,
            pane,
            signs: CharacterSet::Unicode,
            requested: Vec::new(),
        }
    }

    /// Runs commands, with a frame after each.
    #[must_use]
    pub fn press(mut self, commands: &[PaneCommand]) -> Self {
        self.draw(80, 24);
        for command in commands {
            self.with(|pane, cx, requested| pane.obey(*command, cx, requested));
            self.draw(80, 24);
        }
        self
    }

    /// Answers a prompt of the pane.
    pub fn answer(&mut self, purpose: PromptPurpose, text: &str) {
        self.with(|pane, cx, requested| pane.answer(purpose, text, cx, requested));
    }

    /// Moves the window to a position.
    pub fn go_to(&mut self, position: u64) {
        let mut windows = Windows::new(self.desk.session.index.step_count());
        windows.active_mut().begin_at(Position(position));
        self.desk.windows = windows;
    }

    /// Returns the position that the pane most recently requested to travel to.
    pub fn requested_position(&self) -> u64 {
        let travel = |ask: &PaneAction| {
            if let PaneAction::Do(Action::Travel(TravelAction::Travel(_, Position(to)))) = ask {
                Some(*to)
            } else {
                None
            }
        };
        self.requested.iter().rev().find_map(travel).unwrap()
    }

    /// Returns the cell under the cursor and the position at which it is shown.
    pub fn selected(&mut self) -> Option<(CellName, Option<Position>)> {
        self.with(|pane, cx, _| Some((pane.selection(cx)?, pane.selection_at(cx))))
    }

    /// Passes an action to the pane, which must accept it.
    #[must_use]
    pub fn take(mut self, action: &Action) -> Self {
        self.with(|pane, cx, _| assert!(pane.take(action, cx)));
        self
    }

    fn with<A>(
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

    /// Returns the screen as text; the row under the cursor begins with `*`.
    pub fn draw(&mut self, width: u16, height: u16) -> String {
        // An answer may lead to a further query in the next frame.
        (0..8).for_each(|_| drop(self.frame(width, height)));
        self.frame(width, height)
    }

    fn frame(&mut self, width: u16, height: u16) -> String {
        self.desk.look_at_threads();
        let (area, look) = (
            Rect::new(0, 0, width, height),
            TerminalStyle {
                colors: ColorDepth::None,
                signs: self.signs,
            },
        );
        let mut buffer = Buffer::empty(area);
        let signs = self.signs;
        self.with(|pane, cx, _| {
            pane.title(cx);
            pane.draw(
                area,
                &mut Pen {
                    buffer: &mut buffer,
                    look: &look,
                },
                cx,
            );
        });
        if signs == CharacterSet::Ascii {
            assert!(buffer.content().iter().all(|cell| cell.symbol().is_ascii()));
        }
        let line = |y: u16| {
            let text: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
            let is_cursor = buffer[(0, y)].modifier.contains(Modifier::REVERSED);
            format!("{}{}", if is_cursor { "*" } else { " " }, text)
                .trim_end()
                .to_owned()
        };
        let lines: Vec<String> = (0..height).map(line).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Draws the pane in all terminal sizes, with keys and mouse events in between.
    pub fn drum(mut self) {
        let moves = [
            CursorDirection::Up,
            CursorDirection::Down,
            CursorDirection::Left,
            CursorDirection::Right,
            CursorDirection::PageUp,
            CursorDirection::PageDown,
            CursorDirection::Last,
        ];
        let mut commands: Vec<PaneCommand> = moves.map(PaneCommand::Move).to_vec();
        commands.extend([Direction::Back, Direction::Forward].map(PaneCommand::Access));
        for signs in [CharacterSet::Unicode, CharacterSet::Ascii] {
            self.signs = signs;
            for (width, height) in [
                (0, 0),
                (1, 1),
                (5, 2),
                (20, 3),
                (200, 60),
                (80, 1),
                (3, 40),
                (80, 24),
            ] {
                self.draw(width, height);
                for command in &commands {
                    self.with(|pane, cx, requested| pane.obey(*command, cx, requested));
                    self.draw(width, height);
                }
                for kind in [
                    MouseInputKind::Click,
                    MouseInputKind::DoubleClick,
                    MouseInputKind::Wheel(-3),
                    MouseInputKind::Wheel(30_000),
                ] {
                    let touch = MouseInput {
                        x: width / 2,
                        y: height.saturating_sub(1),
                        kind,
                    };
                    self.with(|pane, cx, requested| pane.touch(touch, cx, requested));
                    self.draw(width, height);
                }
            }
        }
        self.with(|pane, _, _| pane.leave_trace());
        self.draw(80, 24);
    }
}
