//! What differs between two positions.

use std::sync::Arc;

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_index::Cancel;
use stepback_parsers::Position;

use super::beside::Beside;
use super::rows::{Columns, Lengths, Meant, Table, Touched};
use crate::panels::ViewCx;
use crate::panels::cursor_list::{AnswerPlace, take_rect};
use crate::panels::field::Field;
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::list::List;
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen, ROW, head_font};
use crate::panels::row::{EmptyWords, button_response, empty_ui, error_ui, watch_for_late};
use crate::theme::{icon, icons, ui as ui_font};
use stepback_debugger::action::{Access, Action, CellName, PanelKind, Way, WindowId};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::messages::say;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::compare::{Between, CompareRow, Comparison, RowsWanted, accessed_between, compare};
use stepback_debugger::model::scroll::{Scroll, Viewport};
use stepback_debugger::model::text::thousands;
use stepback_debugger::worker::{Answer, Slot};

/// Who against whom.
const BAR: f32 = 30.0;
/// The heads of the columns.
const HEAD: f32 = 24.0;
/// From this width on there are more columns.
pub(super) const WIDE: f32 = 800.0;
/// From this width on a row shows sixteen single bytes.
const ROOMY: f32 = 1900.0;

/// The difference of two positions as a table.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ComparePanel {
    /// The window that is before; without one, the first.
    #[serde(default)]
    before: Option<WindowId>,
    /// The window that is after; without one, the second.
    #[serde(default)]
    after: Option<WindowId>,
    /// Only cells that steps between read, or wrote.
    #[serde(default)]
    accessed: Option<Access>,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<CompareState>,
}

#[derive(Default)]
struct CompareState {
    answer: Slot<(Position, Position), Arc<Comparison>>,
    rows: Slot<RowsKey, Arc<LaidRows>>,
    /// Titles of groups that were opened or closed.
    toggled: Vec<String>,
    filter: String,
    scroll: Scroll,
    cursor: Option<CellName>,
    /// Which of its values is meant.
    meant: Meant,
    beside: Beside,
}

/// Which rows of which comparison: while a trace is indexed, the same positions may differ in more.
#[derive(Clone, PartialEq)]
struct RowsKey {
    wanted: RowsWanted,
    between: Between,
    step_count: u64,
}

/// Rows, made on a worker: there may be as many as a call has written cells.
struct LaidRows {
    between: Between,
    rows: Vec<CompareRow>,
    lengths: Lengths,
}

/// What the bar shows.
pub struct BarView<'a> {
    pub pen: &'a Pen<'a>,
    pub pair: Pair<'a>,
    pub comparison: Option<&'a Comparison>,
}

/// A way to leave out cells, and what it is called.
struct Choice {
    access: Option<Access>,
    words: &'static str,
}

/// One of the two windows, and both.
pub struct Side<'a> {
    pub place: usize,
    pub window: &'a TraceWindow,
    pub pair: Pair<'a>,
}

/// What the table shows.
pub struct TableView<'a> {
    pub pen: &'a Pen<'a>,
    pub pair: Pair<'a>,
    pub comparison: &'a Arc<Comparison>,
}

/// What the heads of the columns show.
pub struct HeadView<'a> {
    pub pen: &'a Pen<'a>,
    pub pair: Pair<'a>,
    pub columns: &'a Columns,
}

impl std::fmt::Debug for CompareState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompareState").field("filter", &self.filter).finish_non_exhaustive()
    }
}

/// The two windows.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    /// What is compared.
    pub left: &'a TraceWindow,
    /// With what.
    pub right: &'a TraceWindow,
}

impl ComparePanel {
    /// The difference of the first two windows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Shows the difference of these two windows.
    pub fn choose(&mut self, before: WindowId, after: WindowId) {
        (self.before, self.after) = (Some(before), Some(after));
    }

