//! The pane of memory.

use ratatui::layout::Rect;
use stepback_machine::{Address, Endian};

use super::super::lock::Lock;
use super::address::AddressText;
use super::compared::Compared;
use super::foot::{Foot, Told};
use super::rows::{self, RowsView};
use super::scrolled::{Scrolled, Wanted};
use super::seeking::{Seeking, Sighted};
use super::shape::{Hit, Shape};
use crate::command::{Command, Purpose, Toward};
use crate::look::Role;
use crate::pane::{Ask, Cx, Pane, Touch, TouchKind};
use crate::pen::{Pen, Run};
use stepback_debugger::action::{Action, CellName, Follow, MemoryChange, MemoryText, PanelKind, ViewAction, Way};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::expression::shown_address;
use stepback_debugger::messages::say;
use stepback_debugger::model::memory::{MemoryRow, aligned};
use stepback_debugger::model::memory_seek::{MemorySeek, Sought, sought_bytes};
use stepback_debugger::model::memory_text::place_in_row;
use stepback_debugger::model::text::address_digits;
use stepback_debugger::model::{Meaning, Span};

/// Memory at a moment.
pub struct MemoryPane {
    lock: Lock,
    address: AddressText,
    compared: Compared,
    seeking: Seeking,
    /// Bytes in a group: 1, 2, 4 or 8.
    group: u8,
    /// Bytes in a row; none: as many as there is room for.
    width: Option<u8>,
    /// Groups of four and eight bytes are read as floating point.
    is_float: bool,
    text: MemoryText,
    session: SessionWatch,
    scrolled: Scrolled,
    foot: Foot,
    cursor: Address,
    /// What came of the last question, until the next key.
    told: Option<String>,
    /// What was drawn last.
    area: Rect,
    shape: Shape,
    firsts: Vec<MemoryRow>,
}

impl Default for MemoryPane {
    fn default() -> Self {
        let (lock, address, compared, seeking, width) = Default::default();
        let (is_float, text, session, scrolled, foot) = Default::default();
        let (cursor, told, area, firsts) = Default::default();
        let (group, shape) = (1, Shape { bytes: 16, group: 1, is_float, digits: 8 });
        Self {
            lock,
            address,
            compared,
            seeking,
            group,
            width,
            is_float,
            text,
            session,
            scrolled,
            foot,
            cursor,
            told,
            area,
            shape,
            firsts,
        }
    }
}

impl MemoryPane {
    fn endian(cx: &Cx<'_>) -> Endian {
        if cx.desk.session.index.info().is_big_endian { Endian::Big } else { Endian::Little }
    }

    fn cell_at(&self, len_bytes: u8) -> CellName {
        let len_bytes = u64::from(len_bytes.max(1));
        CellName::Memory(format!("{}", aligned(self.cursor, len_bytes)), len_bytes)
    }

    fn rows(&self) -> usize {
        usize::from(self.area.height.max(1))
    }

    /// Travels to a write; the byte should still be found here then.
    fn ask_write(&mut self, len_bytes: u8, way: Way, cx: &Cx<'_>, out: &mut Vec<Ask>) {
        self.address.hold();
        self.lock.ask_write(self.cell_at(len_bytes), way, cx, out);
    }

    /// Puts the cursor on an address, which may be far away.
    fn stand_at(&mut self, address: Address) {
        self.address.leave_for(address.0);
        self.cursor = address;
        self.scrolled.reveal(address, self.rows(), self.rows() / 4);
    }

    fn go(&mut self, toward: Toward) {
        self.seeking.stop();
        let row = i64::try_from(self.shape.bytes).unwrap_or(1);
        let page = row.saturating_mul(i64::try_from(self.rows()).unwrap_or(1));
        let (bytes, lead) = match toward {
            Toward::Up => (-row, 0),
            Toward::Down => (row, self.rows()),
            Toward::Left => (-1, 0),
            Toward::Right => (1, self.rows()),
            Toward::PageUp => (-page, 0),
            Toward::PageDown => (page, self.rows()),
            Toward::First => (i64::MIN, 0),
            Toward::Last => (i64::MAX, self.rows()),
        };
        self.cursor = match (toward, self.scrolled.page()) {
            (Toward::First, _) => Address(0),
            (Toward::Last, _) => Address(u64::MAX),
            (_, Some(page)) => page.moved(self.cursor, bytes),
            (_, None) => self.cursor,
        };
        self.scrolled.reveal(self.cursor, self.rows(), lead);
    }

