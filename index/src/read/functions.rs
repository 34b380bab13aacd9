//! Function starts, and the function of an address.

use std::cmp::Reverse;

use crate::answers::program::FunctionPart;

/// Functions of a program. Queries take O(log n).
#[derive(Clone, Debug, Default)]
pub struct Functions {
    starts: Vec<u64>,
    /// Address space, cut at the starts and ends of functions: the start of each piece, and of its
    /// innermost function.
    pieces: Vec<(u64, Option<u64>)>,
}

impl Functions {
    /// Takes the functions and their parts in any order. O(n log n).
    pub fn new(parts: &[FunctionPart]) -> Self {
        let sorted = |mut addresses: Vec<u64>| {
            addresses.sort_unstable();
            addresses.dedup();
            addresses
        };
        let borders = sorted(parts.iter().map(|part| part.start).collect());
        let next_border = |start: u64| {
            borders
                .get(borders.partition_point(|next| *next <= start))
                .copied()
        };
        let ended = |part: &FunctionPart| match part.end <= part.start {
            true => FunctionPart {
                end: next_border(part.start).unwrap_or(u64::MAX),
                ..*part
            },
            false => *part,
        };
        let mut parts: Vec<_> = parts.iter().map(ended).collect();
        parts.sort_unstable_by_key(|part| (part.start, Reverse(part.end)));
        let mut pieces: Vec<(u64, Option<u64>)> = Vec::new();
        let mut open: Vec<FunctionPart> = Vec::new();
        for part in &parts {
            close_until(Some(part.start), &mut open, &mut pieces);
            pieces.push((part.start, Some(part.function)));
            open.push(*part);
        }
        close_until(None, &mut open, &mut pieces);
        Self {
            starts: sorted(parts.iter().map(|part| part.function).collect()),
            pieces,
        }
    }

    /// Returns the starts of functions, ascending.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// Returns the start of the innermost function around an address.
    pub fn start_of(&self, address: u64) -> Option<u64> {
        let after = self.pieces.partition_point(|(start, _)| *start <= address);
        self.pieces.get(after.checked_sub(1)?)?.1
    }
}

/// Ends the functions that end at or before an address, all of them without one.
fn close_until(
    address: Option<u64>,
    open: &mut Vec<FunctionPart>,
    pieces: &mut Vec<(u64, Option<u64>)>,
) {
    while let Some(ended) =
        open.pop_if(|function| address.is_none_or(|address| function.end <= address))
    {
        // A function that overlaps another may end before an enclosing one does; those that end
        // before it end with it.
        while open.pop_if(|around| around.end <= ended.end).is_some() {}
        let begun = pieces.last().map_or(0, |(start, _)| *start);
        pieces.push((
            ended.end.max(begun),
            open.last().map(|around| around.function),
        ));
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    fn functions(functions: &[Range<u64>]) -> Functions {
        let whole = |bytes: &Range<u64>| FunctionPart {
            start: bytes.start,
            end: bytes.end,
            function: bytes.start,
        };
        Functions::new(&functions.iter().map(whole).collect::<Vec<_>>())
    }

    #[track_caller]
    fn check(ranges: &[Range<u64>], expected: &[(u64, Option<u64>)]) {
        let functions = functions(ranges);
        for (address, start) in expected {
            assert_eq!(functions.start_of(*address), *start, "{address}");
        }
    }

    #[test]
    fn an_address_belongs_to_the_innermost_function() {
        let functions = [30..40, 10..90, 35..38, 100..110];
        let expected = [
            (9, None),
            (10, Some(10)),
            (30, Some(30)),
            (36, Some(35)),
            (38, Some(30)),
            (40, Some(10)),
            (90, None),
        ];
        check(&functions, &expected);
        check(
            &functions,
            &[(99, None), (109, Some(100)), (110, None), (u64::MAX, None)],
        );
    }

    #[test]
    fn functions_that_begin_together_or_overlap_are_one_after_the_other() {
        check(
            &[10..20, 10..30],
            &[(10, Some(10)), (25, Some(10)), (30, None)],
        );
        check(
            &[10..20, 15..30],
            &[(12, Some(10)), (17, Some(15)), (25, Some(15)), (30, None)],
        );
        assert_eq!(functions(&[10..20, 10..30]).starts(), [10]);
    }

    #[test]
    fn a_function_without_a_length_ends_where_the_next_begins() {
        check(
            &[30..40, 10..10, 20..20],
            &[
                (10, Some(10)),
                (19, Some(10)),
                (29, Some(20)),
                (30, Some(30)),
                (41, None),
            ],
        );
    }

    #[test]
    fn a_part_elsewhere_belongs_to_its_function_and_begins_none() {
        let part = |start, end, function| FunctionPart {
            start,
            end,
            function,
        };
        let functions = Functions::new(&[part(10, 20, 10), part(50, 60, 10), part(60, 60, 60)]);
        assert_eq!(functions.starts(), [10, 60]);
        assert_eq!(
            [15, 30, 55, 60].map(|address| functions.start_of(address)),
            [Some(10), None, Some(10), Some(60)]
        );
    }

    #[test]
    fn a_staircase_of_functions_takes_no_more_time_than_others() {
        let count = 200_000;
        let functions = functions(
            &(0..count)
                .map(|start| start..start + count)
                .collect::<Vec<_>>(),
        );
        assert_eq!(functions.start_of(count - 1), Some(count - 1));
        assert_eq!(functions.start_of(2 * count - 2), Some(count - 1));
        assert_eq!(functions.start_of(2 * count - 1), None);
        assert!(functions.pieces.len() <= 2 * 200_000);
    }
}
