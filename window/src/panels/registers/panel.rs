//! The register file at a position.

use std::sync::Arc;

use egui::{Rect, Ui, pos2};
use serde::{Deserialize, Serialize};
use stepback_index::Cancel;
use stepback_machine::{LaneFormat, LaneKind, RegisterGroup};

use super::cell::HeadPaint;
use super::detail::{Detail, Scene, Subject};
use super::frame::{BoardView, Touched};
use super::grid::{Grid, GridView, Reading, RowAt};
use super::{bar, cell, detail, grid};
use crate::panels::ViewCx;
use crate::panels::ask::{Sought, ask_access};
use crate::panels::asked::Asked;
use crate::panels::cursor_list::{AnswerPlace, take_rect};
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::list::List;
use crate::panels::panel::Panel;
use crate::panels::pen::{Pen, ROW};
use crate::panels::row::watch_for_late;
use crate::panels::thread::{ChooserView, ChosenThread, forget_missing_thread, thread_chooser_ui};
use stepback_debugger::action::{
    Access, Action, AppAction, CellName, Follow, PanelKind, RegisterFormat, ViewAction, Way, WindowId,
};
use stepback_debugger::analysis::register_part::RegisterPart;
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::messages::say;
use stepback_debugger::model::register_format::ShownAs;
use stepback_debugger::model::registers::{BoardRequest, RegisterBoard, RegisterCell, register_board, short_title};
use stepback_debugger::model::scroll::{Scroll, Viewport};
use stepback_debugger::worker::Slot;

/// pc and flags.
const HEAD: f32 = 52.0;

/// The registers.
#[derive(Debug, Serialize, Deserialize)]
pub struct RegistersPanel {
    /// What it shows the state at.
    pub follow: Follow,
    /// Which registers.
    #[serde(default = "general")]
    pub group: RegisterGroup,
    /// Whose registers; none for those of the thread of the position.
    #[serde(default)]
    pub thread: ChosenThread,
    /// Only registers whose names contain this.
    #[serde(default)]
    pub filter: String,
    /// How values are read, for each group where that was chosen.
    #[serde(default)]
    formats: Vec<(RegisterGroup, LaneFormat)>,
    /// How the values of the general registers are written.
    #[serde(default)]
    way: RegisterFormat,
    /// The lower halves of registers of 64 bits are shown.
    #[serde(default)]
    is_half: bool,
    /// Titles of the groups below the general registers that are open.
    #[serde(default)]
    open_groups: Vec<String>,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<RegistersState>,
}

#[derive(Debug, Default)]
struct RegistersState {
    board: Slot<BoardRequest, RegisterBoard>,
    /// The register under the cursor.
    cursor: Option<String>,
    /// It was selected elsewhere, and is still to be brought into view.
    is_revealing: bool,
    scroll: Scroll,
    detail: Detail,
    /// The register that the foot tells of though the cursor is on none or on another: the trace changed it.
    attended: Option<String>,
}

/// How values are read.
pub struct ReadAs<'a> {
    pub cx: &'a ViewCx<'a>,
    pub format: Option<LaneFormat>,
}

/// The registers and how they are arranged.
pub struct GridBoard<'a> {
    pub grid: &'a Grid,
    pub board: &'a RegisterBoard,
}

impl RegistersPanel {
    /// The registers at what `follow` says.
    pub fn new(follow: Follow) -> Self {
        Self {
            follow,
            group: general(),
            thread: None,
            filter: String::new(),
            formats: Vec::new(),
            way: RegisterFormat::default(),
            is_half: false,
            open_groups: Vec::new(),
            session: SessionWatch::default(),
            state: Box::default(),
        }
    }

    /// How the values of a group are read; none for hex alone.
    pub(super) fn format(&self, group: RegisterGroup) -> Option<LaneFormat> {
        let chosen = self.formats.iter().find(|(of, _)| *of == group).map(|(_, format)| *format);
        chosen.or_else(|| group.lane_formats().first().copied())
    }

