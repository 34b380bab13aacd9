//! The rows below the lanes: accesses of the selected cell, and unusual events of the trace.

use std::borrow::Cow;
use std::sync::Arc;

use egui::{Rect, Ui, pos2, vec2};
use stepback_debugger::action::CellName;
use stepback_debugger::analysis::exceptions::exceptions;
use stepback_debugger::analysis::names::NameResolver;
use stepback_debugger::messages::say;
use stepback_debugger::model::hit_rows::{Spot, spots};
use stepback_debugger::model::timeline_rows::{
    Tick, TickKind, TimelineRows, TimelineRowsRequest, exception_ticks, merged, rows,
};
use stepback_index::Cancel;
use stepback_index::answer::Cell;
use stepback_parsers::Position;

use super::density::AnswerAge;
use super::lanes::TimelineCanvas;
use super::paint::{AXIS, TimelineStrip, tip_of, tip_ui};
use super::state::{CellNameQuery, TimelineState};
use super::{bookmarks, density, waves};
use crate::panels::pen::{INSET, Pen};
use crate::panels::{HoverCell, PanelContext};
use crate::theme::{ThemeColors, mono, ui as ui_font};

/// Height of a row.
const HEIGHT: f32 = 13.0;
/// Opacity of ticks in adjacent columns.
const DENSE: f32 = 0.45;
/// Maximum distance, in columns, of a click from the tick that it selects.
const GRIP: u32 = 3;

struct TickRowText<'a> {
    label: &'a str,
    /// Description of the ticks, for the tooltip of the label.
    hint: &'a str,
    /// Tooltip for places without a tick.
    nothing: &'a str,
}

struct TickRow<'a> {
    words: TickRowText<'a>,
    ticks: &'a [Tick],
    rect: Rect,
    /// Cell whose accesses the ticks show.
    of: Option<&'a CellName>,
}

/// Heights of all rows together, of the density rows, and of the rows of values.
#[derive(Clone, Copy, Debug, Default)]
pub struct TickRowHeights {
    pub all: f32,
    pub densities: f32,
    pub waves: f32,
}

/// Returns the heights of the rows in a strip, given the answers until now.
pub fn heights(
    state: &TimelineState,
    strip: f32,
    cell: Option<&CellName>,
    cx: &PanelContext<'_>,
) -> TickRowHeights {
    let ticks = usize::from(cell.is_some()) + row_count(state, cx);
    heights_of(state, strip, ticks, cx)
}

/// Returns the height that all rows need. That of a cell is always included, so that the first
/// selection does not move the panels below.
pub fn wanted_height(state: &TimelineState, cx: &PanelContext<'_>) -> f32 {
    heights_of(state, f32::MAX, 1 + row_count(state, cx), cx).all
}

/// Returns the number of tick rows besides that of the selected cell.
fn row_count(state: &TimelineState, cx: &PanelContext<'_>) -> usize {
    let rows = state.rows.peek().map(|(_, rows)| rows);
    let has_marks = rows.is_some_and(|rows| !rows.marks.is_empty());
    let has_exceptions = rows.is_some_and(|rows| !rows.exceptions.is_empty()) || has_entries(state);
    let shown = [
        has_exceptions,
        has_marks,
        has_hits(cx),
        has_slice(cx),
        !differences(cx).is_empty(),
        bookmarks::has_any(cx),
    ];
    shown.into_iter().filter(|is_shown| *is_shown).count()
}

fn heights_of(
    state: &TimelineState,
    strip: f32,
    ticks: usize,
    cx: &PanelContext<'_>,
) -> TickRowHeights {
    let ticks = HEIGHT * ticks as f32;
    let waves = waves::height(waves::rows(strip, ticks, cx));
    let densities = density::height(state, strip, ticks + waves);
    let all = ticks + densities + waves;
    TickRowHeights {
        all: if all == 0.0 { 0.0 } else { all + 3.0 },
        densities,
        waves,
    }
}

/// Returns true if an exception handler is entered anywhere.
fn has_entries(state: &TimelineState) -> bool {
    state
        .exceptions
        .peek()
        .is_some_and(|(_, entries)| !entries.list().is_empty())
}

