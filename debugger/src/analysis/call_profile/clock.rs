//! The steps that ran on a stack.

use stepback_index::{QueryError, StackUse, StepCounter};
use stepback_parsers::Position;

/// Counts the steps of a thread while it used one of its stacks.
pub struct StackClock<'a> {
    counter: &'a StepCounter<'a>,
    /// One a stretch in which the stack was used; nothing where the thread has this one alone.
    stretches: Vec<StackInterval>,
}

/// A stretch of the trace in which a stack was used.
struct StackInterval {
    from: Position,
    until: Position,
    /// Steps of the thread before it.
    begin: u64,
    /// Those of them on this stack.
    ran: u64,
}

impl<'a> StackClock<'a> {
    /// Of a stack of a counter's thread. O(stretches).
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn new(
        counter: &'a StepCounter<'a>,
        stack: &StackUse,
        end: Position,
    ) -> Result<Self, QueryError> {
        let is_alone = matches!(&*stack.used, [only] if only.start.0 == 0 && only.end >= end);
        let (mut stretches, mut ran) = (Vec::new(), 0u64);
        for used in stack.used.iter().filter(|_| !is_alone) {
            let (from, until) = (used.start.min(end), used.end.min(end));
            let begin = counter.count_before(from)?;
            stretches.push(StackInterval {
                from,
                until,
                begin,
                ran,
            });
            ran = ran.saturating_add(counter.count_before(until)?.saturating_sub(begin));
        }
        Ok(Self { counter, stretches })
    }

    /// How many steps ran on the stack before a position. O(log n).
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn ran_before(&self, position: Position) -> Result<u64, QueryError> {
        if self.stretches.is_empty() {
            return self.counter.count_before(position);
        }
        let begun = self
            .stretches
            .partition_point(|stretch| stretch.from <= position);
        let Some(stretch) = begun
            .checked_sub(1)
            .and_then(|place| self.stretches.get(place))
        else {
            return Ok(0);
        };
        let inside = self
            .counter
            .count_before(position.min(stretch.until))?
            .saturating_sub(stretch.begin);
        Ok(stretch.ran.saturating_add(inside))
    }
}