    /// Reads the values of the group in another way, if it has that way.
    pub fn choose_format(&mut self, format: LaneFormat) {
        if self.group.lane_formats().contains(&format) {
            self.formats.retain(|(of, _)| *of != self.group);
            self.formats.push((self.group, format));
        }
    }

    /// Writes values in another way: those of the general registers, or the lanes of a group that has some.
    pub fn choose_way(&mut self, way: RegisterFormat) {
        let kind = match way {
            RegisterFormat::Hex | RegisterFormat::Text => LaneKind::Hex,
            RegisterFormat::Unsigned => LaneKind::Unsigned,
            RegisterFormat::Signed => LaneKind::Signed,
            RegisterFormat::Float => LaneKind::Float,
        };
        match self.format(self.group) {
            Some(lanes) => self.choose_format(LaneFormat { kind, ..lanes }),
            None => self.way = way,
        }
    }

    /// Shows the lower halves of registers of 64 bits, or all of them again.
    pub fn halve(&mut self) {
        self.is_half = !self.is_half;
    }

    /// Puts the cursor on a register, if it is shown.
    pub fn select(&mut self, name: &str) {
        (self.state.cursor, self.state.is_revealing) = (Some(RegisterPart::parse(name).name), true);
        self.state.attended = None;
    }

    /// Tells of a register at the foot while the keyboard is elsewhere; the cursor stays.
    pub fn attend(&mut self, name: &str) {
        self.state.attended = Some(RegisterPart::parse(name).name);
    }

    fn shown_as(&self) -> ShownAs {
        ShownAs { format: self.way, is_half: self.is_half }
    }

    /// Opens the group of a register that was selected elsewhere, and brings it into view.
    fn reveal(&mut self, GridBoard { grid, board }: GridBoard<'_>, height: f32) {
        let Some(cursor) = self.state.cursor.clone().filter(|_| self.state.is_revealing) else { return };
        let closed = board.groups.iter().find(|group| {
            let is_open = self.open_groups.iter().any(|open| open == group.title);
            !is_open && group.cells.iter().any(|cell| cell.name == cursor)
        });
        if let Some(group) = closed {
            // It is in view with the next frame.
            return self.open_groups.push(group.title.to_owned());
        }
        self.state.is_revealing = false;
        if let Some(row) = grid.row_of(&cursor) {
            let view = Viewport { rows: grid.rows.len() as u64, height, row_height: ROW };
            self.state.scroll.reveal_row(row as u64, &view);
        }
    }

    /// Shows another group.
    pub fn choose_group(&mut self, group: RegisterGroup) {
        self.group = group;
        self.state.scroll = Scroll::default();
    }

