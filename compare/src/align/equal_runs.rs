//! Runs of steps that are equal in both traces by their digests in the indexes ([`EqualRuns`]):
//! nothing of them needs to be read.

use std::ops::Range;

use stepback_index::QueryError;
use stepback_index::read::{StepRun, StepRuns};

use crate::align::side::Side;
use crate::region::StepPair;
use crate::slides::Slides;

/// Number of steps within which the next equal run is searched.
const SEARCHED_STEPS: u64 = 1 << 14;

/// Finds runs that are equal in two threads.
pub(crate) struct EqualRuns<'a> {
    a: StepRuns<'a>,
    b: StepRuns<'a>,
    /// Neither trace gets instructions from program files.
    has_no_programs: bool,
    /// Code lies elsewhere in the second trace, so that no digests are equal.
    is_moved: bool,
}

impl<'a> EqualRuns<'a> {
    pub fn new(a: &Side<'a>, b: &Side<'a>, slides: &Slides) -> Self {
        Self {
            a: StepRuns::new(a.index, a.thread),
            b: StepRuns::new(b.index, b.thread),
            has_no_programs: [a, b].iter().all(|side| side.index.program().is_empty()),
            is_moved: slides.moved().next().is_some(),
        }
    }

    /// Returns the next steps, counted from a pair and at most `limit`, that are equal. An empty
    /// range if there are none before its start.
    pub fn next(&mut self, from: StepPair, limit: u64) -> Result<Range<u64>, QueryError> {
        let reach = limit.min(SEARCHED_STEPS);
        let mut at = if self.is_moved { reach } else { 0 };
        while at < reach {
            let (one, other) = (self.a.next(from.a + at)?, self.b.next(from.b + at)?);
            let Some((one, other)) = one.zip(other) else {
                break;
            };
            let (in_a, in_b) = (one.start - from.a, other.start - from.b);
            if in_a == in_b && self.are_equal(&one, &other) && in_a + one.steps <= limit {
                return Ok(in_a..in_a + one.steps);
            }
            at = match in_a == in_b {
                true => in_a + 1,
                false => in_a.max(in_b),
            };
        }
        Ok(reach..reach)
    }

    fn are_equal(&self, one: &StepRun, other: &StepRun) -> bool {
        let is_covered = self.has_no_programs || one.digest.has_all_encodings();
        is_covered && one.steps == other.steps && one.digest == other.digest
    }
}
