//! The rows of values along the trace: steps of a curve, or boxes where there are few values.

use std::sync::Arc;

use egui::{Rect, Ui, pos2};
use stepback_index::{Cancel, ThreadId};
use stepback_parsers::Position;

use super::lanes::Scene;
use super::paint::{AXIS, Strip, tip_ui};
use super::state::TimelineState;
use crate::messages::say;
use crate::model::timeline_rows::RowsRequest;
use crate::model::wave::{Level, Wave, WaveColumn, WaveRequest, wave};
use crate::notes::Watch;
use crate::panels::ViewCx;
use crate::panels::pen::{INSET, Pen};
use crate::theme::{mono, ui as ui_font};

/// Height of a row.
const HEIGHT: f32 = 24.0;
/// Calls and lanes keep as much.
const LEAST_LANES: f32 = 36.0;
/// A change that is so near is meant by a click.
const GRIP: f32 = 3.0;
/// Narrower boxes have no words.
const LEAST_WORDS: f32 = 18.0;

/// How many rows have room in a strip of a height, of which others take some; one always has.
pub fn rows(strip: f32, others: f32, cx: &ViewCx<'_>) -> usize {
    let room = ((strip - others - AXIS - LEAST_LANES) / HEIGHT).floor().max(1.0) as usize;
    cx.waves.list().len().min(room)
}

/// The height of so many rows.
pub fn height(rows: usize) -> f32 {
    rows as f32 * HEIGHT
}

/// Draws the rows from a height on. Returns the position of the change under the pointer.
pub fn rows_ui(
    ui: &Ui,
    strip: &Strip,
    Scene { pen, cx }: Scene<'_>,
    top: f32,
    state: &mut TimelineState,
) -> Option<u64> {
    let shown = (strip.waves / HEIGHT).round() as usize;
    state.waves.resize_with(shown, Default::default);
    let thread = cx.threads.here().unwrap_or(ThreadId(0));
    let view = RowsRequest {
        first: Position(strip.first),
        last: strip.last_known(),
        columns: strip.known_columns(),
        cell: None,
    };
    let mut under = None;
    state.wave_under = None;
    for (place, watch) in cx.waves.list().iter().enumerate().take(shown) {
        let Some(slot) = state.waves.get_mut(place) else { continue };
        let request = WaveRequest { watch: watch.clone(), thread, view };
        let session = Arc::clone(cx.session);
        slot.poll_long(&request, cx.worker, |request| {
            let request = request.clone();
            move |cancel: &Cancel| wave(&session, &request, cancel)
        });
        let top = top + height(place);
        let rect = Rect::from_min_max(pos2(strip.rect.left(), top), pos2(strip.rect.right(), top + HEIGHT));
        let known = slot.peek().filter(|(asked, _)| asked.watch == *watch && asked.thread == thread);
        let is_fresh = known.is_some_and(|(asked, _)| *asked == request);
        let faded = pen.clone().faded();
        let row =
            WaveRow { strip, pen: if is_fresh { pen } else { &faded }, watch, rect, wave: known.map(|(_, wave)| wave) };
        let is_last = place + 1 == shown;
        row.paint(if is_last { cx.waves.list().len().saturating_sub(shown) } else { 0 });
        under = under.or(row.touch(ui));
        if ui.rect_contains_pointer(rect) {
            state.wave_under = Some(place);
        }
    }
    under
}

/// A row that is drawn.
struct WaveRow<'a> {
    strip: &'a Strip,
    pen: &'a Pen<'a>,
    watch: &'a Watch,
    rect: Rect,
    wave: Option<&'a Wave>,
}

/// A stretch in which the value stays.
struct Piece<'a> {
    left: f32,
    right: f32,
    level: &'a Level,
}

