//! Comparison of the values of all matched steps ([`ValuePass`]), and of the states after regions
//! without partners.

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use stepback_index::answer::{ByteState, MemoryRange, Value};
use stepback_index::query::{MemoryRangesAt, RegistersAt};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::{AccessKind, Address, RegisterId};
use stepback_parsers::Position;

use crate::align::side::Side;
use crate::region::{Region, StepPair};
use crate::rules::Forgiving;
use crate::values::block::{EffectBlock, StepEffects};
use crate::values::difference::{CellDifference, DifferenceKind, DifferingPlace, StepDifference};
use crate::values::pointers::PointerFlow;
use crate::values::registers::RegisterNumbers;
use crate::values::step::{BlockStep, StepComparer, StepDifferences, differ};

/// Number of steps that are read at once.
const BLOCK_STEPS: u64 = 1 << 14;
/// Maximum number of differing steps that are listed.
pub const LISTED_STEPS: usize = 2000;
/// Maximum number of steps that are remembered because they only compute with pointers.
const COMPUTED_STEPS: usize = 1 << 20;
/// Maximum number of steps of a region whose writes are compared afterwards.
const WRITING_STEPS: u64 = 1 << 14;
/// Maximum number of bytes that are compared after a region.
const WRITTEN_BYTES: u64 = 1 << 12;

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

/// Difference of the states after a region without partners.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateAfter {
    /// Registers and memory that differ right after the region. Memory: what the region wrote.
    pub cells: Vec<CellDifference>,
    /// Those of them that still differ at the end of the following matched region.
    pub left: usize,
    /// False if the region wrote more than was compared.
    pub is_complete: bool,
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
}

/// Follows pointers through the steps of a thread.
#[derive(Debug, Default)]
pub(crate) struct PointerPass {
    flow: PointerFlow,
    pub counts: PointerCounts,
    /// Steps, by their numbers in the first trace, whose only differences are computed from
    /// pointers.
    pub steps: Vec<u64>,
    /// The latest of them, by their places in the block.
    places: Vec<u64>,
}

