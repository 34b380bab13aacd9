//! The rows of values along the trace: a step curve, or boxes if there are few values.

use std::sync::Arc;

use egui::{Color32, Rangef, Rect, Ui, pos2};
use stepback_debugger::action::CellName;
use stepback_debugger::keymap::cell_name;
use stepback_debugger::messages::say;
use stepback_debugger::model::so_far::SourceWords;
use stepback_debugger::model::timeline_rows::TimelineRowsRequest;
use stepback_debugger::model::wave::{Wave, WaveColumn, WaveLevel, WaveRequest, wave};
use stepback_debugger::notes::Watch;
use stepback_debugger::worker::Answer;
use stepback_index::Cancel;
use stepback_index::answer::{ThreadId, ValueSource};
use stepback_parsers::Position;

use super::lanes::TimelineCanvas;
use super::paint::{AXIS, TimelineStrip, tip_of, tip_ui};
use super::state::TimelineState;
use crate::panels::pen::{INSET, Pen};
use crate::panels::{HoverCell, PanelContext};
use crate::theme::{ThemeColors, mono, ui as ui_font};

/// Height of a row.
const HEIGHT: f32 = 24.0;
/// Minimum height that remains for calls and lanes.
const LEAST_LANES: f32 = 36.0;
/// Maximum distance of a click from the change that it selects.
const GRIP: f32 = 3.0;
/// Minimum width of a box with text.
const LEAST_WORDS: f32 = 18.0;

/// Returns the number of rows that fit into a strip, at least one. `others` is the height of the
/// other rows.
pub fn rows(strip: f32, others: f32, cx: &PanelContext<'_>) -> usize {
    let room = ((strip - others - AXIS - LEAST_LANES) / HEIGHT)
        .floor()
        .max(1.0) as usize;
    cx.desk.waves.list().len().min(room)
}

/// Returns the height of a number of rows.
pub fn height(rows: usize) -> f32 {
    rows as f32 * HEIGHT
}

/// Draws the rows from a height on. Returns the position of the change under the pointer.
pub fn rows_ui(
    ui: &Ui,
    strip: &TimelineStrip,
    TimelineCanvas { pen, cx }: TimelineCanvas<'_>,
    top: f32,
    state: &mut TimelineState,
) -> Option<u64> {
    let shown = (strip.waves / HEIGHT).round() as usize;
    state.waves.resize_with(shown, Default::default);
    let here = cx.desk.threads.here().unwrap_or(ThreadId(0));
    let view = TimelineRowsRequest {
        first: Position(strip.first),
        last: strip.last_known(),
        columns: strip.known_columns(),
        cell: None,
    };
    let mut under = None;
    state.wave_under = None;
    for (place, watch) in cx.desk.waves.list().iter().enumerate().take(shown) {
        let Some(slot) = state.waves.get_mut(place) else {
            continue;
        };
        let before = slot
            .peek()
            .filter(|(requested, _)| requested.watch == *watch);
        // An expression without registers has one value for all threads, so it is not computed
        // again for another thread.
        let is_of_all = before.filter(|(_, wave)| !wave.is_of_thread && wave.error.is_none());
        let thread = is_of_all.map_or(here, |(requested, _)| requested.thread);
        let request = WaveRequest {
            watch: watch.clone(),
            thread,
            view,
        };
        let session = Arc::clone(&cx.desk.session);
        let answer = slot.poll_long(&request, &cx.desk.worker, |request| {
            let request = request.clone();
            move |cancel: &Cancel| wave(&session, &request, cancel)
        });
        let failure = if let Answer::Failed(error) = answer {
            Some(error.to_owned())
        } else {
            None
        };
        let top = top + height(place);
        let rect = Rect::from_min_max(
            pos2(strip.rect.left(), top),
            pos2(strip.rect.right(), top + HEIGHT),
        );
        let known = slot
            .peek()
            .filter(|(requested, _)| requested.watch == *watch);
        let is_fresh = known.is_some_and(|(requested, _)| *requested == request);
        let known = known.map(|(requested, wave)| WaveAnswer {
            wave,
            view: requested.view,
            owner: owner(requested.thread, wave, cx),
        });
        let faded = pen.clone().faded();
        let row = WaveRow {
            strip,
            pen: if is_fresh { pen } else { &faded },
            watch,
            rect,
            known,
            failure,
        };
        let is_last = place + 1 == shown;
        row.paint(if is_last {
            cx.desk.waves.list().len().saturating_sub(shown)
        } else {
            0
        });
        under = under.or(row.touch(ui));
        if ui.rect_contains_pointer(rect) {
            state.wave_under = Some(place);
        }
    }
    under
}

