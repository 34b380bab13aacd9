//! Hits and bookmarks in a list of steps and on its scroll bar.

use egui::{Rect, Ui, vec2};
use stepback_parsers::{Position, Step};

use crate::panels::PanelContext;
use crate::panels::bookmarks::{ribbon_tip, ribbon_ui};
use crate::panels::list::ScrollBarTick;
use crate::panels::pen::Pen;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::spots::{is_any_in, spots};

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
