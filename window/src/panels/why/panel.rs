//! The panel that answers why a cell has its value.

use std::sync::Arc;

use egui::{Rect, Ui};
use serde::{Deserialize, Serialize};
use stepback_parsers::Position;

use super::bar::Bar;
use super::columns::{Columns, Shown as InView};
use super::rows::{SliceRows, hover_of, travel};
use crate::panels::cursor_list::{CursorList, take_rect};
use crate::panels::kept_menu::KeptMenu;
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{EmptyWords, RowState, empty_ui, error_ui, loading_ui, row_background, row_response};
use crate::panels::{HoverCell, ViewCx};
use crate::theme::{icons, ui as ui_font};
use stepback_debugger::action::{
    Action, AppAction, CellName, PanelKind, SliceAction, SliceQuestion, SliceView, ViewAction, WindowId,
};
use stepback_debugger::analysis::slice::{Fold, ReadingLine};
use stepback_debugger::desk::{SliceList, SliceState};
use stepback_debugger::messages::say;
use stepback_debugger::model::slice::{Slice, SliceLines, Told};
use stepback_debugger::notes::KeptSlice;

/// The heads of the columns.
const HEAD: f32 = 20.0;

/// The panel "Why".
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WhyPanel {
    /// How the rows stand.
    view: SliceView,
    /// The kept slice that it shows instead of the one that is marked.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<KeptSlice>,
    #[serde(skip)]
    state: Box<WhyState>,
}

#[derive(Debug, Default)]
struct WhyState {
    list: SliceList,
    cursor: CursorList,
    menu: KeptMenu,
    /// The question that is shown, by its number.
    number: u64,
    /// The position that the cursor was last moved to.
    position: Option<Position>,
    /// It was drawn.
    was_seen: bool,
    /// What its own slice is to do.
    wish: Option<OwnWish>,
}

/// What a panel wants of its own slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnWish {
    /// It is to end.
    Stop,
    /// More steps are to be followed.
    More,
}

impl WhyPanel {
    /// One that shows a kept slice.
    pub fn of(kept: KeptSlice) -> Self {
        Self { own: Some(kept), ..Self::default() }
    }

    /// The kept slice that it shows; none before it is in view for the first time.
    pub fn own(&self) -> Option<&KeptSlice> {
        self.own.as_ref().filter(|_| self.state.was_seen)
    }

    /// What its own slice is to do; once.
    pub fn take_wish(&mut self) -> Option<OwnWish> {
        self.state.wish.take()
    }

    /// Chooses how the rows stand.
    pub fn choose_view(&mut self, view: SliceView) {
        if self.view != view {
            (self.view, self.state.cursor) = (view, CursorList::default());
        }
    }