    fn pair<'a>(&self, cx: &ViewCx<'a>) -> Option<Pair<'a>> {
        let (first, second) = cx.desk.windows.pair()?;
        let chosen = |id: Option<WindowId>| id.and_then(|id| cx.desk.windows.get(id));
        match (chosen(self.before), chosen(self.after)) {
            (Some(left), Some(right)) if left.id != right.id => Some(Pair { left, right }),
            _ => Some(Pair { left: first, right: second }),
        }
    }

    fn bar_ui(&mut self, ui: &mut Ui, bar: Rect, BarView { pen, pair, comparison }: BarView<'_>, cx: &ViewCx<'_>) {
        let tok = cx.tok;
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
        let y = bar.center().y;
        let mut x = bar.left() + INSET;
        for (place, window) in [pair.left, pair.right].into_iter().enumerate() {
            if place == 1 {
                pen.text(x + 8.0, y, icons::FORWARD, icon(12.0), tok.t3);
                x += 28.0;
            }
            let start = x;
            x = pen.badge(x, y, window.id.0) + 6.0;
            x = pen.code(x, y, thousands(window.position.0), tok.t1);
            let touch = Rect::from_min_max(pos2(start, bar.top()), pos2(x, bar.bottom()));
            self.choose_ui(ui, touch, Side { place, window, pair }, cx);
        }
        let swap = Rect::from_center_size(pos2(x + 20.0, y), vec2(22.0, 22.0));
        let response =
            button_response(ui, swap, "swap", say!("compare-swap-sides")).on_hover_text(say!("compare-swap-sides"));
        if response.hovered() {
            pen.painter.rect_filled(swap, 4.0, tok.bg3);
        }
        pen.text_centered(swap.center(), icons::SWAP, icon(14.0), tok.t2);
        if response.clicked() {
            (self.before, self.after) = (Some(pair.right.id), Some(pair.left.id));
        }
        let mut right = bar.right() - 8.0;
        let choices = [
            (None, say!("compare-all")),
            (Some(Access::Write), say!("compare-written")),
            (Some(Access::Read), say!("compare-read")),
        ];
        if bar.width() >= WIDE {
            for (access, words) in choices.into_iter().rev() {
                let width = pen.width(words, ui_font(11.5)) + 16.0;
                let segment = Rect::from_min_max(pos2(right - width, y - 10.0), pos2(right, y + 10.0));
                self.accessed_ui(ui, pen, segment, Choice { access, words });
                right = segment.left() - 2.0;
            }
            right -= 6.0;
            let field = Rect::from_min_size(pos2(right - 200.0, y - 11.0), vec2(200.0, 22.0));
            Field { hint: say!("compare-filter-cells"), icon: icons::FILTER }.ui(
                ui,
                pen,
                field,
                &mut self.state.filter,
            );
            right = field.left() - 12.0;
        }
        if let Some(comparison) = comparison {
            pen.cut_text(pos2(x + 42.0, y), &comparison.summary(), ui_font(12.0), tok.t2, right);
        }
    }

    /// One of the ways to leave out cells.
    fn accessed_ui(&mut self, ui: &Ui, pen: &Pen<'_>, rect: Rect, Choice { access, words }: Choice) {
        let tok = pen.tok;
        let name = match access {
            Some(Access::Write) => say!("compare-cells-that-were-written-between"),
            Some(Access::Read) => say!("compare-cells-that-were-read-between"),
            None => say!("compare-all-cells-small"),
        };
        let response = button_response(ui, rect, ("accessed", words), name);
        let is_chosen = self.accessed == access;
        if is_chosen || response.hovered() {
            pen.painter.rect_filled(rect, 3.0, if is_chosen { tok.bg4 } else { tok.bg3 });
        }
        pen.text_centered(rect.center(), words, ui_font(11.5), if is_chosen { tok.t1 } else { tok.t2 });
        if response.clicked() {
            self.accessed = access;
        }
        response.on_hover_text(match access {
            None => say!("compare-all-cells-that-differ"),
            Some(Access::Write) => say!("compare-cells-that-differ-and-that"),
            Some(Access::Read) => say!("compare-cells-that-differ-and-that-a"),
        });
    }

    /// A click on one of the two offers the other windows.
    fn choose_ui(&mut self, ui: &mut Ui, touch: Rect, Side { place, window, pair }: Side<'_>, cx: &ViewCx<'_>) {
        let [left, right] = sides(pair);
        let side = if place == 0 { left } else { right };
        let response =
            button_response(ui, touch, ("side", place), &say!("compare-side", side = side, number = window.id.0));
        egui::Popup::menu(&response).show(|ui| {
            for other in &cx.desk.windows.list {
                let words = say!("compare-window-at", number = other.id.0, position = other.position.0);
                if ui.add(egui::Button::selectable(other.id == window.id, words)).clicked() {
                    let (mut before, mut after) = (pair.left.id, pair.right.id);
                    // Choosing the window of the other side changes sides.
                    match place {
                        0 => (before, after) = (other.id, if other.id == after { before } else { after }),
                        _ => (before, after) = (if other.id == before { after } else { before }, other.id),
                    }
                    (self.before, self.after) = (Some(before), Some(after));
                }
            }
        });
    }

    fn table_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        TableView { pen, pair, comparison }: TableView<'_>,
        cx: &ViewCx<'_>,
        out: &mut Vec<Action>,
    ) {
        if comparison.is_empty() {
            let words = EmptyWords(say!("compare-the-two-positions-are-the"), say!("compare-move-one-of-the-windows"));
            return empty_ui(ui, pen, rect, icons::COMPARE, words);
        }
        let laid = match self.laid_rows(rect.width(), comparison, cx) {
            Some(Ok(laid)) => laid,
            Some(Err(error)) => return error_ui(ui, pen, rect, &error, out),
            None => return watch_for_late(ui),
        };
        let (rows, between) = (&laid.rows, laid.between);
        let columns = Columns::new(rect, laid.lengths);
        let (head, list) = rect.split_top_bottom_at_y(rect.top() + HEAD);
        head_ui(ui, head, HeadView { pen, pair, columns: &columns }, cx);
        self.keys(ui, rows, list, cx, out);
        let state = List { rows: rows.len() as u64, ticks: &[], has_lasting_bar: false };
        let area = state.ui(ui, list, &mut self.state.scroll, cx.tok);
        let shown: Vec<(Rect, &CompareRow)> =
            area.rows().filter_map(|(row, rect)| Some((rect, rows.get(usize::try_from(row).ok()?)?))).collect();
        self.state.beside.poll(shown.iter().map(|(_, row)| *row), between, cx);
        let mut touched = Touched::default();
        let pen = Pen { painter: pen.painter.with_clip_rect(area.body), tok: pen.tok };
        let (Beside { writers, writes, .. }, meant) = (&self.state.beside, self.state.meant);
        let table =
            Table { pen: &pen, cx, columns, between, writers, writes, cursor: self.state.cursor.as_ref(), meant };
        for (rect, row) in shown {
            table.row_ui(ui, rect, row, &mut touched, out);
        }
        self.apply(touched);
    }

    fn apply(&mut self, touched: Touched) {
        if touched.cursor.is_some() {
            self.state.cursor = touched.cursor;
        }
        self.state.meant = touched.meant.unwrap_or(self.state.meant);
        if let Some(title) = touched.toggled {
            if self.state.toggled.contains(&title) {
                self.state.toggled.retain(|toggled| *toggled != title);
            } else {
                self.state.toggled.push(title);
            }
        }
    }

    /// The rows as they are filtered, opened and as wide as there is room; those before while they are made.
    fn laid_rows(
        &mut self,
        width: f32,
        comparison: &Arc<Comparison>,
        cx: &ViewCx<'_>,
    ) -> Option<Result<Arc<LaidRows>, String>> {
        let filter = if width >= WIDE { self.state.filter.clone() } else { String::new() };
        let bytes_in_row = if width >= ROOMY { 16 } else { 8 };
        let accessed = self.accessed.filter(|_| width >= WIDE);
        let wanted = RowsWanted { filter, toggled: self.state.toggled.clone(), bytes_in_row, accessed };
        let key = RowsKey { wanted, between: comparison.between, step_count: comparison.step_count };
        let make = |key: &RowsKey| {
            let (wanted, comparison, session) =
                (key.wanted.clone(), Arc::clone(comparison), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| {
                let mut rows = comparison.rows(&wanted, &session.images);
                if let Some(access) = wanted.accessed {
                    rows = accessed_between(&session, rows, access, comparison.between, cancel)?;
                }
                Ok(Arc::new(LaidRows { between: comparison.between, lengths: Lengths::of(&rows), rows }))
            }
        };
        // Who accesses a cell is looked for in the trace, for each.
        let answer = match accessed {
            Some(_) => self.state.rows.poll_long(&key, &cx.desk.worker, make),
            None => self.state.rows.poll(&key, &cx.desk.worker, make),
        };
        match answer {
            Answer::Failed(error) => Some(Err(error.to_owned())),
            answer => answer.any().cloned().map(Ok),
        }
    }

    fn keys(&mut self, ui: &Ui, rows: &[CompareRow], list: Rect, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        for key in take_keys(ui, cx) {
            let cursor = self.state.cursor.as_ref();
            let place = rows.iter().position(|row| cursor.is_some() && cell_of(row) == cursor);
            let (up, down) = (place.unwrap_or(0), place.map_or(0, |place| place + 1));
            let to = match key {
                PanelKey::Up => rows.get(..up).and_then(|above| above.iter().rposition(|row| cell_of(row).is_some())),
                PanelKey::Down => (down..rows.len()).find(|row| rows.get(*row).and_then(cell_of).is_some()),
                PanelKey::First => rows.iter().position(|row| cell_of(row).is_some()),
                PanelKey::Last => rows.iter().rposition(|row| cell_of(row).is_some()),
                PanelKey::Left | PanelKey::Right => {
                    self.state.meant = if key == PanelKey::Left { Meant::Left } else { Meant::Right };
                    None
                }
                PanelKey::Enter | PanelKey::ShiftEnter => {
                    let way = if key == PanelKey::Enter { Way::Back } else { Way::Forward };
                    out.extend(self.state.cursor.clone().map(|cell| Action::GoToAccess(cell, Access::Write, way)));
                    None
                }
                _ => None,
            };
            if let Some(to) = to {
                self.state.cursor = rows.get(to).and_then(cell_of).cloned();
                let view = Viewport { rows: rows.len() as u64, height: list.height(), row_height: ROW };
                self.state.scroll.reveal_row(to as u64, &view);
            }
        }
    }
}

