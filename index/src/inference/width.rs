//! Effective width of addresses: a processor may ignore the upper half.

use stepback_machine::{InstructionSet, RegisterBit, RegisterView, Registers};
use stepback_parsers::Position;

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::read::register_reader::RegisterReader;

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
