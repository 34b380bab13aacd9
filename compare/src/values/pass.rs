//! Comparison of the values of all matched steps ([`ValuePass`]).

use std::mem;
use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use foldhash::HashSet;
use stepback_index::{Cancel, QueryError};
use stepback_machine::RegisterId;
use stepback_parsers::Position;

use crate::align::equal_runs::EqualRuns;
use crate::align::side::Side;
use crate::divergence::TraceSide;
use crate::region::{Region, StepPair};
use crate::rules::Forgiving;
use crate::values::block::{EffectBlock, StepEffects, StepRange};
use crate::values::difference::{CellDifference, DifferenceKind, StepDifference};
use crate::values::kept::PlacedSteps;
use crate::values::pointers::{PointerPass, WrongPointers};
use crate::values::registers::RegisterNumbers;
use crate::values::step::{BlockStep, StepComparer, StepDifferences};

/// Number of steps that are read at once.
const BLOCK_STEPS: u64 = 1 << 14;
/// Number of steps of other threads after a block in which late effects of its last step are read.
const LATE_STEPS: u64 = 1 << 8;
/// Maximum number of registers that are looked up in the indexes: about a second of work.
const LOOKUPS: usize = 1 << 12;
/// Maximum number of steps whose wrong pointers are kept.
const WRONG_STEPS: usize = 1 << 16;
/// Maximum number of differing steps of a pair of threads that are listed: 8 MiB of numbers.
pub const LISTED_STEPS: usize = 1 << 20;

/// Steps of a region with different values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionValues {
    /// Number of matched steps that did different things.
    pub differing: u64,
    /// The first of them.
    pub first: Option<StepDifference>,
    /// The last of them.
    pub last: Option<StepPair>,
    /// Their numbers in the first trace, at most [`LISTED_STEPS`] in all regions.
    pub steps: Vec<u64>,
}

/// Compares values of two threads.
pub(crate) struct ValuePass<'a, 'p> {
    pub a: &'p mut Side<'a>,
    pub b: &'p mut Side<'a>,
    pub comparer: StepComparer<'a>,
    pub forgiving: &'p mut Forgiving,
    pub cancel: &'p Cancel,
    /// Present if something lies elsewhere in the second trace or a rule may forgive it, and if the
    /// steps are passed in order.
    pub pointers: Option<PointerPass>,
    /// Steps that write another pointer than their instruction computes, found while the steps were
    /// compared in order.
    pub wrong: WrongPointers,
    /// Steps that are equal and need not be read; `None` if all are read.
    pub equal_runs: Option<EqualRuns<'a>>,
    numbers: [RegisterNumbers<'a>; 2],
    /// Number of registers that may still be looked up in the indexes.
    pub lookups_left: usize,
    /// Registers whose values were not found there.
    pub unknown: HashSet<(TraceSide, RegisterId)>,
    /// Number of steps that are listed already.
    listed_steps: usize,
    /// Blocks that are not in use any more.
    spare: [EffectBlock; 2],
}

impl<'a, 'p> ValuePass<'a, 'p> {
    pub fn new(
        a: &'p mut Side<'a>,
        b: &'p mut Side<'a>,
        comparer: StepComparer<'a>,
        forgiving: &'p mut Forgiving,
        cancel: &'p Cancel,
    ) -> Self {
        let numbers = comparer.numbers();
        Self {
            a,
            b,
            comparer,
            forgiving,
            cancel,
            pointers: None,
            wrong: WrongPointers::default(),
            equal_runs: None,
            lookups_left: LOOKUPS,
            unknown: HashSet::default(),
            listed_steps: 0,
            numbers,
            spare: Default::default(),
        }
    }

    /// Compares what the traces state before their first steps.
    pub fn initial(&mut self) -> Result<Vec<CellDifference>, QueryError> {
        let nothing = || Position(0)..Position(0);
        let a = EffectBlock::read(
            self.a.index,
            self.a.thread,
            nothing(),
            &mut self.numbers[0],
            self.cancel,
        )?;
        let b = EffectBlock::read(
            self.b.index,
            self.b.thread,
            nothing(),
            &mut self.numbers[1],
            self.cancel,
        )?;
        Ok(self
            .block_differences(None, [&a, &b])?
            .into_iter()
            .flat_map(|(_, cells)| cells)
            .collect())
    }