impl Panel for ComparePanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::new()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Compare
    }

    fn title(&self) -> String {
        say!("compare-compare").to_owned()
    }

    /// The cell under the cursor.
    fn selection(&self, _: &ViewCx<'_>) -> Option<CellName> {
        self.state.cursor.clone()
    }

    fn selection_at(&self, cx: &ViewCx<'_>) -> Option<Position> {
        let Pair { left, right } = self.pair(cx)?;
        Some(if self.state.meant == Meant::Left { left.position } else { right.position })
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        if self.session.is_new(&cx.desk.session) {
            *self.state = CompareState::default();
        }
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let Some(pair) = self.pair(cx) else {
            let words = EmptyWords(say!("compare-nothing-to-compare-yet"), say!("compare-open-a-second-trace-window"));
            return empty_ui(ui, &pen, rect, icons::COMPARE, words);
        };
        let key = (pair.left.position, pair.right.position);
        let mut slot = std::mem::take(&mut self.state.answer);
        let answer = slot.poll_long(&key, &cx.desk.worker, |(from, to)| {
            let (from, to, session) = (*from, *to, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| Ok(Arc::new(compare(&session, from, to, cancel)?))
        });
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        self.bar_ui(ui, bar, BarView { pen: &pen, pair, comparison: answer.any().map(Arc::as_ref) }, cx);
        let place = AnswerPlace { pen: &pen, rect: rest };
        place.ui(ui, &answer, out, |ui, pen, comparison, out| {
            self.table_ui(ui, rest, TableView { pen, pair, comparison }, cx, out);
        });
        if slot.is_waiting() {
            watch_for_late(ui);
        }
        self.state.answer = slot;
    }
}

