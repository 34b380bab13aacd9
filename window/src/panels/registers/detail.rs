//! Details of one register, at the foot of the panel.

use egui::{Rect, Ui, pos2, vec2};
use stepback_debugger::action::Action;
use stepback_debugger::action::{TraceId, WindowId};
use stepback_debugger::messages::say;
use stepback_debugger::model::register_detail::{RegisterDetail, count_words};
use stepback_debugger::model::registers::RegisterCell;
use stepback_debugger::model::so_far::{so_far, source_so_far};
use stepback_debugger::model::span::Code;
use stepback_debugger::model::text::short_hex;
use stepback_debugger::views::RegistersView;
use stepback_parsers::Step;

use crate::panels::PanelContext;
use crate::panels::pen::{ADVANCE, Pen, ROW};
use crate::panels::row::StepLink;
use crate::theme::{mono, mono_bold, ui as ui_font};

/// Height of the foot.
pub const HEIGHT: f32 = 89.0;
/// Height of the foot in low panels, without the next read.
pub const LOW_HEIGHT: f32 = 70.0;
/// Height of the foot with the strip of writes.
pub const HEIGHT_WITH_STRIP: f32 = 132.0;
/// Height of the line with the reason why a value is known.
pub const REASON: f32 = ROW;

/// Minimum width of the labels, so that short ones do not move the lines.
const LABEL: f32 = 75.0;

/// The foot about a register.
pub struct RegisterFoot<'a> {
    pub pen: &'a Pen<'a>,
    pub rect: Rect,
    pub cell: &'a RegisterCell,
    pub cx: &'a PanelContext<'a>,
}

