//! Column positions of a slice.

use egui::{Rect, pos2};

use crate::panels::pen::{ADVANCE, INSET, Pen, head_font};
use stepback_debugger::action::SliceView;
use stepback_debugger::analysis::slice::ReadingLine;
use stepback_debugger::messages::say;
use stepback_debugger::model::slice::{Slice, SliceLineContent, because};
use stepback_debugger::model::text::thousands;

/// Indentation of one depth.
pub const INDENT: f32 = 12.0;
/// Room for the caret before a step.
pub const CARET: f32 = 16.0;
/// Maximum number of letters of a column, and the number that it keeps in narrow panels.
const PLACE: (usize, usize) = (30, 8);
const CODE: (usize, usize) = (72, 20);
const VALUE: (usize, usize) = (40, 10);
/// Number of letters to which instructions and expressions are cut before anything else is.
const LONG: usize = 34;
/// The corresponding limits of the reason, whose letters are narrower.
const REASON: (usize, usize) = (28, 16);

/// Left edges of the columns.
#[derive(Clone, Copy, Debug)]
pub struct SliceColumns {
    /// Carets and steps.
    pub step: f32,
    /// Threads; none if there is one thread.
    pub thread: Option<f32>,
    /// Functions.
    pub place: f32,
    /// Instructions or expressions.
    pub code: f32,
    /// Resulting values.
    pub value: f32,
    /// Reasons for being in the slice.
    pub reason: f32,
    /// Right edge of the rows.
    pub right: f32,
}

/// The slice that is shown, and its arrangement.
#[derive(Clone, Copy)]
pub struct SliceInView<'a> {
    pub slice: &'a Slice,
    pub view: SliceView,
}

/// Number of letters that the lines in view need in each column.
#[derive(Default)]
struct SliceColumnWidths {
    place: usize,
    code: usize,
    value: usize,
    reason: usize,
    thread: usize,
    step: usize,
    depth: u16,
}

impl SliceColumnWidths {
    fn add(
        &mut self,
        told: &SliceLineContent<'_>,
        depth: u16,
        SliceInView { slice, view }: SliceInView<'_>,
    ) {
        let length = |text: &str| text.chars().count();
        self.depth = self.depth.max(depth);
        let Some(row) = told.row() else { return };
        let step = row.step.map_or(1, |step| thousands(step.0).len());
        self.step = self.step.max(step);
        self.place = self.place.max(length(row.place_in(view)));
        self.thread = self.thread.max(length(&row.thread));
        self.value = self.value.max(length(&told.value()));
        self.reason = self.reason.max(length(&because(told, slice)));
        // The end of a chain extends over the following columns.
        if row.end.is_none() {
            self.code = self.code.max(length(&told.text()));
        }
    }
}

impl SliceColumns {
    /// Lays out the columns for the lines in view.
    pub fn new<'a>(
        body: Rect,
        shown: SliceInView<'_>,
        seen: impl Iterator<Item = &'a ReadingLine>,
    ) -> Self {
        let mut needed = SliceColumnWidths {
            step: 4,
            reason: 8,
            ..SliceColumnWidths::default()
        };
        for line in seen {
            shown
                .slice
                .told(line)
                .iter()
                .for_each(|told| needed.add(told, line.depth, shown));
        }
        let step = body.left() + INSET;
        let after =
            step + CARET + INDENT * f32::from(needed.depth) + ADVANCE * needed.step as f32 + INSET;
        let has_threads = needed.thread > 0;
        let left = after
            + if has_threads {
                ADVANCE * needed.thread as f32 + INSET
            } else {
                0.0
            };
        let needed = [
            (needed.code, CODE),
            (needed.place, PLACE),
            (needed.value, VALUE),
            (needed.reason, REASON),
        ];
        let mut wide = needed.map(|(letters, (most, _))| letters.min(most) as f32);
        let mut over = wide.iter().sum::<f32>() - (body.right() - left - 3.0 * INSET) / ADVANCE;
        // Long expressions give way first, then reasons, functions, values, and the rest of the
        // expressions.
        for (place, least) in [
            (0, LONG),
            (3, REASON.1),
            (1, PLACE.1),
            (2, VALUE.1),
            (0, CODE.1),
        ] {
            let Some(wide) = wide.get_mut(place) else {
                continue;
            };
            let cut = over.clamp(0.0, (*wide - least as f32).max(0.0));
            *wide -= cut;
            over -= cut;
        }
        let [code, place, value, _] = wide.map(|letters| ADVANCE * letters + INSET);
        Self {
            step,
            thread: has_threads.then_some(after),
            place: left,
            code: left + place,
            value: left + place + code,
            reason: left + place + code + value,
            right: body.right() - 8.0,
        }
    }

    /// Draws the column heads.
    pub fn heads(&self, pen: &Pen<'_>, head: Rect) {
        let y = head.center().y;
        pen.line_across(head.left(), head.right(), head.bottom() - 1.0, pen.tok.line);
        let mut heads = vec![
            (
                self.step + CARET,
                self.thread.unwrap_or(self.place),
                say!("slice-head-step"),
            ),
            (self.place, self.code, say!("slice-head-place")),
            (self.code, self.value, say!("slice-head-code")),
            (self.value, self.reason, say!("slice-head-gives")),
            (self.reason, self.right, say!("slice-head-reason")),
        ];
        heads.extend(
            self.thread
                .map(|left| (left, self.place, say!("slice-head-thread"))),
        );
        for (left, right, words) in heads {
            pen.cut_text(pos2(left, y), words, head_font(), pen.tok.t2, right - 2.0);
        }
    }
}