fn cell_of(row: &CompareRow) -> Option<&CellName> {
    match row {
        CompareRow::Cell { cell, .. } => Some(cell),
        CompareRow::Group { .. } => None,
    }
}

/// What the left and the right one are in time: either may be the earlier one.
fn sides(pair: Pair<'_>) -> [&'static str; 2] {
    if pair.right.position < pair.left.position {
        [say!("compare-after"), say!("compare-before")]
    } else {
        [say!("compare-before"), say!("compare-after")]
    }
}

fn head_ui(ui: &Ui, head: Rect, HeadView { pen, pair, columns }: HeadView<'_>, cx: &ViewCx<'_>) {
    let (tok, y) = (cx.tok, head.center().y);
    pen.line_across(head.left(), head.right(), head.bottom() - 1.0, tok.line);
    pen.text(columns.cell, y, say!("compare-cell"), head_font(), tok.t2);
    let [left, right] = sides(pair);
    for (x, window, word) in [(columns.before, pair.left, left), (columns.after, pair.right, right)] {
        let end = pen.badge(x, y, window.id.0);
        pen.text(end + 6.0, y, word, head_font(), tok.t2);
    }
    pen.text(columns.writer, y, say!("compare-last-written-by"), head_font(), tok.t2);
    let titles = [
        (columns.meaning, say!("compare-means")),
        (columns.instruction, say!("compare-instruction")),
        (columns.source, say!("compare-source")),
    ];
    for (x, title) in titles.into_iter().filter_map(|(x, title)| Some((x?, title))) {
        pen.text(x, y, title, head_font(), tok.t2);
    }
    if let Some(x) = columns.writes {
        pen.text_left_of(x, y, say!("compare-writes-between"), head_font(), tok.t2);
    }
    let response = ui.interact(head, ui.unique_id().with("head"), Sense::hover());
    let words = say!("compare-head", first = pair.left.id.0, left = left, second = pair.right.id.0, right = right);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
}
