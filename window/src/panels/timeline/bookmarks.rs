//! The row of bookmarks below the lanes.

use egui::{Rect, Ui, pos2};
use stepback_debugger::messages::say;
use stepback_debugger::notes::{Bookmark, BookmarkPlace};
use stepback_parsers::Position;

use super::lanes::TimelineCanvas;
use super::paint::{TimelineStrip, tip_ui};
use crate::panels::PanelContext;
use crate::panels::bookmarks::ribbon_ui;
use crate::panels::pen::{INSET, Pen};
use crate::theme::ui as ui_font;

/// Maximum distance of a click from the ribbon that it selects.
const GRIP: f32 = 5.0;

/// Returns true if a moment or a part of the trace has a bookmark.
pub fn has_any(cx: &PanelContext<'_>) -> bool {
    // Bookmarks of memory come last.
    cx.desk
        .bookmarks
        .list()
        .first()
        .is_some_and(|bookmark| bookmark.place.position().is_some())
}

/// Draws the row: ribbons at moments, bars over parts. Returns the position of the bookmark under
/// the pointer.
pub fn row_ui(
    ui: &Ui,
    strip: &TimelineStrip,
    TimelineCanvas { pen, cx }: TimelineCanvas<'_>,
    rect: Rect,
) -> Option<u64> {
    let (tok, y) = (pen.tok, rect.center().y);
    pen.cut_text(
        pos2(rect.left() + INSET, y),
        say!("timeline-bookmarks"),
        ui_font(11.0),
        tok.t3,
        strip.chart.left() - 8.0,
    );
    let pen = Pen {
        painter: pen.painter.with_clip_rect(strip.chart),
        tok,
    };
    let mut last = f32::NEG_INFINITY;
    for bookmark in cx.desk.bookmarks.list() {
        let color = tok.ribbon(bookmark.color);
        let Some(spot) = spot(strip, bookmark).filter(|spot| spot.right() >= strip.chart.left())
        else {
            continue;
        };
        if spot.left() > strip.chart.right() {
            continue;
        }
        match bookmark.place {
            BookmarkPlace::Position(_) => {
                // Only one of several bookmarks in a column is drawn.
                if spot.center().x - last >= 1.0 {
                    last = spot.center().x;
                    ribbon_ui(&pen, pos2(spot.center().x - 3.5, rect.top()), color);
                }
            }
            BookmarkPlace::Range { .. } => {
                pen.fill(
                    Rect::from_min_max(pos2(spot.left(), y - 1.0), pos2(spot.right(), y + 3.0)),
                    color,
                );
            }
            BookmarkPlace::Memory { .. } => {}
        }
    }
    let pointer = ui
        .input(|input| input.pointer.hover_pos())
        .filter(|at| rect.contains(*at))?;
    if !ui.rect_contains_pointer(rect) {
        return None;
    }
    if pointer.x < strip.chart.left() {
        tip_ui(
            ui,
            say!("timeline-bookmarks-moments-and-parts-that").to_owned(),
        );
        return None;
    }
    let bookmark = under(strip, cx, pointer.x)?;
    let position = bookmark.place.position()?;
    tip_ui(
        ui,
        format!(
            "{}
{}",
            bookmark.words(),
            say!("timeline-position", position = position)
        ),
    );
    Some(position)
}

/// Returns the bookmark at a column: moments before parts, and the shortest part first.
fn under<'a>(strip: &TimelineStrip, cx: &PanelContext<'a>, x: f32) -> Option<&'a Bookmark> {
    let near = cx
        .desk
        .bookmarks
        .list()
        .iter()
        .filter_map(|bookmark| Some((spot(strip, bookmark)?, bookmark)));
    let near = near.filter(|(spot, _)| spot.left() - GRIP <= x && x <= spot.right() + GRIP);
    near.min_by(|(one, _), (other, _)| {
        let rank = |spot: &Rect| (spot.width(), (spot.center().x - x).abs());
        let ((one_width, one_far), (other_width, other_far)) = (rank(one), rank(other));
        one_width
            .total_cmp(&other_width)
            .then(one_far.total_cmp(&other_far))
    })
    .map(|(_, bookmark)| bookmark)
}

/// Returns the horizontal extent of a bookmark; none for memory.
fn spot(strip: &TimelineStrip, bookmark: &Bookmark) -> Option<Rect> {
    let across = |first: u64, last: u64| {
        let (left, right) = (strip.x_of(Position(first)), strip.x_of(Position(last)));
        Rect::from_min_max(pos2(left, 0.0), pos2(right, 0.0))
    };
    match bookmark.place {
        BookmarkPlace::Position(position) => Some(across(position, position)),
        BookmarkPlace::Range { first, last } => Some(across(first, last)),
        BookmarkPlace::Memory { .. } => None,
    }
}
