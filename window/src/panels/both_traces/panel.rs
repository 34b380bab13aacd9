//! The panel of the steps of two traces: matched steps share a row, and the other side of a step
//! without a partner is empty.

use std::ops::Range;

use egui::{Rect, Ui, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::{Action, PanelKind, WindowId};
use stepback_debugger::messages::say;
use stepback_debugger::model::aligned_steps::AlignedStep;
use stepback_debugger::model::step_rows::StepRow;
use stepback_debugger::model::text::thousands;
use stepback_debugger::session::Session;
use stepback_debugger::views::{
    BothTracesView, PanelView, RowGesture, RowListing, ViewStatus, comparison_offer,
};
use stepback_parsers::RegisterSource;

use crate::panels::PanelContext;
use crate::panels::cursor_list::{CursorList, ListExtent, RowInput, take_rect};
use crate::panels::offer::PanelOffer;
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen, ROW};
use crate::panels::row::{
    EmptyMessage, RowState, empty_ui, error_ui, loading_ui, row_background, row_response,
};
use crate::panels::trace::{
    RowPaint, ThreadNameWidth, TraceColumnContent, TraceColumns, paint_row,
};
use crate::theme::{icons, medium, mono, ui as ui_font};

/// Height of the bar with the names of the traces and the summary.
const BAR: f32 = 26.0;

/// The steps of two traces.
#[derive(Default, Serialize, Deserialize)]
pub struct BothTracesPanel {
    #[serde(skip)]
    view: Box<BothTracesView>,
    #[serde(skip)]
    list: CursorList,
}

/// Side of a row: A at the left, B at the right.
#[derive(Clone, Copy)]
enum Side {
    A,
    B,
}

impl Side {
    fn row(self, step: &AlignedStep) -> Option<&StepRow> {
        match self {
            Self::A => step.a.as_ref(),
            Self::B => step.b.as_ref(),
        }
    }

    /// Describes a step that this side lacks.
    fn absence(self) -> &'static str {
        match self {
            Self::A => say!("differences-only-in-b"),
            Self::B => say!("differences-only-in-a"),
        }
    }

    /// Returns the half of a rectangle.
    fn half(self, rect: Rect) -> Rect {
        let middle = rect.center().x.round();
        let (left, right) = rect.split_left_right_at_x(middle);
        match self {
            Self::A => left,
            Self::B => right,
        }
    }
}

impl BothTracesPanel {
    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        rows: &RowListing,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let (bar, list) = rect.split_top_bottom_at_y(rect.top() + BAR);
        let extent = ListExtent {
            rows: rows.count,
            list,
        };
        self.list.follow(rows.marked, self.view.margin(), extent);
        self.list.keys(ui, &mut *self.view, extent, cx, out);
        let area = self.list.area(ui, list, rows.count, cx.tok);
        let pen = Pen::new(ui, rect, cx.tok);
        let seen = area.seen();
        if let Some(error) = self.view.fetch(seen.clone(), cx.desk) {
            return error_ui(ui, &pen, list, &error, out);
        }
        let halves = [Side::A, Side::B].map(|side| side.half(area.body));
        bar_ui(&pen, bar, halves, &BarWords::new(&self.view, rows, cx));
        let pen = Pen {
            painter: pen.painter.with_clip_rect(area.body),
            tok: cx.tok,
        };
        let columns = [Side::A, Side::B].map(|side| self.columns(side, area.body, &seen, cx));
        let mut touched = RowInput::default();
        for (place, rect) in area.places() {
            let row = AlignedRow {
                place,
                rect,
                has_focus: cx.has_focus,
            };
            self.row_ui(ui, &pen, row, &columns, &mut touched);
        }
        let [first, _] = halves;
        pen.line_down(first.right(), list.top(), list.bottom(), cx.tok.line2);
        touched.apply(&mut *self.view, &mut self.list, cx.desk, out);
    }

    /// Lays out the columns of a side for the rows in view.
    fn columns(
        &self,
        side: Side,
        body: Rect,
        seen: &Range<usize>,
        cx: &PanelContext<'_>,
    ) -> TraceColumns {
        let steps = || seen.clone().filter_map(|row| self.view.step(row));
        let rows = || steps().filter_map(|step| side.row(step));
        // Both sides have the same indentation.
        let depths = steps().flat_map(|step| step.a.iter().chain(&step.b));
        let session: &Session = match (side, self.view.other()) {
            (Side::B, Some(other)) => other,
            _ => &cx.desk.session,
        };
        let index = &session.index;
        let content = TraceColumnContent {
            step_count: index.step_count(),
            names: ThreadNameWidth::default(),
            least_depth: depths.map(|row| row.depth).min().unwrap_or_default(),
            highest: rows().map(|row| row.address).max().unwrap_or_default(),
            longest_offset: rows()
                .filter_map(|row| row.offset)
                .max()
                .unwrap_or_default(),
            has_symbols: !session.images.is_empty(),
            has_values: index.source().traits().registers == RegisterSource::Recorded,
        };
        TraceColumns::new(side.half(body), &content)
    }

    fn row_ui(
        &self,
        ui: &Ui,
        pen: &Pen<'_>,
        row: AlignedRow,
        columns: &[TraceColumns; 2],
        touched: &mut RowInput,
    ) {
        let (tok, place, rect) = (pen.tok, row.place, row.rect);
        let step = self.view.step(place);
        let name = || step.map(AlignedStep::line).unwrap_or_default();
        let response = row_response(ui, rect, ("aligned", place), name);
        let is_done = self.view.is_here(place);
        let state = RowState {
            is_selected: is_done,
            is_cursor: self.list.cursor == place,
            has_focus: row.has_focus,
        };
        row_background(pen, rect, &response, state);
        let Some(step) = step else { return };
        if step.has_other_values {
            let background = if is_done { tok.sel } else { tok.changed_bg };
            pen.fill(rect, background);
            pen.fill(Rect::from_min_size(rect.min, vec2(3.0, ROW)), tok.changed);
        }
        let mut is_cut = false;
        for (side, columns) in [Side::A, Side::B].into_iter().zip(columns) {
            let half = side.half(rect);
            let Some(row) = side.row(step) else {
                pen.fill(half, tok.bg3);
                let at = pos2(half.left() + INSET, half.center().y);
                pen.cut_text(at, side.absence(), ui_font(11.5), tok.t3, half.right());
                continue;
            };
            let pen = Pen {
                painter: pen
                    .painter
                    .with_clip_rect(half.intersect(pen.painter.clip_rect())),
                tok,
            };
            let paint = RowPaint {
                row: Some(row),
                is_done,
                thread: "",
                line: None,
                pointer: None,
            };
            is_cut |= paint_row(&pen, columns, half, row.step, paint).is_cut;
        }
        if response.clicked() {
            touched.cursor = Some(place);
            touched.gesture(place, RowGesture::Go);
        }
        if is_cut {
            response.on_hover_ui_at_pointer(|ui| {
                for row in step.a.iter().chain(&step.b) {
                    let text = format!("{} {}", thousands(row.step.0), row.full_text());
                    ui.label(egui::RichText::new(text).font(mono(12.0)));
                }
            });
        }
    }
}