    /// Compares the steps of a matched region. `count_steps` gets the number of steps of each part.
    pub fn region(
        &mut self,
        region: &Region,
        count_steps: impl Fn(u64),
    ) -> Result<RegionValues, QueryError> {
        if let Some(pointers) = &mut self.pointers {
            pointers.forget_registers();
        }
        let mut found = RegionValues::default();
        let mut numbers = mem::replace(&mut self.numbers, self.comparer.numbers());
        let cancel = self.cancel;
        // Only after the comparison of these steps is it known whether the next ones may be skipped.
        let is_sequential = self.pointers.is_some() && self.equal_runs.is_some();
        let mut next = self.next_part(region, 0, &count_steps)?;
        let mut ready = None;
        while ready.is_some() || next.is_some() {
            cancel.check()?;
            let spare = self.spare();
            let (before, part) = (ready.take(), next.take());
            // The next steps are read while these are compared.
            ready = thread::scope(|scope| {
                let numbers = &mut numbers;
                let reader = part.map(|part| {
                    let read = move || read_blocks(part.steps, numbers, spare, cancel);
                    (part.place, scope.spawn(read))
                });
                self.compare_part(region, before, &mut found, &count_steps)?;
                let joined = reader.map(|(place, reader)| {
                    let blocks = reader.join().unwrap_or_else(|panic| resume_unwind(panic));
                    Ok::<_, QueryError>((place, blocks?))
                });
                joined.transpose()
            })?;
            let Some((place, _)) = &ready else { continue };
            let end = place.end;
            if is_sequential {
                self.compare_part(region, ready.take(), &mut found, &count_steps)?;
            }
            next = self.next_part(region, end, &count_steps)?;
        }
        self.numbers = numbers;
        Ok(found)
    }

    /// Compares steps of a matched region that have been read.
    fn compare_part(
        &mut self,
        region: &Region,
        part: Option<ReadPart>,
        found: &mut RegionValues,
        count_steps: &impl Fn(u64),
    ) -> Result<(), QueryError> {
        if let Some((place, [a, b])) = part {
            self.block(region, place.clone(), [&a, &b], found)?;
            count_steps(place.end - place.start);
            self.spare = [a, b];
        }
        Ok(())
    }

    /// Returns the next steps of a matched region that must be read, from a place in it.
    fn next_part(
        &mut self,
        region: &Region,
        mut from: u64,
        count_steps: impl Fn(u64),
    ) -> Result<Option<RegionPart<'a>>, QueryError> {
        let count = region.a.end - region.a.start;
        while from < count {
            let start = StepPair {
                a: region.a.start + from,
                b: region.b.start + from,
            };
            let is_idle = self.pointers.as_ref().is_none_or(PointerPass::is_idle);
            let equal = match &mut self.equal_runs {
                Some(runs) if is_idle => runs.next(start, count - from)?,
                _ => count - from..count - from,
            };
            if equal.start > 0 {
                let steps = equal.start.min(BLOCK_STEPS);
                return Ok(Some(RegionPart {
                    place: from..from + steps,
                    steps: [
                        step_range(self.a, start.a..start.a + steps)?,
                        step_range(self.b, start.b..start.b + steps)?,
                    ],
                }));
            }
            self.cancel.check()?;
            if let Some(pointers) = &mut self.pointers {
                pointers.forget_registers();
            }
            count_steps(equal.end);
            from += equal.end;
        }
        Ok(None)
    }

    fn spare(&mut self) -> [EffectBlock; 2] {
        mem::take(&mut self.spare)
    }

    /// Compares consecutive steps of a matched region, counted from its start.
    fn block(
        &mut self,
        region: &Region,
        part: Range<u64>,
        [a, b]: [&EffectBlock; 2],
        found: &mut RegionValues,
    ) -> Result<(), QueryError> {
        let first = StepPair {
            a: region.a.start + part.start,
            b: region.b.start + part.start,
        };
        let differing = self.block_differences(Some(first), [a, b])?;
        if let Some(pointers) = &mut self.pointers {
            pointers.number_steps(first.a);
        }
        for (place, mut cells) in differing {
            let steps = StepPair {
                a: first.a + place,
                b: first.b + place,
            };
            if steps.a + 1 < region.a.end {
                self.drop_untaken_branches(&mut cells, a, place);
            }
            if cells.is_empty() {
                continue;
            }
            found.differing += 1;
            found.last = Some(steps);
            if self.listed_steps < LISTED_STEPS {
                found.steps.push(steps.a);
                self.listed_steps += 1;
            }
            found.first.get_or_insert(StepDifference { steps, cells });
        }
        Ok(())
    }

    /// Removes the condition of a branch after which both threads continue at the same step: not
    /// all styles mark every branch that is not taken.
    fn drop_untaken_branches(&self, cells: &mut Vec<CellDifference>, a: &EffectBlock, place: u64) {
        let step = usize::try_from(place)
            .ok()
            .and_then(|place| a.steps().get(place));
        if step.is_some_and(StepEffects::is_branch) {
            cells.retain(|cell| cell.kind != DifferenceKind::Condition);
        }
    }

