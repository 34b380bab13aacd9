//! Moves of a window that is restricted to a thread: steps of other threads are skipped.

use stepback_index::{Cancel, Index, NearestStepOf, Query as _, QueryError, ThreadId};
use stepback_parsers::{Position, Step};

use super::MoveContext;
use crate::action::Direction;

/// Kind of a move by steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// One step, or a folded call.
    Row,
    /// One step.
    Into,
    /// One step, or a whole call.
    Over,
    /// To the caller: a jump, recorded in the history as such.
    Out,
    /// Number of rows.
    Page(u64),
}

/// Moves within one thread.
pub struct ThreadWalk<'a> {
    index: &'a Index,
    thread: ThreadId,
}

impl<'a> ThreadWalk<'a> {
    pub fn new(index: &'a Index, thread: ThreadId) -> Self {
        Self { index, thread }
    }

    /// Returns the target of a move: always just after a step of the thread, or before its first
    /// one. Returns none if the thread has no step in that direction.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn target(
        &self,
        stride: Stride,
        way: Direction,
        from: Position,
    ) -> Result<Option<Position>, QueryError> {
        match (stride, way) {
            (Stride::Row | Stride::Into, way) => self.neighbour(way, from),
            (Stride::Over, Direction::Forward) => self.over(from),
            (Stride::Over, Direction::Back) => self.back_over(from),
            (Stride::Out, way) => self.out(way, from),
            (Stride::Page(rows), way) => {
                let mut to = None;
                for _ in 0..rows {
                    match self.neighbour(way, to.unwrap_or(from))? {
                        Some(next) => to = Some(next),
                        None => break,
                    }
                }
                Ok(to)
            }
        }
    }

    fn neighbour(&self, way: Direction, from: Position) -> Result<Option<Position>, QueryError> {
        match way {
            Direction::Forward => Ok(self.next(from)?.map(Step::after)),
            Direction::Back => match self.last(from)? {
                Some(step) => Ok(Some(self.behind_last(step.before())?)),
                None => Ok(None),
            },
        }
    }

    fn over(&self, from: Position) -> Result<Option<Position>, QueryError> {
        let Some(next) = self.next(from)? else {
            return Ok(None);
        };
        let ground = self.ground(from)?;
        let called = ground.calls.called_by(self.thread, next);
        Ok(called
            .and_then(|call| ground.after(call))
            .or(Some(next.after())))
    }

    fn back_over(&self, from: Position) -> Result<Option<Position>, QueryError> {
        let Some(last) = self.last(from)? else {
            return Ok(None);
        };
        let ground = self.ground(from)?;
        let left = ground
            .left_by(last)
            .and_then(|call| ground.calls.get(call)?.call_step);
        self.behind_last(left.unwrap_or(last).before()).map(Some)
    }

    fn out(&self, way: Direction, from: Position) -> Result<Option<Position>, QueryError> {
        let ground = self.ground(from)?;
        let Some(call) = ground
            .frame_at(from)
            .and_then(|frame| ground.calls.get(frame))
        else {
            return Ok(None);
        };
        match way {
            Direction::Forward => Ok(call.exit_step.map(Step::after)),
            Direction::Back => call
                .call_step
                .map(|step| self.behind_last(step.before()))
                .transpose(),
        }
    }

    /// Returns the position after the thread's last step before a position; the position itself if
    /// there is no such step.
    fn behind_last(&self, before: Position) -> Result<Position, QueryError> {
        Ok(self.last(before)?.map_or(before, Step::after))
    }

    fn ground(&self, at: Position) -> Result<MoveContext<'a>, QueryError> {
        Ok(MoveContext {
            thread_before: self.thread,
            thread_after: self.thread,
            ..MoveContext::at(self.index, at)?
        })
    }

    fn next(&self, from: Position) -> Result<Option<Step>, QueryError> {
        NearestStepOf::next(self.thread, from).run(self.index, &Cancel::default())
    }

    fn last(&self, before: Position) -> Result<Option<Step>, QueryError> {
        NearestStepOf::last(self.thread, before).run(self.index, &Cancel::default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepback_index::{BuildOptions, index_in_memory};
    use stepback_parsers::Tarmac;

    use super::*;

    /// Two CPUs take turns. The first calls a function with its third step (4); the function has
    /// one step (6).
    const TRACE: &str = "\
0 clk cpu0 R r13_svc 00009000
1 clk cpu0 IT (1) 00001000 e1a00000 A svc : NOP
2 clk cpu1 IT (1) 00002000 e1a00000 A svc : NOP
3 clk cpu0 IT (2) 00001004 e1a00000 A svc : NOP
4 clk cpu1 IT (2) 00002004 e1a00000 A svc : NOP
5 clk cpu0 IT (3) 00001008 eb000bfc A svc : BL 0x4000
5 clk cpu0 R r14_svc 0000100c
6 clk cpu1 IT (3) 00002008 e1a00000 A svc : NOP
7 clk cpu0 IT (4) 00004000 e12fff1e A svc : BX lr
8 clk cpu1 IT (4) 0000200c e1a00000 A svc : NOP
9 clk cpu0 IT (5) 0000100c e1a00000 A svc : NOP
";

    #[track_caller]
    fn check(stride: Stride, way: Direction, from: u64, expected: Option<u64>) {
        let tarmac =
            Tarmac::open(Box::new(TRACE.as_bytes().to_vec()), Default::default()).expect("a trace");
        let index = index_in_memory(Arc::new(tarmac), &BuildOptions::default()).expect("an index");
        let walk = ThreadWalk::new(&index, ThreadId(0));
        let target = walk.target(stride, way, Position(from)).expect("a move");
        assert_eq!(target.map(|position| position.0), expected);
    }

    #[test]
    fn steps_of_other_threads_are_passed_over() {
        check(Stride::Into, Direction::Forward, 1, Some(3));
        check(Stride::Into, Direction::Forward, 2, Some(3));
        check(Stride::Into, Direction::Back, 5, Some(3));
        check(Stride::Into, Direction::Back, 4, Some(1));
        check(Stride::Into, Direction::Back, 1, Some(0));
    }

    #[test]
    fn a_thread_has_a_first_and_a_last_step() {
        check(Stride::Into, Direction::Back, 0, None);
        check(Stride::Into, Direction::Forward, 9, None);
        check(Stride::Page(2), Direction::Forward, 1, Some(5));
        check(Stride::Page(100), Direction::Forward, 1, Some(9));
        check(Stride::Page(100), Direction::Back, 8, Some(0));
    }

    #[test]
    fn calls_are_passed_over_and_left_in_the_thread() {
        check(Stride::Over, Direction::Forward, 3, Some(7));
        check(Stride::Over, Direction::Back, 7, Some(3));
        check(Stride::Out, Direction::Forward, 5, Some(7));
        check(Stride::Out, Direction::Back, 5, Some(3));
    }
}
