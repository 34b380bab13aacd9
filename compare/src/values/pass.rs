//! Comparison of the values of all matched steps ([`ValuePass`]).

use std::mem;
use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use stepback_index::read::SlotReader;
use stepback_index::{Cancel, QueryError};
use stepback_parsers::Position;

use crate::align::side::Side;
use crate::region::{Region, StepPair};
use crate::rules::Forgiving;
use crate::values::block::{EffectBlock, StepEffects, StepRange};
use crate::values::difference::{CellDifference, DifferenceKind, StepDifference};
use crate::values::pointers::PointerPass;
use crate::values::registers::RegisterNumbers;
use crate::values::step::{BlockStep, StepComparer};

/// Number of steps that are read at once.
const BLOCK_STEPS: u64 = 1 << 14;
/// Number of different texts in a row after which few are compared.
const UNEQUAL_TEXTS: u64 = 4;
/// Number of steps of which one block is compared as text then.
const RETRY_STEPS: u64 = 1 << 18;
/// Maximum number of differing steps that are listed.
pub const LISTED_STEPS: usize = 2000;

/// Steps of a region with different values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionValues {
    /// Number of matched steps that did different things.
    pub differing: u64,
    /// The first of them.
    pub first: Option<StepDifference>,
    /// The last of them.
    pub last: Option<StepPair>,
    /// Their numbers in the first trace, at most [`LISTED_STEPS`].
    pub steps: Vec<u64>,
}

/// Compares values of two threads.
pub(crate) struct ValuePass<'a, 'p> {
    pub a: &'p mut Side<'a>,
    pub b: &'p mut Side<'a>,
    pub comparer: StepComparer<'a>,
    pub forgiving: &'p mut Forgiving,
    pub cancel: &'p Cancel,
    /// Present if something lies elsewhere in the second trace, and if the steps are passed in order.
    pub pointers: Option<PointerPass>,
    numbers: [RegisterNumbers<'a>; 2],
    /// Blocks that are not in use any more.
    spare: [EffectBlock; 2],
    /// Texts of the steps that were compared last.
    texts: [Vec<u8>; 2],
    /// Number of comparisons of texts in a row that found them different.
    unequal_texts: u64,
}

impl<'a, 'p> ValuePass<'a, 'p> {
    pub fn new(
        a: &'p mut Side<'a>,
        b: &'p mut Side<'a>,
        comparer: StepComparer<'a>,
        forgiving: &'p mut Forgiving,
        cancel: &'p Cancel,
    ) -> Self {
        let numbers = [(); 2].map(|()| RegisterNumbers::new(comparer.first, comparer.thread));
        Self {
            a,
            b,
            comparer,
            forgiving,
            cancel,
            pointers: None,
            numbers,
            spare: Default::default(),
            texts: Default::default(),
            unequal_texts: 0,
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
            .block_differences(&a, &b)
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
        let mut found = RegionValues::default();
        let count = region.a.end - region.a.start;
        for from in (0..count).step_by(BLOCK_STEPS as usize) {
            self.cancel.check()?;
            let to = count.min(from + BLOCK_STEPS);
            count_steps(to - from);
            let in_a = region.a.start + from..region.a.start + to;
            let in_b = region.b.start + from..region.b.start + to;
            if self.have_same_text(in_a.clone(), in_b.clone())? {
                continue;
            }
            let [a, b] = self.blocks(in_a, in_b)?;
            let differing = self.block_differences(&a, &b);
            if let Some(pointers) = &mut self.pointers {
                pointers.number_steps(region.a.start + from);
            }
            for (place, mut cells) in differing {
                if from + place + 1 < count {
                    self.drop_untaken_branches(&mut cells, &a, place);
                }
                if cells.is_empty() {
                    continue;
                }
                let steps = StepPair {
                    a: region.a.start + from + place,
                    b: region.b.start + from + place,
                };
                found.differing += 1;
                found.last = Some(steps);
                if found.steps.len() < LISTED_STEPS {
                    found.steps.push(steps.a);
                }
                found.first.get_or_insert(StepDifference { steps, cells });
            }
            self.spare = [a, b];
        }
        Ok(found)
    }

    /// Returns true if both traces describe some steps with the same text, so that nothing differs.
    /// False without a look if that is unlikely, or if pointers must be followed.
    fn have_same_text(&mut self, a: Range<u64>, b: Range<u64>) -> Result<bool, QueryError> {
        let (first, second) = (self.a.index, self.b.index);
        let sources = [first.source(), second.source()];
        let is_unlikely = self.unequal_texts >= UNEQUAL_TEXTS;
        if self.pointers.is_some()
            || is_unlikely && a.start % RETRY_STEPS >= BLOCK_STEPS
            || first.info().format != second.info().format
            || !sources.iter().all(|source| source.is_text())
        {
            return Ok(false);
        }
        let [in_a, in_b] = [positions(self.a, a)?, positions(self.b, b)?];
        let text_a = SlotReader(first).text_between(in_a.start, in_a.end)?;
        let text_b = SlotReader(second).text_between(in_b.start, in_b.end)?;
        let mut is_same = text_a.end - text_a.start == text_b.end - text_b.start;
        if is_same {
            let ranges = [text_a, text_b];
            for ((source, range), text) in sources.iter().zip(ranges).zip(&mut self.texts) {
                text.clear();
                source.read_raw(range, text)?;
            }
            let [a, b] = &self.texts;
            is_same = a == b;
        }
        self.unequal_texts = match is_same {
            true => 0,
            false => self.unequal_texts + 1,
        };
        Ok(is_same)
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
        let in_a = positions(self.a, a)?;
        let in_b = positions(self.b, b)?;
        let [of_a, of_b] = &mut self.numbers;
        let [one, other] = mem::take(&mut self.spare);
        let cancel = self.cancel;
        let steps = |side: &Side<'a>, range| StepRange {
            index: side.index,
            thread: side.thread,
            range,
        };
        let (in_a, in_b) = (steps(self.a, in_a), steps(self.b, in_b));
        thread::scope(|scope| {
            let other = scope.spawn(move || other.refill(in_b, of_b, cancel));
            let one = one.refill(in_a, of_a, cancel)?;
            let other = other.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            Ok([one, other])
        })
    }

    /// Returns the differing steps of two blocks, by their place, without what rules forgive.
    fn block_differences(
        &mut self,
        a: &EffectBlock,
        b: &EffectBlock,
    ) -> Vec<(u64, Vec<CellDifference>)> {
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
            if let Some(pointers) = &mut self.pointers {
                pointers.take([one, other], place, &mut step);
            }
            let mut cells = step.cells;
            if !cells.is_empty() {
                self.forgiving.retain(&mut cells, one.step);
            }
            if !cells.is_empty() {
                found.push((place, cells));
            }
        }
        found
    }
}

/// Returns the positions around some steps of a thread.
pub(crate) fn positions(
    side: &mut Side<'_>,
    numbers: Range<u64>,
) -> Result<Range<Position>, QueryError> {
    let start = side.position(numbers.start)?;
    Ok(
        match numbers
            .end
            .checked_sub(1)
            .filter(|last| *last >= numbers.start)
        {
            // Position 0 to 0 is what precedes the first step.
            None => Position(start.0.max(1))..Position(start.0.max(1)),
            Some(last) => start..side.addresses.step(last)?.after(),
        },
    )
}
