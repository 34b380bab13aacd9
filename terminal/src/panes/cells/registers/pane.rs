//! The pane of a group of registers.

use std::sync::Arc;

use ratatui::layout::Rect;
use stepback_index::Cancel;
use stepback_machine::{LaneFormat, LaneKind, RegisterGroup};

use super::super::lock::Lock;
use super::cell::{self, Drawn, Reading};
use super::grid::{Grid, Shown, Spot};
use super::pointed::Pointed;
use crate::command::{Command, Purpose, Toward};
use crate::look::Role;
use crate::pane::{Ask, Cx, Pane, Touch, TouchKind};
use crate::pen::{Pen, Run};
use stepback_debugger::action::{Action, CellName, Follow, PanelKind, RegisterFormat, ViewAction, Way};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::messages::say;
use stepback_debugger::model::register_format::ShownAs;
use stepback_debugger::model::registers::{BoardRequest, RegisterBoard, register_board, short_title};
use stepback_debugger::model::{Meaning, Span};
use stepback_debugger::worker::{Answer, Slot};

/// No pane wishes more rows.
const MOST_ROWS: u16 = 12;
/// Rows of the general registers where nothing was drawn yet.
const GUESSED_ROWS: u16 = 12;

/// The registers of a group.
pub struct RegistersPane {
    group: RegisterGroup,
    lock: Lock,
    filter: String,
    /// How the values of each group are read, where that was chosen.
    formats: Vec<(RegisterGroup, LaneFormat)>,
    shown_as: ShownAs,
    /// The titles of further registers that are open.
    open: Vec<String>,
    session: SessionWatch,
    board: Slot<BoardRequest, RegisterBoard>,
    /// What was drawn last.
    grid: Grid,
    area: Rect,
    top: usize,
    cursor: Option<String>,
    /// The cursor is to be brought into view.
    is_revealing: bool,
    pointed: Pointed,
}

impl Default for RegistersPane {
    fn default() -> Self {
        Self {
            group: RegisterGroup::Core,
            lock: Lock::default(),
            filter: String::new(),
            formats: Vec::new(),
            shown_as: ShownAs::default(),
            open: Vec::new(),
            session: SessionWatch::default(),
            board: Slot::default(),
            grid: Grid::default(),
            area: Rect::default(),
            top: 0,
            cursor: None,
            is_revealing: false,
            pointed: Pointed::default(),
        }
    }
}

impl RegistersPane {
    /// How the values of the group are read; none for hex alone.
    fn format(&self, group: RegisterGroup) -> Option<LaneFormat> {
        let chosen = self.formats.iter().find(|(of, _)| *of == group).map(|(_, format)| *format);
        chosen.or_else(|| group.lane_formats().first().copied())
    }

    fn choose_format(&mut self, format: LaneFormat) {
        if self.group.lane_formats().contains(&format) {
            self.formats.retain(|(of, _)| *of != self.group);
            self.formats.push((self.group, format));
        }
    }

    /// Writes values in another way: those of the general registers, or the lanes of a group that has some.
    fn choose_way(&mut self, way: RegisterFormat) {
        let kind = match way {
            RegisterFormat::Hex | RegisterFormat::Text => LaneKind::Hex,
            RegisterFormat::Unsigned => LaneKind::Unsigned,
            RegisterFormat::Signed => LaneKind::Signed,
            RegisterFormat::Float => LaneKind::Float,
        };
        match self.format(self.group) {
            Some(lanes) => self.choose_format(LaneFormat { kind, ..lanes }),
            None => self.shown_as.format = way,
        }
    }

    fn choose_group(&mut self, group: RegisterGroup) {
        if self.group != group {
            (self.group, self.cursor, self.top) = (group, None, 0);
            self.filter.clear();
        }
    }

    fn move_to(&mut self, spot: Option<&Spot>) {
        if let Some(spot) = spot {
            (self.cursor, self.is_revealing) = (Some(spot.name.clone()), true);
        }
    }

    fn go(&mut self, toward: Toward) {
        let page = usize::from(self.area.height.max(2)) - 1;
        let to = self.cursor.as_deref().and_then(|from| self.grid.moved(from, toward, page)).cloned();
        self.move_to(to.as_ref());
    }