/// Returns the ticks of exceptions in view: recorded markers, and entries of exception handlers.
/// Polls the latter.
fn exceptions_of(
    strip: &TimelineStrip,
    state: &mut TimelineState,
    cx: &PanelContext<'_>,
) -> Vec<Tick> {
    let session = Arc::clone(&cx.desk.session);
    state.exceptions.poll_long(&(), &cx.desk.worker, |()| {
        move |cancel: &Cancel| Ok(Arc::new(exceptions(&session.index, cancel)?))
    });
    let request = view_of(strip);
    let entries = state
        .exceptions
        .peek()
        .map(|(_, entries)| exception_ticks(entries, &request))
        .unwrap_or_default();
    let stated = state
        .rows
        .peek()
        .map(|(answered, rows)| (age_of(answered, &request), &rows.exceptions));
    let stated = stated.map_or(Cow::Borrowed(&[][..]), |(age, stated)| {
        placed(strip, stated, age)
    });
    merged(&stated, &entries)
}

/// Returns true if the search has hits.
fn has_hits(cx: &PanelContext<'_>) -> bool {
    cx.desk.find.found().is_some_and(|found| found.count() > 0)
}

/// Returns true if the slice has steps.
fn has_slice(cx: &PanelContext<'_>) -> bool {
    cx.desk
        .slice
        .slice()
        .is_some_and(|slice| slice.step_count() > 0)
}

/// Returns the positions at which the trace differs from a second one.
fn differences<'a>(cx: &PanelContext<'a>) -> &'a [u64] {
    let differences = cx.desk.comparison.differences();
    differences.map_or(&[], |differences| differences.stops())
}

/// Returns the steps of the slice in view, at most one per column.
fn slice_ticks(strip: &TimelineStrip, cx: &PanelContext<'_>) -> Vec<Tick> {
    let slice = cx.desk.slice.slice();
    let positions = slice.map(|slice| &*slice.positions).unwrap_or_default();
    position_ticks(strip, positions, TickKind::Slice)
}

/// Returns the positions in view, at most one per column.
fn position_ticks(strip: &TimelineStrip, positions: &[u64], kind: TickKind) -> Vec<Tick> {
    let spots = spots(positions, strip.first..=strip.last, column_in(strip));
    ticks_of(&spots, kind)
}

/// Returns the hits of the search in view, at most one per column.
fn hit_ticks(strip: &TimelineStrip, cx: &PanelContext<'_>) -> Vec<Tick> {
    let found = cx.desk.find.found();
    let spots = found.map(|found| found.spots(strip.first..=strip.last, column_in(strip)));
    ticks_of(&spots.unwrap_or_default(), TickKind::Hit)
}

fn column_in(strip: &TimelineStrip) -> impl Fn(u64) -> u32 {
    |position| (strip.x_of(Position(position)) - strip.chart.left()).max(0.0) as u32
}

fn ticks_of(spots: &[Spot], kind: TickKind) -> Vec<Tick> {
    let ticks = spots.iter().map(|spot| Tick {
        column: spot.spot,
        position: spot.position,
        kind,
    });
    ticks.collect()
}

