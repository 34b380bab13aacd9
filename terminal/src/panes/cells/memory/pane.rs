//! The pane of memory ([`MemoryPane`]), which may compare its memory with that at a line of the
//! trace ([`ComparedLine`]).

use ratatui::layout::Rect;
use stepback_debugger::action::{
    Access, Action, CellName, Direction, Follow, MemoryChange, PanelKind, ViewAction,
};
use stepback_debugger::messages::say;
use stepback_debugger::model::byte_detail::place_in_row;
use stepback_debugger::model::memory::MemoryRow;
use stepback_debugger::model::text::address_digits;
use stepback_debugger::model::{TextRole, TextSpan};
use stepback_debugger::views::{ByteAction, MemoryLayout, MemoryMove, MemoryView, ViewStatus};
use stepback_machine::Address;

use crate::look::StyleRole;
use crate::pane::{
    CursorDirection, MouseInput, MouseInputKind, Pane, PaneAction, PaneCommand, PaneContext,
    PromptPurpose,
};
use crate::panes::cells::lock::{MomentSearch, PositionLock};
use crate::panes::cells::memory::rows;
use crate::panes::cells::memory::rows::{MemoryColumn, MemoryRowShape, MemoryRowsView};
use crate::pen::{CellRun, Pen};

/// Number of rows read beyond each end of the view.
const SPARE: usize = 16;

/// Memory at a moment.
pub struct MemoryPane {
    lock: PositionLock,
    view: MemoryView,
    compared: ComparedLine,
    /// Outcome of the search for a line, until the next key.
    message: Option<String>,
    /// Area of the last frame.
    area: Rect,
    shape: MemoryRowShape,
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
            shape: MemoryRowShape {
                bytes: 16,
                group: 1,
                format: None,
                digits: 8,
            },
        }
    }
}

impl MemoryPane {
    fn cursor(&self) -> Address {
        self.view.cursor().unwrap_or_default()
    }

    /// Requests travel to a write of the bytes under the cursor.
    fn ask_write(
        &mut self,
        len_bytes: u8,
        direction: Direction,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) {
        let mut actions = Vec::new();
        let write = ByteAction::GoToAccess(len_bytes.into(), Access::Write, direction);
        self.view.act(self.cursor(), write, cx.desk, &mut actions);
        out.extend(actions.into_iter().map(PaneAction::Do));
    }

    fn go(&mut self, toward: CursorDirection) {
        self.view.stop_search();
        self.view.move_cursor(match toward {
            CursorDirection::Up => MemoryMove::Rows(-1),
            CursorDirection::Down => MemoryMove::Rows(1),
            CursorDirection::Left => MemoryMove::Bytes(-1),
            CursorDirection::Right => MemoryMove::Bytes(1),
            CursorDirection::PageUp => MemoryMove::Pages(-1),
            CursorDirection::PageDown => MemoryMove::Pages(1),
            CursorDirection::First => MemoryMove::First,
            CursorDirection::Last => MemoryMove::Last,
        });
    }

    fn change(&mut self, change: &MemoryChange, cx: &PaneContext<'_>) {
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

    /// Removes the message about the last query.
    fn dismiss_words(&mut self) {
        self.message = None;
        self.view.dismiss_message();
    }

    /// Returns the byte at a cell of the screen; in a gap without accesses, the gap's first byte.
    fn address_at(&self, x: u16, y: u16, cx: &PaneContext<'_>) -> Option<Address> {
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
            MemoryColumn::Digits(shown) if self.shape.format.is_none() => {
                place_in_row(shown, self.shape.group, self.view.endian(cx.desk))
            }
            MemoryColumn::Digits(place) | MemoryColumn::Text(place) => place,
        };
        row.first().0.checked_add(place as u64).map(Address)
    }

    /// Applies the lines that were found.
    fn advance(&mut self, cx: &PaneContext<'_>) {
        self.lock.advance(cx);
        self.view.bind(self.lock.follow());
        let message = self.compared.advance(&mut self.view, cx);
        self.message = message.or(self.message.take());
        self.view.poll_search(cx.desk);
    }

    /// Chooses the row layout from the addresses and the available width.
    fn divide(&mut self, area: Rect) {
        let seen = self.view.rows().iter().take(usize::from(area.height));
        let highest = seen
            .filter(|row| matches!(row, MemoryRow::Bytes { .. }))
            .map(MemoryRow::last)
            .max();
        let digits = address_digits(highest.unwrap_or(self.cursor()));
        let shape = MemoryRowShape {
            bytes: 16,
            group: self.view.group().into(),
            format: self.view.format(),
            digits,
        };
        self.shape = match self.view.row_bytes() {
            Some(bytes) => MemoryRowShape { bytes, ..shape },
            None => shape.widest(area.width),
        };
        self.area = area;
    }

