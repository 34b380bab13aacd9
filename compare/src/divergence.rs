//! The first divergence of control flow, counted in parallel from the start.

use stepback_index::QueryError;

use crate::align::run::Aligner;
use crate::region::StepPair;

/// Number of steps that must agree before a trace counts as one that begins in the middle of the
/// other.
const HEAD_STEPS: u64 = 32;
/// Number of steps in which the start of the other trace is searched.
const SEARCHED_STEPS: u64 = 1 << 24;
/// Maximum number of places that are compared further.
const PLACES: usize = 256;
/// Number of steps that are searched at once.
const BLOCK: u64 = 1 << 16;

/// One of the two traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TraceSide {
    /// The first trace.
    A,
    /// The second trace.
    B,
}

/// The course of two threads up to their divergence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelRun {
    /// First steps in common: one of the traces may begin later than the other.
    pub start: StepPair,
    /// Number of steps that they run in parallel.
    pub steps: u64,
    /// Event that ends it.
    pub end: ParallelEnd,
}

/// End of a parallel run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParallelEnd {
    /// The next steps have different addresses.
    Diverged,
    /// Both traces end.
    BothEnd,
    /// One trace ends.
    Ended(TraceSide),
}

impl ParallelRun {
    /// Returns the first steps with different addresses.
    pub fn divergence(&self) -> Option<StepPair> {
        (self.end == ParallelEnd::Diverged).then_some(StepPair {
            a: self.start.a + self.steps,
            b: self.start.b + self.steps,
        })
    }

    /// Returns the last steps before the divergence, which decided it; `None` if there are none.
    pub fn decision(&self) -> Option<StepPair> {
        self.divergence().and_then(|_| self.last())
    }

    /// Returns the last steps that they run in parallel.
    pub(crate) fn last(&self) -> Option<StepPair> {
        let steps = self.steps.checked_sub(1)?;
        Some(StepPair {
            a: self.start.a + steps,
            b: self.start.b + steps,
        })
    }
}

/// Finds the first divergence.
pub(crate) fn parallel_run(threads: &mut Aligner<'_, '_>) -> Result<ParallelRun, QueryError> {
    let ends = StepPair {
        a: threads.a.count(),
        b: threads.b.count(),
    };
    let mut start = StepPair::default();
    let mut steps = threads.equal_steps(start, ends)?;
    if steps == 0
        && ends.a > 0
        && ends.b > 0
        && let Some(later) = later_start(threads, ends)?
    {
        start = later;
        steps = threads.equal_steps(start, ends)?;
    }
    let end = match (start.a + steps == ends.a, start.b + steps == ends.b) {
        (true, true) => ParallelEnd::BothEnd,
        (true, false) => ParallelEnd::Ended(TraceSide::A),
        (false, true) => ParallelEnd::Ended(TraceSide::B),
        (false, false) => ParallelEnd::Diverged,
    };
    Ok(ParallelRun { start, steps, end })
}

/// Finds the place in one trace at which the other one begins: that with the longest parallel run.
fn later_start(
    threads: &mut Aligner<'_, '_>,
    ends: StepPair,
) -> Result<Option<StepPair>, QueryError> {
    let mut best: Option<StepPair> = None;
    let mut longest = 0;
    for side in [TraceSide::A, TraceSide::B] {
        for place in places_of_start(threads, side)? {
            let start = match side {
                TraceSide::A => StepPair { a: place, b: 0 },
                TraceSide::B => StepPair { a: 0, b: place },
            };
            let steps = threads.equal_steps(start, ends)?;
            if steps > longest {
                (best, longest) = (Some(start), steps);
            }
        }
    }
    Ok(best)
}

/// Returns the places in the trace of a side at which the first steps of the other trace occur.
fn places_of_start(threads: &mut Aligner<'_, '_>, side: TraceSide) -> Result<Vec<u64>, QueryError> {
    let cancel = threads.cancel;
    let (long, short) = match side {
        TraceSide::A => (&mut threads.a, &mut threads.b),
        TraceSide::B => (&mut threads.b, &mut threads.a),
    };
    let wanted = short.addresses.range(0..HEAD_STEPS.min(short.count()))?;
    let searched = long.count().min(SEARCHED_STEPS);
    let mut found = Vec::new();
    for from in (0..searched).step_by(BLOCK as usize) {
        cancel.check()?;
        let block = long
            .addresses
            .range(from..from + BLOCK + wanted.len() as u64 - 1)?;
        let places = block.windows(wanted.len()).zip(from..from + BLOCK);
        let places = places.filter(|(steps, place)| *place > 0 && *steps == wanted);
        found.extend(places.map(|(_, place)| place));
        if found.len() >= PLACES {
            break;
        }
    }
    found.truncate(PLACES);
    Ok(found)
}