    fn board_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        BoardView { pen, board }: BoardView<'_>,
        cx: &ViewCx<'_>,
        out: &mut Vec<Action>,
    ) {
        let is_core = board.group == RegisterGroup::Core;
        let (head, rest) = rect.split_top_bottom_at_y(rect.top() + if is_core { HEAD } else { bar::BAR });
        let filtered = (!is_core && !self.filter.trim().is_empty()).then(|| {
            let mut board = board.clone();
            board.filter(&self.filter);
            board
        });
        let whole = board;
        let board = filtered.as_ref().unwrap_or(board);
        let format = self.format(board.group);
        let grid =
            Grid::new(board, &self.open_groups, Reading { lanes: format, shown_as: self.shown_as() }, rect.width());
        let core_height = ROW * grid.core_rows() as f32 + 8.0;
        let spare = rest.height() - core_height;
        let titles = ROW * board.groups.len() as f32;
        let reason = if board.is_inferred { detail::REASON } else { 0.0 };
        let heights = [detail::HEIGHT_WITH_STRIP + reason, detail::HEIGHT + reason, detail::LOW_HEIGHT + reason];
        let detail_height = match spare {
            spare if spare >= heights[0] + titles => heights[0],
            spare if spare >= heights[1] + titles => heights[1],
            spare if spare >= heights[2] => heights[2],
            _ => 0.0,
        };
        let (body, foot) = rest.split_top_bottom_at_y(rest.bottom() - detail_height);
        self.keys(ui, GridBoard { grid: &grid, board }, body, cx, out);
        self.reveal(GridBoard { grid: &grid, board }, body.height());
        let mut touched = Touched::default();
        if is_core {
            let right =
                self.group_ui(ui, pos2(head.right() - 8.0, head.top() + 15.0), BoardView { pen, board }, cx, out);
            let view = self.view(cx, None);
            let left =
                cell::head_ui(ui, head, HeadPaint { pen, board, right }, view, Asked { touched: &mut touched, out });
            let at = pos2(left + 8.0, head.top() + 36.0);
            thread_chooser_ui(ui, at, ChooserView { pen, cx, shown: &board.thread_name }, &mut self.thread);
        } else {
            self.bar_ui(ui, head, BoardView { pen, board: whole }, cx, out);
        }
        self.rows_ui(
            ui,
            body,
            GridView { pen, board, grid: &grid },
            ReadAs { cx, format },
            Asked { touched: &mut touched, out },
        );
        if cx.has_focus {
            self.state.attended = None;
        }
        let chosen = self.state.attended.as_ref().or(self.state.cursor.as_ref());
        let shown = touched.hovered.as_ref().or(chosen);
        let first = |is_meant: fn(&RegisterCell) -> bool| board.core.iter().find(|cell| is_meant(cell));
        let changed = || first(|cell| cell.is_news).or(first(|cell| cell.is_changed)).or(board.core.first()).cloned();
        let cell = shown.and_then(|name| board.part(name)).or_else(changed);
        if let Some(cell) = cell.filter(|_| detail_height > 0.0) {
            let part = RegisterPart { thread: self.thread.clone(), ..RegisterPart::parse(&cell.name) };
            self.state.detail.ui(
                ui,
                foot,
                Subject { pen, cell: &cell, part, thread: board.thread },
                Scene { cx, follow: self.follow },
                out,
            );
        }
        self.apply(touched);
    }

    fn view<'a>(&'a self, cx: &'a ViewCx<'a>, format: Option<LaneFormat>) -> cell::CellView<'a> {
        let (cursor, thread) = (self.state.cursor.as_deref(), self.thread.as_deref());
        cell::CellView { cx, follow: self.follow, cursor, thread, format, shown_as: self.shown_as() }
    }

    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        body: Rect,
        GridView { pen, board, grid }: GridView<'_>,
        ReadAs { cx, format }: ReadAs<'_>,
        Asked { touched, out }: Asked<'_, Touched>,
    ) {
        let body = Rect::from_min_max(pos2(body.left(), body.top() + 4.0), body.max);
        let list = List { rows: grid.rows.len() as u64, ticks: &[], has_lasting_bar: false };
        let mut scroll = self.state.scroll;
        let area = list.ui(ui, body, &mut scroll, cx.tok);
        let pen = Pen { painter: pen.painter.with_clip_rect(area.body), tok: pen.tok };
        for (row, rect) in area.rows() {
            let Some(row) = usize::try_from(row).ok().and_then(|row| grid.rows.get(row)) else { continue };
            grid::row_ui(
                ui,
                RowAt { rect, row },
                GridView { pen: &pen, board, grid },
                self.view(cx, format),
                Asked { touched, out },
            );
        }
        self.state.scroll = scroll;
    }

    fn apply(&mut self, touched: Touched) {
        if touched.cursor.is_some() {
            self.state.cursor = touched.cursor;
        }
        if let Some(group) = touched.group {
            if self.open_groups.contains(&group) {
                self.open_groups.retain(|open| *open != group);
            } else {
                self.open_groups.push(group);
            }
        }
    }

    fn keys(
        &mut self,
        ui: &Ui,
        GridBoard { grid, board }: GridBoard<'_>,
        body: Rect,
        cx: &ViewCx<'_>,
        out: &mut Vec<Action>,
    ) {
        for key in take_keys(ui, cx) {
            let cursor = self.state.cursor.clone();
            let cell = cursor.as_deref().and_then(|name| board.part(name));
            match key {
                PanelKey::Enter | PanelKey::ShiftEnter => {
                    let way = if key == PanelKey::Enter { Way::Back } else { Way::Forward };
                    if let Some(name) = self.selection(cx) {
                        ask_access(cx, self.follow, name, Sought { access: Access::Write, way }, out);
                    }
                }
                PanelKey::Copy => out.extend(cell.map(|cell| Action::App(AppAction::Copy(cell::copied(&cell))))),
                PanelKey::ShowMemory => {
                    out.extend(
                        cell.and_then(|cell| cell::address(&cell)).map(|it| Action::View(ViewAction::ShowMemory(it))),
                    );
                }
                PanelKey::View => self.choose_group(after(&board.available, &board.group)),
                PanelKey::Lanes => {
                    let formats = board.group.lane_formats();
                    match self.format(board.group).filter(|_| !formats.is_empty()) {
                        Some(format) => self.choose_format(after(formats, &format)),
                        None => self.way = after(&RegisterFormat::ALL, &self.way),
                    }
                }
                PanelKey::Bytes(_) => {}
                _ => {
                    if let Some((row, name)) = grid.moved(cursor.as_deref(), key) {
                        self.state.cursor = Some(name);
                        let view = Viewport { rows: grid.rows.len() as u64, height: body.height(), row_height: ROW };
                        self.state.scroll.reveal_row(row as u64, &view);
                    }
                }
            }
        }
    }
}

