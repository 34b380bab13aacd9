//! Where functions begin, and which one an address belongs to.

use std::cmp::Reverse;
use std::ops::Range;

/// The functions of a program. O(log n) a question.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    starts: Vec<u64>,
    /// The address space cut where functions begin and end: where a piece begins, and the start of its innermost function.
    pieces: Vec<(u64, Option<u64>)>,
}

impl Functions {
    /// Takes the functions in any order. O(n log n).
    pub fn new(functions: &[Range<u64>]) -> Self {
        let mut starts: Vec<u64> = functions.iter().map(|function| function.start).collect();
        starts.sort_unstable();
        starts.dedup();
        let next_start = |start: u64| starts.get(starts.partition_point(|next| *next <= start)).copied();
        let ended = |function: &Range<u64>| match function.is_empty() {
            true => function.start..next_start(function.start).unwrap_or(u64::MAX),
            false => function.clone(),
        };
        let mut functions: Vec<_> = functions.iter().map(ended).collect();
        functions.sort_unstable_by_key(|function| (function.start, Reverse(function.end)));
        let mut pieces: Vec<(u64, Option<u64>)> = Vec::new();
        let mut open: Vec<&Range<u64>> = Vec::new();
        for function in &functions {
            close_until(Some(function.start), &mut open, &mut pieces);
            pieces.push((function.start, Some(function.start)));
            open.push(function);
        }
        close_until(None, &mut open, &mut pieces);
        Self { starts, pieces }
    }

    /// Where functions begin, ascending.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// Where the innermost function around an address begins.
    pub fn start_of(&self, address: u64) -> Option<u64> {
        let after = self.pieces.partition_point(|(start, _)| *start <= address);
        self.pieces.get(after.checked_sub(1)?)?.1
    }
}

/// Ends the functions that end at or before an address, all of them without one.
fn close_until(address: Option<u64>, open: &mut Vec<&Range<u64>>, pieces: &mut Vec<(u64, Option<u64>)>) {
    while let Some(ended) = open.pop_if(|function| address.is_none_or(|address| function.end <= address)) {
        // One that overlaps another may end before what it began in.
        let begun = pieces.last().map_or(0, |(start, _)| *start);
        let around = open.iter().rfind(|around| around.end > ended.end).map(|around| around.start);
        pieces.push((ended.end.max(begun), around));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(functions: &[Range<u64>], expected: &[(u64, Option<u64>)]) {
        let functions = Functions::new(functions);
        for (address, start) in expected {
            assert_eq!(functions.start_of(*address), *start, "{address}");
        }
    }

    #[test]
    fn an_address_belongs_to_the_innermost_function() {
        let functions = [30..40, 10..90, 35..38, 100..110];
        let expected =
            [(9, None), (10, Some(10)), (30, Some(30)), (36, Some(35)), (38, Some(30)), (40, Some(10)), (90, None)];
        check(&functions, &expected);
        check(&functions, &[(99, None), (109, Some(100)), (110, None), (u64::MAX, None)]);
    }

    #[test]
    fn functions_that_begin_together_or_overlap_are_one_behind_the_other() {
        check(&[10..20, 10..30], &[(10, Some(10)), (25, Some(10)), (30, None)]);
        check(&[10..20, 15..30], &[(12, Some(10)), (17, Some(15)), (25, Some(15)), (30, None)]);
        assert_eq!(Functions::new(&[10..20, 10..30]).starts(), [10]);
    }

    #[test]
    fn a_function_without_a_length_ends_where_the_next_begins() {
        check(&[30..40, 10..10, 20..20], &[(10, Some(10)), (19, Some(10)), (29, Some(20)), (30, Some(30)), (41, None)]);
    }
}