impl RegisterFoot<'_> {
    /// Draws the foot.
    pub fn ui(&self, ui: &Ui, view: &mut RegistersView, out: &mut Vec<Action>) {
        let Self {
            pen,
            rect,
            cell,
            cx,
        } = self;
        let tok = pen.tok;
        pen.fill(*rect, tok.bg1);
        pen.line_across(rect.left(), rect.right(), rect.top(), tok.line);
        let (left, y) = (rect.left() + 14.0, rect.top() + 17.0);
        let end = pen.text(left, y, &cell.name, mono_bold(12.5), tok.register);
        let value = short_hex(&cell.value).unwrap_or_default();
        let end = pen.code(end + ADVANCE, y, value, tok.t1);
        let source = source_so_far(&cx.desk.session, cell.source, cell.source_word());
        let right = pen.text_left_of(rect.right() - 14.0, y, source, ui_font(11.5), tok.t3);
        let window = cx.desk.windows.travelling(view.follow);
        let Some(detail) = view.detail(&cell.name, cx.desk) else {
            return;
        };
        if let Some(symbol) = &detail.symbol {
            pen.cut_text(
                pos2(end + 12.0, y),
                symbol,
                mono(12.5),
                tok.symbol,
                right - 8.0,
            );
        }
        self.lines_ui(ui, detail, window, out);
        // The foot of a trace without values is one line higher in both layouts.
        if rect.height() >= HEIGHT_WITH_STRIP {
            self.count_ui(ui, view);
            self.strip_ui(view, window);
        }
    }

    /// Draws the last and next accesses of the register.
    fn lines_ui(&self, ui: &Ui, detail: &RegisterDetail, window: WindowId, out: &mut Vec<Action>) {
        let Self {
            pen,
            rect,
            cell,
            cx,
        } = self;
        let (tok, left, mut y) = (pen.tok, rect.left() + 14.0, rect.top() + 17.0);
        let initial = cell.written_at.is_some_and(|at| at.0 == 0) && cell.written_by.is_none();
        let nobody = if initial {
            say!("detail-the-first-lines-of-the")
        } else {
            say!("detail-never-before")
        };
        let never_again = so_far(&cx.desk.session, say!("detail-never-again"));
        let lines = [
            (say!("detail-written-by"), &detail.written_by, nobody),
            (say!("detail-next-write"), &detail.next_write, &*never_again),
            (say!("detail-next-read"), &detail.next_read, &*never_again),
        ];
        let (label, words) = match (&cell.reason, &detail.doubt) {
            (Some(reason), _) => (say!("detail-known-by"), reason.as_str()),
            (None, Some(doubt)) => (say!("detail-but"), doubt.as_str()),
            (None, None) => ("", ""),
        };
        let strip = match rect.height() >= HEIGHT_WITH_STRIP {
            true => HEIGHT_WITH_STRIP - HEIGHT,
            false => 0.0,
        };
        let fitting = ((rect.height() - strip - LOW_HEIGHT) / ROW) as usize + 2;
        // The reason is more important than the next accesses.
        let shown = fitting - usize::from(!words.is_empty());
        let written = lines.iter().filter_map(|(_, writer, _)| writer.as_ref());
        let number = written.map(|(step, _)| {
            StepLink {
                step: *step,
                trace: cx.trace(),
                window,
            }
            .width(pen)
        });
        let number = number.fold(36.0, f32::max);
        let labels = lines.iter().take(shown).map(|(label, ..)| *label);
        let label_width = labels
            .chain([label])
            .map(|label| pen.width(label, ui_font(11.5)) + 12.0)
            .fold(LABEL, f32::max);
        for (label, writer, nobody) in lines.into_iter().take(shown) {
            y += ROW;
            let line = AccessLine {
                label,
                label_width,
                number,
                writer: writer.as_ref(),
                nobody,
                trace: cx.trace(),
            };
            line.ui(
                ui,
                pen,
                AccessLineArea {
                    at: pos2(left, y),
                    right: rect.right(),
                },
                window,
                out,
            );
        }
        pen.label(left, y + ROW, label, tok.t3);
        pen.cut_text(
            pos2(left + label_width, y + ROW),
            words,
            ui_font(11.5),
            tok.t2,
            rect.right() - 8.0,
        );
    }

    /// Draws the number of writes of the register.
    fn count_ui(&self, ui: &Ui, view: &mut RegistersView) {
        let Self {
            pen,
            rect,
            cell,
            cx,
        } = self;
        let at = pos2(rect.left() + 14.0, rect.bottom() - 12.0);
        if let Some(count) = view.write_count(&cell.name, cx.desk) {
            let words = so_far(&cx.desk.session, &count_words(count));
            pen.text(at.x, at.y, &words, ui_font(11.5), pen.tok.t3);
            let label = Rect::from_min_size(
                pos2(at.x, at.y - 8.0),
                vec2(pen.width(&words, ui_font(11.5)), 16.0),
            );
            let response = ui.interact(
                label,
                ui.unique_id().with("count of writes"),
                egui::Sense::hover(),
            );
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
        }
    }

    /// Draws all writes of the register along the trace, and the position.
    fn strip_ui(&self, view: &mut RegistersView, window: WindowId) {
        let Self {
            pen,
            rect,
            cell,
            cx,
        } = self;
        let (start, end) = (rect.left() + 14.0, rect.right() - 14.0);
        let rect = Rect::from_min_max(
            pos2(start, rect.bottom() - 44.0),
            pos2(end, rect.bottom() - 28.0),
        );
        // Each column is two points wide, the width of a mark.
        let columns = (rect.width() / 2.0).max(1.0) as u32;
        let position = cx.desk.windows.position_of(view.follow);
        pen.line_across(rect.left(), rect.right(), rect.bottom(), pen.tok.line2);
        let Some(written) = view.write_columns(&cell.name, columns, cx.desk) else {
            return;
        };
        for column in written {
            let left = rect.left() + 2.0 * *column as f32;
            pen.fill(
                Rect::from_min_size(pos2(left.round(), rect.bottom() - 8.0), vec2(2.0, 8.0)),
                pen.tok.write,
            );
        }
        let share = position.0 as f64 / cx.desk.session.index.step_count().max(1) as f64;
        let x = (f64::from(rect.left()) + share * f64::from(rect.width())) as f32;
        let mark = Rect::from_min_max(
            pos2(x.round() - 1.0, rect.top()),
            pos2(x.round() + 1.0, rect.bottom() + 4.0),
        );
        pen.fill(mark, pen.tok.position(window.0));
    }
}

/// Start and right limit of a line.
struct AccessLineArea {
    at: egui::Pos2,
    right: f32,
}

struct AccessLine<'a> {
    label: &'a str,
    /// Width of the labels with the gap after them.
    label_width: f32,
    /// Width of the step numbers, which are aligned at their ends.
    number: f32,
    writer: Option<&'a (Step, Code)>,
    nobody: &'a str,
    trace: TraceId,
}

impl AccessLine<'_> {
    fn ui(
        self,
        ui: &Ui,
        pen: &Pen<'_>,
        AccessLineArea { at, right }: AccessLineArea,
        window: WindowId,
        out: &mut Vec<Action>,
    ) {
        pen.label(at.x, at.y, self.label, pen.tok.t3);
        let x = at.x + self.label_width;
        let Some((step, code)) = self.writer else {
            pen.label(x, at.y, self.nobody, pen.tok.t3);
            return;
        };
        let link = StepLink {
            step: *step,
            trace: self.trace,
            window,
        };
        let end = link.ui(ui, pen, x + self.number - link.width(pen), at.y, out);
        pen.cut_text(
            pos2(end + 10.0, at.y),
            &code.full_text(),
            mono(12.5),
            pen.tok.t2,
            right - 8.0,
        );
    }
}
