//! The pane of a group of registers.

use ratatui::layout::Rect;
use stepback_debugger::action::{Action, CellName, Direction, Follow, PanelKind};
use stepback_debugger::messages::say;
use stepback_debugger::model::registers::{RegisterBoard, RegisterCell};
use stepback_debugger::model::{TextRole, TextSpan};
use stepback_debugger::views::{RegisterGesture, RegisterGrid, RegistersView, RowKind, ViewStatus};
use stepback_machine::RegisterGroup;

use super::super::lock::PositionLock;
use super::grid::{RegisterLayout, SpotColumns, spot_at};
use crate::look::StyleRole;
use crate::pane::{
    MouseInput, MouseInputKind, Pane, PaneAction, PaneCommand, PaneContext, PromptPurpose,
};
use crate::panes::cells::registers::grid;
use crate::panes::cells::registers::grid::RegisterCellPaint;
use crate::pen::{CellRun, Pen};

/// Maximum number of rows that the pane requests.
const MOST_ROWS: u16 = 12;
/// Assumed rows of the general registers before the first frame.
const GUESSED_ROWS: u16 = 12;

/// Pane with one group of registers.
#[derive(Default)]
pub struct RegistersPane {
    view: RegistersView,
    lock: PositionLock,
    /// Grid of the last frame.
    grid: RegisterGrid<SpotColumns>,
    area: Rect,
    top: usize,
}

impl RegistersPane {
    /// Requests travel to a write of the register under the cursor; on a title, opens or closes the
    /// group.
    fn ask_write(&mut self, direction: Direction, cx: &PaneContext<'_>, out: &mut Vec<PaneAction>) {
        let gesture = if direction == Direction::Back {
            RegisterGesture::LastWrite
        } else {
            RegisterGesture::NextWrite
        };
        let mut actions = Vec::new();
        self.view.follow = self.lock.follow();
        self.view.act_at_cursor(gesture, cx.desk, &mut actions);
        out.extend(actions.into_iter().map(PaneAction::Do));
    }

    fn draw_board(&mut self, board: &RegisterBoard, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        let board = &*self.view.filtered(board);
        let reading = self.view.reading(board.group);
        // Program counter and status come last, as in a dump.
        let own: Vec<&RegisterCell> = board
            .core
            .iter()
            .chain(&board.pc)
            .chain(&board.psr)
            .collect();
        let columns = self.area.width;
        self.grid = self.view.grid(
            &own,
            board,
            &RegisterLayout {
                board,
                reading,
                columns,
            },
        );
        if self.grid.first().is_none() {
            let words = say!(
                "terminal-no-such-register",
                text = self.view.filter.as_str()
            );
            pen.role(
                CellRun::of(self.area, 0),
                &words,
                StyleRole::Text(TextRole::Label),
            );
            return;
        }
        self.scroll_to_cursor();
        let cursor = if cx.has_focus {
            StyleRole::Cursor
        } else {
            StyleRole::CursorAway
        };
        for (line, row) in (0..self.area.height).zip(self.grid.rows.iter().skip(self.top)) {
            let run = CellRun::of(self.area, line);
            if let RowKind::Lanes(first @ 1..) = row.kind {
                pen.role(run, &format!("[{first}]"), StyleRole::Text(TextRole::Label));
            }
            for spot in &row.spots {
                grid::draw(
                    run,
                    RegisterCellPaint {
                        spot,
                        columns: row.measures,
                        board,
                        view: &self.view,
                        cursor,
                    },
                    pen,
                );
            }
        }
        if cx.has_focus {
            self.view.poll_pointed(cx.desk);
        }
    }

    /// Moves the cursor to a visible register and scrolls to it.
    fn scroll_to_cursor(&mut self) {
        let page = usize::from(self.area.height.max(1));
        self.view.settle_cursor(&self.grid);
        if let Some(row) = self.view.take_reveal(&self.grid) {
            self.top = self.top.clamp((row + 1).saturating_sub(page), row);
        }
        self.top = self.top.min(self.grid.rows.len().saturating_sub(page));
    }
}

