//! The panel that explains why a cell has its value, and the columns of its slice.
//!
//! The widths of the columns follow the lines in view. Long expressions are cut first.

use egui::{Rect, Ui, pos2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, CellName, PanelKind, SliceView};
use stepback_debugger::analysis::slice::ReadingLine;
use stepback_debugger::desk::SliceState;
use stepback_debugger::messages::say;
use stepback_debugger::model::slice::{Slice, SliceLineContent, SliceLines, because};
use stepback_debugger::model::text::thousands;
use stepback_debugger::notes::SavedSlice;
use stepback_debugger::views::{PanelView, RowGesture, RowListing, ViewStatus, WhyView};
use stepback_parsers::Position;

use self::SliceInView as InView;
use crate::panels::PanelContext;
use crate::panels::cursor_list::{CursorList, ListExtent, PanelKey, RowInput, take_rect};
use crate::panels::menu::KeptMenu;
use crate::panels::panel::Panel;
use crate::panels::pen::{ADVANCE, INSET, Pen, head_font};
use crate::panels::row::{EmptyMessage, empty_ui, error_ui, loading_ui};
use crate::panels::why::bar::SliceBar;
use crate::panels::why::rows::SliceRows;
use crate::theme::icons;

/// Height of the column heads.
const HEAD: f32 = 20.0;

#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WhyPanel {
    pub view: WhyView,
    #[serde(skip)]
    state: Box<WhyState>,
}

#[derive(Debug, Default)]
struct WhyState {
    list: CursorList,
    menu: KeptMenu,
    /// Number of the query that is shown.
    number: u64,
    /// Position to which the cursor was last moved.
    position: Option<Position>,
    /// The panel was drawn.
    was_seen: bool,
}

impl WhyPanel {
    /// Creates a panel that shows a saved slice.
    pub fn of(kept: SavedSlice) -> Self {
        Self {
            view: WhyView::of(kept),
            ..Self::default()
        }
    }

    /// Saved slice that is shown; none until the panel is first in view.
    pub fn own(&self) -> Option<&SavedSlice> {
        self.view.own().filter(|_| self.state.was_seen)
    }

    /// Chooses the arrangement of the rows.
    pub fn choose_view(&mut self, view: SliceView) {
        if self.view.view() != view {
            self.view.choose(view);
            self.state.list = CursorList::default();
        }
    }

    /// Draws the reason why there are no rows.
    fn without_rows_ui(
        &self,
        ui: &Ui,
        pen: &Pen<'_>,
        rect: Rect,
        words: &str,
        cx: &PanelContext<'_>,
    ) {
        let is_awaited = |state: &SliceState| state.is_awaited(&cx.desk.session);
        let state = self.view.slice_state(cx.desk);
        let is_coming = |state: &SliceState| {
            state.slice().is_some() || (state.is_under_way() && !is_awaited(state))
        };
        match state.is_none_or(is_coming) {
            true => loading_ui(pen, rect),
            false => empty_ui(
                ui,
                pen,
                rect,
                icons::WHY,
                EmptyMessage(words, say!("slice-close-or-ask")),
            ),
        }
    }

    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        rows: &RowListing,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let (head, list) = rect.split_top_bottom_at_y(rect.top() + HEAD);
        let place = ListExtent {
            rows: rows.count,
            list,
        };
        let at = cx.desk.windows.active().position;
        // If several lines are about the step, the cursor stays on its line.
        let is_elsewhere = !self.view.is_here(self.state.list.cursor, cx.desk);
        let marked = rows
            .marked
            .filter(|_| self.state.position != Some(at) && is_elsewhere);
        if let Some(marked) = marked {
            self.state.list.go_to(marked.row, rows.count, list);
        }
        self.state.position = Some(at);
        for (key, row) in self.state.list.keys(ui, &mut self.view, place, cx, out) {
            if key == PanelKey::ShowMemory {
                self.view.act(row, RowGesture::GoOn, cx.desk, out);
            }
        }
        let area = self.state.list.area(ui, list, rows.count, cx.tok);
        let Some(SliceLines {
            slice, view, lines, ..
        }) = self.view.shown()
        else {
            return;
        };
        let seen = area.places().filter_map(|(place, _)| lines.get(place));
        let head_pen = Pen::new(ui, head, cx.tok);
        let shown = InView { slice, view: *view };
        let columns = SliceColumns::new(&head_pen, area.body, shown, seen);
        columns.heads(&head_pen, head);
        let (pen, cursor) = (Pen::new(ui, area.body, cx.tok), self.state.list.cursor);
        let shown = SliceRows {
            pen,
            cx,
            columns,
            why: &self.view,
            slice,
            cursor,
        };
        let mut touched = RowInput::default();
        for (place, rect) in area.places() {
            shown.row_ui(ui, rect, place, &mut touched, out);
        }
        touched.apply(&mut self.view, &mut self.state.list, cx.desk, out);
    }
}