    fn slice_state<'a>(&self, cx: &ViewCx<'a>) -> Option<&'a SliceState> {
        match &self.own {
            Some(kept) => cx.desk.own_slices.find(&kept.slice),
            None => Some(&cx.desk.slice),
        }
    }

    fn question<'a>(&'a self, cx: &ViewCx<'a>) -> Option<&'a SliceQuestion> {
        match &self.own {
            Some(kept) => Some(&kept.slice),
            None => cx.desk.slice.question(),
        }
    }

    /// More steps are followed.
    fn more(&mut self, out: &mut Vec<Action>) {
        match self.own {
            Some(_) => self.state.wish = Some(OwnWish::More),
            None => out.push(Action::Slice(SliceAction::MoreOfSlice)),
        }
    }

    /// What the row under the cursor gave, where it gave it.
    fn under_cursor(&self, cx: &ViewCx<'_>) -> Option<HoverCell> {
        let slice = self.slice_state(cx)?.slice()?;
        let shown = self.state.list.known(&slice.question)?;
        let told = shown.slice.told(shown.lines.get(self.state.cursor.cursor)?)?;
        hover_of(told.row()?)
    }

    /// What is said while there are no rows.
    fn without_rows_ui(&self, ui: &mut Ui, pen: &Pen<'_>, rect: Rect, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let state = self.slice_state(cx);
        if let Some(error) = state.and_then(SliceState::error) {
            return error_ui(ui, pen, rect, error, out);
        }
        let is_awaited = state.is_some_and(|state| state.is_awaited(&cx.desk.session));
        if is_awaited {
            let words = say!("slice-awaited", at = self.question(cx).map_or(0, |question| question.at));
            return empty_ui(ui, pen, rect, icons::WHY, EmptyWords(&words, say!("slice-close-or-ask")));
        }
        if state.is_none_or(SliceState::is_under_way) {
            return loading_ui(pen, rect);
        }
        empty_ui(ui, pen, rect, icons::WHY, EmptyWords(say!("slice-stopped-early"), say!("slice-close-or-ask")));
    }

    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        pen: &Pen<'_>,
        rect: Rect,
        Shown { slice, cx }: &Shown<'_>,
        out: &mut Vec<Action>,
    ) {
        let Some(shown) = self.state.list.poll(slice, self.view, &cx.desk.worker) else { return loading_ui(pen, rect) };
        let SliceLines { slice, view, lines, .. } = &*shown;
        if lines.is_empty() {
            return empty_ui(ui, pen, rect, icons::WHY, EmptyWords(say!("slice-no-step"), say!("slice-close-or-ask")));
        }
        let can_have_more = self.slice_state(cx).is_some_and(SliceState::can_have_more);
        let count = lines.len() + usize::from(can_have_more);
        let (head, list) = rect.split_top_bottom_at_y(rect.top() + HEAD);
        self.follow_position(&shown, list, cx);
        self.keys(ui, &Rows { slice, lines, count, list }, cx, out);
        let area = self.state.cursor.area(ui, list, count, cx.tok);
        let seen = area.places().filter_map(|(place, _)| lines.get(place));
        let columns = Columns::new(area.body, InView { slice, view: *view }, seen);
        columns.heads(pen, head);
        let pen = Pen { painter: pen.painter.with_clip_rect(area.body), tok: cx.tok };
        let shown = SliceRows { pen, cx, columns, slice, view: *view, cursor: self.state.cursor.cursor };
        let (mut touched, mut flipped, mut wants_more) = (None, None, false);
        for (place, rect) in area.places() {
            match lines.get(place) {
                Some(line) => {
                    let deed = shown.row_ui(ui, rect, place, line, out);
                    touched = touched.or(deed.is_touched.then_some(place));
                    flipped = flipped.or(deed.is_flipped.then_some(line));
                }
                None => wants_more |= self.more_ui(ui, rect, &shown.pen, place, cx),
            }
        }
        self.state.cursor.cursor = touched.unwrap_or(self.state.cursor.cursor);
        if let Some(line) = flipped {
            self.state.list.flip(line);
        }
        if wants_more {
            self.more(out);
        }
    }

    /// The cursor goes along where the position goes to another step of the slice.
    fn follow_position(&mut self, shown: &SliceLines, list: Rect, cx: &ViewCx<'_>) {
        let at = cx.desk.windows.active().position;
        if self.state.position.replace(at) == Some(at) {
            return;
        }
        let Some(step) = at.last_step() else { return };
        let row = |line: &ReadingLine| shown.slice.row(line.row()?)?.step;
        let stands_here = shown.lines.get(self.state.cursor.cursor).is_some_and(|line| row(line) == Some(step));
        if let Some(place) = shown.place_of(step).filter(|_| !stands_here) {
            self.state.cursor.go_to(place, shown.lines.len(), list);
        }
    }

    fn more_ui(&self, ui: &Ui, rect: Rect, pen: &Pen<'_>, place: usize, cx: &ViewCx<'_>) -> bool {
        let response = row_response(ui, rect, "more", || say!("slice-more").to_owned());
        let is_cursor = self.state.cursor.cursor == place;
        row_background(pen, rect, &response, RowState { is_selected: false, is_cursor, has_focus: cx.has_focus });
        pen.text(
            rect.left() + INSET,
            rect.center().y,
            format!("… {}", say!("slice-more")),
            ui_font(11.5),
            cx.tok.accent,
        );
        response.clicked()
    }

    fn keys(&mut self, ui: &Ui, rows: &Rows<'_>, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        for key in take_keys(ui, cx) {
            let pressed = self.state.cursor.press(key, rows.count, rows.list);
            let Some(line) = rows.lines.get(pressed) else {
                if key == PanelKey::Enter {
                    self.more(out);
                }
                continue;
            };
            let told = rows.slice.told(line);
            let row = told.as_ref().and_then(Told::row);
            match key {
                PanelKey::Right if matches!(line.fold, Fold::Folded(_)) => _ = self.state.list.flip(line),
                PanelKey::Left if matches!(line.fold, Fold::Open(_)) => _ = self.state.list.flip(line),
                PanelKey::Left => self.state.cursor.go_to(outer(rows.lines, pressed), rows.count, rows.list),
                PanelKey::Enter if row.is_none() => _ = self.state.list.flip(line),
                _ => {}
            }
            let Some(row) = row else { continue };
            match key {
                PanelKey::Enter => out.extend(travel(row, cx)),
                PanelKey::Copy => out.push(Action::App(AppAction::Copy(row.line()))),
                PanelKey::ShowMemory => {
                    let memory = row.gives.iter().find_map(|given| match &given.cell {
                        CellName::Memory(address, _) => Some(Action::View(ViewAction::ShowMemory(address.clone()))),
                        CellName::Register(_) => None,
                    });
                    out.extend(memory);
                }
                _ => {}
            }
        }
    }
}