    /// Reads some steps of both threads, in parallel.
    pub(crate) fn blocks(
        &mut self,
        a: Range<u64>,
        b: Range<u64>,
    ) -> Result<[EffectBlock; 2], QueryError> {
        let steps = [step_range(self.a, a)?, step_range(self.b, b)?];
        let spare = self.spare();
        read_blocks(steps, &mut self.numbers, spare, self.cancel)
    }

    /// Turns the pointers of a step that differ from what its instruction computes into
    /// differences.
    fn wrong_pointers(
        &mut self,
        steps: [BlockStep<'_>; 2],
        number: u64,
        found: &mut StepDifferences,
    ) {
        if let Some(pointers) = &self.pointers
            && self.wrong.len() < WRONG_STEPS
        {
            let wrong = pointers.wrong(steps, found);
            if !wrong.is_empty() {
                self.wrong.insert(number, wrong);
            }
        }
        if let Some(wrong) = self.wrong.get(&number) {
            self.comparer.note_wrong(steps, wrong, found);
        }
    }

    /// Returns the differing steps of two blocks, by their place, without what rules forgive.
    /// `first` are their first steps; `None` before the first steps of the traces.
    fn block_differences(
        &mut self,
        first: Option<StepPair>,
        [a, b]: [&EffectBlock; 2],
    ) -> Result<Vec<(u64, Vec<CellDifference>)>, QueryError> {
        let mut found = Vec::new();
        for ((one, other), place) in a.steps().iter().zip(b.steps()).zip(0..) {
            let (one, other) = (
                BlockStep {
                    block: a,
                    step: one,
                },
                BlockStep {
                    block: b,
                    step: other,
                },
            );
            let mut step = self.comparer.differences(one, other);
            if let Some(first) = first {
                let placed = PlacedSteps {
                    steps: [one, other],
                    place,
                    numbers: StepPair {
                        a: first.a + place,
                        b: first.b + place,
                    },
                };
                self.kept_registers(placed, &mut step)?;
            }
            if let Some(first) = first {
                self.wrong_pointers([one, other], first.a + place, &mut step);
            }
            if !step.cells.is_empty() {
                self.forgiving.take(&mut step, one.step);
            }
            if let Some(pointers) = &mut self.pointers {
                for rule in pointers.take([one, other], place, &mut step) {
                    self.forgiving.count_computed(rule);
                }
            }
            if !step.cells.is_empty() {
                found.push((place, step.cells));
            }
        }
        Ok(found)
    }
}

/// Consecutive steps of a matched region.
struct RegionPart<'a> {
    /// Their numbers, counted from the start of the region.
    place: Range<u64>,
    steps: [StepRange<'a>; 2],
}

/// Consecutive steps that have been read, with their numbers from the start of the region.
type ReadPart = (Range<u64>, [EffectBlock; 2]);

/// Reads steps of both threads, in parallel, into the memory of other blocks.
pub(crate) fn read_blocks(
    steps: [StepRange<'_>; 2],
    numbers: &mut [RegisterNumbers<'_>; 2],
    spare: [EffectBlock; 2],
    cancel: &Cancel,
) -> Result<[EffectBlock; 2], QueryError> {
    let ([in_a, in_b], [of_a, of_b], [one, other]) = (steps, numbers, spare);
    thread::scope(|scope| {
        let other = scope.spawn(move || other.refill(in_b, of_b, cancel));
        let one = one.refill(in_a, of_a, cancel)?;
        let other = other.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok([one, other])
    })
}

/// Returns some steps of a thread as they are read.
pub(crate) fn step_range<'a>(
    side: &mut Side<'a>,
    numbers: Range<u64>,
) -> Result<StepRange<'a>, QueryError> {
    Ok(StepRange {
        index: side.index,
        thread: side.thread,
        range: positions(side, numbers)?,
    })
}

/// Returns the positions around some steps of a thread.
fn positions(side: &mut Side<'_>, numbers: Range<u64>) -> Result<Range<Position>, QueryError> {
    let start = side.position(numbers.start)?;
    Ok(
        match numbers
            .end
            .checked_sub(1)
            .filter(|last| *last >= numbers.start)
        {
            // Position 0 to 0 is what precedes the first step.
            None => Position(start.0.max(1))..Position(start.0.max(1)),
            Some(last) => {
                let end = side.addresses.step(last)?.after();
                let next = match numbers.end < side.count() {
                    true => side.addresses.step(numbers.end)?.before(),
                    false => Position(side.index.step_count()),
                };
                start..end.max(next.min(Position(end.0 + LATE_STEPS)))
            }
        },
    )
}