    fn change(&mut self, change: &MemoryChange, cx: &Cx<'_>) {
        match change {
            MemoryChange::Width(width) => self.width = width.filter(|width| matches!(width, 8 | 16 | 32 | 64)),
            MemoryChange::Floats => {
                self.is_float = !self.is_float;
                if self.is_float && self.group < 4 {
                    self.group = 8;
                }
            }
            MemoryChange::Text(text) => self.text = *text,
            MemoryChange::Compare(follow) => self.compared.choose(*follow),
            MemoryChange::ToggleCompare => self.compared.toggle(&self.lock, cx),
            MemoryChange::GoToChanged(way) => self.seek_changed(*way, cx),
            MemoryChange::Find(text, way) => self.seek_text(text, *way, cx),
            MemoryChange::FindAgain(way) => match self.seeking.text.clone() {
                Some(text) => self.seek_text(&text, *way, cx),
                None => self.told = Some(say!("memory-nothing-yet").to_owned()),
            },
            MemoryChange::StopSeeking => self.seeking.stop(),
        }
    }

    fn seek_changed(&mut self, way: Way, cx: &Cx<'_>) {
        let sought = Sought::Changed(self.compared.position(&self.lock, cx));
        self.seek(sought, way, cx);
    }

    fn seek_text(&mut self, text: &str, way: Way, cx: &Cx<'_>) {
        self.seeking.text = Some(text.to_owned());
        match sought_bytes(text, self.group, Self::endian(cx)) {
            Ok(bytes) => self.seek(Sought::Bytes(bytes), way, cx),
            Err(error) => self.told = Some(error.to_string()),
        }
    }

    fn seek(&mut self, sought: Sought, way: Way, cx: &Cx<'_>) {
        let position = self.lock.position(cx);
        self.seeking.ask(MemorySeek { sought, position, from: self.cursor, way });
        self.take_sighted(cx);
    }

    fn take_sighted(&mut self, cx: &Cx<'_>) {
        match self.seeking.poll(cx) {
            Some(Sighted::At(address)) => self.stand_at(address),
            Some(Sighted::Nothing(words)) => self.told = Some(words),
            None => {}
        }
    }

    /// The byte at a cell of the screen; of memory without any access its first.
    fn address_at(&self, x: u16, y: u16, cx: &Cx<'_>) -> Option<Address> {
        let line = y.checked_sub(self.area.y).filter(|line| *line < self.area.height)?;
        let row = self.firsts.get(usize::from(line))?;
        if matches!(row, MemoryRow::Gap { .. }) {
            return Some(row.first());
        }
        let place = match self.shape.byte_at(usize::from(x.checked_sub(self.area.x)?))? {
            Hit::Digits(shown) if self.shape.format().is_none() => {
                place_in_row(shown, self.shape.group, Self::endian(cx))
            }
            Hit::Digits(place) | Hit::Text(place) => place,
        };
        row.first().0.checked_add(place as u64).map(Address)
    }

    /// Takes what arrived since the last frame.
    fn advance(&mut self, cx: &Cx<'_>) {
        self.lock.advance(cx);
        let told = self.compared.advance(cx);
        self.told = told.or(self.told.take());
        self.take_sighted(cx);
    }

    /// Goes where the expression leads, when that is another place. Returns what is wrong with it.
    fn follow_address(&mut self, cx: &Cx<'_>) -> Option<String> {
        match self.address.poll(self.lock.position(cx), cx) {
            Ok(Some(address)) => {
                self.cursor = Address(address);
                self.scrolled.go_to(self.cursor);
                None
            }
            Ok(None) => None,
            Err(error) => Some(error),
        }
    }

    fn draw_rows(&mut self, area: Rect, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        let highest =
            self.firsts.iter().filter(|row| matches!(row, MemoryRow::Bytes { .. })).map(MemoryRow::last).max();
        let digits = address_digits(highest.unwrap_or(self.cursor));
        let shape = Shape { bytes: 16, group: self.group.into(), is_float: self.is_float, digits };
        self.shape = match self.width {
            Some(width) => Shape { bytes: usize::from(width.max(self.group)), ..shape },
            None => shape.widest(area.width),
        };
        let wanted = Wanted {
            position: self.lock.position(cx),
            previous: self.compared.position(&self.lock, cx),
            is_compared: self.compared.is_on(),
            row_bytes: self.shape.bytes as u64,
            rows: usize::from(area.height),
        };
        let rows = match self.scrolled.poll(wanted, cx) {
            Ok(Some(rows)) => rows,
            Ok(None) => {
                pen.role(Run::of(area, 0), say!("list-loading"), Role::Text(Meaning::Label));
                return;
            }
            Err(error) => {
                pen.role(Run::of(area, 0), &error, Role::Error);
                return;
            }
        };
        self.firsts = rows.iter().take(usize::from(area.height)).cloned().collect();
        // A 32-bit machine ends before the last address that a cursor can have.
        if let Some(last) = rows.last().map(MemoryRow::last).filter(|_| self.cursor.0 == u64::MAX) {
            self.cursor = last;
        }
        let (text, endian, cursor) = (self.text, Self::endian(cx), Some(self.cursor));
        let view = RowsView { cx, shape: self.shape, text, endian, cursor };
        for (line, row) in (0..).zip(&self.firsts) {
            rows::draw(Run::of(area, line), row, view, pen);
        }
    }
}

