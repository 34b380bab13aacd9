//! Values that differ because something lies elsewhere ([`PointerFlow`]): pointers to the same
//! thing, and what is computed from nothing else that differs, such as half an address or a negated
//! one.

use std::ops::Range;
use std::rc::Rc;

use foldhash::HashMap;
use stepback_machine::semantics::MemoryOperand;
use stepback_machine::{AccessKind, Address, Encoding, RegisterId, RegisterView, decode};

use crate::values::block::StepEffects;
use crate::values::difference::{CellDifference, DifferenceKind, DifferingPlace};
use crate::values::step::{BlockStep, StepDifferences};

/// Number of words of memory beyond which the oldest knowledge is given up.
const KNOWN_WORDS: usize = 1 << 20;
/// Number of instructions whose registers are kept.
const KNOWN_INSTRUCTIONS: usize = 1 << 16;
/// Number of bytes of a word.
const WORD_BYTES: u64 = 8;

/// Reason for which something differs now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// It is a pointer, or computed from pointers alone.
    Pointer,
    /// Anything else.
    Other,
}

/// Registers that an instruction uses.
#[derive(Debug, Default)]
struct UsedRegisters {
    /// Those that flow into results.
    data: Vec<RegisterId>,
    /// Those in addresses.
    addresses: Vec<RegisterId>,
    written: Vec<RegisterId>,
}

/// The registers and the memory that differ at present, with the reason.
#[derive(Debug, Default)]
pub(crate) struct PointerFlow {
    registers: HashMap<RegisterId, Reason>,
    /// By address in the first trace divided by [`WORD_BYTES`].
    memory: HashMap<u64, Reason>,
    instructions: HashMap<(Address, Option<Encoding>), Option<Rc<UsedRegisters>>>,
}

impl PointerFlow {
    /// Removes the differences of a step that are computed from pointers alone, and returns their
    /// number. The steps of a thread must be passed in order.
    pub fn take(&mut self, a: BlockStep<'_>, found: &mut StepDifferences) -> u64 {
        let key = (a.step.pc, a.step.encoding);
        if self.instructions.len() >= KNOWN_INSTRUCTIONS {
            self.instructions.clear();
        }
        if self.memory.len() >= KNOWN_WORDS {
            self.memory.clear();
        }
        let used = self
            .instructions
            .entry(key)
            .or_insert_with(|| used_registers(a.step).map(Rc::new))
            .clone();
        let reason = |registers: &[RegisterId]| {
            let reasons = registers
                .iter()
                .filter_map(|known| self.registers.get(known));
            reasons.copied().max()
        };
        let (data, addresses) = match &used {
            Some(used) => (reason(&used.data), reason(&used.addresses)),
            // Its inputs are unknown.
            None => (Some(Reason::Other), Some(Reason::Other)),
        };
        let reads = self.reason_of_reads(a, found);
        let data = data.max(reads);
        let mut computed = 0;
        let mut differing = Vec::new();
        differing.extend(
            found
                .pointers
                .iter()
                .map(|value| (value.place, Reason::Pointer)),
        );
        found.cells.retain(|cell| {
            let inputs = match cell.kind {
                DifferenceKind::Instruction => Some(Reason::Other),
                DifferenceKind::ReadAddress | DifferenceKind::WriteAddress => addresses,
                DifferenceKind::Read => reads,
                DifferenceKind::Condition | DifferenceKind::Write | DifferenceKind::Register => {
                    data
                }
            };
            let reason = inputs.unwrap_or(Reason::Other);
            differing.extend(PointerPlace::of(cell).map(|place| (place, reason)));
            computed += u64::from(reason == Reason::Pointer);
            reason == Reason::Other
        });
        // Not every format records all of them.
        for register in used.iter().flat_map(|used| &used.written) {
            self.set_register(*register, data);
        }
        for write in a.block.registers(a.step) {
            let register = write.view.register;
            self.set_register(
                register,
                reason_at(&differing, PointerPlace::Register(register)),
            );
        }
        for write in a.block.accesses(a.step) {
            let reason = reason_at(&differing, PointerPlace::Memory(write.address));
            if write.kind == AccessKind::Write || reason.is_some() {
                self.set_memory(write.address..write.end(), reason);
            }
        }
        computed
    }

