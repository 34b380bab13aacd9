//! The origin of a cause: what differs in the oldest differing step ([`CauseOrigin`]).

use stepback_index::QueryError;
use stepback_index::answer::SliceEndKind;
use stepback_machine::Address;
use stepback_parsers::Step;

use crate::region::StepPair;
use crate::values::block::AccessEffect;
use crate::values::difference::{CellDifference, DifferenceKind, DifferingPlace, StepDifference};
use crate::values::pass::ValuePass;
use crate::values::step::BlockStep;

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
    /// It found another value in memory, which another thread of the first trace wrote.
    OtherThread(ForeignWrite),
    /// It computed another result from inputs without a recorded difference.
    Result,
    /// Its result is not recorded, and its inputs have no recorded difference.
    UnrecordedResult,
    /// It reads a register that differs before the first steps, or that is not recorded there.
    InitialRegister(CellDifference),
    /// It loads from memory, which the traces do not record.
    UnrecordedMemory,
    /// It is a system call, which returned something else.
    SystemCall,
    /// One of its inputs differs, which a rule ignores.
    Forgiven,
    /// The traces do not record what differs.
    Unknown,
}

impl CauseOrigin {
    /// Returns true if the difference comes from memory.
    pub(crate) fn is_of_memory(&self) -> bool {
        matches!(
            self,
            Self::Memory { .. } | Self::OtherThread(_) | Self::UnrecordedMemory
        )
    }
}

/// Memory that a step of another thread wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignWrite {
    /// Lowest address.
    pub address: Address,
    /// Number of bytes.
    pub len_bytes: u64,
    /// Name of the thread.
    pub thread: String,
    /// The step.
    pub step: Step,
}

/// Sources at which the slices of the first trace leave its thread.
#[derive(Debug, Default)]
pub(crate) struct SliceSources {
    pub ends: Vec<MemoryEnd>,
    pub foreign: Vec<ForeignWrite>,
}

/// Memory at which a chain ends.
#[derive(Debug)]
pub(crate) struct MemoryEnd {
    pub address: Address,
    pub len_bytes: u64,
    pub end: SliceEndKind,
}

/// Recorded facts about the oldest differing steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OldestSteps {
    is_system_call: bool,
    /// The read has another value, which a rule ignores.
    is_read_forgiven: bool,
    /// Memory that the step of the first trace reads without a recorded value.
    unrecorded: Option<AccessEffect>,
    /// They load from memory, and no access is recorded.
    is_load_unrecorded: bool,
}

impl OldestSteps {
    pub fn read(pass: &mut ValuePass<'_, '_>, oldest: &StepDifference) -> Result<Self, QueryError> {
        let StepPair { a, b } = oldest.steps;
        let [in_a, in_b] = pass.blocks(a..a + 1, b..b + 1)?;
        let (Some(one), Some(other)) = (in_a.steps().first(), in_b.steps().first()) else {
            return Ok(Self::default());
        };
        let steps = [(&in_a, one), (&in_b, other)].map(|(block, step)| BlockStep { block, step });
        let [a, b] = steps;
        let is_read = |cell: &CellDifference| cell.kind == DifferenceKind::Read;
        let all = pass.comparer.differences(a, b).cells;
        let unrecorded = steps.map(|step| step.unrecorded_read());
        let lacks_load = |step: &BlockStep<'_>| step.step.is_load() && !step.has_reads();
        Ok(Self {
            is_system_call: one.is_trap(),
            is_read_forgiven: all.iter().any(is_read) && !oldest.cells.iter().any(is_read),
            unrecorded: unrecorded[0].filter(|_| unrecorded[1].is_some()),
            is_load_unrecorded: steps.iter().all(lacks_load),
        })
    }

    /// Returns what differs in the steps. `sources` are those of the slices of what they read.
    pub fn origin(self, oldest: &StepDifference, sources: &SliceSources) -> CauseOrigin {
        let Some(CellDifference { kind, place, a, b }) = oldest.cells.first() else {
            return CauseOrigin::Unknown;
        };
        let is_unrecorded = a.is_unknown() || b.is_unknown();
        let memory = |address: Address, len_bytes: u64| {
            let shares = |other: Address, other_len: u64| {
                other.0 < address.0.saturating_add(len_bytes)
                    && address.0 < other.0.saturating_add(other_len)
            };
            let mut ends = sources.ends.iter();
            let end = ends.find(|end| shares(end.address, end.len_bytes));
            let mut foreign = sources.foreign.iter();
            let write = foreign.find(|write| shares(write.address, write.len_bytes));
            match (end, write) {
                (None, Some(write)) => CauseOrigin::OtherThread(write.clone()),
                (end, _) => CauseOrigin::Memory {
                    address,
                    len_bytes,
                    end: end.map(|end| end.end),
                },
            }
        };
        match (kind, place) {
            (DifferenceKind::Instruction, _) => CauseOrigin::Instruction,
            (DifferenceKind::Read, DifferingPlace::Memory { address, len_bytes }) => {
                memory(*address, *len_bytes)
            }
            _ if self.is_system_call => CauseOrigin::SystemCall,
            _ if self.is_read_forgiven => CauseOrigin::Forgiven,
            (DifferenceKind::Register | DifferenceKind::Write, _) => match self.unrecorded {
                Some(read) => memory(Address(read.address), u64::from(read.size_bytes)),
                None if self.is_load_unrecorded => CauseOrigin::UnrecordedMemory,
                None if is_unrecorded => CauseOrigin::UnrecordedResult,
                None => CauseOrigin::Result,
            },
            _ => CauseOrigin::Unknown,
        }
    }
}