impl WaveRow<'_> {
    /// Draws it; `hidden`: so many more rows have no room.
    fn paint(&self, hidden: usize) {
        let Self { strip, pen, rect, .. } = self;
        let (tok, x, right) = (pen.tok, rect.left() + INSET, strip.chart.left() - 8.0);
        pen.cut_text(pos2(x, rect.top() + 8.0), &self.watch.expression, mono(11.0), tok.t2, right);
        let below = match hidden {
            0 => self.watch.kind.name().to_owned(),
            hidden => say!("timeline-below", count = hidden.to_string()),
        };
        pen.cut_text(pos2(x, rect.top() + 18.0), &below, ui_font(10.0), tok.t3, right);
        pen.line_across(rect.left(), rect.right(), rect.bottom() - 0.5, tok.line);
        let Some(wave) = self.wave else { return };
        let clipped = Pen { painter: pen.painter.with_clip_rect(rect.intersect(strip.chart)), tok };
        if let Some(error) = &wave.error {
            clipped.text(strip.chart.left() + 4.0, rect.center().y, error, ui_font(11.0), tok.err);
        } else if wave.is_boxes() {
            self.boxes_ui(&clipped, wave);
        } else {
            self.curve_ui(&clipped, wave);
        }
    }

    fn pieces<'a>(&'a self, wave: &'a Wave) -> impl Iterator<Item = Piece<'a>> {
        let x_of = |position: Position| self.strip.x_of(position).floor();
        let starts = std::iter::once((self.strip.chart.left(), &wave.first))
            .chain(wave.columns.iter().map(move |column| (x_of(column.position), &column.last)));
        let known_end = x_of(self.strip.last_known());
        let ends = wave.columns.iter().map(move |column| x_of(column.position)).chain(std::iter::once(known_end));
        starts.zip(ends).map(|((left, level), right)| Piece { left, right, level })
    }

    /// Values with their words.
    fn boxes_ui(&self, pen: &Pen<'_>, wave: &Wave) {
        let tok = pen.tok;
        for Piece { left, right, level } in self.pieces(wave) {
            let rect = Rect::from_min_max(pos2(left, self.rect.top() + 4.0), pos2(right, self.rect.bottom() - 4.0));
            let Some(words) = &level.words else {
                pen.dots(rect.left() + 2.0, rect.right() - 2.0, rect.center().y);
                continue;
            };
            pen.painter.rect_filled(rect, 0.0, tok.bg3);
            pen.line_down(rect.left(), rect.top(), rect.bottom(), tok.write);
            pen.line_across(rect.left(), rect.right(), rect.top(), tok.line2);
            pen.line_across(rect.left(), rect.right(), rect.bottom(), tok.line2);
            if rect.width() >= LEAST_WORDS {
                pen.cut_text(pos2(rect.left() + 4.0, rect.center().y), words, mono(11.0), tok.t1, rect.right() - 2.0);
            }
        }
    }

    /// A step a change; where a column has several, all that lies between the least and the greatest.
    fn curve_ui(&self, pen: &Pen<'_>, wave: &Wave) {
        let Some((least, most)) = wave.extent() else { return };
        let (top, bottom) = (self.rect.top() + 4.0, self.rect.bottom() - 4.0);
        let span = most - least;
        let y_of = |number: f64| match span > 0.0 {
            true => bottom - ((number - least) / span) as f32 * (bottom - top),
            false => (top + bottom) / 2.0,
        };
        let color = pen.tok.write;
        for Piece { left, right, level } in self.pieces(wave) {
            match level.number.filter(|number| number.is_finite()) {
                Some(number) => {
                    let y = y_of(number).round();
                    pen.fill(Rect::from_min_max(pos2(left, y - 0.5), pos2(right.max(left + 1.0), y + 0.5)), color);
                }
                None => pen.dots(left, right, (top + bottom) / 2.0),
            }
        }
        let mut before = wave.first.number;
        for column in &wave.columns {
            let x = self.strip.x_of(column.position).floor();
            let ends = [before, column.least, column.most].into_iter().flatten().filter(|number| number.is_finite());
            let (mut high, mut low) = (f32::MAX, f32::MIN);
            ends.map(y_of).for_each(|y| (high, low) = (high.min(y), low.max(y)));
            if high < low {
                let strength = if column.is_cut { 0.6 } else { 1.0 };
                let rect = Rect::from_min_max(pos2(x, high.round()), pos2(x + 1.0, low.round()));
                pen.fill(rect, color.gamma_multiply(strength));
            }
            before = column.last.number;
        }
    }

    /// Says what is under the pointer. Returns the position of a change that is meant by a click.
    fn touch(&self, ui: &Ui) -> Option<u64> {
        let pointer = ui.input(|input| input.pointer.hover_pos()).filter(|at| self.rect.contains(*at))?;
        if !ui.rect_contains_pointer(self.rect) {
            return None;
        }
        let name = self.watch.text();
        if pointer.x < self.strip.chart.left() {
            tip_ui(ui, say!("timeline-wave", name = name));
            return None;
        }
        let wave = self.wave.filter(|wave| wave.error.is_none())?;
        let x_of = |position: Position| self.strip.x_of(position).floor();
        let near = |position: &Position| (x_of(*position) + 0.5 - pointer.x).abs() <= GRIP;
        let at = self.strip.position_at(pointer.x);
        let ahead = wave.columns.partition_point(|column| x_of(column.position) <= pointer.x + GRIP);
        let meant = ahead.checked_sub(1).and_then(|place| wave.columns.get(place));
        let column = meant.filter(|column| near(&column.position)).or_else(|| wave.column_at(at));
        tip_ui(ui, words(&name, wave, column, at));
        column.map(|column| column.position).filter(near).map(|position| position.0)
    }
}

/// What is said of a place of the row.
fn words(name: &str, wave: &Wave, column: Option<&WaveColumn>, at: Position) -> String {
    let level = column.map_or(&wave.first, |column| &column.last);
    let value = level.words.as_deref().unwrap_or(say!("timeline-unknown"));
    let since = match column {
        Some(column) if column.changes > 1 => {
            let more = if column.is_cut { say!("timeline-or-more") } else { "" };
            say!("timeline-wave-writes", count = u64::from(column.changes), more = more, position = column.position.0)
        }
        Some(column) => say!("timeline-wave-written", position = column.position.0),
        None => say!("timeline-wave-before").to_owned(),
    };
    format!("{name} = {value}\n{since}\n{}", say!("timeline-wave-position", position = at.0))
}