/// A row and its place on the screen.
#[derive(Clone, Copy)]
struct AlignedRow {
    place: usize,
    rect: Rect,
    /// The panel has the keyboard.
    has_focus: bool,
}

/// Names of the traces, and the summary.
struct BarWords {
    names: [String; 2],
    summary: String,
}

impl BarWords {
    fn new(view: &BothTracesView, rows: &RowListing, cx: &PanelContext<'_>) -> Self {
        let path = cx.desk.comparison.path();
        let name = |path: &std::path::Path| {
            let name = path.file_name().unwrap_or(path.as_os_str());
            name.to_string_lossy().into_owned()
        };
        let other = view.other().and(path).map(name).unwrap_or_default();
        Self {
            names: [
                format!("A  {}", name(&cx.desk.options.path)),
                format!("B  {other}"),
            ],
            summary: rows.summary.clone(),
        }
    }
}

/// Draws the names of the traces above their columns, and the summary at the right.
fn bar_ui(pen: &Pen<'_>, bar: Rect, halves: [Rect; 2], words: &BarWords) {
    let (tok, y) = (pen.tok, bar.center().y);
    pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
    let mut end = bar.left();
    for (half, name) in halves.into_iter().zip(&words.names) {
        let at = pos2(half.left() + INSET, y);
        end = pen.cut_text(at, name, medium(12.0), tok.t1, half.right() - INSET);
    }
    let room = bar.right() - INSET - end;
    if pen.width(&words.summary, ui_font(11.5)) + 2.0 * INSET <= room {
        let right = bar.right() - INSET;
        pen.text_left_of(right, y, &words.summary, ui_font(11.5), tok.t3);
    }
}

impl Panel for BothTracesPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::default()
    }

    fn kind(&self) -> PanelKind {
        self.view.kind()
    }

    fn title(&self) -> String {
        say!("differences-both-traces").to_owned()
    }

    fn leave_trace(&mut self) {
        self.view.forget();
        self.list = CursorList::default();
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        match self.view.poll(cx.desk) {
            ViewStatus::Failed(error) => error_ui(ui, &pen, rect, &error, out),
            ViewStatus::Loading(words) if words.is_empty() => loading_ui(&pen, rect),
            ViewStatus::Loading(words) => {
                empty_ui(ui, &pen, rect, icons::COMPARE, EmptyMessage(&words, ""));
            }
            ViewStatus::Empty { title, advice } => {
                let words = EmptyMessage(&title, &advice);
                match comparison_offer(cx.desk) {
                    Some((button, action)) => PanelOffer {
                        icon: icons::COMPARE,
                        words,
                        button,
                        action,
                    }
                    .ui(ui, &pen, rect, out),
                    None => empty_ui(ui, &pen, rect, icons::COMPARE, words),
                }
            }
            ViewStatus::Rows(rows) => self.rows_ui(ui, rect, &rows, cx, out),
        }
    }
}
