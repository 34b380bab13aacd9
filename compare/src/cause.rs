//! The cause of a divergence: the steps with different values on which the deciding branch depends,
//! in both traces ([`Cause`]).
//!
//! The backward slices of what the branch reads are taken in both traces. Of their steps only those
//! count whose values differ: equal ones cannot have decided it. The oldest of these is the first
//! that behaved differently, and what differs in it is the cause.

use std::collections::BTreeMap;

use stepback_index::answer::{Cell, Direction, EdgeKinds, SliceCell, SliceEndKind, SliceRow};
use stepback_index::query::SliceQuery;
use stepback_index::{Cancel, QueryError};
use stepback_machine::{Address, decode};
use stepback_parsers::{Position, Step};

use crate::align::side::Side;
use crate::region::{Alignment, Region, RegionKind, StepPair};
use crate::values::block::EffectBlock;
use crate::values::difference::{CellDifference, DifferenceKind, DifferingPlace, StepDifference};
use crate::values::pass::ValuePass;

/// Maximum number of steps of a slice that are examined.
const SLICE_STEPS: usize = 4096;
/// Maximum number of slices, each from the oldest differing step of the one before.
const ROUNDS: usize = 64;

/// Difference in the first differing step on which the decision depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CauseOrigin {
    /// Another instruction is at its address.
    Instruction,
    /// It found another value in memory that no matched step wrote differently.
    Memory {
        /// Lowest address, in the first trace.
        address: Address,
        /// Number of bytes.
        len_bytes: u64,
        /// Origin of the value in the first trace; `None` if a step wrote it.
        end: Option<SliceEndKind>,
    },
    /// It computed another result from inputs without a recorded difference.
    Result,
    /// The traces do not record what differs in it.
    Unknown,
}

/// The steps that led to a divergence, in both traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Steps with different values, newest first.
    pub chain: Vec<StepDifference>,
    /// Difference in the oldest of them.
    pub origin: CauseOrigin,
    /// False if the slices are longer than was examined.
    pub is_complete: bool,
}

/// The matched steps of two threads.
#[derive(Clone, Copy)]
pub(crate) struct MatchedSteps<'s> {
    pub alignment: &'s Alignment,
    /// Steps of the first trace whose differences do not count, in order.
    pub ignored: &'s [u64],
}

/// The slice of a decision in one trace.
#[derive(Default)]
struct DecisionSlice {
    steps: Vec<Step>,
    ends: Vec<MemoryEnd>,
    is_complete: bool,
}

/// Memory at which a chain ends.
struct MemoryEnd {
    address: Address,
    len_bytes: u64,
    end: SliceEndKind,
}

/// Finds the cause of a decision, or of a first difference without one. `None` if no step on which
/// the decision depends has different values.
pub(crate) fn cause(
    pass: &mut ValuePass<'_, '_>,
    matched: MatchedSteps<'_>,
    decision: StepPair,
) -> Result<Option<Cause>, QueryError> {
    let mut search = CauseSearch {
        pass,
        matched,
        found: BTreeMap::new(),
        ends: Vec::new(),
        is_complete: true,
    };
    search.add(decision)?;
    let mut from = decision;
    // A slice holds all that a value depends on, so each round begins at the oldest step that
    // differs, with only what differs there.
    for _ in 0..ROUNDS {
        let Some(oldest) = search.round(from)? else {
            break;
        };
        from = oldest;
    }
    let CauseSearch {
        found,
        ends,
        is_complete,
        ..
    } = search;
    let chain: Vec<StepDifference> = found.into_values().rev().collect();
    let Some(oldest) = chain.last() else {
        return Ok(None);
    };
    // That the decision was another one is no cause of it.
    let is_condition = |cell: &CellDifference| cell.kind == DifferenceKind::Condition;
    if oldest.steps == decision && oldest.cells.iter().all(is_condition) {
        return Ok(None);
    }
    let origin = origin(oldest, &ends);
    Ok(Some(Cause {
        origin,
        chain,
        is_complete,
    }))
}

/// Returns the cause of a difference that decides nothing: what differs in the step.
pub(crate) fn cause_of_difference(first: &StepDifference) -> Cause {
    Cause {
        origin: origin(first, &[]),
        chain: vec![first.clone()],
        is_complete: true,
    }
}

struct CauseSearch<'s, 'a, 'p> {
    pass: &'s mut ValuePass<'a, 'p>,
    matched: MatchedSteps<'s>,
    /// Differing steps by their numbers in the first trace.
    found: BTreeMap<u64, StepDifference>,
    ends: Vec<MemoryEnd>,
    is_complete: bool,
}