impl Panel for RegistersPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::new(Follow::Active)
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Registers
    }

    fn title(&self) -> String {
        // A trace without the group shows another one in its place.
        let answered = self.state.board.peek().filter(|(request, _)| request.group == self.group);
        match answered.map_or(self.group, |(_, board)| board.group) {
            RegisterGroup::Core => say!("tab-registers"),
            group => short_title(group),
        }
        .to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn is_pinnable(&self) -> bool {
        true
    }

    fn bind(&mut self, follow: Follow) {
        self.follow = follow;
    }

    fn has_cells(&self) -> bool {
        true
    }

    fn choose_thread(&mut self, thread: ChosenThread) {
        self.thread = thread;
    }

    /// The register under the cursor.
    fn selection(&self, cx: &ViewCx<'_>) -> Option<CellName> {
        let view = self.view(cx, None);
        self.state.cursor.as_ref().map(|name| view.cell_name(name))
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        if self.session.is_new(&cx.desk.session) {
            *self.state = RegistersState::default();
            forget_missing_thread(&mut self.thread, &cx.desk.session);
        }
        let rect = take_rect(ui);
        let request = BoardRequest {
            group: self.group,
            thread: self.thread.clone(),
            position: cx.desk.windows.position_of(self.follow),
            previous: cx.desk.windows.previous_of(self.follow),
        };
        let mut slot = std::mem::take(&mut self.state.board);
        let answer = slot.poll(&request, &cx.desk.worker, |request| {
            let (request, session) = (request.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| register_board(&session, &request, cancel)
        });
        let pen = Pen::new(ui, rect, cx.tok);
        let place = AnswerPlace { pen: &pen, rect };
        place.ui(ui, &answer, out, |ui, pen, board, out| self.board_ui(ui, rect, BoardView { pen, board }, cx, out));
        if slot.is_waiting() {
            watch_for_late(ui);
        }
        self.state.board = slot;
    }
}

/// What follows an item in a list, around its end.
fn after<T: Copy + PartialEq>(list: &[T], item: &T) -> T {
    let place = list.iter().position(|other| other == item).map_or(0, |place| place + 1);
    list.get(place).or(list.first()).copied().unwrap_or(*item)
}

/// The registers that a panel shows at first.
fn general() -> RegisterGroup {
    RegisterGroup::Core
}
