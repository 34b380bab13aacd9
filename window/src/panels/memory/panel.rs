//! Memory at a position.

use egui::{Rect, Ui, vec2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Access, Action, CellName, Direction, Follow, MemoryChange, PanelKind,
};
use stepback_debugger::messages::say;
use stepback_debugger::model::text::address_digits;
use stepback_debugger::views::{
    ByteAction, CursorDirection, MemoryLayout, MemoryMove, MemoryView, ViewStatus,
};
use stepback_machine::Address;

use super::foot;
use super::foot::{MemoryFootContext, foot_ui};
use super::rows::{MemoryInput, MemoryRowsArea, MemoryRowsView, rows_ui};
use super::shape::{BESIDE, MemoryRowLayout};
use crate::panels::PanelContext;
use crate::panels::cursor_list::{PanelKey, take_keys, take_rect};
use crate::panels::panel::Panel;
use crate::panels::pen::{ADVANCE, INSET, Pen, ROW};
use crate::panels::row::{error_ui, loading_ui, watch_for_late};

/// Height of the bar with the address.
const BAR: f32 = 30.0;
/// Height of the line of column numbers.
const HEAD: f32 = 20.0;
/// Rows that are read beyond both ends of the view, so that the wheel finds them there.
const SPARE: usize = 26;
/// Rows above an address that the view goes to.
const ABOVE: usize = 2;

/// Memory as hex and text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryPanel {
    pub view: MemoryView,
    /// Expression while it is typed.
    #[serde(skip)]
    pub(super) typed: Option<String>,
    /// Byte under the pointer in the last frame.
    #[serde(skip)]
    hovered: Option<Address>,
    /// Byte under the pointer in the frame before.
    #[serde(skip)]
    last_hovered: Option<Address>,
}

impl MemoryPanel {
    /// Creates a panel for a view.
    pub fn over(view: MemoryView) -> Self {
        Self {
            view,
            typed: None,
            hovered: None,
            last_hovered: None,
        }
    }

    fn body_ui(&mut self, ui: &mut Ui, body: Rect, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let pen = Pen::new(ui, body, cx.tok);
        let list = Rect::from_min_max(body.min + vec2(0.0, HEAD), body.max);
        if ui.rect_contains_pointer(list) {
            let pixels = ui.input_mut(|input| std::mem::take(&mut input.smooth_scroll_delta.y));
            self.view.scroll_pixels(-pixels, ROW);
        }
        self.last_hovered = self.hovered.take();
        let (row_bytes, rows) = (self.row_bytes(body, cx), list.height() / ROW);
        let (rows, page) = (rows.max(1.0) as usize, rows.max(2.0) as usize - 1);
        let layout = MemoryLayout {
            row_bytes,
            rows,
            page,
            spare: SPARE,
            lead: ABOVE,
            near: 0,
        };
        match self.view.poll_rows(layout, cx.desk) {
            ViewStatus::Rows(_) | ViewStatus::Empty { .. } => {
                let pen = if self.view.is_late() {
                    pen.faded()
                } else {
                    pen
                };
                let touched = self.rows_ui(
                    ui,
                    MemoryRowsArea {
                        pen: &pen,
                        row_bytes,
                        body,
                        list,
                    },
                    cx,
                    out,
                );
                self.apply(touched, cx, out);
            }
            ViewStatus::Loading(_) => loading_ui(&pen, body),
            ViewStatus::Failed(error) => error_ui(ui, &pen, body, &error, out),
        }
        if self.view.is_waiting() {
            watch_for_late(ui);
        }
    }

    fn rows_ui(
        &self,
        ui: &mut Ui,
        place: MemoryRowsArea<'_>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) -> MemoryInput {
        let memory = &self.view;
        let detail = self.last_hovered.and_then(|address| memory.byte(address));
        let block = detail.and_then(|detail| memory.heap_words(detail.address, cx.desk));
        let compared = memory
            .compared_words(cx.desk)
            .filter(|_| !memory.is_of_other());
        let view = MemoryRowsView {
            cx,
            memory,
            compared: compared.as_deref(),
            detail,
            block: block.as_deref(),
        };
        let mut touched = MemoryInput::default();
        rows_ui(ui, place, view, &mut touched, out);
        touched
    }

    /// Returns the number of bytes in a row: the chosen one, otherwise as many as fit.
    fn row_bytes(&self, body: Rect, cx: &PanelContext<'_>) -> usize {
        self.view.row_bytes().unwrap_or_else(|| {
            let address = ADVANCE * address_digits(self.view.highest()) as f32;
            let shape = MemoryRowLayout {
                bytes: 16,
                group: self.view.group().into(),
                format: self.view.format(),
                address,
            };
            let beside = if cx.desk.session.images.is_empty() {
                INSET
            } else {
                BESIDE
            };
            shape.widest(body.width(), beside).bytes
        })
    }