impl CauseSearch<'_, '_, '_> {
    /// Keeps two matched steps if they differ. Returns whether they do.
    fn add(&mut self, pair: StepPair) -> Result<bool, QueryError> {
        if self.matched.ignored.binary_search(&pair.a).is_ok() {
            return Ok(false);
        }
        let one = Region {
            kind: RegionKind::Same,
            a: pair.a..pair.a + 1,
            b: pair.b..pair.b + 1,
        };
        let difference = self.pass.region(&one, |_| {})?.first;
        let differs = difference.is_some();
        self.found.extend(difference.map(|found| (pair.a, found)));
        Ok(differs)
    }

    /// Adds the differing steps on which a step depends, first by data and then also by addresses.
    /// Returns the oldest of them; `None` if there are none before it.
    fn round(&mut self, from: StepPair) -> Result<Option<StepPair>, QueryError> {
        for addresses in [false, true] {
            let edges = EdgeKinds {
                addresses,
                flags: true,
                control: false,
                listed: false,
            };
            let mut pairs = BTreeMap::new();
            let wanted = self
                .found
                .get(&from.a)
                .map(differing_reads)
                .unwrap_or_default();
            let cells = wanted_cells(self.pass.a, from.a, &wanted, self.pass.cancel)?;
            let in_a = slice(self.pass.a, from.a, &cells, edges, self.pass.cancel)?;
            for step in &in_a.steps {
                let a = self.pass.a.number_of(*step)?;
                pairs.extend(self.matched.alignment.partner(a).map(|b| (a, b)));
            }
            let mut cells = wanted_cells(self.pass.b, from.b, &[], self.pass.cancel)?;
            if !wanted.is_empty() {
                // Its memory may lie elsewhere, but it is what the step reads.
                cells.retain(|cell| matches!(cell, Cell::Memory { .. }));
            }
            let in_b = slice(self.pass.b, from.b, &cells, edges, self.pass.cancel)?;
            for step in &in_b.steps {
                let b = self.pass.b.number_of(*step)?;
                pairs.extend(self.matched.alignment.partner_in_a(b).map(|a| (a, b)));
            }
            self.is_complete &= in_a.is_complete;
            self.ends.extend(in_a.ends);
            let mut oldest = None;
            for (a, b) in pairs.into_iter().rev().filter(|(a, _)| *a < from.a) {
                self.pass.cancel.check()?;
                let pair = StepPair { a, b };
                if self.found.contains_key(&a) || self.add(pair)? {
                    oldest = Some(pair);
                }
            }
            if oldest.is_some() {
                return Ok(oldest);
            }
        }
        Ok(None)
    }
}

/// Returns the memory in which a step found other values.
fn differing_reads(difference: &StepDifference) -> Vec<Cell> {
    let reads = difference.cells.iter().filter_map(|cell| match cell.place {
        DifferingPlace::Memory { address, len_bytes } if cell.kind == DifferenceKind::Read => {
            Some(Cell::Memory { address, len_bytes })
        }
        _ => None,
    });
    let has_addresses = difference.cells.iter().any(|cell| {
        matches!(
            cell.kind,
            DifferenceKind::ReadAddress | DifferenceKind::WriteAddress
        )
    });
    match has_addresses {
        true => Vec::new(),
        false => reads.collect(),
    }
}

/// Returns what a step reads: some cells if they are known, else everything.
fn wanted_cells(
    side: &mut Side<'_>,
    number: u64,
    known: &[Cell],
    cancel: &Cancel,
) -> Result<Vec<Cell>, QueryError> {
    if !known.is_empty() {
        return Ok(known.to_vec());
    }
    let at = side.position(number)?;
    cells_read(side, at, cancel)
}

/// Returns the slice of some cells before a step.
fn slice(
    side: &mut Side<'_>,
    number: u64,
    cells: &[Cell],
    edges: EdgeKinds,
    cancel: &Cancel,
) -> Result<DecisionSlice, QueryError> {
    let at = side.position(number)?;
    let mut found = DecisionSlice {
        is_complete: true,
        ..DecisionSlice::default()
    };
    for cell in cells {
        let query = SliceQuery {
            cell: *cell,
            at,
            direction: Direction::Back,
            edges,
            limit: SLICE_STEPS,
        };
        let mut walk = query.walk(side.index, Some(side.thread), cancel)?;
        while let Some(row) = walk.next(cancel)? {
            found.take(row);
        }
        found.is_complete &= walk.into_rest().is_empty();
    }
    Ok(found)
}

impl DecisionSlice {
    fn take(&mut self, row: SliceRow) {
        match row {
            SliceRow::Step(step) => self.steps.push(step.step),
            SliceRow::End(end) => {
                if let SliceCell::Memory { address, len_bytes } = end.cell {
                    self.ends.push(MemoryEnd {
                        address,
                        len_bytes,
                        end: end.end,
                    });
                }
            }
        }
    }
}

/// Returns the registers and the memory that a step reads.
fn cells_read(side: &Side<'_>, at: Position, cancel: &Cancel) -> Result<Vec<Cell>, QueryError> {
    let range = at..at.next_step().after();
    let block = EffectBlock::read_plain(side.index, side.thread, range, cancel)?;
    let Some(step) = block.steps().first() else {
        return Ok(Vec::new());
    };
    let decoded = step
        .encoding
        .map(|encoding| decode(encoding, step.pc, step.set));
    let registers = decoded.and_then(|decoded| decoded.registers.clone());
    let registers = registers.into_iter().flat_map(|registers| registers.reads);
    let registers = registers.map(|view| Cell::Register {
        thread: side.thread,
        view,
    });
    let memory = block.accesses(step).iter();
    let memory = memory.filter(|access| access.kind == stepback_machine::AccessKind::Read);
    let memory = memory.map(|access| Cell::Memory {
        address: Address(access.address),
        len_bytes: u64::from(access.size_bytes),
    });
    Ok(registers.chain(memory).collect())
}

fn origin(oldest: &StepDifference, ends: &[MemoryEnd]) -> CauseOrigin {
    let Some(CellDifference { kind, place, .. }) = oldest.cells.first() else {
        return CauseOrigin::Unknown;
    };
    match (kind, place) {
        (DifferenceKind::Instruction, _) => CauseOrigin::Instruction,
        (DifferenceKind::Read, DifferingPlace::Memory { address, len_bytes }) => {
            let shares = |end: &&MemoryEnd| {
                end.address.0 < address.0.saturating_add(*len_bytes)
                    && address.0 < end.address.0.saturating_add(end.len_bytes)
            };
            CauseOrigin::Memory {
                address: *address,
                len_bytes: *len_bytes,
                end: ends.iter().find(shares).map(|end| end.end),
            }
        }
        (DifferenceKind::Register, _) => CauseOrigin::Result,
        _ => CauseOrigin::Unknown,
    }
}
