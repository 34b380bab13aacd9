//! All about one register, at the foot of the panel.

use std::sync::Arc;

use egui::{Rect, Ui, pos2, vec2};
use stepback_index::{Cancel, ThreadId};
use stepback_parsers::{Position, Step};

use crate::panels::ViewCx;
use crate::panels::pen::{ADVANCE, Pen, ROW};
use crate::panels::row::StepLink;
use crate::theme::{mono, mono_bold, ui as ui_font};
use stepback_debugger::action::{Action, Follow, TraceId};
use stepback_debugger::analysis::register_part::RegisterPart;
use stepback_debugger::messages::say;
use stepback_debugger::model::code::Code;
use stepback_debugger::model::register_detail::{
    RegisterDetail, count_words, register_detail, write_columns, write_count,
};
use stepback_debugger::model::registers::RegisterCell;
use stepback_debugger::model::so_far::{so_far, source_so_far};
use stepback_debugger::model::text::short_hex;
use stepback_debugger::worker::{Answer, Slot};

/// Height of the foot.
pub const HEIGHT: f32 = 89.0;
/// Height of the foot where there is less room: without the next read.
pub const LOW_HEIGHT: f32 = 70.0;
/// Height of the foot with the strip of writes.
pub const HEIGHT_WITH_STRIP: f32 = 132.0;
/// Height of the line that says why a value is known.
pub const REASON: f32 = ROW;

/// The answer about the register that is shown.
#[derive(Debug, Default)]
pub struct Detail {
    answer: Slot<(RegisterPart, Position), RegisterDetail>,
    strip: Slot<(RegisterPart, ThreadId, u32), Vec<u32>>,
    count: Slot<(RegisterPart, ThreadId), u64>,
}

/// The register that is described.
pub struct Subject<'a> {
    pub pen: &'a Pen<'a>,
    pub cell: &'a RegisterCell,
    pub part: RegisterPart,
    pub thread: ThreadId,
}

/// What the panel sees, and what it follows.
pub struct Scene<'a> {
    pub cx: &'a ViewCx<'a>,
    pub follow: Follow,
}

/// The register whose writes are shown.
pub struct StripPaint<'a> {
    pub pen: &'a Pen<'a>,
    pub part: RegisterPart,
    pub thread: ThreadId,
}

/// The position that is marked, and its window.
pub struct StripPlace<'a> {
    pub cx: &'a ViewCx<'a>,
    pub position: Position,
    pub window: u32,
}

