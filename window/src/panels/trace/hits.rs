//! Hits, slice steps and bookmarks in a list of steps: their bar, the rows for hidden steps, and
//! the marks on rows and on the scroll bar.
//!
//! The note below the last step of a program that crashed is drawn here too.

use egui::{Rect, Ui, pos2, vec2};
use stepback_debugger::action::StepRange;
use stepback_debugger::action::{Action, SearchAction};
use stepback_debugger::analysis::fatal_ending::FatalEnding;
use stepback_debugger::messages::say;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::found::{SearchEnd, subject};
use stepback_debugger::model::hit_rows::{StepSelection, is_any_in, spots};
use stepback_debugger::model::slice::{SliceProgress, question_words};
use stepback_debugger::model::so_far::so_far;
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::trace_notes::fatal_words;
use stepback_parsers::{Position, Step};

use crate::panels::PanelContext;
use crate::panels::bookmarks::{ribbon_tip, ribbon_ui};
use crate::panels::list::ScrollBarTick;
use crate::panels::pen::{INSET, Pen, ROW};
use crate::panels::row::{RowState, StepLink, button_response, row_background, row_response};
use crate::panels::trace::menu::TraceContext;
use crate::panels::trace::paint::{TraceColumns, paint_note};
use crate::theme::{icon, icons, ui as ui_font};

/// Height of the bar.
const BAR: f32 = 24.0;
/// Offered numbers of steps around hits.
const AROUND: [u64; 4] = [0, 1, 3, 10];
/// Minimum width of a bar that offers them.
const AROUND_FROM: f32 = 320.0;

/// Draws the bar: the number of hits among the steps, and the choice of the number of steps around
/// them. Returns the area below.
pub fn hits_bar_ui(
    ui: &Ui,
    rect: Rect,
    TraceContext { cx, window }: TraceContext<'_>,
    out: &mut Vec<Action>,
) -> Rect {
    let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
    let pen = Pen::new(ui, bar, cx.tok);
    let y = bar.center().y;
    pen.fill(bar, cx.tok.bg3);
    pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
    let mut right = bar.right() - 4.0;
    let mut button = |words: &str, name: &str, is_chosen: bool| {
        let width = pen.width(words, ui_font(12.0)) + 12.0;
        right -= width;
        let rect = Rect::from_min_max(pos2(right, y - 10.0), pos2(right + width, y + 10.0));
        let response = button_response(ui, rect, name, name);
        if response.hovered() || response.has_focus() || is_chosen {
            pen.painter.rect_filled(
                rect,
                4.0,
                if is_chosen {
                    pen.tok.sel
                } else {
                    pen.tok.hover
                },
            );
        }
        pen.text(
            rect.left() + 6.0,
            y,
            words,
            ui_font(12.0),
            if is_chosen {
                pen.tok.t1
            } else {
                pen.tok.accent
            },
        );
        response.on_hover_text(name).clicked()
    };
    if button(say!("hits-all-steps"), say!("hits-show-all-steps"), false) {
        out.push(Action::Search(SearchAction::ToggleOnlyHits));
    }
    if bar.width() > AROUND_FROM {
        for context in AROUND.into_iter().rev() {
            let name = say!("hits-around", count = context);
            if button(
                &format!("±{context}"),
                &name,
                context == window.only_hits.context,
            ) {
                out.push(Action::Search(SearchAction::SurroundHits(context)));
            }
        }
    }
    let steps = cx.desk.session.index.step_count();
    let words = match cx.desk.find.found() {
        _ if window.only_hits.of == StepSelection::Slice => slice_bar_words(cx),
        Some(found) => {
            let mut hits = thousands(found.positions.len() as u64);
            if found.end != SearchEnd::Done {
                hits = say!("sofar-so-far", text = hits);
            }
            let of = so_far(
                &cx.desk.session,
                &say!("hits-only", hits = hits, steps = steps),
            );
            format!("{of} · {}", subject(&found.meaning, &cx.desk.session))
        }
        None => say!("hits-only-none", steps = steps),
    };
    let color = if window.only_hits.of == StepSelection::Slice {
        cx.tok.taken
    } else {
        cx.tok.hit
    };
    pen.text(bar.left() + INSET, y, icons::FILTER, icon(13.0), color);
    pen.cut_text(
        pos2(bar.left() + INSET + 20.0, y),
        &words,
        ui_font(12.0),
        cx.tok.t1,
        right - 6.0,
    );
    let label = bar.with_max_x(right - 6.0);
    let response = ui.interact(
        label,
        ui.unique_id().with("only hits"),
        egui::Sense::hover(),
    );
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    response.on_hover_text(words);
    rest
}