    fn draw_rows(&mut self, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
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
            ViewStatus::Loading(_) => {
                _ = pen.role(
                    CellRun::of(area, 0),
                    say!("list-loading"),
                    StyleRole::Text(TextRole::Label),
                )
            }
            ViewStatus::Failed(error) => {
                _ = pen.role(CellRun::of(area, 0), &error, StyleRole::Error)
            }
            ViewStatus::Rows(_) | ViewStatus::Empty { .. } => {
                let view = MemoryRowsView {
                    cx,
                    shape: self.shape,
                    memory: &self.view,
                };
                for (line, row) in (0..area.height).zip(self.view.rows()) {
                    rows::draw(CellRun::of(area, line), row, view, pen);
                }
            }
        }
    }
}

impl Pane for MemoryPane {
    fn kind(&self) -> PanelKind {
        PanelKind::Memory
    }

    fn title(&self, cx: &PaneContext<'_>) -> String {
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

    fn selection(&self, _: &PaneContext<'_>) -> Option<CellName> {
        self.view.selection()
    }

    fn status(&self, cx: &PaneContext<'_>) -> Vec<TextSpan> {
        if let Some(words) = self
            .message
            .as_deref()
            .or(self.view.message())
            .or(self.lock.stated())
        {
            return vec![TextSpan::new(TextRole::Plain, words)];
        }
        if self.view.is_searching() {
            return vec![TextSpan::new(
                TextRole::Plain,
                say!("terminal-looking-through-memory"),
            )];
        }
        rows::spans(&self.view, self.cursor(), cx)
    }

    fn obey(
        &mut self,
        command: PaneCommand,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) -> bool {
        self.dismiss_words();
        if self.lock.obey(command, cx, out) {
            self.view.bind(self.lock.follow());
            return true;
        }
        match command {
            PaneCommand::Move(toward) => self.go(toward),
            PaneCommand::Access(direction) => self.ask_write(self.view.group(), direction, cx, out),
            PaneCommand::LastWrite(len_bytes) => {
                self.ask_write(len_bytes, Direction::Back, cx, out)
            }
            PaneCommand::ChangedByte(direction) => {
                self.change(&MemoryChange::GoToChanged(direction), cx)
            }
            PaneCommand::FollowAddress => self.toggle_following(),
            PaneCommand::Ask(PromptPurpose::Address) => {
                out.push(PaneAction::Prompt(
                    PromptPurpose::Address,
                    self.view.address().to_owned(),
                ));
            }
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
        self.dismiss_words();
        match purpose {
            _ if self.lock.answer(purpose, text, cx) => {}
            PromptPurpose::Address => self.view.show(text, cx.desk),
            PromptPurpose::CompareWithLine if text.trim().is_empty() => {
                self.change(&MemoryChange::Compare(None), cx)
            }
            PromptPurpose::CompareWithLine => self.compared.ask(text, cx),
            PromptPurpose::FindInMemory => {
                self.change(&MemoryChange::Find(text.to_owned(), Direction::Forward), cx)
            }
            _ => out.extend(purpose.action(text).map(PaneAction::Do)),
        }
        self.advance(cx);
    }

    fn take(&mut self, action: &Action, cx: &PaneContext<'_>) -> bool {
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

    fn touch(
        &mut self,
        MouseInput { x, y, kind }: MouseInput,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) {
        if let MouseInputKind::Wheel(rows) = kind {
            return self.view.scroll_rows(rows);
        }
        let Some(address) = self.address_at(x, y, cx) else {
            return;
        };
        self.view.set_cursor(address);
        if kind == MouseInputKind::DoubleClick {
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

    fn draw(&mut self, area: Rect, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        self.advance(cx);
        let value = self.view.poll(0, cx.desk);
        self.divide(area);
        self.draw_rows(pen, cx);
        if let Some(Err(error)) = value {
            let run = CellRun::of(area, 0);
            pen.role(run, &" ".repeat(usize::from(run.cells())), StyleRole::Error);
            pen.role(run, &error, StyleRole::Error);
        }
        if cx.has_focus {
            self.view.poll_byte(self.cursor(), cx.desk);
        }
    }
}

/// The line with which memory is compared.
#[derive(Default)]
pub struct ComparedLine {
    /// The line as it was typed.
    place: Option<String>,
    sought: MomentSearch,
}

impl ComparedLine {
    /// Starts the comparison with a line of the trace, as soon as it is found.
    pub fn ask(&mut self, line: &str, cx: &PaneContext<'_>) {
        self.sought.ask(format!("line:{}", line.trim()), cx);
    }

    /// Applies the line once it was found. Returns a remark or an error.
    pub fn advance(&mut self, view: &mut MemoryView, cx: &PaneContext<'_>) -> Option<String> {
        match self.sought.take()? {
            Ok(found) => {
                view.compare(Some(Follow::Pinned(cx.moment(found.position))));
                self.place = Some(found.place);
                found.remark
            }
            Err(error) => Some(error),
        }
    }

    /// Returns the text of the bar about the comparison.
    pub fn words(&self, view: &MemoryView, cx: &PaneContext<'_>) -> Option<String> {
        let at = view.compared_words(cx.desk)?;
        let what = match &self.place {
            Some(place) => format!("{place} ({at})"),
            None => at,
        };
        Some(say!("memory-against", what = what))
    }
}
