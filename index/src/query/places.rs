//! Place of a step's text in the trace.

use stepback_parsers::{Line, Position, Step};

use crate::answers::cancel::Cancel;
use crate::answers::direction::Direction;
use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::lines::LineReader;
use crate::read::slots::SlotReader;

/// Finds the first line of a step's text: the line of its instruction, or of lines with its new
/// time before it. Reads the text of at most 127 steps before it, and parses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextLineOfStep(pub Step);

/// Finds the nearest step of a thread before or after a position. Cost: O(log n).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NearestStepOf {
    /// Thread of the step.
    pub thread: ThreadId,
    /// Position of the query.
    pub at: Position,
    /// Backwards, steps before the position count; forwards, steps from it on.
    pub direction: Direction,
}

impl NearestStepOf {
    /// Finds the last step of a thread before a position.
    pub fn last(thread: ThreadId, before: Position) -> Self {
        Self {
            thread,
            at: before,
            direction: Direction::Back,
        }
    }

    /// Finds the first step of a thread from a position on.
    pub fn next(thread: ThreadId, from: Position) -> Self {
        Self {
            thread,
            at: from,
            direction: Direction::Forward,
        }
    }
}

impl Query for TextLineOfStep {
    /// The line; none beyond the end of the trace.
    type Answer = Option<Line>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Line>, QueryError> {
        cancel.check()?;
        let slot = self.0.0.saturating_add(1);
        if slot > index.step_count() || !index.source().is_text() {
            Ok(None)
        } else {
            Ok(Some(Line(LineReader(index).line_of_slot(slot)? + 1)))
        }
    }
}

impl Query for NearestStepOf {
    type Answer = Option<Step>;

    fn run(&self, index: &Index, _cancel: &Cancel) -> Result<Option<Step>, QueryError> {
        let slots = SlotReader(index);
        match self.direction {
            Direction::Back => {
                slots.check_position(self.at)?;
                slots.owner(self.thread, self.at.0)
            }
            Direction::Forward => slots.next_step_of(self.thread, self.at),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::in_memory::index_in_memory;
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use super::*;
    use crate::builder::options::BuildOptions;
    use crate::read::step_counts::StepCounter;

    /// Two CPUs; the second instruction of the first has a line with its time before it.
    const TRACE: &str = "\
1 clk cpu0 IT (1) 00001000 e1a00000 A usr : NOP
2 clk cpu1 IT (1) 00002000 e1a00000 A usr : NOP
3 clk cpu0 R r0 00000001
3 clk cpu0 IT (2) 00001004 e1a00000 A usr : NOP
3 clk cpu0 R r1 00000001
4 clk cpu1 IT (2) 00002004 e1a00000 A usr : NOP
";

    fn index() -> Index {
        let tarmac = Tarmac::open(Box::new(TRACE.as_bytes().to_vec()), Default::default()).unwrap();
        index_in_memory(Arc::new(tarmac), &BuildOptions::default()).unwrap()
    }

    fn ask<Q: Query>(question: Q) -> Q::Answer {
        question.run(&index(), &Cancel::default()).unwrap()
    }

    #[test]
    fn a_step_s_text_begins_with_the_lines_that_bear_its_time() {
        let lines = (0..5).map(|step| ask(TextLineOfStep(Step(step))).map(|line| line.0));
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [Some(1), Some(2), Some(3), Some(6), None]
        );
    }

    #[test]
    fn every_thread_has_steps_of_its_own() {
        let next = |thread, from| {
            ask(NearestStepOf::next(ThreadId(thread), Position(from))).map(|step| step.0)
        };
        assert_eq!(
            (next(0, 1), next(1, 2), next(0, 3)),
            (Some(2), Some(3), None)
        );
        let last = |thread, before| ask(NearestStepOf::last(ThreadId(thread), Position(before)));
        assert_eq!((last(0, 4), last(1, 1)), (Some(Step(2)), None));
        let index = index();
        let count = |thread, before| {
            StepCounter::new(&index, ThreadId(thread))
                .count_before(Position(before))
                .unwrap()
        };
        assert_eq!(
            (
                count(0, 0),
                count(0, 1),
                count(0, 4),
                count(1, 3),
                count(1, 4)
            ),
            (0, 1, 2, 1, 2)
        );
    }
}
