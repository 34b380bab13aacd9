//! The panel of registers at a position, and the types that its parts share in a frame.

use std::borrow::Cow;

use egui::{Rect, Ui, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, CellName, Follow, PanelKind};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::model::registers::{RegisterBoard, RegisterCell};
use stepback_debugger::model::scroll::{Scroll, Viewport};
use stepback_debugger::views::{
    CursorDirection, RegisterGesture, RegisterGrid, RegistersView, ViewStatus,
};
use stepback_machine::RegisterGroup;

use crate::panels::PanelContext;
use crate::panels::cursor_list::{PanelKey, PanelOutput, take_keys, take_rect};
use crate::panels::list::List;
use crate::panels::panel::Panel;
use crate::panels::pen::{Pen, ROW};
use crate::panels::registers::cell::{CellView, HeadPaint};
use crate::panels::registers::detail::RegisterFoot;
use crate::panels::registers::grid::{CellColumns, GridRowPlace, GridView, RegisterLayout};
use crate::panels::registers::{bar, cell, detail, grid};
use crate::panels::row::{
    ChosenThread, ThreadChooserView, error_ui, loading_ui, thread_chooser_ui, watch_for_late,
};

/// Width in points below which the head has no room for the chooser of the group.
const NARROW: f32 = 210.0;
/// Height of the head with pc and flags.
const HEAD: f32 = 52.0;
/// Rows of registers that the foot leaves in low panels.
const LEAST_ROWS: f32 = 4.0;
/// Rows that a page key moves by.
const PAGE: usize = 8;

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct RegistersPanel {
    pub view: RegistersView,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    scroll: Scroll,
}

impl RegistersPanel {
    /// Creates a panel that follows a window or a moment.
    pub fn new(follow: Follow) -> Self {
        Self {
            view: RegistersView::new(follow),
            session: SessionWatch::default(),
            scroll: Scroll::default(),
        }
    }

    /// Shows another group.
    pub fn choose_group(&mut self, group: RegisterGroup) {
        self.view.group = group;
        self.scroll = Scroll::default();
    }