/// Draws the rows. Returns the position of the tick under the pointer.
pub fn rows_ui(
    ui: &Ui,
    strip: &TimelineStrip,
    TimelineCanvas { pen, cx }: TimelineCanvas<'_>,
    cell: Option<&CellName>,
    state: &mut TimelineState,
) -> Option<u64> {
    let interrupted = exceptions_of(strip, state, cx);
    density::ask(strip, &TimelineCanvas { pen, cx }, state);
    let mut top = strip.floor + 1.0;
    if strip.floor < strip.rect.bottom() {
        pen.line_across(
            strip.rect.left(),
            strip.rect.right(),
            strip.floor,
            pen.tok.line,
        );
    }
    if strip.densities > 0.0 {
        density::rows_ui(ui, strip, TimelineCanvas { pen, cx }, top, state);
        top += strip.densities;
    }
    let changed = waves::rows_ui(ui, strip, TimelineCanvas { pen, cx }, top, state);
    top += strip.waves;
    let has_entries = has_entries(state);
    let none = TimelineRows::default();
    let known = ask(strip, cx, cell, state);
    let known = known.unwrap_or(TickRowAnswer {
        rows: &none,
        accesses: &[],
        nothing: say!("timeline-looking"),
        age: AnswerAge::Old,
    });
    // Ticks of an earlier view are drawn at their new places, but pale, since there may be more.
    let faded = pen.clone().faded();
    let pen = if known.age == AnswerAge::Fresh {
        pen
    } else {
        &faded
    };
    let marks = &*placed(strip, &known.rows.marks, known.age);
    let accesses = placed(strip, known.accesses, known.age);
    let mut under = changed;
    let name = cell.map(ToString::to_string);
    let mut row_of = |of: Option<&CellName>, words: TickRowText<'_>, ticks: &[Tick]| {
        let rect = Rect::from_min_size(
            pos2(strip.rect.left(), top),
            vec2(strip.rect.width(), HEIGHT),
        );
        top += HEIGHT;
        let row = TickRow {
            words,
            ticks,
            rect,
            of,
        };
        under = under.or(row.ui(ui, strip, pen));
    };
    if let Some(name) = &name {
        let hint = say!("timeline-reads-low-and-writes-tall");
        row_of(
            cell,
            TickRowText {
                label: name,
                hint,
                nothing: known.nothing,
            },
            &accesses,
        );
    }
    let mut row = |words: TickRowText<'_>, ticks: &[Tick]| row_of(None, words, ticks);
    if has_entries || !known.rows.exceptions.is_empty() {
        let hint = say!("timeline-exceptions-interrupts-traps-and-signals");
        row(
            TickRowText {
                label: say!("timeline-exceptions"),
                hint,
                nothing: say!("timeline-nothing-here"),
            },
            &interrupted,
        );
    }
    if !marks.is_empty() {
        let hint = say!("timeline-gaps-and-external-changes-a");
        row(
            TickRowText {
                label: say!("timeline-marks"),
                hint,
                nothing: say!("timeline-nothing-here"),
            },
            marks,
        );
    }
    if has_hits(cx) {
        let hint = say!("timeline-what-the-search-found-a");
        row(
            TickRowText {
                label: say!("timeline-hits"),
                hint,
                nothing: say!("timeline-nothing-here"),
            },
            &hit_ticks(strip, cx),
        );
    }
    if has_slice(cx) {
        let hint = say!("timeline-slice-hint");
        row(
            TickRowText {
                label: say!("timeline-slice"),
                hint,
                nothing: say!("timeline-nothing-here"),
            },
            &slice_ticks(strip, cx),
        );
    }
    if !differences(cx).is_empty() {
        let hint = say!("timeline-differences-hint");
        row(
            TickRowText {
                label: say!("differences-differences"),
                hint,
                nothing: say!("timeline-nothing-here"),
            },
            &position_ticks(strip, differences(cx), TickKind::Difference),
        );
    }
    gaps_ui(strip, pen, marks);
    if bookmarks::has_any(cx) {
        let rect = Rect::from_min_size(
            pos2(strip.rect.left(), top),
            vec2(strip.rect.width(), HEIGHT),
        );
        under = under.or(bookmarks::row_ui(
            ui,
            strip,
            TimelineCanvas { pen, cx },
            rect,
        ));
    }
    under
}

/// The latest answer for the rows.
struct TickRowAnswer<'a> {
    rows: &'a TimelineRows,
    /// Accesses of the selected cell.
    accesses: &'a [Tick],
    /// Tooltip for places where the cell has no access.
    nothing: &'static str,
    age: AnswerAge,
}

/// Returns ticks in the columns of a strip. Ticks of an earlier view are placed by their positions;
/// those out of view are dropped.
fn placed<'a>(strip: &TimelineStrip, ticks: &'a [Tick], age: AnswerAge) -> Cow<'a, [Tick]> {
    if age == AnswerAge::Fresh {
        return Cow::Borrowed(ticks);
    }
    let view = view_of(strip);
    let in_view = ticks
        .iter()
        .filter(|tick| (view.first..=view.last).contains(&tick.position));
    Cow::Owned(
        in_view
            .map(|tick| Tick {
                column: view.column_of(tick.position),
                ..*tick
            })
            .collect(),
    )
}