/// Describes the slice: the number of its steps until now, and its query.
fn slice_bar_words(cx: &PanelContext<'_>) -> String {
    let steps = cx.desk.session.index.step_count();
    let Some(slice) = cx.desk.slice.slice() else {
        return say!("hits-only-slice", hits = "0", steps = steps);
    };
    let mut hits = thousands(slice.step_count());
    if slice.end != SliceProgress::Whole {
        hits = say!("sofar-so-far", text = hits);
    }
    let of = so_far(
        &cx.desk.session,
        &say!("hits-only-slice", hits = hits, steps = steps),
    );
    format!("{of} · {}", question_words(slice))
}

/// Describes hidden steps: outside of the slice, or older than the slice has followed yet.
fn beside_slice_words(cx: &PanelContext<'_>, HiddenSteps { first, count }: HiddenSteps) -> String {
    let slice = cx.desk.slice.slice();
    let oldest = slice.and_then(|slice| slice.positions.first().copied());
    let is_whole = slice.is_some_and(|slice| slice.end == SliceProgress::Whole);
    match oldest {
        Some(oldest) if is_whole || first.0 >= oldest => say!("hits-hidden", count = count),
        _ => say!("hits-hidden-not-followed", count = count),
    }
}

/// Consecutive steps that are not shown.
struct HiddenSteps {
    first: Step,
    count: u64,
}

/// Row for the hidden steps between two hits.
pub struct HiddenRow<'a> {
    pub rect: Rect,
    pub first: Step,
    pub last: Step,
    pub pen: &'a Pen<'a>,
    pub columns: &'a TraceColumns,
}

impl HiddenRow<'_> {
    /// Draws the row; a click shows the steps.
    pub fn ui(
        &self,
        ui: &Ui,
        TraceContext { cx, window }: TraceContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let Self {
            rect,
            first,
            last,
            pen,
            columns,
        } = self;
        let count = last.0.saturating_sub(first.0).saturating_add(1);
        let searched = cx.desk.find.found().map_or(0, |found| found.searched.0);
        let is_outside = cx
            .desk
            .find
            .found()
            .is_some_and(|found| last.after() <= found.from || first.before() >= found.to);
        let is_slice = window.only_hits.of == StepSelection::Slice;
        let words = match () {
            () if is_slice => beside_slice_words(
                cx,
                HiddenSteps {
                    first: *first,
                    count,
                },
            ),
            () if is_outside => say!("hits-hidden-outside", count = count),
            () if last.0 < searched => say!("hits-hidden", count = count),
            () if first.0 >= searched => say!("hits-hidden-not-yet", count = count),
            () => say!("hits-hidden-not-all", count = count),
        };
        let response = row_response(ui, *rect, ("hidden", first.0), || words.clone());
        row_background(
            pen,
            *rect,
            &response,
            RowState {
                is_selected: false,
                is_cursor: false,
                has_focus: true,
            },
        );
        // The line of a position among these steps is below the text.
        let middle = rect.center().y - 2.0;
        pen.label(columns.address + 2.0, middle, &words, pen.tok.t3);
        if response.on_hover_text(say!("hits-show-these")).clicked() {
            let steps = StepRange {
                first: first.before(),
                last: last.after(),
            };
            out.push(Action::Search(SearchAction::OpenHidden(window.id, steps)));
        }
    }
}

/// Width of the mark of a hit on the scroll bar.
const HIT_TICK: f32 = 4.0;
/// Width of the mark of a bookmark on the scroll bar.
const BOOKMARK_TICK: f32 = 7.0;

/// Returns the hits of the search on the scroll bar, at most one per pixel.
pub fn hit_ticks<'a>(
    cx: &PanelContext<'a>,
    window: &'a TraceWindow,
    height: f32,
) -> impl Iterator<Item = ScrollBarTick> + use<'a> {
    let positions = cx
        .desk
        .find
        .found()
        .map(|found| &*found.positions)
        .unwrap_or_default();
    ticks(positions, window, height, cx.tok.hit)
}

/// Returns the steps of the slice on the scroll bar, at most one per pixel.
pub fn slice_ticks<'a>(
    cx: &PanelContext<'a>,
    window: &'a TraceWindow,
    height: f32,
) -> impl Iterator<Item = ScrollBarTick> + use<'a> {
    let positions = cx
        .desk
        .slice
        .slice()
        .map(|slice| &*slice.positions)
        .unwrap_or_default();
    ticks(positions, window, height, cx.tok.taken)
}

/// Returns marks of the differences to the second trace on the scroll bar.
pub fn difference_ticks<'a>(
    cx: &PanelContext<'a>,
    window: &'a TraceWindow,
    height: f32,
) -> impl Iterator<Item = ScrollBarTick> + use<'a> {
    let differences = cx.desk.comparison.differences();
    let positions = differences.map_or(&[][..], |differences| differences.stops());
    ticks(positions, window, height, cx.tok.changed)
}