    /// To a write of the register under the cursor; a title opens or closes.
    fn ask_write(&mut self, way: Way, cx: &Cx<'_>, out: &mut Vec<Ask>) {
        match (self.title_at_cursor(), self.selection(cx)) {
            (Some(title), _) if self.open.contains(&title) => self.open.retain(|open| *open != title),
            (Some(title), _) => self.open.push(title),
            (None, Some(cell)) => self.lock.ask_write(cell, way, cx, out),
            (None, None) => {}
        }
    }

    fn title_at_cursor(&self) -> Option<String> {
        let (_, spot) = self.grid.place_of(self.cursor.as_deref()?)?;
        (spot.shown == Shown::Title).then(|| spot.name.clone())
    }

    /// Asks for the registers. What is drawn may be those of the moment before, as long as these are on their way.
    fn ask<'a>(&self, slot: &'a mut Slot<BoardRequest, RegisterBoard>, cx: &Cx<'_>) -> Answer<'a, RegisterBoard> {
        let request = BoardRequest {
            group: self.group,
            thread: None,
            position: self.lock.position(cx),
            previous: self.lock.previous(cx),
        };
        slot.poll(&request, cx.worker(), |request| {
            let (request, session) = (request.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| register_board(&session, &request, cancel)
        })
    }

    fn draw_board(&mut self, board: &RegisterBoard, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        let mut board = board.clone();
        if !self.filter.is_empty() {
            board.filter(&self.filter);
            (board.pc, board.psr, board.groups) = (None, None, Vec::new());
        }
        let reading = Reading { lanes: self.format(board.group), shown_as: self.shown_as };
        self.grid = Grid::new(&board, reading, self.area.width, &self.open);
        if self.grid.first().is_none() {
            let words = say!("terminal-no-such-register", text = self.filter.as_str());
            pen.role(Run::of(self.area, 0), &words, Role::Text(Meaning::Label));
            return;
        }
        self.settle_cursor();
        let role = if cx.has_focus { Role::Cursor } else { Role::CursorAway };
        for (line, row) in (0..self.area.height).zip(self.grid.rows.iter().skip(self.top)) {
            let run = Run::of(self.area, line);
            if let Some(label) = &row.label {
                pen.role(run, label, Role::Text(Meaning::Label));
            }
            for spot in &row.spots {
                let cursor = (self.cursor.as_ref() == Some(&spot.name)).then_some(role);
                let is_open = self.open.contains(&spot.name);
                cell::draw(run, Drawn { spot, board: &board, reading, cursor, is_open }, pen);
            }
        }
        if let Some(cell) = self.cursor.as_ref().and_then(|name| board.part(name)).filter(|_| cx.has_focus) {
            self.pointed.ask(&cell, self.lock.position(cx), cx);
        }
    }

    /// The cursor stands on a register that is there, and what is to be seen of it is.
    fn settle_cursor(&mut self) {
        let page = usize::from(self.area.height.max(1));
        let place = self.cursor.as_deref().and_then(|name| self.grid.place_of(name)).map(|(row, _)| row);
        if place.is_none() {
            self.cursor = self.grid.first().map(|spot| spot.name.clone());
        }
        let row = place.unwrap_or(0);
        if std::mem::take(&mut self.is_revealing) || place.is_none() {
            self.top = self.top.clamp((row + 1).saturating_sub(page), row);
        }
        self.top = self.top.min(self.grid.rows.len().saturating_sub(page));
    }

    fn has_register(&self, name: &str) -> bool {
        self.board.peek().is_none_or(|(_, board)| board.part(name).is_some())
    }
}

impl Pane for RegistersPane {
    fn kind(&self) -> PanelKind {
        PanelKind::Registers
    }

    fn title(&self, cx: &Cx<'_>) -> String {
        // A trace without the group shows another one in its place.
        let answered = self.board.peek().filter(|(request, _)| request.group == self.group);
        let group = match answered.map_or(self.group, |(_, board)| board.group) {
            RegisterGroup::Core => say!("tab-registers"),
            group => short_title(group),
        };
        let thread = answered.filter(|_| cx.desk.session.index.threads().len() > 1);
        let filter = (!self.filter.is_empty()).then(|| format!("\"{}\"", self.filter));
        let parts =
            [Some(group.to_owned()), thread.map(|(_, board)| board.thread_name.clone()), filter, self.lock.words(cx)];
        parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.lock.follow())
    }