/// Returns the query for the part of the trace in a strip, without a cell.
fn view_of(strip: &TimelineStrip) -> TimelineRowsRequest {
    TimelineRowsRequest {
        first: Position(strip.first),
        last: strip.last_known(),
        columns: strip.known_columns(),
        cell: None,
    }
}

fn ask<'a>(
    strip: &TimelineStrip,
    cx: &PanelContext<'_>,
    cell: Option<&CellName>,
    state: &'a mut TimelineState,
) -> Option<TickRowAnswer<'a>> {
    let meant = cell.and_then(|name| meaning_of(name, cx, state));
    let request = TimelineRowsRequest {
        cell: meant.flatten(),
        ..view_of(strip)
    };
    let session = Arc::clone(&cx.desk.session);
    state.rows.poll_long(&request, &cx.desk.worker, |request| {
        let request = *request;
        move |cancel: &Cancel| rows(&session, &request, cancel)
    });
    let (answered, rows) = state.rows.peek()?;
    // The accesses of another cell would be wrong here, not merely old.
    let is_of_cell = answered.cell.is_some() && answered.cell == request.cell;
    let age = age_of(answered, &request);
    let nothing = match meant {
        Some(None) => say!("timeline-it-means-nothing-at-this"),
        Some(Some(_)) if is_of_cell && age == AnswerAge::Fresh => say!("timeline-nothing-here"),
        _ => say!("timeline-looking"),
    };
    Some(TickRowAnswer {
        rows,
        accesses: if is_of_cell { &rows.accesses } else { &[] },
        nothing,
        age,
    })
}

/// Returns the age of an answer relative to a query; the cells are ignored.
fn age_of(answered: &TimelineRowsRequest, requested: &TimelineRowsRequest) -> AnswerAge {
    let is_fresh = TimelineRowsRequest {
        cell: requested.cell,
        ..*answered
    } == *requested;
    if is_fresh {
        AnswerAge::Fresh
    } else {
        AnswerAge::Old
    }
}

/// Resolves a cell name at the position. The inner option is none if the name has no meaning there.
/// Returns the last answer for the same name while the new one is computed.
fn meaning_of(
    name: &CellName,
    cx: &PanelContext<'_>,
    state: &mut TimelineState,
) -> Option<Option<Cell>> {
    let named = CellNameQuery {
        name: name.clone(),
        at: cx.desk.windows.active().position,
    };
    let session = Arc::clone(&cx.desk.session);
    state
        .cell
        .poll(&named, &cx.desk.worker, |CellNameQuery { name, at }| {
            let (text, at) = (name.to_string(), *at);
            move |cancel: &Cancel| {
                let names = NameResolver::new(&session.index, &session.images, at, None, cancel)?;
                Ok(names.cell(&text).ok())
            }
        });
    state
        .cell
        .peek()
        .filter(|(of, _)| of.name == *name)
        .map(|(_, cell)| *cell)
}

/// Draws a gap of the trace through all lanes, because it must not be overlooked.
fn gaps_ui(strip: &TimelineStrip, pen: &Pen<'_>, marks: &[Tick]) {
    for gap in marks.iter().filter(|tick| tick.kind == TickKind::Gap) {
        let x = strip.chart.left() + gap.column as f32;
        pen.line_down(x, strip.rect.top() + AXIS, strip.floor, pen.tok.err);
    }
}

/// Shortens the name of a cell: the length of memory goes first, and then leading digits, since
/// the last ones distinguish addresses.
fn cell_label(name: &str, letters: usize) -> String {
    let name = match name.strip_prefix("0x") {
        Some(memory) => memory.split(':').next().unwrap_or(memory),
        None => name,
    };
    let over = name.chars().count().saturating_sub(letters);
    match over {
        0 => name.to_owned(),
        over => std::iter::once('…')
            .chain(name.chars().skip(over + 1))
            .collect(),
    }
}

