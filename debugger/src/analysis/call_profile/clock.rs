//! Counts the steps that ran on one stack of a thread.

use stepback_index::{QueryError, StackUse, StepCounter};
use stepback_parsers::Position;

/// Counter of the steps of a thread while it used one of its stacks.
pub struct StackClock<'a> {
    counter: &'a StepCounter<'a>,
    /// Intervals in which the stack was used; empty if it is the thread's only stack.
    stretches: Vec<StackInterval>,
}

/// An interval of the trace in which a stack was used.
struct StackInterval {
    from: Position,
    until: Position,
    /// Steps of the thread before the interval.
    begin: u64,
    /// Steps among them that ran on this stack.
    ran: u64,
}

impl<'a> StackClock<'a> {
    /// Creates a clock for a stack of the counter's thread. O(intervals).
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

    /// Returns the number of steps that ran on the stack before a position. O(log n).
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
