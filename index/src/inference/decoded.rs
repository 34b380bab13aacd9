//! The instructions of a run, each decoded only once.

use std::sync::Arc;

use stepback_machine::banks::WindowChange;
use stepback_machine::{Address, Encoding, Instruction, InstructionSet, decode};

/// A decoded instruction with the properties that each step needs.
#[derive(Debug)]
pub(super) struct DecodedEncoding {
    pc: Address,
    set: InstructionSet,
    encoding: Encoding,
    pub instruction: Arc<Instruction>,
    pub window_step: Option<WindowChange>,
}

/// The instructions of a run, in the order of their first execution.
#[derive(Debug)]
pub(super) struct DecodedTable {
    all: Vec<DecodedEncoding>,
    /// Direct-mapped cache: index of the latest instruction at an address, by a hash of the
    /// address.
    recent: Vec<u32>,
}

/// Index of an instruction in its table.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecodedNumber(u32);

/// Number of cache entries. Addresses that share one evict each other, which costs decoding again.
const RECENT: usize = 512;

impl Default for DecodedTable {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            recent: vec![u32::MAX; RECENT],
        }
    }
}

impl DecodedTable {
    /// Returns an instruction by its number.
    pub fn get(&self, number: DecodedNumber) -> Option<&DecodedEncoding> {
        self.all.get(number.0 as usize)
    }

    /// Returns the number of an instruction, decoding it if it is not cached.
    pub fn number(
        &mut self,
        encoding: Encoding,
        pc: Address,
        set: InstructionSet,
    ) -> DecodedNumber {
        let low = (pc.0 ^ pc.0 >> 2) as usize % RECENT;
        let known = self.recent.get(low).copied().unwrap_or(u32::MAX);
        let is_same = |known: &DecodedEncoding| {
            known.pc == pc && known.encoding == encoding && known.set == set
        };
        if self.all.get(known as usize).is_some_and(is_same) {
            return DecodedNumber(known);
        }
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let (instruction, window_step) = (decode(encoding, pc, set), set.window_step(&encoding));
        self.all.push(DecodedEncoding {
            pc,
            set,
            encoding,
            instruction,
            window_step,
        });
        if let Some(recent) = self.recent.get_mut(low) {
            *recent = number;
        }
        DecodedNumber(number)
    }
}
