//! The pane of memory.

use ratatui::layout::Rect;
use stepback_machine::Address;

use super::super::lock::Lock;
use super::compared::ComparedLine;
use super::foot;
use super::rows::{self, RowsView};
use super::shape::{Hit, Shape};
use crate::command::{Command, Purpose, Toward};
use crate::look::Role;
use crate::pane::{Ask, Cx, Pane, Touch, TouchKind};
use crate::pen::{Pen, Run};
use stepback_debugger::action::{
    Access, Action, CellName, Direction, Follow, MemoryChange, PanelKind, ViewAction,
};
use stepback_debugger::messages::say;
use stepback_debugger::model::memory::MemoryRow;
use stepback_debugger::model::memory_text::place_in_row;
use stepback_debugger::model::text::address_digits;
use stepback_debugger::model::{Meaning, Span};
use stepback_debugger::views::{ByteAction, MemoryLayout, MemoryMove, MemoryView, Status};

/// Rows that are read beyond both ends of the view.
const SPARE: usize = 16;

/// Memory at a moment.
pub struct MemoryPane {
    lock: Lock,
    view: MemoryView,
    compared: ComparedLine,
    /// Result of the search for a line in words, until the next key.
    message: Option<String>,
    /// What was drawn last.
    area: Rect,
    shape: Shape,
}

impl Default for MemoryPane {
    fn default() -> Self {
        let (lock, compared, message, area) = Default::default();
        let mut view = MemoryView::at_stack(Follow::Active);
        view.set_cursor(Address(0));
        Self {
            lock,
            view,
            compared,
            message,
            area,
            shape: Shape {
                bytes: 16,
                group: 1,
                format: None,
                digits: 8,
            },
        }
    }
}

impl MemoryPane {
    /// The byte under the cursor.
    fn cursor(&self) -> Address {
        self.view.cursor().unwrap_or_default()
    }

    /// Travels to a write of the bytes under the cursor.
    fn ask_write(&mut self, len_bytes: u8, way: Direction, cx: &Cx<'_>, out: &mut Vec<Ask>) {
        let mut actions = Vec::new();
        let write = ByteAction::GoToAccess(len_bytes.into(), Access::Write, way);
        self.view.act(self.cursor(), write, cx.desk, &mut actions);
        out.extend(actions.into_iter().map(Ask::Do));
    }

    fn go(&mut self, toward: Toward) {
        self.view.stop_search();
        self.view.move_cursor(match toward {
            Toward::Up => MemoryMove::Rows(-1),
            Toward::Down => MemoryMove::Rows(1),
            Toward::Left => MemoryMove::Bytes(-1),
            Toward::Right => MemoryMove::Bytes(1),
            Toward::PageUp => MemoryMove::Pages(-1),
            Toward::PageDown => MemoryMove::Pages(1),
            Toward::First => MemoryMove::First,
            Toward::Last => MemoryMove::Last,
        });
    }

    fn change(&mut self, change: &MemoryChange, cx: &Cx<'_>) {
        if matches!(
            change,
            MemoryChange::Compare(_) | MemoryChange::ToggleCompare
        ) {
            self.compared = ComparedLine::default();
        }
        self.view.change(change, cx.desk);
    }

    fn toggle_following(&mut self) {
        self.view.toggle_following();
        if self.view.is_following() {
            self.view.scroll_back();
        }
    }

    /// Removes the words about the last question.
    fn dismiss_words(&mut self) {
        self.message = None;
        self.view.dismiss_message();
    }

    /// The byte at a cell of the screen; of memory without any access its first.
    fn address_at(&self, x: u16, y: u16, cx: &Cx<'_>) -> Option<Address> {
        let line = y
            .checked_sub(self.area.y)
            .filter(|line| *line < self.area.height)?;
        let row = self.view.rows().get(usize::from(line))?;
        if matches!(row, MemoryRow::Gap { .. }) {
            return Some(row.first());
        }
        let place = match self
            .shape
            .byte_at(usize::from(x.checked_sub(self.area.x)?))?
        {
            Hit::Digits(shown) if self.shape.format.is_none() => {
                place_in_row(shown, self.shape.group, self.view.endian(cx.desk))
            }
            Hit::Digits(place) | Hit::Text(place) => place,
        };
        row.first().0.checked_add(place as u64).map(Address)
    }

    /// Takes the lines that were looked for.
    fn advance(&mut self, cx: &Cx<'_>) {
        self.lock.advance(cx);
        self.view.bind(self.lock.follow());
        let message = self.compared.advance(&mut self.view, cx);
        self.message = message.or(self.message.take());
        self.view.poll_search(cx.desk);
    }

    /// Divides rows by the addresses and the room that there are.
    fn divide(&mut self, area: Rect) {
        let seen = self.view.rows().iter().take(usize::from(area.height));
        let highest = seen
            .filter(|row| matches!(row, MemoryRow::Bytes { .. }))
            .map(MemoryRow::last)
            .max();
        let digits = address_digits(highest.unwrap_or(self.cursor()));
        let shape = Shape {
            bytes: 16,
            group: self.view.group().into(),
            format: self.view.format(),
            digits,
        };
        self.shape = match self.view.row_bytes() {
            Some(bytes) => Shape { bytes, ..shape },
            None => shape.widest(area.width),
        };
        self.area = area;
    }

