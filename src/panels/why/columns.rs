//! Where the columns of a slice are.

use egui::{Rect, pos2};

use crate::messages::say;
use crate::model::slice::{Slice, SliceLine, WhyRow};
use crate::model::text::thousands;
use crate::panels::pen::{ADVANCE, INSET, Pen, head_font};

/// One step further in.
pub const INDENT: f32 = 12.0;
/// Letters that a column has at most, and that it keeps where there is little room.
const PLACE: (usize, usize) = (30, 10);
const CODE: (usize, usize) = (40, 16);
const GIVES: (usize, usize) = (34, 14);
/// Letters of the reason that are seen in any case.
const REASON: usize = 18;

/// The left edges.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Of the carets and steps.
    pub step: f32,
    /// Of the threads; none where there is one.
    pub thread: Option<f32>,
    /// Of the functions.
    pub place: f32,
    /// Of the instructions.
    pub code: f32,
    /// Of what they gave.
    pub gives: f32,
    /// Of why they are in.
    pub reason: f32,
    /// Where the rows end.
    pub right: f32,
}

impl Columns {
    /// For the rows in view.
    pub fn new<'a>(body: Rect, slice: &Slice, seen: impl Iterator<Item = &'a SliceLine>) -> Self {
        let (mut place, mut code, mut gives, mut thread, mut indent) = (0, 0, 0, 0, 0);
        let length = |text: &str| text.chars().count();
        for (row, depth) in seen.filter_map(|line| Some((slice.rows.get(line.row)?, line.depth))) {
            let steps_only = |row: &WhyRow, text: String| if row.end.is_some() { 0 } else { length(&text) };
            place = place.max(length(&row.place));
            code = code.max(steps_only(row, row.code_text()));
            gives = gives.max(length(&row.gives_text()));
            thread = thread.max(length(&row.thread));
            indent = indent.max(depth);
        }
        let first = slice.rows.first().and_then(|row| row.step).map_or(4, |step| thousands(step.0).len());
        let step = body.left() + INSET;
        let after = step + 16.0 + INDENT * indent as f32 + ADVANCE * first as f32 + INSET;
        let has_threads = thread > 0;
        let left = after + if has_threads { ADVANCE * thread as f32 + INSET } else { 0.0 };
        let mut wide =
            [(place, PLACE), (gives, GIVES), (code, CODE)].map(|(needed, (most, _))| needed.min(most) as f32);
        let least = [PLACE.1, GIVES.1, CODE.1].map(|least| least as f32);
        let room = ((body.right() - left - 3.0 * INSET) / ADVANCE - REASON as f32).max(0.0);
        // The functions give way first, then what was given, then the instructions.
        let mut over = wide.iter().sum::<f32>() - room;
        for (wide, least) in wide.iter_mut().zip(least) {
            let cut = over.clamp(0.0, (*wide - least).max(0.0));
            *wide -= cut;
            over -= cut;
        }
        let [place, gives, code] = wide.map(|letters| ADVANCE * letters + INSET);
        Self {
            step,
            thread: has_threads.then_some(after),
            place: left,
            code: left + place,
            gives: left + place + code,
            reason: left + place + code + gives,
            right: body.right() - 8.0,
        }
    }

    /// Their heads.
    pub fn heads(&self, pen: &Pen<'_>, head: Rect) {
        let y = head.center().y;
        pen.line_across(head.left(), head.right(), head.bottom() - 1.0, pen.tok.line);
        let mut heads = vec![
            (self.step + 16.0, say!("slice-head-step")),
            (self.place, say!("slice-head-place")),
            (self.code, say!("slice-head-code")),
            (self.gives, say!("slice-head-gives")),
            (self.reason, say!("slice-head-reason")),
        ];
        heads.extend(self.thread.map(|left| (left, say!("slice-head-thread"))));
        for (left, words) in heads {
            pen.cut_text(pos2(left, y), words, head_font(), pen.tok.t2, self.right);
        }
    }
}
