//! Decisions of a step by lines at each instruction on its way ([`LineStep`]).
//!
//! They are those of gdb: a step goes on as long as it is in the row of the line table in which it
//! begins, stops where a row of another line begins, and goes on in the row of a line that control
//! reaches in its middle.

use std::ops::Range;

use stepback_index::Index;
use stepback_index::answer::CallId;
use stepback_machine::Address;

use crate::action::Direction;
use crate::analysis::step_frame::{FrameCode, SourcePlace, StepFrame};
use crate::image::Images;

/// Treatment of called functions when stepping by lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callees {
    /// Step over their lines.
    Over,
    /// Stop at their lines too.
    Into,
    /// Stop at their lines too, but step over callees without lines: after some steps without a
    /// line, the rest of the callee and all that it calls is skipped.
    IntoLines,
}

/// A step by lines that is on its way.
pub struct LineStep<'a> {
    pub index: &'a Index,
    pub images: &'a Images,
    pub callees: Callees,
    pub direction: Direction,
    /// Frame in which the step is.
    pub frame: StepFrame,
    /// Line that the step leaves; none if it stops at any line.
    pub place: Option<SourcePlace>,
    /// Row of the line table that the step leaves.
    pub row: Range<Address>,
    /// The step is still in the row in which it began.
    pub is_first_row: bool,
}

impl LineStep<'_> {
    /// Goes on in the row of an instruction.
    pub fn enter(&mut self, code: &FrameCode) {
        self.frame = code.frame(code.begun(self.images));
        self.place = Some(code.place());
        self.row = self.images.row_at(code.pc);
        self.is_first_row = false;
    }

    /// Passes an instruction, or stops there: returns the number of innermost inlined functions that
    /// the stop does not enter.
    pub fn pass(&mut self, code: &FrameCode) -> Option<usize> {
        let begun = code.begun(self.images);
        let frame = code.frame(begun);
        if self.row.contains(&code.pc)
            && (self.direction == Direction::Forward || frame == self.frame)
        {
            // From the entry of a function, a step back goes on to the call.
            let is_beginning = code.pc == self.row.start && !is_entry(self.images, code.pc);
            return (is_beginning && self.direction == Direction::Back).then_some(begun);
        }
        if self.callees != Callees::Over && self.is_called(&frame) {
            let begins = || self.images.row_at(code.pc).start == code.pc;
            return (self.direction == Direction::Forward || begins()).then_some(begun);
        }
        if frame == self.frame
            && let Some(site) = code.call_of(begun)
        {
            let is_elsewhere = self.place.as_ref() != Some(&site);
            return match self.callees {
                Callees::Over => is_elsewhere.then_some(begun),
                Callees::Into | Callees::IntoLines if is_elsewhere => Some(begun),
                // The call is in the line that the step leaves.
                Callees::Into | Callees::IntoLines => Some(begun - 1),
            };
        }
        if frame.is_inlined_in(&self.frame) {
            return (self.callees != Callees::Over).then_some(begun);
        }
        let is_same = self.place.as_ref() == Some(&code.place());
        let is_same_frame = frame == self.frame;
        // The row before it may be of the same line.
        let is_before_first = self.direction == Direction::Back && self.is_first_row;
        let begins = self.images.row_at(code.pc).start == code.pc;
        match (begins && !is_same, is_same_frame) {
            (true, _) if code.line.is_statement => return Some(begun),
            (true, true) => {}
            // The line is not reached yet: a statement of it may follow.
            (true, false) => {
                self.enter(code);
                self.place = None;
            }
            // Control reaches a line in its middle, or another frame.
            (false, _) => self.enter(code),
        }
        let is_beginning = begins && is_same && is_same_frame && code.line.is_statement;
        (is_beginning && is_before_first && !is_entry(self.images, code.pc)).then_some(begun)
    }

    /// Returns true if the frame of the step called another one.
    fn is_called(&self, frame: &StepFrame) -> bool {
        let calls = self.index.calls();
        let depth = |call: Option<CallId>| Some(calls.get(call?)?.depth);
        depth(frame.call()) > depth(self.frame.call())
    }
}

/// Returns true for the first instruction of a function.
pub fn is_entry(images: &Images, pc: Address) -> bool {
    let function = images.function_at(pc);
    function.is_some_and(|function| function.symbol.address == pc)
}