    fn bind(&mut self, follow: Follow) {
        self.lock.bind(follow);
    }

    fn group(&self) -> Option<RegisterGroup> {
        Some(self.group)
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

    fn selection(&self, _: &Cx<'_>) -> Option<CellName> {
        self.cursor.clone().filter(|_| self.title_at_cursor().is_none()).map(CellName::Register)
    }

    fn status(&self, cx: &Cx<'_>) -> Vec<Span> {
        if let Some(told) = self.lock.told() {
            return vec![Span::new(Meaning::Plain, told)];
        }
        let board = self.board.peek().map(|(_, board)| board);
        let cell = board.and_then(|board| board.part(self.cursor.as_deref()?));
        cell.map_or_else(Vec::new, |cell| self.pointed.spans(&cell, cx))
    }

    fn obey(&mut self, command: Command, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        if self.lock.obey(command, cx, out) {
            return true;
        }
        match command {
            Command::Move(toward) => self.go(toward),
            Command::Access(way) => self.ask_write(way, cx, out),
            Command::Pick => self.pointed.is_on ^= true,
            _ => return false,
        }
        true
    }

    fn answer(&mut self, purpose: Purpose, text: &str, cx: &Cx<'_>, out: &mut Vec<Ask>) {
        match purpose {
            _ if self.lock.answer(purpose, text, cx) => {}
            Purpose::Filter => text.trim().clone_into(&mut self.filter),
            _ => out.extend(purpose.actions(text).into_iter().map(Ask::Do)),
        }
    }

    fn take(&mut self, action: &Action, _: &Cx<'_>) -> bool {
        match action {
            Action::View(ViewAction::ShowRegisters(group)) | Action::View(ViewAction::NewRegisters(group)) => {
                self.choose_group(*group)
            }
            Action::View(ViewAction::ReadLanes(format)) => self.choose_format(*format),
            Action::View(ViewAction::FormatRegisters(way)) => self.choose_way(*way),
            Action::View(ViewAction::HalveRegisters) => self.shown_as.is_half ^= true,
            Action::View(ViewAction::FilterRegisters(text)) => text.trim().clone_into(&mut self.filter),
            Action::View(ViewAction::SelectCell(CellName::Register(name))) if self.has_register(name) => {
                (self.cursor, self.is_revealing) = (Some(name.clone()), true);
            }
            _ => return false,
        }
        true
    }

    fn touch(&mut self, Touch { x, y, kind }: Touch, cx: &Cx<'_>, out: &mut Vec<Ask>) {
        if let TouchKind::Wheel(rows) = kind {
            self.top = self.top.saturating_add_signed(rows.into());
            return;
        }
        let Some(line) = y.checked_sub(self.area.y).filter(|line| *line < self.area.height) else { return };
        let spot = self.grid.at(self.top + usize::from(line), x.saturating_sub(self.area.x)).cloned();
        self.move_to(spot.as_ref());
        if kind == TouchKind::DoubleClick && spot.is_some() {
            self.ask_write(Way::Back, cx, out);
        }
    }

    fn leave_trace(&mut self) {
        self.lock.leave_trace();
        self.filter.clear();
    }

    fn draw(&mut self, area: Rect, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        if self.session.is_new(&cx.desk.session) {
            self.board.clear();
            self.pointed.forget();
        }
        self.area = area;
        self.lock.advance(cx);
        let mut slot = std::mem::take(&mut self.board);
        match self.ask(&mut slot, cx) {
            Answer::Fresh(board) | Answer::Stale(board) | Answer::Late(board) => self.draw_board(board, pen, cx),
            Answer::Loading => drop(pen.role(Run::of(area, 0), say!("list-loading"), Role::Text(Meaning::Label))),
            Answer::Failed(error) => drop(pen.role(Run::of(area, 0), error, Role::Error)),
        }
        self.board = slot;
    }
}