/// Numbers of values that differ only because something lies elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointerCounts {
    /// Pointers and addresses of accesses, by their distance.
    pub by_distance: BTreeMap<u64, u64>,
    /// Values computed from nothing else that differs.
    pub computed: u64,
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
            let [a, b] = self.blocks(
                region.a.start + from..region.a.start + to,
                region.b.start + from..region.b.start + to,
            )?;
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
        }
        Ok(found)
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
    fn blocks(&mut self, a: Range<u64>, b: Range<u64>) -> Result<[EffectBlock; 2], QueryError> {
        let in_a = positions(self.a, a)?;
        let in_b = positions(self.b, b)?;
        let [of_a, of_b] = &mut self.numbers;
        let (first, second, cancel) = (self.a.index, self.b.index, self.cancel);
        let (thread, other_thread) = (self.a.thread, self.b.thread);
        thread::scope(|scope| {
            let other =
                scope.spawn(move || EffectBlock::read(second, other_thread, in_b, of_b, cancel));
            let one = EffectBlock::read(first, thread, in_a, of_a, cancel)?;
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

    /// Compares the states after a region without partners, and at the end of the matched region
    /// that follows it.
    pub fn after(&mut self, region: &Region, next: &Region) -> Result<StateAfter, QueryError> {
        let (ranges, is_complete) = self.written(region)?;
        let mut cells = self.states(
            StepPair {
                a: region.a.end,
                b: region.b.end,
            },
            &ranges,
        )?;
        self.forgiving.retain_silently(&mut cells);
        let mut left = 0;
        if !cells.is_empty() {
            let end = self.states(
                StepPair {
                    a: next.a.end,
                    b: next.b.end,
                },
                &ranges,
            )?;
            let still = |cell: &&CellDifference| end.iter().any(|other| other.place == cell.place);
            left = cells.iter().filter(still).count();
        }
        Ok(StateAfter {
            cells,
            left,
            is_complete,
        })
    }

    /// Returns the memory that a region wrote in either trace, and whether that is all of it.
    fn written(&mut self, region: &Region) -> Result<(Vec<MemoryRange>, bool), QueryError> {
        let cut = |range: &Range<u64>| range.start..range.end.min(range.start + WRITING_STEPS);
        let (in_a, in_b) = (cut(&region.a), cut(&region.b));
        let mut is_complete = in_a == region.a && in_b == region.b;
        let blocks = self.blocks(in_a, in_b)?;
        let mut found: Vec<MemoryRange> = Vec::new();
        for block in &blocks {
            let accesses = block.steps().iter().flat_map(|step| block.accesses(step));
            for access in accesses.filter(|access| access.kind == AccessKind::Write) {
                found.push(MemoryRange {
                    address: Address(access.address),
                    len_bytes: u64::from(access.size_bytes),
                });
            }
        }
        found.sort_unstable_by_key(|range| (range.address, range.len_bytes));
        let mut merged: Vec<MemoryRange> = Vec::new();
        let mut bytes = 0;
        for range in found {
            let end = range.address.0.saturating_add(range.len_bytes);
            match merged.last_mut() {
                Some(last) if last.address.0 + last.len_bytes >= range.address.0 => {
                    last.len_bytes = last.len_bytes.max(end - last.address.0);
                }
                _ if bytes >= WRITTEN_BYTES => is_complete = false,
                _ => merged.push(range),
            }
            bytes += range.len_bytes;
        }
        Ok((merged, is_complete))
    }

    /// Returns the registers and the bytes of some ranges that differ before two steps.
    fn states(
        &mut self,
        at: StepPair,
        ranges: &[MemoryRange],
    ) -> Result<Vec<CellDifference>, QueryError> {
        let (in_a, in_b) = (self.a.position(at.a)?, self.b.position(at.b)?);
        let mut found = self.register_states(in_a, in_b)?;
        let memory = |index: &Index, position| {
            let question = MemoryRangesAt {
                position,
                ranges: ranges.to_vec(),
            };
            question.run(index, self.cancel)
        };
        let (one, other) = (memory(self.a.index, in_a)?, memory(self.b.index, in_b)?);
        for ((range, one), other) in ranges.iter().zip(&one).zip(&other) {
            for run in self.differing_runs(range.address, one, other) {
                let values =
                    [one, other].map(|bytes| value_of(bytes.get(run.clone()).unwrap_or_default()));
                let [a, b] = values;
                found.push(CellDifference {
                    kind: DifferenceKind::Write,
                    place: DifferingPlace::Memory {
                        address: Address(range.address.0.wrapping_add(run.start as u64)),
                        len_bytes: run.len() as u64,
                    },
                    a,
                    b,
                });
            }
        }
        Ok(found)
    }

    /// Returns the runs of bytes from an address, each in a word, that are known in both traces and
    /// differ. Words that are pointers to the same thing are none.
    fn differing_runs(
        &self,
        first: Address,
        a: &[ByteState],
        b: &[ByteState],
    ) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        let count = a.len().min(b.len());
        let mut start = 0;
        while start < count {
            let in_word = (first.0.wrapping_add(start as u64) % 8) as usize;
            let end = count.min(start + 8 - in_word);
            let differs = |place: &usize| {
                let value = |bytes: &[ByteState]| bytes.get(*place)?.value;
                let values = value(a).zip(value(b));
                values.is_some_and(|(one, other)| one != other)
            };
            let places = || (start..end).filter(differs);
            // A differing word often has equal bytes.
            if let (Some(first), Some(last)) = (places().next(), places().last()) {
                let word =
                    |bytes: &[ByteState]| value_of(bytes.get(start..end).unwrap_or_default());
                if self
                    .comparer
                    .distances
                    .of_pointers(&word(a), &word(b))
                    .is_none()
                {
                    runs.push(first..last + 1);
                }
            }
            start = end;
        }
        runs
    }

    fn register_states(
        &mut self,
        in_a: Position,
        in_b: Position,
    ) -> Result<Vec<CellDifference>, QueryError> {
        let file = |side: &Side<'_>, position| {
            let question = RegistersAt {
                position,
                thread: Some(side.thread),
            };
            question.run(side.index, self.cancel)
        };
        let (one, other) = (file(self.a, in_a)?, file(self.b, in_b)?);
        let mut found: Vec<CellDifference> = Vec::new();
        for state in one.registers {
            let Some(value) = other.get(&state.name) else {
                continue;
            };
            let is_same = !differ(&state.value, value)
                || self
                    .comparer
                    .distances
                    .of_pointers(&state.value, value)
                    .is_some();
            let repeats = |known: &CellDifference| known.a == state.value && known.b == *value;
            let is_bank = state.view.register >= RegisterId::FIRST_BANK;
            if is_same
                || state.view.register == RegisterId::PC
                || is_bank && found.iter().any(repeats)
            {
                continue;
            }
            found.push(CellDifference {
                kind: DifferenceKind::Register,
                place: DifferingPlace::Register {
                    name: state.name,
                    view: state.view,
                },
                a: state.value,
                b: value.clone(),
            });
        }
        Ok(found)
    }
}

impl PointerPass {
    fn take(&mut self, steps: [BlockStep<'_>; 2], place: u64, found: &mut StepDifferences) {
        let computed = self.flow.take(steps, found);
        self.counts.computed += computed;
        if computed > 0 && found.cells.is_empty() && self.steps.len() < COMPUTED_STEPS {
            self.places.push(place);
        }
        for value in &found.pointers {
            *self.counts.by_distance.entry(value.distance).or_default() += 1;
        }
    }

    /// Numbers the steps of a block by its first step.
    fn number_steps(&mut self, first: u64) {
        let steps = self.places.drain(..).map(|place| first + place);
        self.steps.extend(steps);
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

fn value_of(bytes: &[ByteState]) -> Value {
    Value(bytes.iter().map(|byte| byte.value).collect())
}
