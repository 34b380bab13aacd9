//! Assignment of recorded accesses to the memory operands of an instruction ([`find_addresses`]).
//! One record may cover several adjacent operands, or a part of one. [`AddressWidth`] is the part
//! of a computed address that counts, because a processor may ignore the upper half.

use stepback_machine::convention::RegisterBit;
use stepback_machine::semantics::MemoryOperand;
use stepback_machine::{AccessKind, InstructionSet, RegisterView, Registers};
use stepback_parsers::Position;

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::inference::run::RunAccess;
use crate::read::register_reader::RegisterReader;

/// Determines the address of each operand from the accesses of its step. One record may cover
/// several adjacent operands, or a part of one.
pub(super) fn find_addresses(
    operands: &[MemoryOperand],
    accesses: &[RunAccess],
    addresses: &mut Vec<Option<u64>>,
) {
    addresses.clear();
    if let ([operand], [access]) = (operands, accesses) {
        // Fast path for the usual case.
        let is_same =
            operand.kind == access.kind && operand.size_bytes == Some(u16::from(access.size_bytes));
        return addresses.push(is_same.then_some(access.address));
    }
    addresses.resize(operands.len(), None);
    if !accesses.is_empty() {
        for kind in [AccessKind::Read, AccessKind::Write] {
            let operands = operands
                .iter()
                .enumerate()
                .filter(|(_, operand)| operand.kind == kind)
                .collect::<Vec<_>>();
            let accesses = accesses
                .iter()
                .filter(|access| access.kind == kind)
                .copied()
                .collect::<Vec<_>>();
            addresses_of_kind(&operands, &accesses, addresses);
        }
    }
}

fn addresses_of_kind(
    operands: &[(usize, &MemoryOperand)],
    accesses: &[RunAccess],
    addresses: &mut [Option<u64>],
) {
    let Some((_, first)) = operands.first() else {
        return;
    };
    let is_together = |operand: &MemoryOperand| {
        (operand.segment, operand.base, operand.index) == (first.segment, first.base, first.index)
    };
    if operands.iter().all(|(_, operand)| is_together(operand)) {
        let Some((lowest, displacement)) = region_start(operands, accesses) else {
            return;
        };
        for (place, operand) in operands {
            if let Some(address) = addresses.get_mut(*place) {
                *address = Some(lowest.wrapping_add(
                    (operand.displacement.wrapping_sub(displacement)).cast_unsigned(),
                ));
            }
        }
        return;
    }
    let is_same = |((_, operand), access): (&(usize, &MemoryOperand), &RunAccess)| {
        operand.size_bytes == Some(u16::from(access.size_bytes))
    };
    if operands.len() == accesses.len() && operands.iter().zip(accesses).all(is_same) {
        for ((place, _), access) in operands.iter().zip(accesses) {
            if let Some(address) = addresses.get_mut(*place) {
                *address = Some(access.address);
            }
        }
    }
}

/// Returns the lowest address and the lowest displacement, if operands and accesses cover a region
/// of the same size.
fn region_start(
    operands: &[(usize, &MemoryOperand)],
    accesses: &[RunAccess],
) -> Option<(u64, i64)> {
    let sizes = operands
        .iter()
        .map(|(_, operand)| operand.size_bytes.map(i64::from))
        .collect::<Option<Vec<_>>>()?;
    let mut parts: Vec<_> = operands
        .iter()
        .map(|(_, operand)| operand.displacement)
        .zip(sizes)
        .collect();
    let mut pieces: Vec<_> = accesses
        .iter()
        .map(|access| (access.address.cast_signed(), i64::from(access.size_bytes)))
        .collect();
    let (displacement, wanted) = covered(&mut parts)?;
    let (lowest, found) = covered(&mut pieces)?;
    (wanted == found).then_some((lowest.cast_unsigned(), displacement))
}

/// Returns the start and length of adjacent pieces; `None` if there are holes between them.
fn covered(pieces: &mut [(i64, i64)]) -> Option<(i64, i64)> {
    pieces.sort_unstable();
    let start = pieces.first()?.0;
    let mut end = start;
    for (place, length) in pieces.iter() {
        if *place != end {
            return None;
        }
        end = end.wrapping_add(*length);
    }
    Some((start, end.wrapping_sub(start)))
}

/// Known part of a computed address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AddressWidth {
    /// All bits.
    #[default]
    Whole,
    /// The lower half: the upper one is ignored.
    Half,
    /// Unknown: an address with a nonzero upper half is complete.
    Unsaid,
}

impl AddressWidth {
    /// Returns the number of significant bits of an address.
    pub fn bits(self, address: u64) -> u8 {
        match self {
            Self::Whole => 64,
            Self::Unsaid if address > u64::from(u32::MAX) => 64,
            Self::Half | Self::Unsaid => 32,
        }
    }

    /// Returns the width for the lowest 8 bytes of the register with the selecting bit.
    pub fn of(bit: RegisterBit, value: Option<u64>) -> Self {
        match value.map(|value| value >> bit.bit & 1) {
            Some(0) => Self::Whole,
            Some(_) => Self::Half,
            None => Self::Unsaid,
        }
    }

    /// Returns the width for a thread at a slot.
    pub fn at(index: &Index, thread: ThreadId, slot: u64) -> Result<Self, QueryError> {
        let set = index.instruction_set(thread);
        let Some(WidthBit { bit, view }) = WidthBit::of(set) else {
            return Ok(Self::Whole);
        };
        let at = Position(slot.min(index.step_count()));
        let state = RegisterReader::new(index, thread, at).state(bit.register.to_owned(), view)?;
        Ok(Self::of(bit, state.value.to_u64()))
    }
}

/// The bit that selects the address width.
#[derive(Clone, Copy, Debug)]
pub(super) struct WidthBit {
    pub bit: RegisterBit,
    /// Register that contains it.
    pub view: RegisterView,
}

impl WidthBit {
    /// Returns the bit of an instruction set; `None` if addresses are never narrowed.
    pub fn of(set: InstructionSet) -> Option<Self> {
        let bit = set.narrow_addresses()?;
        Some(Self {
            bit,
            view: Registers::view(bit.register, set)?,
        })
    }
}