    fn draw_rows(&mut self, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        let (area, row_bytes, rows) = (self.area, self.shape.bytes, usize::from(self.area.height));
        let layout = MemoryLayout {
            row_bytes,
            rows,
            page: rows.max(1),
            spare: SPARE,
            lead: rows / 4,
            near: SPARE,
        };
        match self.view.poll_rows(layout, cx.desk) {
            Status::Loading(_) => {
                _ = pen.role(
                    Run::of(area, 0),
                    say!("list-loading"),
                    Role::Text(Meaning::Label),
                )
            }
            Status::Failed(error) => _ = pen.role(Run::of(area, 0), &error, Role::Error),
            Status::Rows(_) | Status::Empty { .. } => {
                let view = RowsView {
                    cx,
                    shape: self.shape,
                    memory: &self.view,
                };
                for (line, row) in (0..area.height).zip(self.view.rows()) {
                    rows::draw(Run::of(area, line), row, view, pen);
                }
            }
        }
    }
}

impl Pane for MemoryPane {
    fn kind(&self) -> PanelKind {
        PanelKind::Memory
    }

    fn title(&self, cx: &Cx<'_>) -> String {
        let address = self.view.address_text();
        let parts = [
            Some(say!("memory-memory").to_owned()),
            Some(if self.view.is_following() {
                format!("{address} →")
            } else {
                address
            }),
            self.compared.words(&self.view, cx),
            self.lock.words(cx),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.lock.follow())
    }

    fn bind(&mut self, follow: Follow) {
        self.lock.bind(follow);
        self.view.bind(follow);
    }

    fn has_cells(&self) -> bool {
        true
    }

    fn selection(&self, _: &Cx<'_>) -> Option<CellName> {
        self.view.selection()
    }

    fn status(&self, cx: &Cx<'_>) -> Vec<Span> {
        if let Some(words) = self
            .message
            .as_deref()
            .or(self.view.message())
            .or(self.lock.told())
        {
            return vec![Span::new(Meaning::Plain, words)];
        }
        if self.view.is_searching() {
            return vec![Span::new(
                Meaning::Plain,
                say!("terminal-looking-through-memory"),
            )];
        }
        foot::spans(&self.view, self.cursor(), cx)
    }

    fn obey(&mut self, command: Command, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        self.dismiss_words();
        if self.lock.obey(command, cx, out) {
            self.view.bind(self.lock.follow());
            return true;
        }
        match command {
            Command::Move(toward) => self.go(toward),
            Command::Access(way) => self.ask_write(self.view.group(), way, cx, out),
            Command::LastWrite(len_bytes) => self.ask_write(len_bytes, Direction::Back, cx, out),
            Command::ChangedByte(way) => self.change(&MemoryChange::GoToChanged(way), cx),
            Command::FollowAddress => self.toggle_following(),
            Command::Ask(Purpose::Address) => {
                out.push(Ask::Prompt(
                    Purpose::Address,
                    self.view.address().to_owned(),
                ));
            }
            _ => return false,
        }
        true
    }

    fn answer(&mut self, purpose: Purpose, text: &str, cx: &Cx<'_>, out: &mut Vec<Ask>) {
        self.dismiss_words();
        match purpose {
            _ if self.lock.answer(purpose, text, cx) => {}
            Purpose::Address => self.view.show(text, cx.desk),
            Purpose::CompareWithLine if text.trim().is_empty() => {
                self.change(&MemoryChange::Compare(None), cx)
            }
            Purpose::CompareWithLine => self.compared.ask(text, cx),
            Purpose::FindInMemory => {
                self.change(&MemoryChange::Find(text.to_owned(), Direction::Forward), cx)
            }
            _ => out.extend(purpose.actions(text).into_iter().map(Ask::Do)),
        }
        self.advance(cx);
    }

    fn take(&mut self, action: &Action, cx: &Cx<'_>) -> bool {
        self.dismiss_words();
        match action {
            Action::View(ViewAction::ShowMemory(address)) => self.view.show(address, cx.desk),
            Action::View(ViewAction::MemoryGroup(bytes)) => return self.view.group_by(*bytes),
            Action::View(ViewAction::Memory(change)) => self.change(change, cx),
            Action::View(ViewAction::SelectCell(CellName::Memory(address, _))) => {
                return self.view.select(address);
            }
            _ => return false,
        }
        true
    }

    fn touch(&mut self, Touch { x, y, kind }: Touch, cx: &Cx<'_>, out: &mut Vec<Ask>) {
        if let TouchKind::Wheel(rows) = kind {
            return self.view.scroll_rows(rows);
        }
        let Some(address) = self.address_at(x, y, cx) else {
            return;
        };
        self.view.set_cursor(address);
        if kind == TouchKind::DoubleClick {
            self.ask_write(self.view.group(), Direction::Back, cx, out);
        }
    }

    fn leave_trace(&mut self) {
        self.lock.leave_trace();
        self.view.leave_trace();
        self.view.bind(self.lock.follow());
        self.view.set_cursor(Address(0));
        self.compared = ComparedLine::default();
    }

    fn draw(&mut self, area: Rect, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        self.advance(cx);
        let value = self.view.poll(0, cx.desk);
        self.divide(area);
        self.draw_rows(pen, cx);
        if let Some(Err(error)) = value {
            let run = Run::of(area, 0);
            pen.role(run, &" ".repeat(usize::from(run.cells())), Role::Error);
            pen.role(run, &error, Role::Error);
        }
        if cx.has_focus {
            self.view.poll_byte(self.cursor(), cx.desk);
        }
    }
}
