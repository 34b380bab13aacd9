//! Instructions of a segment: the addresses of its steps, and their recorded bytes.

use foldhash::{HashSet, HashSetExt as _};
use stepback_machine::{Encoding, InstructionSet};
use stepback_parsers::{StepEvent, StepOrigin};

use crate::builder::segment::keyed_events::KeyedEvents;
use crate::builder::segment::sealed::SealedSegment;
use crate::store::visits::VisitedSlots;

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
        // A number determines the bytes; 0 is that of all instructions that are none.
        let is_same_code = |encoding: Encoding| {
            encoding.bytes().len() == step.bytes.len()
                && (step.opcode != 0 || encoding.bytes() == step.bytes)
        };
        is_same_number
            && self.set == step.instruction_set
            && (step.bytes.is_empty() || self.encoding.is_some_and(is_same_code))
    }
}

/// Collects the steps of a segment by address, and its instructions in the order of their first
/// slots.
#[derive(Debug, Default)]
pub(super) struct InstructionColumns {
    /// Slots of the steps at each address.
    visits: KeyedEvents<u32>,
    /// Number of the address after the last step at each address.
    successors: Vec<u32>,
    /// Last instruction by the number of its address.
    last: Vec<LastCode>,
    /// Instructions of addresses that have several.
    several: Option<HashSet<(u64, InstructionSet, Encoding)>>,
    found: Vec<FoundCode>,
}

impl InstructionColumns {
    /// Begins a segment.
    pub fn clear(&mut self) {
        self.visits.clear();
        self.successors.clear();
        self.last.clear();
        self.several = None;
        self.found.clear();
    }

    /// Records a step.
    #[inline(always)]
    pub fn push(&mut self, slot: u32, step: &StepEvent<'_>) {
        let pc = step.pc.0;
        // The step after an address is mostly the one that came after it last time.
        let before = self.visits.last_number().unwrap_or(0) as usize;
        let guess = self.successors.get(before).copied().unwrap_or(0);
        let is_right = self.visits.keys.keys().get(guess as usize) == Some(&pc);
        let number = if is_right {
            guess
        } else {
            self.number_elsewhere(before, pc)
        };
        self.visits.push(number, slot);
        let is_known = self
            .last
            .get(number as usize)
            .is_some_and(|last| last.is_same(step));
        if !is_known {
            self.note_new(number as usize, slot, step);
        }
    }

    fn number_elsewhere(&mut self, before: usize, pc: u64) -> u32 {
        let number = self.visits.keys.number(pc) as u32;
        self.successors.resize(self.visits.keys.keys().len(), 0);
        self.successors[before] = number;
        number
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

    /// Appends the lists of addresses, and hands over the instructions.
    pub fn finish(&mut self, bytes: &mut Vec<u8>, sealed: &mut SealedSegment) {
        self.visits.finish(bytes, |entries, lists, key| {
            let (slots, before) = (key.events, key.before);
            VisitedSlots { slots, before }.push(entries, lists);
        });
        sealed.pcs = self.visits.sorted().iter().map(|(pc, _)| *pc).collect();
        sealed.codes = self.found.clone();
    }
}