impl Panel for WhyPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::default()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Why
    }

    fn title(&self) -> String {
        self.view.own().map_or_else(
            || say!("slice-why-title").to_owned(),
            |kept| kept.name.clone(),
        )
    }

    fn leave_trace(&mut self) {
        self.view.forget();
        *self.state = WhyState::default();
    }

    /// Returns the result of the row under the cursor.
    fn selection(&self, cx: &PanelContext<'_>) -> Option<CellName> {
        self.view.cell_at(self.state.list.cursor, cx.desk)?;
        self.view.cell(self.state.list.cursor, cx.desk)
    }

    fn selection_at(&self, cx: &PanelContext<'_>) -> Option<Position> {
        self.view.cell(self.state.list.cursor, cx.desk)?;
        self.view.cell_at(self.state.list.cursor, cx.desk)
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        if !std::mem::replace(&mut self.state.was_seen, true) && self.view.own().is_some() {
            // Its query runs with the next frame.
            ui.ctx().request_repaint();
        }
        let number = self.view.number(cx.desk);
        if self.state.number != number {
            (self.state.number, self.state.list, self.state.position) =
                (number, CursorList::default(), None);
        }
        let Some(question) = self.view.question(cx.desk).cloned() else {
            let words = EmptyMessage(
                say!("slice-nothing-asked"),
                say!("slice-nothing-asked-advice"),
            );
            return empty_ui(ui, &pen, rect, icons::WHY, words);
        };
        let state = self.view.slice_state(cx.desk);
        let bar = SliceBar {
            pen: &pen,
            cx,
            question: &question,
            state,
            is_own: self.view.own().is_some(),
        };
        let did = bar.ui(ui, rect, &mut self.state.menu, self.view.view(), out);
        if let Some(view) = did.view {
            self.choose_view(view);
        }
        if did.wants_stop {
            self.view.stop(out);
        }
        if did.wants_more {
            self.view.follow_more(out);
        }
        match self.view.poll(cx.desk) {
            ViewStatus::Rows(rows) => self.rows_ui(ui, did.rest, &rows, cx, out),
            ViewStatus::Failed(error) => error_ui(ui, &pen, did.rest, &error, out),
            ViewStatus::Loading(words) => self.without_rows_ui(ui, &pen, did.rest, &words, cx),
            ViewStatus::Empty { title, .. } => {
                let words = EmptyMessage(&title, say!("slice-close-or-ask"));
                empty_ui(ui, &pen, did.rest, icons::WHY, words);
            }
        }
    }
}

/// Indentation of one depth.
pub const INDENT: f32 = 12.0;
/// Room for the caret before a step.
pub const CARET: f32 = 16.0;
/// Maximum number of letters of a column, and the number that it keeps in narrow panels.
const PLACE: (usize, usize) = (30, 8);
const CODE: (usize, usize) = (72, 20);
const VALUE: (usize, usize) = (40, 10);
/// Number of letters to which instructions and expressions are cut before anything else is.
const LONG: usize = 34;
/// The corresponding limits of the reason, whose letters are narrower.
const REASON: (usize, usize) = (28, 16);

/// Left edges of the columns.
#[derive(Clone, Copy, Debug)]
pub struct SliceColumns {
    /// Carets and steps.
    pub step: f32,
    /// Threads; none if there is one thread.
    pub thread: Option<f32>,
    /// Functions. In narrow panels the column is empty.
    pub place: f32,
    /// Instructions or expressions.
    pub code: f32,
    /// Resulting values.
    pub value: f32,
    /// Reasons for being in the slice. In narrow panels the column is empty.
    pub reason: f32,
    /// Right edge of the rows.
    pub right: f32,
}

/// The slice that is shown, and its arrangement.
#[derive(Clone, Copy)]
pub struct SliceInView<'a> {
    pub slice: &'a Slice,
    pub view: SliceView,
}

/// Number of letters that the lines in view need in each column.
#[derive(Default)]
struct SliceColumnWidths {
    place: usize,
    code: usize,
    value: usize,
    reason: usize,
    thread: usize,
    step: usize,
    depth: u16,
}

impl SliceColumnWidths {
    fn add(
        &mut self,
        stated: &SliceLineContent<'_>,
        depth: u16,
        SliceInView { slice, view }: SliceInView<'_>,
    ) {
        let length = |text: &str| text.chars().count();
        self.depth = self.depth.max(depth);
        let Some(row) = stated.row() else { return };
        let step = row.step.map_or(1, |step| thousands(step.0).chars().count());
        self.step = self.step.max(step);
        self.place = self.place.max(length(row.place_in(view)));
        self.thread = self.thread.max(length(&row.thread));
        self.value = self.value.max(length(&stated.value()));
        self.reason = self.reason.max(length(&because(stated, slice)));
        // The end of a chain extends over the following columns.
        if row.end.is_none() {
            self.code = self.code.max(length(&stated.text()));
        }
    }
}