impl Detail {
    /// Draws the foot.
    pub fn ui(
        &mut self,
        ui: &Ui,
        rect: Rect,
        Subject { pen, cell, part, thread }: Subject<'_>,
        Scene { cx, follow }: Scene<'_>,
        out: &mut Vec<Action>,
    ) {
        let tok = pen.tok;
        pen.fill(rect, tok.bg1);
        pen.line_across(rect.left(), rect.right(), rect.top(), tok.line);
        let position = cx.desk.windows.position_of(follow);
        let key = (part, position);
        let answer = self.answer.poll(&key, &cx.desk.worker, |(part, position)| {
            let (part, position, session) = (part.clone(), *position, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| register_detail(&session, &part, position, cancel)
        });
        let (left, mut y) = (rect.left() + 14.0, rect.top() + 17.0);
        let end = pen.text(left, y, &cell.name, mono_bold(12.5), tok.register);
        let value = short_hex(&cell.value).unwrap_or_default();
        let end = pen.code(end + ADVANCE, y, value, tok.t1);
        let source = source_so_far(&cx.desk.session, cell.source, cell.source_word());
        let right = pen.text_left_of(rect.right() - 14.0, y, source, ui_font(11.5), tok.t3);
        let Some(detail) = answer.any() else { return };
        if let Some(symbol) = &detail.symbol {
            pen.cut_text(pos2(end + 12.0, y), symbol, mono(12.5), tok.symbol, right - 8.0);
        }
        let window = cx.desk.windows.travelling(follow);
        let initial = cell.written_at.is_some_and(|at| at.0 == 0) && cell.written_by.is_none();
        let nobody = if initial { say!("detail-the-first-lines-of-the") } else { say!("detail-never-before") };
        let never_again = so_far(&cx.desk.session, say!("detail-never-again"));
        let lines = [
            (say!("detail-written-by"), &detail.written_by, nobody),
            (say!("detail-next-write"), &detail.next_write, &*never_again),
            (say!("detail-next-read"), &detail.next_read, &*never_again),
        ];
        let shown = if rect.height() < HEIGHT { 2 } else { lines.len() };
        let written = lines.iter().filter_map(|(_, writer, _)| writer.as_ref());
        let number = written.map(|(step, _)| StepLink { step: *step, trace: cx.trace(), window }.width(pen));
        let number = number.fold(36.0, f32::max);
        for (label, writer, nobody) in lines.into_iter().take(shown) {
            y += ROW;
            let line = Line { label, number, writer: writer.as_ref(), nobody, trace: cx.trace() };
            line.ui(ui, pen, LinePlace { at: pos2(left, y), right: rect.right() }, window, out);
        }
        let (label, words) = match (&cell.reason, &detail.doubt) {
            (Some(reason), _) => (say!("detail-known-by"), reason.as_str()),
            (None, Some(doubt)) => (say!("detail-but"), doubt.as_str()),
            (None, None) => ("", ""),
        };
        pen.label(left, y + ROW, label, tok.t3);
        pen.cut_text(pos2(left + 75.0, y + ROW), words, ui_font(11.5), tok.t2, rect.right() - 8.0);
        // The foot of a trace without values is one line higher in both shapes.
        if rect.height() >= HEIGHT_WITH_STRIP {
            let strip =
                Rect::from_min_max(pos2(left, rect.bottom() - 44.0), pos2(rect.right() - 14.0, rect.bottom() - 28.0));
            self.count_ui(ui, pos2(left, rect.bottom() - 12.0), StripPaint { pen, part: key.0.clone(), thread }, cx);
            self.strip_ui(
                strip,
                StripPaint { pen, part: key.0, thread },
                StripPlace { cx, position, window: window.0 },
            );
        }
    }

    /// How often the register is written.
    fn count_ui(&mut self, ui: &Ui, at: egui::Pos2, StripPaint { pen, part, thread }: StripPaint<'_>, cx: &ViewCx<'_>) {
        let answer = self.count.poll_long(&(part, thread), &cx.desk.worker, |(part, thread)| {
            let (part, thread, session) = (part.clone(), *thread, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| write_count(&session, &part, thread, cancel)
        });
        if let Answer::Fresh(count) = answer {
            let words = so_far(&cx.desk.session, &count_words(*count));
            pen.text(at.x, at.y, &words, ui_font(11.5), pen.tok.t3);
            let label = Rect::from_min_size(pos2(at.x, at.y - 8.0), vec2(pen.width(&words, ui_font(11.5)), 16.0));
            let response = ui.interact(label, ui.unique_id().with("count of writes"), egui::Sense::hover());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
        }
    }

    /// All writes of the register along the trace, with the position.
    fn strip_ui(
        &mut self,
        rect: Rect,
        StripPaint { pen, part, thread }: StripPaint<'_>,
        StripPlace { cx, position, window }: StripPlace<'_>,
    ) {
        // Two pixels for each column, which is the width of a mark.
        let columns = (rect.width() / 2.0).max(1.0) as u32;
        let key = (part, thread, columns);
        let answer = self.strip.poll(&key, &cx.desk.worker, |(part, thread, columns)| {
            let (part, thread, columns, session) = (part.clone(), *thread, *columns, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| write_columns(&session, &part, thread, columns, cancel)
        });
        pen.line_across(rect.left(), rect.right(), rect.bottom(), pen.tok.line2);
        let Answer::Fresh(written) = answer else { return };
        for column in written {
            let left = rect.left() + 2.0 * *column as f32;
            pen.fill(Rect::from_min_size(pos2(left.round(), rect.bottom() - 8.0), vec2(2.0, 8.0)), pen.tok.write);
        }
        let share = position.0 as f64 / cx.desk.session.index.step_count().max(1) as f64;
        let x = (f64::from(rect.left()) + share * f64::from(rect.width())) as f32;
        let mark = Rect::from_min_max(pos2(x.round() - 1.0, rect.top()), pos2(x.round() + 1.0, rect.bottom() + 4.0));
        pen.fill(mark, pen.tok.position(window));
    }
}

/// Where a line begins, and where it ends.
struct LinePlace {
    at: egui::Pos2,
    right: f32,
}

struct Line<'a> {
    label: &'a str,
    /// Room for the number of a step, which ends where those of the other lines do.
    number: f32,
    writer: Option<&'a (Step, Code)>,
    nobody: &'a str,
    trace: TraceId,
}

impl Line<'_> {
    fn ui(
        self,
        ui: &Ui,
        pen: &Pen<'_>,
        LinePlace { at, right }: LinePlace,
        window: stepback_debugger::action::WindowId,
        out: &mut Vec<Action>,
    ) {
        pen.label(at.x, at.y, self.label, pen.tok.t3);
        let x = at.x + 75.0;
        let Some((step, code)) = self.writer else {
            pen.label(x, at.y, self.nobody, pen.tok.t3);
            return;
        };
        let link = StepLink { step: *step, trace: self.trace, window };
        let end = link.ui(ui, pen, x + self.number - link.width(pen), at.y, out);
        pen.cut_text(pos2(end + 10.0, at.y), &code.full_text(), mono(12.5), pen.tok.t2, right - 8.0);
    }
}
