//! How much of an address tells of the registers that it was made of: a processor may cut off the upper half.

use stepback_machine::{InstructionSet, RegisterBit, RegisterView, Registers};
use stepback_parsers::Position;

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::read::register_reader::RegisterReader;

/// How much of an address is known to be what an instruction made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AddressWidth {
    /// All of it.
    #[default]
    Whole,
    /// The lower half: the upper one is cut off.
    Half,
    /// That is not told: an address with an upper half was not cut off.
    Unsaid,
}

impl AddressWidth {
    /// How many bits of an address tell.
    pub fn bits(self, address: u64) -> u8 {
        match self {
            Self::Whole => 64,
            Self::Unsaid if address > u64::from(u32::MAX) => 64,
            Self::Half | Self::Unsaid => 32,
        }
    }

    /// As the register says that decides it, of which the lowest 8 bytes are given.
    pub fn of(bit: RegisterBit, value: Option<u64>) -> Self {
        match value.map(|value| value >> bit.bit & 1) {
            Some(0) => Self::Whole,
            Some(_) => Self::Half,
            None => Self::Unsaid,
        }
    }

    /// That of a thread at a slot.
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

/// The bit that decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct WidthBit {
    pub bit: RegisterBit,
    /// The register in which it is.
    pub view: RegisterView,
}

impl WidthBit {
    /// None where addresses are never cut off.
    pub fn of(set: InstructionSet) -> Option<Self> {
        let bit = set.narrow_addresses()?;
        Some(Self {
            bit,
            view: Registers::view(bit.register, set)?,
        })
    }
}