impl Pane for MemoryPane {
    fn kind(&self) -> PanelKind {
        PanelKind::Memory
    }

    fn title(&self, cx: &Cx<'_>) -> String {
        let parts = [
            Some(say!("memory-memory").to_owned()),
            Some(self.address.words()),
            self.compared.words(&self.lock, cx),
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

    fn has_cells(&self) -> bool {
        true
    }

    fn selection(&self, _: &Cx<'_>) -> Option<CellName> {
        Some(self.cell_at(self.group))
    }

    fn status(&self, cx: &Cx<'_>) -> Vec<Span> {
        if let Some(told) = self.told.as_deref().or(self.lock.told()) {
            return vec![Span::new(Meaning::Plain, told)];
        }
        if self.seeking.is_under_way() {
            return vec![Span::new(Meaning::Plain, say!("terminal-looking-through-memory"))];
        }
        let (address, group, endian, page) = (self.cursor, self.group, Self::endian(cx), self.scrolled.page());
        self.foot.spans(Told { address, group, endian, page }, cx)
    }

    fn obey(&mut self, command: Command, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        self.told = None;
        if self.lock.obey(command, cx, out) {
            return true;
        }
        match command {
            Command::Move(toward) => self.go(toward),
            Command::Access(way) => self.ask_write(self.group, way, cx, out),
            Command::LastWrite(len_bytes) => self.ask_write(len_bytes, Way::Back, cx, out),
            Command::ChangedByte(way) => self.seek_changed(way, cx),
            Command::FollowAddress => self.address.toggle(),
            Command::Ask(Purpose::Address) => {
                out.push(Ask::Prompt(Purpose::Address, self.address.text().to_owned()));
            }
            _ => return false,
        }
        true
    }

    fn answer(&mut self, purpose: Purpose, text: &str, cx: &Cx<'_>, out: &mut Vec<Ask>) {
        self.told = None;
        match purpose {
            _ if self.lock.answer(purpose, text, cx) => {}
            Purpose::Address => self.address.enter(text, self.lock.position(cx)),
            Purpose::CompareWithLine if text.trim().is_empty() => self.compared.choose(None),
            Purpose::CompareWithLine => self.compared.ask(text, cx),
            Purpose::FindInMemory => self.seek_text(text, Way::Forward, cx),
            _ => out.extend(purpose.actions(text).into_iter().map(Ask::Do)),
        }
        self.advance(cx);
    }

    fn take(&mut self, action: &Action, cx: &Cx<'_>) -> bool {
        self.told = None;
        match action {
            Action::View(ViewAction::ShowMemory(address)) => self.address.enter(address, self.lock.position(cx)),
            Action::View(ViewAction::MemoryGroup(bytes)) if matches!(bytes, 1 | 2 | 4 | 8) => self.group = *bytes,
            Action::View(ViewAction::Memory(change)) => self.change(change, cx),
            Action::View(ViewAction::SelectCell(CellName::Memory(address, _))) => match shown_address(address) {
                Some(address) => self.stand_at(Address(address)),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    fn touch(&mut self, Touch { x, y, kind }: Touch, cx: &Cx<'_>, out: &mut Vec<Ask>) {
        if let TouchKind::Wheel(rows) = kind {
            return self.scrolled.scroll(rows);
        }
        let Some(address) = self.address_at(x, y, cx) else { return };
        self.cursor = address;
        if kind == TouchKind::DoubleClick {
            self.ask_write(self.group, Way::Back, cx, out);
        }
    }

    fn leave_trace(&mut self) {
        self.lock.leave_trace();
        self.compared = Compared::default();
        self.seeking = Seeking::default();
        self.address = AddressText::default();
    }

    fn draw(&mut self, area: Rect, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        if self.session.is_new(&cx.desk.session) {
            self.scrolled.forget();
            self.foot.forget();
        }
        self.area = area;
        self.advance(cx);
        let error = self.follow_address(cx);
        self.draw_rows(area, pen, cx);
        if let Some(error) = error {
            let run = Run::of(area, 0);
            pen.role(run, &" ".repeat(usize::from(run.cells())), Role::Error);
            pen.role(run, &error, Role::Error);
        }
        if cx.has_focus {
            self.foot.ask(self.cursor, self.lock.position(cx), cx);
        }
    }
}
