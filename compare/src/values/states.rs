//! Comparison of the states after regions without partners ([`StateAfter`]).

use std::ops::Range;

use stepback_index::answer::{ByteState, MemoryRange, Value};
use stepback_index::query::{MemoryRangesAt, RegistersAt};
use stepback_index::{Index, Query as _, QueryError};
use stepback_machine::{AccessKind, Address, RegisterId};
use stepback_parsers::Position;

use crate::align::side::Side;
use crate::region::{Region, StepPair};
use crate::values::block::EffectBlock;
use crate::values::difference::{CellDifference, DifferenceKind, DifferingPlace};
use crate::values::pass::ValuePass;
use crate::values::step::differ;

/// Maximum number of steps of a region whose writes are compared afterwards.
const WRITING_STEPS: u64 = 1 << 14;
/// Maximum number of bytes that are compared after a region.
const WRITTEN_BYTES: u64 = 1 << 12;

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

impl ValuePass<'_, '_> {
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
        let [in_a, in_b] = blocks.each_ref().map(writes);
        let distances = &self.comparer.distances;
        let in_b = in_b.map(|range| MemoryRange {
            address: Address(distances.to_first(range.address.0)),
            ..range
        });
        found.extend(in_a.chain(in_b));
        found.sort_unstable_by_key(|range| (range.address, range.len_bytes));
        let mut merged: Vec<MemoryRange> = Vec::new();
        let mut bytes = 0;
        for range in found {
            let end = range.address.0.saturating_add(range.len_bytes);
            match merged.last_mut() {
                Some(last) if last.address.0.saturating_add(last.len_bytes) >= range.address.0 => {
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
        let distances = &self.comparer.distances;
        let of_b = ranges.iter().map(|range| MemoryRange {
            address: Address(distances.to_second(range.address.0)),
            ..*range
        });
        let memory = |index: &Index, position, ranges| {
            MemoryRangesAt { position, ranges }.run(index, self.cancel)
        };
        let one = memory(self.a.index, in_a, ranges.to_vec())?;
        let other = memory(self.b.index, in_b, of_b.collect())?;
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
            if let (Some(first), Some(last)) = (places().next(), places().next_back()) {
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

/// Returns the memory that the steps of a block write.
fn writes(block: &EffectBlock) -> impl Iterator<Item = MemoryRange> {
    let accesses = block.steps().iter().flat_map(|step| block.accesses(step));
    let writes = accesses.filter(|access| access.kind == AccessKind::Write);
    writes.map(|access| MemoryRange {
        address: Address(access.address),
        len_bytes: u64::from(access.size_bytes),
    })
}

fn value_of(bytes: &[ByteState]) -> Value {
    Value(bytes.iter().map(|byte| byte.value).collect())
}