/// The row around one in the tree.
fn outer(lines: &[ReadingLine], place: usize) -> usize {
    let depth = lines.get(place).map_or(0, |line| line.depth);
    let above = lines.get(..place).unwrap_or_default();
    above.iter().rposition(|line| line.depth < depth).unwrap_or(place)
}

/// What is drawn.
struct Shown<'a> {
    slice: &'a Arc<Slice>,
    cx: &'a ViewCx<'a>,
}

/// The rows of a frame, and where they are.
struct Rows<'a> {
    slice: &'a Slice,
    lines: &'a [ReadingLine],
    /// With the row that asks for more.
    count: usize,
    list: Rect,
}

impl Panel for WhyPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::default()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Why
    }

    fn title(&self) -> String {
        self.own.as_ref().map_or_else(|| say!("slice-why-title").to_owned(), |kept| kept.name.clone())
    }

    fn leave_trace(&mut self) {
        *self.state = WhyState::default();
    }

    /// What the row under the cursor gave.
    fn selection(&self, cx: &ViewCx<'_>) -> Option<CellName> {
        self.under_cursor(cx).map(|hover| hover.cell)
    }

    fn selection_at(&self, cx: &ViewCx<'_>) -> Option<Position> {
        self.under_cursor(cx).map(|hover| hover.at)
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        if !std::mem::replace(&mut self.state.was_seen, true) && self.own.is_some() {
            // Its question is asked with the next frame.
            ui.ctx().request_repaint();
        }
        let state = self.slice_state(cx);
        if let Some(number) = state.map(SliceState::number).filter(|number| *number != self.state.number) {
            (self.state.number, self.state.cursor, self.state.position) = (number, CursorList::default(), None);
        }
        let Some(question) = self.question(cx).cloned() else {
            let words = EmptyWords(say!("slice-nothing-asked"), say!("slice-nothing-asked-advice"));
            return empty_ui(ui, &pen, rect, icons::WHY, words);
        };
        let bar = Bar { pen: &pen, cx, question: &question, state, is_own: self.own.is_some() };
        let did = bar.ui(ui, rect, &mut self.state.menu, self.view, out);
        if let Some(view) = did.view {
            self.choose_view(view);
        }
        self.state.wish = self.state.wish.or(did.wants_stop.then_some(OwnWish::Stop));
        if did.wants_more {
            self.more(out);
        }
        match state.and_then(SliceState::slice).map(Arc::clone) {
            Some(slice) if state.is_some_and(|state| state.error().is_none()) => {
                self.rows_ui(ui, &pen, did.rest, &Shown { slice: &slice, cx }, out);
            }
            _ => self.without_rows_ui(ui, &pen, did.rest, cx, out),
        }
    }
}