    fn board_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        BoardView { pen, board: whole }: BoardView<'_>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let is_core = whole.group == RegisterGroup::Core;
        let (head, rest) =
            rect.split_top_bottom_at_y(rect.top() + if is_core { HEAD } else { bar::BAR });
        let board = &*if is_core {
            Cow::Borrowed(whole)
        } else {
            self.view.filtered(whole)
        };
        let own: Vec<&RegisterCell> = board.core.iter().collect();
        let layout = RegisterLayout::new(board, self.view.reading(board.group), rect.width());
        let grid = self.view.grid(&own, board, &layout);
        let foot_height = foot_height(board, rest.height(), ROW * grid.own_rows as f32 + 8.0);
        let (body, foot) = rest.split_top_bottom_at_y(rest.bottom() - foot_height);
        self.keys(ui, &grid, body, cx, out);
        let mut touched = RegisterInput::default();
        if is_core {
            self.head_ui(
                ui,
                head,
                BoardView { pen, board },
                cx,
                PanelOutput {
                    touched: &mut touched,
                    out,
                },
            );
        } else {
            self.bar_ui(ui, head, BoardView { pen, board: whole }, cx, out);
        }
        self.rows_ui(
            ui,
            body,
            GridView {
                pen,
                board,
                grid: &grid,
            },
            cx,
            &mut touched,
        );
        if cx.has_focus {
            self.view.attend(None);
        }
        let described = self.view.described(touched.hovered.as_deref(), board);
        if let Some(cell) = described.filter(|_| foot_height > 0.0) {
            RegisterFoot {
                pen,
                rect: foot,
                cell: &cell,
                cx,
            }
            .ui(ui, &mut self.view, out);
        }
        self.apply(touched, cx, out);
    }

    /// Draws pc, flags and the choosers of group and thread.
    fn head_ui(
        &mut self,
        ui: &mut Ui,
        head: Rect,
        BoardView { pen, board }: BoardView<'_>,
        cx: &PanelContext<'_>,
        PanelOutput { touched, out }: PanelOutput<'_, RegisterInput>,
    ) {
        let end = pos2(head.right() - 8.0, head.top() + 15.0);
        // In a very narrow panel the chooser gives way to the digits of pc.
        let right = if head.width() < NARROW {
            head.right()
        } else {
            self.group_ui(ui, end, BoardView { pen, board }, cx, out)
        };
        let left = cell::head_ui(
            ui,
            head,
            HeadPaint { pen, board, right },
            self.cells(board, cx),
            touched,
        );
        let at = pos2(left + 8.0, head.top() + 36.0);
        thread_chooser_ui(
            ui,
            at,
            ThreadChooserView {
                pen,
                cx,
                shown: &board.thread_name,
            },
            &mut self.view.thread,
        );
    }

    fn cells<'a>(&'a self, board: &RegisterBoard, cx: &'a PanelContext<'a>) -> CellView<'a> {
        CellView {
            cx,
            view: &self.view,
            reading: self.view.reading(board.group),
        }
    }

    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        body: Rect,
        GridView { pen, board, grid }: GridView<'_>,
        cx: &PanelContext<'_>,
        touched: &mut RegisterInput,
    ) {
        let body = Rect::from_min_max(pos2(body.left(), body.top() + 4.0), body.max);
        let list = List {
            rows: grid.rows.len() as u64,
            ticks: &[],
            has_lasting_bar: false,
        };
        let area = list.ui(ui, body, &mut self.scroll, cx.tok);
        let pen = &Pen {
            painter: pen.painter.with_clip_rect(area.body),
            tok: pen.tok,
        };
        let view = self.cells(board, cx);
        for (row, rect) in area.rows() {
            if let Some(row) = usize::try_from(row).ok().and_then(|row| grid.rows.get(row)) {
                grid::row_ui(
                    ui,
                    &GridRowPlace {
                        pen,
                        rect,
                        row,
                        board,
                    },
                    view,
                    touched,
                );
            }
        }
    }

    /// Applies the pressed keys, and brings a moved cursor into view.
    fn keys(
        &mut self,
        ui: &Ui,
        grid: &RegisterGrid<CellColumns>,
        body: Rect,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        for key in take_keys(ui, cx) {
            let mut go = |toward, page| self.view.go(toward, page, grid);
            match key {
                // The cursor stays in its column.
                PanelKey::Move(CursorDirection::First) => go(CursorDirection::PageUp, usize::MAX),
                PanelKey::Move(CursorDirection::Last) => go(CursorDirection::PageDown, usize::MAX),
                PanelKey::Move(toward) => go(toward, PAGE),
                PanelKey::Enter => {
                    self.view
                        .act_at_cursor(RegisterGesture::LastWrite, cx.desk, out)
                }
                PanelKey::ShiftEnter => {
                    self.view
                        .act_at_cursor(RegisterGesture::NextWrite, cx.desk, out)
                }
                PanelKey::Copy => self
                    .view
                    .act_at_cursor(RegisterGesture::CopyValue, cx.desk, out),
                PanelKey::ShowMemory => {
                    self.view
                        .act_at_cursor(RegisterGesture::ShowMemory, cx.desk, out)
                }
                PanelKey::Lanes => self.view.next_format(),
                PanelKey::View => {
                    self.view.next_group();
                    self.scroll = Scroll::default();
                }
                _ => {}
            }
        }
        if let Some(row) = self.view.take_reveal(grid) {
            let view = Viewport {
                rows: grid.rows.len() as u64,
                height: body.height(),
                row_height: ROW,
            };
            self.scroll.reveal_row(row as u64, &view);
        }
    }

    fn apply(&mut self, touched: RegisterInput, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        if touched.cursor.is_some() {
            self.view.set_cursor(touched.cursor);
        }
        if let Some(title) = touched.title {
            self.view.toggle_title(&title);
        }
        if let Some((name, gesture)) = touched.gesture {
            self.view.act(&name, gesture, cx.desk, out);
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
        self.view.title().to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.view.follow)
    }

    fn is_pinnable(&self) -> bool {
        true
    }

    fn bind(&mut self, follow: Follow) {
        self.view.follow = follow;
    }

    fn has_cells(&self) -> bool {
        true
    }

    fn choose_thread(&mut self, thread: ChosenThread) {
        self.view.thread = thread;
    }

    /// Returns the register under the cursor.
    fn selection(&self, _: &PanelContext<'_>) -> Option<CellName> {
        self.view.selection()
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        if self.session.is_new(&cx.desk.session) {
            self.view.set_cursor(None);
            self.scroll = Scroll::default();
        }
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        match self.view.poll(cx.desk) {
            Ok(board) => {
                let pen = &if self.view.is_late() {
                    pen.faded()
                } else {
                    pen
                };
                self.board_ui(ui, rect, BoardView { pen, board: &board }, cx, out);
            }
            Err(ViewStatus::Failed(error)) => error_ui(ui, &pen, rect, &error, out),
            Err(_) => loading_ui(&pen, rect),
        }
        if self.view.is_waiting() {
            watch_for_late(ui);
        }
    }
}

/// Returns the height of the foot, given the height of the panel below its head and that of the
/// group's registers. The last registers give way to a low foot, and scroll.
fn foot_height(board: &RegisterBoard, height: f32, registers: f32) -> f32 {
    let spare = height - registers;
    let titles = ROW * board.groups.len() as f32;
    let reason = if board.is_inferred {
        detail::REASON
    } else {
        0.0
    };
    let heights = [
        detail::HEIGHT_WITH_STRIP + reason,
        detail::HEIGHT + reason,
        detail::LOW_HEIGHT + reason,
    ];
    match spare {
        spare if spare >= heights[0] + titles => heights[0],
        spare if spare >= heights[1] + titles => heights[1],
        _ if height >= heights[2] + LEAST_ROWS * ROW + 4.0 => {
            // No row is covered in part.
            let rows = ((height - heights[2] - 4.0) / ROW).floor();
            height - ROW * rows - 4.0
        }
        _ => 0.0,
    }
}

/// Pointer input on registers in one frame.
#[derive(Debug, Default)]
pub(super) struct RegisterInput {
    pub(super) cursor: Option<String>,
    pub(super) hovered: Option<String>,
    pub(super) title: Option<String>,
    pub(super) gesture: Option<(String, RegisterGesture)>,
}

/// The registers that are shown.
pub struct BoardView<'a> {
    pub pen: &'a Pen<'a>,
    pub board: &'a RegisterBoard,
}

/// Returns a box of a size, given its left edge and its middle height.
pub(super) fn box_at(left: f32, middle: f32, width: f32, height: f32) -> Rect {
    Rect::from_min_size(
        pos2(left.round(), (middle - height / 2.0).round()),
        vec2(width, height),
    )
}
