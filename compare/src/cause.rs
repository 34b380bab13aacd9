//! The cause of a divergence: the steps with different values on which the deciding branch depends,
//! in both traces ([`Cause`]).
//!
//! The backward slices of what the branch reads are taken in both traces. Of their steps only those
//! count whose values differ: equal ones cannot have decided it. The oldest of these is the first
//! that did anything else, and what it did else is the cause.

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
/// Maximum number of differing steps that are kept, the oldest besides the newest.
const CHAIN_STEPS: usize = 256;

/// What the first differing step on which the decision depends did else.
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
    /// The traces do not record what it did else.
    Unknown,
}

/// The steps that led to a divergence, in both traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Steps with different values, newest first.
    pub chain: Vec<StepDifference>,
    /// What the oldest of them did else.
    pub origin: CauseOrigin,
    /// False if the slices are longer than was examined.
    pub is_complete: bool,
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

/// Finds the cause of a decision. `None` if no step on which it depends has different values.
pub(crate) fn cause(
    pass: &mut ValuePass<'_, '_>,
    alignment: &Alignment,
    decision: StepPair,
) -> Result<Option<Cause>, QueryError> {
    let cancel = pass.cancel;
    let in_a = slice(pass.a, decision.a, cancel)?;
    let in_b = slice(pass.b, decision.b, cancel)?;
    let mut pairs: BTreeMap<u64, u64> = BTreeMap::new();
    for step in &in_a.steps {
        let a = pass.a.number_of(*step)?;
        pairs.extend(alignment.partner(a).map(|b| (a, b)));
    }
    for step in &in_b.steps {
        let b = pass.b.number_of(*step)?;
        pairs.extend(alignment.partner_in_a(b).map(|a| (a, b)));
    }
    pairs.insert(decision.a, decision.b);
    let mut chain = Vec::new();
    for (a, b) in pairs.into_iter().rev() {
        cancel.check()?;
        let one = Region {
            kind: RegionKind::Same,
            a: a..a + 1,
            b: b..b + 1,
        };
        if let Some(found) = pass.region(&one, |_| {})?.first {
            if chain.len() == CHAIN_STEPS {
                chain.pop();
            }
            chain.push(found);
        }
    }
    let Some(oldest) = chain.last().filter(|oldest| oldest.steps != decision) else {
        return Ok(None);
    };
    let origin = origin(oldest, &in_a.ends);
    Ok(Some(Cause {
        origin,
        chain,
        is_complete: in_a.is_complete && in_b.is_complete,
    }))
}

/// Returns the slice of everything that a step reads.
fn slice(side: &mut Side<'_>, number: u64, cancel: &Cancel) -> Result<DecisionSlice, QueryError> {
    let at = side.position(number)?;
    let mut found = DecisionSlice {
        is_complete: true,
        ..DecisionSlice::default()
    };
    for cell in cells_read(side, at, cancel)? {
        let query = SliceQuery {
            cell,
            at,
            direction: Direction::Back,
            edges: EdgeKinds {
                addresses: true,
                flags: true,
                control: false,
                listed: false,
            },
            limit: SLICE_STEPS,
        };
        let mut walk = query.walk(side.index, Some(side.thread), cancel)?;
        while let Some(row) = walk.next(cancel)? {
            found.take(row);
        }
        let rest = walk.into_rest();
        found.is_complete &= rest.is_empty();
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