/// Returns marks of positions, at most one per pixel of the scroll bar.
fn ticks<'a>(
    positions: &[u64],
    window: &'a TraceWindow,
    height: f32,
    color: egui::Color32,
) -> impl Iterator<Item = ScrollBarTick> + use<'a> {
    let rows = window.row_count().max(1);
    let pixels = u64::from((height.max(1.0) as u32).max(1)).min(rows);
    let row_of = move |position: u64| window.row_of(Step(position.saturating_sub(1)));
    let pixel_of = move |row: u64| u128::from(row) * u128::from(pixels) / u128::from(rows);
    let spot_of =
        move |position: u64| u32::try_from(pixel_of(row_of(position))).unwrap_or(u32::MAX);
    let row = move |spot: u32| {
        u64::try_from(u128::from(spot) * u128::from(rows) / u128::from(pixels)).unwrap_or(rows)
    };
    let spots = spots(positions, 1..=u64::MAX, spot_of);
    spots.into_iter().map(move |spot| ScrollBarTick {
        row: row(spot.spot),
        color,
        width: HIT_TICK,
    })
}

/// Returns the bookmarks on the scroll bar. There are few enough of them to draw all.
pub fn bookmark_ticks<'a>(
    cx: &PanelContext<'a>,
    window: &'a TraceWindow,
) -> impl Iterator<Item = ScrollBarTick> + use<'a> {
    let tok = cx.tok;
    cx.desk.bookmarks.list().iter().filter_map(move |bookmark| {
        let row = window.gap_of(Position(bookmark.place.position()?));
        Some(ScrollBarTick {
            row: row.saturating_sub(1),
            color: tok.ribbon(bookmark.color),
            width: BOOKMARK_TICK,
        })
    })
}

/// A range of steps whose bookmarks are shown.
pub struct MarkedSteps<'a, 'b> {
    pub cx: &'a PanelContext<'b>,
    pub first: Step,
    pub last: Step,
}

/// Draws the ribbon of a bookmark just after one of the steps. A bar shows that the steps are in a
/// bookmarked range.
pub fn marks_ui(
    ui: &Ui,
    pen: &Pen<'_>,
    rect: Rect,
    response: &egui::Response,
    MarkedSteps { cx, first, last }: MarkedSteps<'_, '_>,
) {
    if cx.desk.bookmarks.list().is_empty() {
        return;
    }
    for (bookmark, _, _) in cx.desk.bookmarks.ranges_in(first.0, last.after().0) {
        let bar = Rect::from_min_size(rect.min, vec2(2.0, rect.height()));
        pen.fill(bar, cx.tok.ribbon(bookmark.color));
        ribbon_tip(ui, response, bar.expand2(vec2(2.0, 0.0)), bookmark);
    }
    // A bookmark at the very start has no step before it.
    let from = if first == Step(0) { 0 } else { first.after().0 };
    if let Some(bookmark) = cx.desk.bookmarks.moment_in(from, last.after().0) {
        let at = rect.left_top() + vec2(3.0, 3.0);
        ribbon_ui(pen, at, cx.tok.ribbon(bookmark.color));
        ribbon_tip(
            ui,
            response,
            Rect::from_min_size(rect.min, vec2(14.0, rect.height())),
            bookmark,
        );
    }
}

/// Returns true if the search has a hit just after any of the steps.
pub fn is_hit(cx: &PanelContext<'_>, first: Step, last: Step) -> bool {
    cx.desk
        .find
        .found()
        .is_some_and(|found| found.is_any_in(first.after().0..=last.after().0))
}

/// Returns true if any of the steps is in the slice.
pub fn is_in_slice(cx: &PanelContext<'_>, first: Step, last: Step) -> bool {
    cx.desk
        .slice
        .slice()
        .is_some_and(|slice| is_any_in(&slice.positions, first.after().0..=last.after().0))
}

/// Rows for the text "End of trace", two or three lines of the note, and the link.
pub const NOTE_ROWS: u64 = 5;

/// The note below the last step of a program that crashed.
#[derive(Clone, Copy)]
pub struct EndNote<'a>(pub &'a FatalEnding);

/// Pen and columns of the note.
pub struct NotePaint<'a> {
    pub pen: &'a Pen<'a>,
    pub columns: &'a TraceColumns,
}

impl EndNote<'_> {
    /// Draws the note below a row, with a link to the fatal step. Returns its height.
    pub fn ui(
        &self,
        ui: &Ui,
        row: Rect,
        NotePaint { pen, columns }: NotePaint<'_>,
        TraceContext { cx, window }: TraceContext<'_>,
        out: &mut Vec<Action>,
    ) -> f32 {
        let Self(ending) = self;
        let note = row.translate(vec2(0.0, ROW));
        let height = paint_note(pen, columns, note, &fatal_words(ending));
        let y = note.top() + height - ROW / 2.0;
        let end = pen.label(columns.address + 2.0, y, say!("trace-go-to"), cx.tok.t2);
        StepLink {
            step: ending.step,
            trace: window.trace,
            window: window.id,
        }
        .ui(ui, pen, end + 6.0, y, out);
        height
    }
}