impl SliceColumns {
    /// Lays out the columns for the lines in view. No column is narrower than its head: if there is
    /// too little room for all, functions are left out, and then reasons.
    pub fn new<'a>(
        pen: &Pen<'_>,
        body: Rect,
        shown: SliceInView<'_>,
        seen: impl Iterator<Item = &'a ReadingLine>,
    ) -> Self {
        let head = |words: &str| (pen.width(words, head_font()) / ADVANCE).ceil() as usize;
        let heads = [
            head(say!("slice-head-code")),
            head(say!("slice-head-place")),
            head(say!("slice-head-gives")),
            head(say!("slice-head-reason")),
        ];
        let [code, place, value, reason] = heads;
        let mut needed = SliceColumnWidths {
            step: head(say!("slice-head-step")),
            code,
            place,
            value,
            reason,
            ..SliceColumnWidths::default()
        };
        for line in seen {
            shown
                .slice
                .stated(line)
                .iter()
                .for_each(|stated| needed.add(stated, line.depth, shown));
        }
        let step = body.left() + INSET;
        let after =
            step + CARET + INDENT * f32::from(needed.depth) + ADVANCE * needed.step as f32 + INSET;
        let has_threads = needed.thread > 0;
        let left = after
            + if has_threads {
                ADVANCE * needed.thread as f32 + INSET
            } else {
                0.0
            };
        let right = body.right() - 8.0;
        let mut letters = [
            needed.code.min(CODE.0),
            needed.place.min(PLACE.0),
            needed.value.min(VALUE.0),
            needed.reason.min(REASON.0),
        ];
        let mut wide = widths_in(right - left, letters, heads);
        for dropped in [1, 3] {
            if wide.iter().sum::<f32>() <= right - left {
                break;
            }
            letters[dropped] = 0;
            wide = widths_in(right - left, letters, heads);
        }
        let [code, place, value, reason] = wide;
        let reason = match reason > 0.0 {
            true => left + place + code + value,
            false => right,
        };
        Self {
            step,
            thread: has_threads.then_some(after),
            place: left,
            code: left + place,
            value: left + place + code,
            reason,
            right,
        }
    }

    /// Returns the right edge of the values.
    pub fn value_right(&self) -> f32 {
        if self.reason < self.right {
            self.reason - INSET / 2.0
        } else {
            self.right
        }
    }

    /// Draws the column heads.
    pub fn heads(&self, pen: &Pen<'_>, head: Rect) {
        let y = head.center().y;
        pen.line_across(head.left(), head.right(), head.bottom() - 1.0, pen.tok.line);
        let mut heads = vec![
            (
                self.step + CARET,
                self.thread.unwrap_or(self.place),
                say!("slice-head-step"),
            ),
            (self.place, self.code, say!("slice-head-place")),
            (self.code, self.value, say!("slice-head-code")),
            (self.value, self.reason, say!("slice-head-gives")),
            (self.reason, self.right, say!("slice-head-reason")),
        ];
        heads.extend(
            self.thread
                .map(|left| (left, self.place, say!("slice-head-thread"))),
        );
        for (left, right, words) in heads.into_iter().filter(|(left, right, _)| left < right) {
            pen.cut_text(pos2(left, y), words, head_font(), pen.tok.t2, right - 2.0);
        }
    }
}

/// Returns the widths of the columns, in points: instructions, functions, values and reasons. A
/// column without letters has none. The widths may exceed the room, since no column is narrower
/// than its head.
fn widths_in(room: f32, letters: [usize; 4], heads: [usize; 4]) -> [f32; 4] {
    let gaps = letters.iter().filter(|letters| **letters > 0).count() as f32 - 1.0;
    let mut wide = letters.map(|letters| letters as f32);
    let mut over = wide.iter().sum::<f32>() - (room - gaps * INSET) / ADVANCE;
    // Long expressions give way first, then reasons, functions, values, and the rest of the
    // expressions.
    for (place, least) in [
        (0, LONG),
        (3, REASON.1),
        (1, PLACE.1),
        (2, VALUE.1),
        (0, CODE.1),
    ] {
        let (Some(wide), Some(head)) = (wide.get_mut(place), heads.get(place)) else {
            continue;
        };
        let cut = over.clamp(0.0, (*wide - least.max(*head) as f32).max(0.0));
        *wide -= cut;
        over -= cut;
    }
    let [code, place, value, reason] = wide;
    let gapped = |letters: f32| match letters > 0.0 {
        true => ADVANCE * letters + INSET,
        false => 0.0,
    };
    [gapped(code), gapped(place), gapped(value), ADVANCE * reason]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_column_is_narrower_than_its_head() {
        let heads = [11, 5, 6, 7];
        let wide = widths_in(1000.0, [72, 30, 40, 28], heads);
        assert!(wide.iter().sum::<f32>() <= 1000.5, "{wide:?}");
        let wide = widths_in(100.0, [72, 30, 40, 28], heads);
        let least = [CODE.1, PLACE.1, VALUE.1, REASON.1].map(|letters| ADVANCE * letters as f32);
        assert!(wide.iter().zip(least).all(|(wide, least)| *wide >= least));
        // Without functions, the others get their room.
        let [_, place, ..] = widths_in(100.0, [72, 0, 40, 28], heads);
        assert_eq!(place, 0.0);
        assert_eq!(
            widths_in(500.0, [11, 5, 6, 7], heads)[0],
            ADVANCE * 11.0 + INSET
        );
    }
}
