//! The function that each step of a thread belongs to.

use stepback_machine::Address;
use stepback_parsers::Step;

/// An interval in which a function is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionSpan {
    /// Address of the function.
    pub function: Address,
    /// First step inside.
    pub entry: Step,
    /// Last step inside; `None` if the trace ends there.
    pub exit: Option<Step>,
}

/// Iterator over the changes of a thread's function, in order: the first step in the function, and
/// its address. For a return, the change takes effect at the thread's first step at or after that
/// one. Memory: the calls that are open at one moment.
pub struct FunctionChanges<'a> {
    /// In order of entry.
    spans: Box<dyn Iterator<Item = FunctionSpan> + 'a>,
    next: Option<FunctionSpan>,
    /// Spans that contain the last change, outermost first.
    stack: Vec<FunctionSpan>,
}

impl<'a> FunctionChanges<'a> {
    /// Converts spans in order of entry to changes.
    pub fn new(spans: Box<dyn Iterator<Item = FunctionSpan> + 'a>) -> Self {
        let mut functions = Self {
            spans,
            next: None,
            stack: Vec::new(),
        };
        functions.next = functions.spans.next();
        functions
    }

    /// Returns the step after the innermost span, if that ends before the next one is entered.
    fn left_at(&self) -> Option<Step> {
        let left = Step(self.stack.last()?.exit?.0.saturating_add(1));
        self.next
            .is_none_or(|next| left <= next.entry)
            .then_some(left)
    }
}

impl Iterator for FunctionChanges<'_> {
    type Item = (Step, Address);

    fn next(&mut self) -> Option<(Step, Address)> {
        while let Some(step) = self.left_at() {
            self.stack.pop();
            if let Some(around) = self.stack.last() {
                return Some((step, around.function));
            }
        }
        let span = std::mem::replace(&mut self.next, self.spans.next())?;
        self.stack.push(span);
        Some((span.entry, span.function))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(spans: &[(u64, u64, Option<u64>)], expected: &[(u64, u64)]) {
        let span = |(function, entry, exit): &(u64, u64, Option<u64>)| FunctionSpan {
            function: Address(*function),
            entry: Step(*entry),
            exit: exit.map(Step),
        };
        let changes = FunctionChanges::new(Box::new(spans.iter().map(span)));
        let changes: Vec<_> = changes
            .map(|(step, function)| (step.0, function.0))
            .collect();
        assert_eq!(changes, expected);
    }

    #[test]
    fn entering_and_leaving_change_the_function() {
        check(
            &[
                (1, 0, None),
                (2, 3, Some(9)),
                (3, 4, Some(5)),
                (4, 7, Some(9)),
                (5, 12, None),
            ],
            &[
                (0, 1),
                (3, 2),
                (4, 3),
                (6, 2),
                (7, 4),
                (10, 2),
                (10, 1),
                (12, 5),
            ],
        );
    }

    #[test]
    fn a_function_entered_where_another_ends_comes_after_it() {
        check(
            &[(1, 0, None), (2, 3, Some(4)), (3, 5, Some(6))],
            &[(0, 1), (3, 2), (5, 1), (5, 3), (7, 1)],
        );
    }
}