impl Pane for RegistersPane {
    fn kind(&self) -> PanelKind {
        PanelKind::Registers
    }

    fn title(&self, cx: &PaneContext<'_>) -> String {
        let threads = cx.desk.session.index.threads().len();
        let board = self.view.board_of_group().filter(|_| threads > 1);
        let filter = Some(&self.view.filter).filter(|filter| !filter.is_empty());
        let parts = [
            Some(self.view.title().to_owned()),
            board.map(|board| board.thread_name.clone()),
            filter.map(|filter| format!("\"{filter}\"")),
            self.lock.words(cx),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.lock.follow())
    }

    fn bind(&mut self, follow: Follow) {
        self.lock.bind(follow);
    }

    fn group(&self) -> Option<RegisterGroup> {
        Some(self.view.group)
    }

    fn has_cells(&self) -> bool {
        true
    }

    fn wished_rows(&self) -> u16 {
        match u16::try_from(self.grid.own_rows).unwrap_or(u16::MAX) {
            0 => GUESSED_ROWS,
            rows => rows.min(MOST_ROWS),
        }
    }

    fn selection(&self, _: &PaneContext<'_>) -> Option<CellName> {
        self.view.selection()
    }

    fn status(&self, cx: &PaneContext<'_>) -> Vec<TextSpan> {
        match self.lock.stated() {
            Some(message) => vec![TextSpan::new(TextRole::Plain, message)],
            None => self.view.status(cx.desk),
        }
    }

    fn obey(
        &mut self,
        command: PaneCommand,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) -> bool {
        if self.lock.obey(command, cx, out) {
            return true;
        }
        match command {
            PaneCommand::Move(toward) => {
                self.view
                    .go(toward, usize::from(self.area.height.max(2)) - 1, &self.grid)
            }
            PaneCommand::Access(direction) => self.ask_write(direction, cx, out),
            PaneCommand::Pick => self.view.toggle_pointed(),
            _ => return false,
        }
        true
    }

    fn answer(
        &mut self,
        purpose: PromptPurpose,
        text: &str,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) {
        match purpose {
            _ if self.lock.answer(purpose, text, cx) => {}
            PromptPurpose::Filter => text.trim().clone_into(&mut self.view.filter),
            _ => out.extend(purpose.action(text).map(PaneAction::Do)),
        }
    }

    fn take(&mut self, action: &Action, _: &PaneContext<'_>) -> bool {
        let group = self.view.group;
        let is_taken = self.view.take(action);
        if self.view.group != group {
            self.view.set_cursor(None);
            self.view.filter.clear();
            self.top = 0;
        }
        is_taken
    }

    fn touch(
        &mut self,
        MouseInput { x, y, kind }: MouseInput,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) {
        if let MouseInputKind::Wheel(rows) = kind {
            self.top = self.top.saturating_add_signed(rows.into());
            return;
        }
        let Some(line) = y
            .checked_sub(self.area.y)
            .filter(|line| *line < self.area.height)
        else {
            return;
        };
        let row = self.grid.rows.get(self.top + usize::from(line));
        let spot = row.and_then(|row| spot_at(row, x.saturating_sub(self.area.x), self.area.width));
        let Some(name) = spot.map(|spot| spot.name.clone()) else {
            return;
        };
        self.view.set_cursor(Some(name));
        if kind == MouseInputKind::DoubleClick {
            self.ask_write(Direction::Back, cx, out);
        }
    }

    fn leave_trace(&mut self) {
        self.lock.leave_trace();
        self.view.filter.clear();
    }

    fn draw(&mut self, area: Rect, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        self.area = area;
        self.lock.advance(cx);
        self.view.follow = self.lock.follow();
        match self.view.poll(cx.desk) {
            Ok(board) => self.draw_board(&board, pen, cx),
            Err(ViewStatus::Failed(error)) => {
                let _ = pen.role(CellRun::of(area, 0), &error, StyleRole::Error);
            }
            Err(_) => drop(pen.role(
                CellRun::of(area, 0),
                say!("list-loading"),
                StyleRole::Text(TextRole::Label),
            )),
        }
    }
}