/// A row of values.
struct WaveRow<'a> {
    strip: &'a TimelineStrip,
    pen: &'a Pen<'a>,
    watch: &'a Watch,
    rect: Rect,
    known: Option<WaveAnswer<'a>>,
    /// Error of the computation.
    failure: Option<String>,
}

/// The newest answer of a row.
struct WaveAnswer<'a> {
    wave: &'a Wave,
    /// Part of the trace of the answer. The strip may show another part by now.
    view: TimelineRowsRequest,
    /// Thread whose registers are used, if there are several threads.
    owner: Option<&'a str>,
}

fn owner<'a>(thread: ThreadId, wave: &Wave, cx: &PanelContext<'a>) -> Option<&'a str> {
    let threads = cx.desk.session.index.threads();
    let is_one_of_several = wave.is_of_thread && threads.len() > 1;
    threads
        .get(thread.0 as usize)
        .filter(|_| is_one_of_several)
        .map(|thread| thread.name.as_str())
}

/// A range in which the value is constant.
struct WaveSegment<'a> {
    left: f32,
    right: f32,
    level: &'a WaveLevel,
}

impl WaveRow<'_> {
    /// Draws the row. `hidden` is the number of further rows that do not fit.
    fn paint(&self, hidden: usize) {
        let Self {
            strip, pen, rect, ..
        } = self;
        let (tok, x, right) = (pen.tok, rect.left() + INSET, strip.chart.left() - 8.0);
        pen.cut_text(
            pos2(x, rect.top() + 8.0),
            &self.watch.expression,
            mono(11.0),
            tok.t2,
            right,
        );
        let below = match hidden {
            0 => match self.known.as_ref().and_then(|known| known.owner) {
                Some(thread) => format!("{} · {thread}", self.watch.kind.name()),
                None => self.watch.kind.name().to_owned(),
            },
            hidden => say!("timeline-below", count = hidden.to_string()),
        };
        pen.cut_text(
            pos2(x, rect.top() + 18.0),
            &below,
            ui_font(10.0),
            tok.t3,
            right,
        );
        pen.line_across(rect.left(), rect.right(), rect.bottom() - 0.5, tok.line);
        let clipped = Pen {
            painter: pen.painter.with_clip_rect(rect.intersect(strip.chart)),
            tok,
        };
        let known = self.known.as_ref();
        let error = self
            .failure
            .as_ref()
            .or(known.and_then(|known| known.wave.error.as_ref()));
        if let Some(error) = error {
            clipped.text(
                strip.chart.left() + 4.0,
                rect.center().y,
                error,
                ui_font(11.0),
                tok.err,
            );
            return;
        }
        let (left, right) = self.looked_at();
        for gap in [
            Rangef::new(strip.chart.left(), left),
            Rangef::new(right, self.known_end()),
        ] {
            self.gap_ui(&clipped, gap);
        }
        let Some(WaveAnswer { wave, view, .. }) = known else {
            return;
        };
        let seen = Rect::from_x_y_ranges(left..=right.max(left), rect.y_range());
        let clipped = Pen {
            painter: clipped
                .painter
                .with_clip_rect(clipped.painter.clip_rect().intersect(seen)),
            tok,
        };
        if wave.is_boxes() {
            self.boxes_ui(&clipped, wave, view);
        } else {
            self.curve_ui(&clipped, wave, view);
        }
    }

    /// Returns the right edge of the indexed part.
    fn known_end(&self) -> f32 {
        self.strip.x_of(self.strip.last_known()).floor()
    }

    /// Returns the edges of the part of the chart that the answer covers.
    fn looked_at(&self) -> (f32, f32) {
        let (start, end) = (
            self.strip.chart.left(),
            self.known_end().max(self.strip.chart.left()),
        );
        let within = |position: Position| self.strip.x_of(position).floor().clamp(start, end);
        self.known.as_ref().map_or((end, end), |known| {
            (within(known.view.first), within(known.view.last))
        })
    }

    /// Draws "looking…" over a part without values, if there is room.
    fn gap_ui(&self, pen: &Pen<'_>, gap: Rangef) {
        let words = say!("timeline-looking");
        if gap.span() > pen.width(words, ui_font(11.0)) + 8.0 {
            pen.text(
                gap.min + 4.0,
                self.rect.center().y,
                words,
                ui_font(11.0),
                pen.tok.t3,
            );
        }
    }

    fn pieces<'a>(
        &'a self,
        wave: &'a Wave,
        view: &TimelineRowsRequest,
    ) -> impl Iterator<Item = WaveSegment<'a>> {
        let x_of = |position: Position| self.strip.x_of(position).floor();
        let (first, last) = (x_of(view.first), x_of(view.last));
        let starts = std::iter::once((first, &wave.first)).chain(
            wave.columns
                .iter()
                .map(move |column| (x_of(column.position), &column.last)),
        );
        let ends = wave
            .columns
            .iter()
            .map(move |column| x_of(column.position))
            .chain(std::iter::once(last));
        // Parts far outside of the chart are clamped.
        let (least, most) = (
            self.strip.chart.left() - 2.0,
            self.strip.chart.right() + 2.0,
        );
        let piece = move |((left, level), right): ((f32, &'a WaveLevel), f32)| WaveSegment {
            left: left.clamp(least, most),
            right: right.clamp(least, most),
            level,
        };
        starts.zip(ends).map(piece).filter(move |piece| {
            piece.left < piece.right || (least < piece.left && piece.left < most)
        })
    }

    /// Draws the values as boxes with text.
    fn boxes_ui(&self, pen: &Pen<'_>, wave: &Wave, view: &TimelineRowsRequest) {
        let tok = pen.tok;
        for WaveSegment { left, right, level } in self.pieces(wave, view) {
            let rect = Rect::from_min_max(
                pos2(left, self.rect.top() + 4.0),
                pos2(right, self.rect.bottom() - 4.0),
            );
            let Some(words) = &level.words else {
                pen.dots(rect.left() + 2.0, rect.right() - 2.0, rect.center().y);
                continue;
            };
            let fill = if level.source == ValueSource::External {
                tok.external_bg
            } else {
                tok.bg3
            };
            pen.painter.rect_filled(rect, 0.0, fill);
            pen.line_down(rect.left(), rect.top(), rect.bottom(), tok.write);
            pen.line_across(rect.left(), rect.right(), rect.top(), tok.line2);
            pen.line_across(rect.left(), rect.right(), rect.bottom(), tok.line2);
            if rect.width() >= LEAST_WORDS {
                let (at, color) = (
                    pos2(rect.left() + 4.0, rect.center().y),
                    color_of(level.source, tok).unwrap_or(tok.t1),
                );
                let end = pen.cut_text(at, words, mono(11.0), color, rect.right() - 2.0);
                if level.source == ValueSource::Inferred {
                    pen.dots(at.x, end, at.y + 6.0);
                }
            }
        }
    }

    /// Draws a step curve. A column with several changes is filled from the least to the greatest
    /// value.
    fn curve_ui(&self, pen: &Pen<'_>, wave: &Wave, view: &TimelineRowsRequest) {
        let Some((least, most)) = wave.extent() else {
            return;
        };
        let (top, bottom) = (self.rect.top() + 4.0, self.rect.bottom() - 4.0);
        let span = most - least;
        let y_of = |number: f64| match span > 0.0 {
            true => bottom - ((number - least) / span) as f32 * (bottom - top),
            false => (top + bottom) / 2.0,
        };
        let color = pen.tok.write;
        for WaveSegment { left, right, level } in self.pieces(wave, view) {
            match level.number.filter(|number| number.is_finite()) {
                Some(number) => {
                    let y = y_of(number).round();
                    let line = Rect::from_min_max(
                        pos2(left, y - 0.5),
                        pos2(right.max(left + 1.0), y + 0.5),
                    );
                    pen.fill(line, color_of(level.source, pen.tok).unwrap_or(color));
                    if level.source == ValueSource::Inferred {
                        pen.dots(left, right, y + 2.0);
                    }
                }
                None => pen.dots(left, right, (top + bottom) / 2.0),
            }
        }
        let mut before = wave.first.number;
        for column in &wave.columns {
            let x = self.strip.x_of(column.position).floor();
            let ends = [before, column.least, column.most]
                .into_iter()
                .flatten()
                .filter(|number| number.is_finite());
            let (mut high, mut low) = (f32::MAX, f32::MIN);
            ends.map(y_of)
                .for_each(|y| (high, low) = (high.min(y), low.max(y)));
            if high < low {
                let strength = if column.is_cut { 0.6 } else { 1.0 };
                let rect = Rect::from_min_max(pos2(x, high.round()), pos2(x + 1.0, low.round()));
                pen.fill(rect, color.gamma_multiply(strength));
            }
            before = column.last.number;
        }
    }

    /// Shows the tooltip under the pointer. Returns the position of a change that a click would
    /// select.
    fn touch(&self, ui: &Ui) -> Option<u64> {
        let pointer = ui
            .input(|input| input.pointer.hover_pos())
            .filter(|at| self.rect.contains(*at))?;
        if !ui.rect_contains_pointer(self.rect) {
            return None;
        }
        let name = self.watch.text();
        if pointer.x < self.strip.chart.left() {
            tip_ui(ui, say!("timeline-wave", name = name));
            return None;
        }
        let WaveAnswer { wave, owner, .. } = self
            .known
            .as_ref()
            .filter(|known| known.wave.error.is_none())?;
        let (left, right) = self.looked_at();
        if self.failure.is_some() || pointer.x < left || pointer.x > right {
            return None;
        }
        let name = owner.map_or_else(|| name.clone(), |thread| format!("{name} ({thread})"));
        let x_of = |position: Position| self.strip.x_of(position).floor();
        let near = |position: &Position| (x_of(*position) + 0.5 - pointer.x).abs() <= GRIP;
        let at = self.strip.position_at(pointer.x);
        let ahead = wave
            .columns
            .partition_point(|column| x_of(column.position) <= pointer.x + GRIP);
        let meant = ahead
            .checked_sub(1)
            .and_then(|place| wave.columns.get(place));
        let column = meant
            .filter(|column| near(&column.position))
            .or_else(|| wave.column_at(at));
        let cell = cell_of(&self.watch.expression, *owner);
        tip_of(
            ui,
            words(&name, wave, column, at),
            cell.map(|cell| HoverCell { cell, at }),
        );
        column
            .map(|column| column.position)
            .filter(near)
            .map(|position| position.0)
    }
}

