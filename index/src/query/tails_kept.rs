//! The tail calls of a trace, as many as memory allows.

use stepback_machine::Address;
use stepback_parsers::Step;

use crate::answers::call::CallId;

/// So many tail calls are told, the first ones of the trace; later ones are shown as calls without them.
///
/// 32 bytes each, half as much again while they are looked for, and 4 for their order in the table: 104 MiB at most.
pub const TAILS: usize = 1 << 21;

/// A jump out of a frame to the start of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tail {
    /// Out of which frame.
    pub frame: CallId,
    /// The step that jumps.
    pub jump: Step,
    /// The first step behind it.
    pub entry: Step,
    /// Where the function begins.
    pub function: Address,
}

/// Tail calls that are found in any order.
#[derive(Clone, Debug)]
pub struct TailsKept {
    tails: Vec<Tail>,
    limit: usize,
    /// From this jump on none are kept.
    left_out_from: Option<Step>,
}

impl Default for TailsKept {
    fn default() -> Self {
        Self::with_limit(TAILS)
    }
}

impl TailsKept {
    /// None so far, and so many at most.
    pub fn with_limit(limit: usize) -> Self {
        Self { tails: Vec::new(), limit, left_out_from: None }
    }

    /// Keeps one, unless so many earlier ones are kept.
    pub fn push(&mut self, tail: Tail) {
        if !self.is_wanted(tail.jump) {
            return;
        }
        self.tails.push(tail);
        if self.tails.len() > self.limit + self.limit / 2 {
            self.drop_last();
        }
    }

    /// Whether one would be kept that jumps with a step.
    pub fn is_wanted(&self, jump: Step) -> bool {
        self.left_out_from.is_none_or(|from| jump < from)
    }

    /// All that are kept, by frame and then by time, and from which jump on there are none.
    pub fn sorted(mut self) -> (Vec<Tail>, Option<Step>) {
        self.drop_last();
        self.tails.sort_unstable();
        (self.tails, self.left_out_from)
    }

    fn drop_last(&mut self) {
        if self.tails.len() <= self.limit {
            return;
        }
        let (_, first_out, _) = self.tails.select_nth_unstable_by_key(self.limit, |tail| tail.jump);
        self.left_out_from = Some(first_out.jump);
        self.tails.truncate(self.limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(jump: u64) -> Tail {
        Tail { frame: CallId(jump % 3), jump: Step(jump), entry: Step(jump + 1), function: Address(0x1000) }
    }

    #[test]
    fn the_first_tail_calls_of_a_trace_are_kept_in_whatever_order_they_come() {
        let mut kept = TailsKept::with_limit(4);
        (0..1000).map(|number| number * 7919 % 1000).for_each(|jump| kept.push(tail(jump)));
        assert!(kept.tails.capacity() <= 8);
        assert!(kept.is_wanted(Step(3)) && !kept.is_wanted(Step(900)));
        assert_eq!(kept.sorted(), ([0, 3, 1, 2].map(tail).to_vec(), Some(Step(4))));
        let mut all = TailsKept::with_limit(4);
        (0..4).for_each(|jump| all.push(tail(jump)));
        assert_eq!(all.sorted().1, None);
    }

    #[test]
    fn the_tail_calls_that_are_kept_take_what_is_told() {
        assert!((TAILS + TAILS / 2) * size_of::<Tail>() + TAILS * size_of::<u32>() <= 104 << 20);
    }
}