    /// Returns the reason for which the memory that a step reads differs.
    fn reason_of_reads(&self, a: BlockStep<'_>, found: &StepDifferences) -> Option<Reason> {
        let mut reasons = None;
        for read in a.block.accesses(a.step) {
            if read.kind != AccessKind::Read {
                continue;
            }
            let place = PointerPlace::Memory(read.address);
            let is_pointer = found.pointers.iter().any(|value| value.place == place);
            let is_different = found.cells.iter().any(|cell| {
                cell.kind == DifferenceKind::Read && PointerPlace::of(cell) == Some(place)
            });
            let known = words(read.address..read.end())
                .filter_map(|word| self.memory.get(&word).copied())
                .max();
            reasons = reasons.max(match (is_pointer, is_different) {
                (true, _) => Some(Reason::Pointer),
                // No matched step wrote the difference.
                (false, true) => known.or(Some(Reason::Other)),
                // Equal, or the value is not recorded.
                (false, false) if read.bytes.is_some() => None,
                (false, false) => known,
            });
        }
        reasons
    }

    fn set_register(&mut self, register: RegisterId, reason: Option<Reason>) {
        match reason {
            Some(reason) => self.registers.insert(register, reason),
            None => self.registers.remove(&register),
        };
    }

    fn set_memory(&mut self, range: Range<u64>, reason: Option<Reason>) {
        for word in words(range.clone()) {
            match reason {
                Some(reason) => {
                    self.memory.insert(word, reason);
                }
                // A narrower write leaves a part of the word.
                None if range.end - range.start >= WORD_BYTES => {
                    self.memory.remove(&word);
                }
                None => {}
            }
        }
    }
}

/// Subject of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointerPlace {
    /// The address of an access.
    Address,
    /// Memory from an address of the first trace.
    Memory(u64),
    Register(RegisterId),
}

/// A value that differs because what it points to lies elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PointerValue {
    pub place: PointerPlace,
    /// Second value minus first, modulo 2^64.
    pub distance: u64,
}

impl PointerPlace {
    pub fn of(cell: &CellDifference) -> Option<Self> {
        match &cell.place {
            DifferingPlace::Code(_) => None,
            DifferingPlace::Memory { address, .. } => match cell.kind {
                DifferenceKind::ReadAddress | DifferenceKind::WriteAddress => Some(Self::Address),
                _ => Some(Self::Memory(address.0)),
            },
            DifferingPlace::Register { view, .. } => Some(Self::Register(view.register)),
        }
    }
}

/// Returns the reason for which a written place differs; `None` if it does not.
fn reason_at(differing: &[(PointerPlace, Reason)], place: PointerPlace) -> Option<Reason> {
    let here = differing.iter().filter(|(known, _)| *known == place);
    here.map(|(_, reason)| *reason).max()
}

fn words(range: Range<u64>) -> impl Iterator<Item = u64> {
    range.start / WORD_BYTES..range.end.div_ceil(WORD_BYTES)
}

fn used_registers(step: &StepEffects) -> Option<UsedRegisters> {
    let instruction = decode(step.encoding?, step.pc, step.set);
    let uses = instruction.registers.as_ref()?;
    let numbers = |views: &[RegisterView]| views.iter().map(|view| view.register).collect();
    let operands = instruction.meaning.memory.iter();
    Some(UsedRegisters {
        data: numbers(&instruction.meaning.data_reads),
        addresses: operands
            .flat_map(MemoryOperand::address_registers)
            .map(|view| view.register)
            .collect(),
        written: numbers(&uses.writes),
    })
}