/// Returns the register or variable that an expression names; none for computed expressions.
fn cell_of(expression: &str, owner: Option<&str>) -> Option<CellName> {
    let is_name = |text: &str| {
        text.chars()
            .all(|letter| letter.is_alphanumeric() || "_%.$".contains(letter))
    };
    let named = Some(expression)
        .filter(|text| !text.is_empty() && is_name(text))
        .map(cell_name)?
        .ok()?;
    // A number is not a name: as a cell it would be a byte of memory.
    match (named, owner) {
        (CellName::Register(name), Some(owner)) => {
            Some(CellName::Register(format!("{name} of {owner}")))
        }
        (named @ CellName::Register(_), None) => Some(named),
        (CellName::Memory(..), _) => None,
    }
}

/// Returns the colour of a value that no step states.
fn color_of(source: ValueSource, tok: &ThemeColors) -> Option<Color32> {
    match source {
        ValueSource::Inferred => Some(tok.inferred),
        ValueSource::External => Some(tok.external),
        ValueSource::Recorded | ValueSource::Unknown => None,
    }
}

/// Returns the tooltip of a place in the row.
fn words(name: &str, wave: &Wave, column: Option<&WaveColumn>, at: Position) -> String {
    let level = column.map_or(&wave.first, |column| &column.last);
    let mut value = level
        .words
        .as_deref()
        .unwrap_or(say!("timeline-unknown"))
        .to_owned();
    if level.words.is_some()
        && matches!(level.source, ValueSource::Inferred | ValueSource::External)
    {
        value = format!("{value} ({})", SourceWords::of(level.source).phrase);
    }
    let since = match column {
        Some(column) if column.changes > 1 => {
            let more = if column.is_cut {
                say!("timeline-or-more")
            } else {
                ""
            };
            say!(
                "timeline-wave-writes",
                count = u64::from(column.changes),
                more = more,
                position = column.position.0
            )
        }
        Some(column) => say!("timeline-wave-written", position = column.position.0),
        None => say!("timeline-wave-before").to_owned(),
    };
    format!(
        "{name} = {value}\n{since}\n{}",
        say!("timeline-wave-position", position = at.0)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expression: &str, owner: Option<&str>, expected: Option<&str>) {
        let expected = expected.map(|name| CellName::Register(name.to_owned()));
        assert_eq!(cell_of(expression, owner), expected, "{expression}");
    }

    #[test]
    fn what_is_a_register_or_a_variable_can_be_asked_about() {
        check("x0", None, Some("x0"));
        check("x0", Some("cpu1"), Some("x0 of cpu1"));
        check("heap_top", None, Some("heap_top"));
    }

    #[test]
    fn numbers_and_what_is_worked_out_have_no_cell() {
        for expression in ["", "42", "80020000", "0x42", "x0 + 1", "[sp+8]"] {
            check(expression, None, None);
            check(expression, Some("cpu1"), None);
        }
    }
}
