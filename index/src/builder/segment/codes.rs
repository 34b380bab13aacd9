//! Distinct instructions of a segment.

use foldhash::{HashSet, HashSetExt as _};
use stepback_machine::{Encoding, InstructionSet};
use stepback_parsers::{StepEvent, StepOrigin};

/// An instruction of a segment, with its recorded bytes.
#[derive(Clone, Copy, Debug)]
pub struct FoundCode {
    /// Address.
    pub pc: u64,
    /// Instruction set.
    pub set: InstructionSet,
    /// Encoded bytes.
    pub encoding: Encoding,
    /// First slot that has it.
    pub slot: u32,
}

/// Instruction of the last step at an address.
#[derive(Clone, Copy, Debug)]
struct LastCode {
    opcode: u32,
    length_bytes: u8,
    set: InstructionSet,
    encoding: Option<Encoding>,
}

impl LastCode {
    #[inline(always)]
    fn is_same(&self, step: &StepEvent<'_>) -> bool {
        let is_same_number = self.opcode == step.opcode && self.length_bytes == step.length_bytes;
        is_same_number
            && self.set == step.instruction_set
            && (step.bytes.is_empty()
                || self
                    .encoding
                    .is_some_and(|encoding| encoding.bytes() == step.bytes))
    }
}

/// Collects the instructions of a segment in the order of their first slots.
#[derive(Debug, Default)]
pub(crate) struct SegmentCodes {
    /// Last instruction by the segment's number of its address.
    last: Vec<LastCode>,
    /// Instructions of addresses that have several.
    several: Option<HashSet<(u64, InstructionSet, Encoding)>>,
    found: Vec<FoundCode>,
}

impl SegmentCodes {
    /// Forgets all instructions.
    pub fn clear(&mut self) {
        self.last.clear();
        self.several = None;
        self.found.clear();
    }

    /// Records the instruction of a step at the address with this number.
    #[inline(always)]
    pub fn note(&mut self, number: u32, slot: u32, step: &StepEvent<'_>) {
        let is_known = self
            .last
            .get(number as usize)
            .is_some_and(|last| last.is_same(step));
        if !is_known {
            self.note_new(number as usize, slot, step);
        }
    }

    fn note_new(&mut self, number: usize, slot: u32, step: &StepEvent<'_>) {
        let encoding = step
            .encoding()
            .filter(|_| step.origin == StepOrigin::Recorded);
        let (opcode, length_bytes, set) = (step.opcode, step.length_bytes, step.instruction_set);
        let code = LastCode {
            opcode,
            length_bytes,
            set,
            encoding,
        };
        let before = match self.last.get_mut(number) {
            Some(last) => Some(std::mem::replace(last, code)),
            // Addresses are numbered in the order of their first steps.
            None => {
                self.last.push(code);
                None
            }
        };
        let Some(encoding) = encoding else { return };
        let pc = step.pc.0;
        if let Some(before) = before {
            let several = self.several.get_or_insert_with(HashSet::new);
            several.extend(before.encoding.map(|encoding| (pc, before.set, encoding)));
            if !several.insert((pc, set, encoding)) {
                return;
            }
        }
        self.found.push(FoundCode {
            pc,
            set,
            encoding,
            slot,
        });
    }

    /// Returns all instructions found.
    pub fn found(&self) -> &[FoundCode] {
        &self.found
    }
}
