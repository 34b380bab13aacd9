//! Columns of the call list: names, entry positions, callers, numbers.

use egui::{Rect, pos2};

use crate::panels::pen::{Pen, head_font};
use crate::theme::{mono, ui as ui_font};
use stepback_debugger::desk::Blocks;
use stepback_debugger::messages::say;
use stepback_debugger::model::call_rows::CallRow;
use stepback_debugger::model::found_calls::CallWords;
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::CallColumn;

/// Width of a column of numbers.
const STEPS: f32 = 78.0;
/// Width of the column of entry positions in search results.
const ENTERED: f32 = 82.0;
/// Minimum width of the list that has a caller column.
const WITH_CALLER: f32 = 400.0;
/// Share of the remaining width for the caller.
const CALLER: f32 = 0.35;
/// Minimum width of names at any depth.
const LEAST_NAME: f32 = 112.0;

/// Contents of the rows.
#[derive(Clone, Copy)]
pub enum CallListing<'a> {
    /// The call tree.
    Tree,
    /// Calls found by a search, with the words about each.
    Found(&'a Blocks<CallWords>),
}

/// Column positions.
#[derive(Clone, Copy)]
pub struct CallListColumns<'a> {
    pub listing: CallListing<'a>,
    /// Edges of the list.
    pub left: f32,
    pub right: f32,
    /// Number columns, from the right.
    pub numbers: &'a [&'static CallColumn],
}

impl CallListColumns<'_> {
    fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Returns the width that is available for indentation.
    pub fn room_for_indents(&self) -> f32 {
        let more = self.numbers.iter().skip(1).map(|_| STEPS).sum::<f32>();
        (self.width() - LEAST_NAME - 58.0 - more).max(0.0)
    }

    /// Draws the heads. `around` names the calls around the topmost row that are out of view.
    pub fn head_ui(&self, pen: &Pen<'_>, head: Rect, around: Option<&str>) {
        let (tok, y) = (pen.tok, head.center().y);
        pen.fill(head, tok.bg2);
        pen.line_across(head.left(), head.right(), head.bottom() - 1.0, tok.line);
        let (mut edge, mut right) = (self.right - 10.0, self.right);
        for column in self.numbers {
            right = pen.text_left_of(edge, y, column.head(), head_font(), tok.t2) - 8.0;
            edge -= STEPS;
        }
        match (self.listing, around) {
            (CallListing::Found(_), _) => {
                pen.text_left_of(
                    self.left + ENTERED - 10.0,
                    y,
                    say!("calls-position"),
                    head_font(),
                    tok.t2,
                );
                pen.cut_text(
                    pos2(self.left + ENTERED, y),
                    say!("calls-call"),
                    head_font(),
                    tok.t2,
                    right,
                );
                if let Some(left) = self.caller_left() {
                    pen.text(left, y, say!("calls-caller"), head_font(), tok.t2);
                }
            }
            (CallListing::Tree, Some(around)) => {
                pen.cut_text(
                    pos2(self.left + 12.0, y),
                    around,
                    ui_font(11.5),
                    tok.t3,
                    right,
                );
            }
            (CallListing::Tree, None) => {
                pen.cut_text(
                    pos2(self.left + 12.0, y),
                    say!("calls-call"),
                    head_font(),
                    tok.t2,
                    right,
                );
            }
        }
    }

    /// Draws the numbers of a row at its right. Returns their left edge.
    pub fn numbers_ui(&self, pen: &Pen<'_>, rect: Rect, row: &CallRow) -> f32 {
        let (y, mut edge, mut left) = (rect.center().y, self.right - 10.0, self.right);
        for (place, column) in self.numbers.iter().enumerate() {
            let color = if place == 0 { pen.tok.t3 } else { pen.tok.t4 };
            left = pen.text_left_of(edge, y, column.text(row), mono(11.5), color);
            edge -= STEPS;
        }
        left
    }

    /// Draws the position, caller and numbers of a found call. Returns the left edge and the right
    /// limit of its name.
    pub fn found_ui(
        &self,
        pen: &Pen<'_>,
        rect: Rect,
        row: &CallRow,
        words: Option<&CallWords>,
    ) -> (f32, f32) {
        let (y, tok) = (rect.center().y, pen.tok);
        pen.text_left_of(
            self.left + ENTERED - 10.0,
            y,
            thousands(row.entered_at.0),
            mono(11.5),
            tok.accent,
        );
        let steps = self.numbers_ui(pen, rect, row);
        let Some(left) = self.caller_left() else {
            return (self.left + ENTERED, steps - 8.0);
        };
        if let Some(words) = words {
            pen.cut_text(
                pos2(left, y),
                &words.caller,
                mono(12.0),
                tok.t2,
                steps - 8.0,
            );
        }
        (self.left + ENTERED, left - 10.0)
    }

    fn caller_left(&self) -> Option<f32> {
        let room = self.width() - ENTERED - STEPS;
        (self.width() >= WITH_CALLER).then_some(self.right - STEPS - room * CALLER)
    }
}