impl TickRow<'_> {
    fn ui(&self, ui: &Ui, strip: &TimelineStrip, pen: &Pen<'_>) -> Option<u64> {
        let (tok, y) = (pen.tok, self.rect.center().y);
        let font = match self.of {
            Some(_) => mono(11.0),
            None => ui_font(11.0),
        };
        let label = pos2(self.rect.left() + INSET, y);
        let room = strip.chart.left() - 8.0 - label.x;
        let letters = room / pen.width("0", font.clone());
        let words = match self.of {
            Some(_) => cell_label(self.words.label, letters as usize),
            None => self.words.label.to_owned(),
        };
        pen.cut_text(label, &words, font, tok.t3, strip.chart.left() - 8.0);
        let pen = Pen {
            painter: pen.painter.with_clip_rect(strip.chart),
            tok,
        };
        for (place, tick) in self.ticks.iter().enumerate() {
            // If every column has a tick, they cannot be distinguished: they are paler, so that
            // single ticks are noticed.
            let opacity = if self.is_dense(place) { DENSE } else { 1.0 };
            self.tick_ui(&pen, strip, tick, opacity);
        }
        let pointer = ui
            .input(|input| input.pointer.hover_pos())
            .filter(|at| self.rect.contains(*at))?;
        if !ui.rect_contains_pointer(self.rect) {
            return None;
        }
        if pointer.x < strip.chart.left() {
            tip_ui(
                ui,
                say!(
                    "timeline-hint",
                    row = self.words.label,
                    hint = self.words.hint
                ),
            );
            return None;
        }
        let column = (pointer.x - strip.chart.left()).max(0.0) as u32;
        let near = self
            .ticks
            .iter()
            .rev()
            .filter(|tick| tick.column.abs_diff(column) <= GRIP);
        let Some(tick) = near.min_by_key(|tick| tick.column.abs_diff(column)) else {
            tip_ui(
                ui,
                say!(
                    "timeline-nothing",
                    row = self.words.label,
                    nothing = self.words.nothing,
                    position = strip.position_at(pointer.x).0
                ),
            );
            return None;
        };
        let words = say!(
            "timeline-tick",
            row = self.words.label,
            what = tick.kind.words(),
            position = tick.position.0
        );
        tip_of(
            ui,
            words,
            self.of.map(|cell| HoverCell {
                cell: cell.clone(),
                at: tick.position,
            }),
        );
        Some(tick.position.0)
    }

    /// Returns true if both adjacent columns have a tick too.
    fn is_dense(&self, place: usize) -> bool {
        let column = |place: Option<usize>| Some(self.ticks.get(place?)?.column);
        let (before, here, after) = (
            column(place.checked_sub(1)),
            column(Some(place)),
            column(place.checked_add(1)),
        );
        before
            .zip(here)
            .is_some_and(|(before, here)| before.abs_diff(here) == 1)
            && after
                .zip(here)
                .is_some_and(|(after, here)| after.abs_diff(here) == 1)
    }

    fn tick_ui(&self, pen: &Pen<'_>, strip: &TimelineStrip, tick: &Tick, opacity: f32) {
        let (x, bottom) = (
            strip.chart.left() + tick.column as f32,
            self.rect.bottom() - 1.0,
        );
        let (width, height) = match tick.kind {
            TickKind::Read => (1.0, 4.0),
            TickKind::Write => (1.0, HEIGHT - 2.0),
            TickKind::External => (2.0, 6.0),
            TickKind::Event => (2.0, 9.0),
            TickKind::Hit | TickKind::Slice | TickKind::Difference => (2.0, 10.0),
            TickKind::Gap => (4.0, HEIGHT - 2.0),
        };
        let left = if width > 2.0 { x - 1.0 } else { x };
        let rect = Rect::from_min_size(pos2(left, bottom - height), vec2(width, height));
        pen.fill(rect, color(pen.tok, tick.kind).gamma_multiply(opacity));
    }
}

fn color(tok: &ThemeColors, kind: TickKind) -> egui::Color32 {
    match kind {
        TickKind::Read => tok.read,
        TickKind::Write => tok.write,
        TickKind::External => tok.external,
        TickKind::Event => tok.warn,
        TickKind::Hit => tok.hit,
        TickKind::Slice => tok.taken,
        TickKind::Difference => tok.changed,
        TickKind::Gap => tok.err,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_cell_keeps_its_last_digits() {
        assert_eq!(cell_label("0x80020340:8", 9), "80020340");
        assert_eq!(cell_label("0x7ffc79b14f80", 9), "…79b14f80");
        assert_eq!(cell_label("x30", 9), "x30");
    }
}
