//! Registers that instructions write.

use stepback_machine::{Address, Encoding, InstructionSet, RegisterId, decode};

/// Number of entries of the direct-mapped cache.
const REMEMBERED: usize = 1 << 12;

/// Registers that an instruction writes; `None` if they are unknown.
type WrittenRegisters = Option<Box<[RegisterId]>>;

/// Instruction at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InstructionKey {
    pc: u64,
    set: InstructionSet,
    encoding: Encoding,
}

/// Lookup of the registers that an instruction writes, with a direct-mapped cache: decoding takes
/// longer than all other checks of a write.
pub struct WrittenCache {
    known: Vec<Option<(InstructionKey, WrittenRegisters)>>,
}

impl Default for WrittenCache {
    fn default() -> Self {
        Self {
            known: vec![None; REMEMBERED],
        }
    }
}

impl WrittenCache {
    /// Returns the registers that an instruction writes, each at least once; `None` if they are
    /// unknown.
    pub fn of(
        &mut self,
        pc: u64,
        set: InstructionSet,
        encoding: Encoding,
    ) -> Option<&[RegisterId]> {
        let seen = InstructionKey { pc, set, encoding };
        let place = (pc >> 1 ^ pc >> 12) as usize % REMEMBERED;
        let entry = self.known.get_mut(place)?;
        if entry.as_ref().is_none_or(|(known, _)| *known != seen) {
            let instruction = decode(encoding, Address(pc), set);
            let written = instruction.registers.as_ref().map(|known| {
                let registers = known.writes.iter().map(|view| view.register);
                registers.collect()
            });
            *entry = Some((seen, written));
        }
        entry.as_ref()?.1.as_deref()
    }
}
