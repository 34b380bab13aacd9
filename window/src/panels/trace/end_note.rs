//! What is said below the last step of a program that died.

use std::sync::Arc;

use egui::{Rect, Ui, vec2};
use stepback_index::Cancel;

use super::menu::Scene;
use super::paint::{Columns, paint_note};
use crate::panels::ViewCx;
use crate::panels::pen::{Pen, ROW};
use crate::panels::row::StepLink;
use stepback_debugger::action::Action;
use stepback_debugger::analysis::fatal_ending::{FatalEnding, fatal_ending};
use stepback_debugger::messages::say;
use stepback_debugger::model::fatal_words::fatal_words;
use stepback_debugger::worker::Slot;

/// The words "End of trace", two or three lines of the note, and the link.
const ROWS: u64 = 5;

/// Where the program died, asked once a trace.
#[derive(Debug, Default)]
pub struct EndNote {
    answer: Slot<(), Option<FatalEnding>>,
}

/// With what the note is painted.
pub struct NotePaint<'a> {
    pub pen: &'a Pen<'a>,
    pub columns: &'a Columns,
}

impl EndNote {
    /// Asks, if that is not done yet.
    pub fn ask(&mut self, cx: &ViewCx<'_>) {
        self.answer.poll_long(&(), &cx.desk.worker, |()| {
            let session = Arc::clone(&cx.desk.session);
            move |cancel: &Cancel| Ok(fatal_ending(&session.index, cancel)?)
        });
    }

    /// Whether the answer is there.
    pub fn is_known(&self) -> bool {
        self.answer.peek().is_some()
    }

    /// How many rows it may take.
    pub fn rows(&self) -> u64 {
        if matches!(self.answer.peek(), Some((_, Some(_)))) { ROWS } else { 0 }
    }

    /// Draws the note below a row, with a link to the step. Returns its height.
    pub fn ui(
        &self,
        ui: &Ui,
        row: Rect,
        NotePaint { pen, columns }: NotePaint<'_>,
        Scene { cx, window }: Scene<'_>,
        out: &mut Vec<Action>,
    ) -> f32 {
        let Some((_, Some(ending))) = self.answer.peek() else { return 0.0 };
        let note = row.translate(vec2(0.0, ROW));
        let height = paint_note(pen, columns, note, &fatal_words(ending));
        let y = note.top() + height - ROW / 2.0;
        let end = pen.label(columns.address + 2.0, y, say!("trace-go-to"), cx.tok.t2);
        StepLink { step: ending.step, trace: window.trace, window: window.id }.ui(ui, pen, end + 6.0, y, out);
        height
    }
}
