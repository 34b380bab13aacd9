//! The note below the last step of a program that crashed.

use egui::{Rect, Ui, vec2};

use super::menu::TraceContext;
use super::paint::{TraceColumns, paint_note};
use crate::panels::pen::{Pen, ROW};
use crate::panels::row::StepLink;
use stepback_debugger::action::Action;
use stepback_debugger::analysis::fatal_ending::FatalEnding;
use stepback_debugger::messages::say;
use stepback_debugger::model::fatal_words::fatal_words;

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