    fn apply(&mut self, touched: MemoryInput, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        self.hovered = touched.hovered;
        if let Some(address) = touched.clicked {
            self.view.set_cursor(address);
        }
        if let Some((address, action)) = touched.action {
            self.view.act(address, action, cx.desk, out);
        }
    }

    fn keys(&mut self, ui: &Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        for key in take_keys(ui, cx) {
            match key {
                PanelKey::Follow => self.view.toggle_following(),
                PanelKey::Compare => self.view.toggle_comparison(cx.desk),
                PanelKey::NextChange => self
                    .view
                    .change(&MemoryChange::GoToChanged(Direction::Forward), cx.desk),
                PanelKey::LastChange => self
                    .view
                    .change(&MemoryChange::GoToChanged(Direction::Back), cx.desk),
                _ => {}
            }
            let Some(cursor) = self.view.cursor() else {
                continue;
            };
            let group = u64::from(self.view.group());
            let write = |len_bytes, direction| {
                Some(ByteAction::GoToAccess(len_bytes, Access::Write, direction))
            };
            let action = match key {
                PanelKey::Bytes(len_bytes) => write(len_bytes.into(), Direction::Back),
                PanelKey::Enter => write(group, Direction::Back),
                PanelKey::ShiftEnter => write(group, Direction::Forward),
                PanelKey::Copy => Some(ByteAction::CopyAddress),
                PanelKey::ShowMemory => Some(ByteAction::FollowPointer),
                _ => None,
            };
            if let Some(action) = action {
                self.view.act(cursor, action, cx.desk, out);
            }
            if let Some(by) = move_of(key) {
                self.view.move_cursor(by);
            }
        }
    }

    fn foot_ui(&mut self, ui: &Ui, foot: Rect, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let shown = self.hovered.or(self.view.cursor());
        if let Some(address) = shown {
            self.view.poll_byte(address, cx.desk);
            if self
                .view
                .byte(address)
                .is_some_and(|detail| detail.accesses.is_some())
            {
                self.view.poll_heap(cx.desk);
            }
        }
        foot_ui(
            ui,
            foot,
            shown,
            MemoryFootContext {
                cx,
                memory: &self.view,
                pointed: self.hovered,
            },
            out,
        );
    }
}

/// Returns the cursor move of a key.
fn move_of(key: PanelKey) -> Option<MemoryMove> {
    match key {
        PanelKey::Move(CursorDirection::Left) => Some(MemoryMove::Bytes(-1)),
        PanelKey::Move(CursorDirection::Right) => Some(MemoryMove::Bytes(1)),
        PanelKey::Move(CursorDirection::Up) => Some(MemoryMove::Rows(-1)),
        PanelKey::Move(CursorDirection::Down) => Some(MemoryMove::Rows(1)),
        PanelKey::Move(CursorDirection::PageUp) => Some(MemoryMove::Pages(-1)),
        PanelKey::Move(CursorDirection::PageDown) => Some(MemoryMove::Pages(1)),
        _ => None,
    }
}

impl Panel for MemoryPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::over(MemoryView::at_stack(Follow::Active))
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Memory
    }

    fn title(&self) -> String {
        say!("memory-memory").to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.view.follow())
    }

    fn is_pinnable(&self) -> bool {
        true
    }

    fn bind(&mut self, follow: Follow) {
        self.view.bind(follow);
    }

    fn has_cells(&self) -> bool {
        true
    }

    fn leave_trace(&mut self) {
        self.view.leave_trace();
    }

    fn selection(&self, _: &PanelContext<'_>) -> Option<CellName> {
        self.view.selection()
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let before = self.view.cursor();
        let evaluated = self.view.poll(ABOVE, cx.desk);
        self.view.poll_meaning(cx.desk);
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        self.bar_ui(ui, bar, evaluated.as_ref(), cx, out);
        let foot_height = foot::height(&cx.desk.session);
        let foot_height = if rest.height() > HEAD + foot_height + ROW {
            foot_height
        } else {
            0.0
        };
        let (body, foot) = rest.split_top_bottom_at_y(rest.bottom() - foot_height);
        self.keys(ui, cx, out);
        if self.view.cursor() != before {
            // The next frame reads the cell that "last write" refers to.
            ui.ctx().request_repaint();
        }
        self.body_ui(ui, body, cx, out);
        if foot_height > 0.0 {
            self.foot_ui(ui, foot, cx, out);
        }
    }
}
