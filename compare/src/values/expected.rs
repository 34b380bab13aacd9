//! Results that instructions must have for the values that they read ([`KnownValues`]).

use foldhash::HashMap;
use stepback_index::answer::Value;
use stepback_machine::flow::FlowKind;
use stepback_machine::semantics::{Expression, MemoryOperand};
use stepback_machine::{AccessKind, Address, Instruction, RegisterId, RegisterView};

use crate::values::block::AccessEffect;
use crate::values::difference::{CellDifference, DifferingPlace};
use crate::values::pointers::PointerPlace;
use crate::values::step::BlockStep;

/// Number of bytes of a register that are kept.
const KEPT_BYTES: usize = 8;
/// Number of bytes of memory beyond which they are forgotten.
const KEPT_MEMORY: usize = 1 << 20;

/// The values that the steps of one trace have shown so far.
#[derive(Debug, Default)]
pub(crate) struct KnownValues {
    registers: HashMap<RegisterId, [Option<u8>; KEPT_BYTES]>,
    /// Bytes by address. Only if no other thread can change them.
    memory: HashMap<u64, u8>,
}

impl KnownValues {
    /// Takes what a step writes. Registers that it changes without a record become unknown.
    pub fn take(&mut self, step: BlockStep<'_>, instruction: Option<&Instruction>) {
        let uses = instruction.and_then(|instruction| instruction.registers.as_ref());
        for view in uses.iter().flat_map(|uses| &uses.writes) {
            self.registers.remove(&view.register);
        }
        for write in step.block.registers(step.step) {
            let known = self.registers.entry(write.view.register).or_default();
            let value = step.block.value(write);
            let places = known.iter_mut().skip(usize::from(write.view.offset));
            for (place, byte) in places.take(usize::from(write.view.size_bytes)).enumerate() {
                *byte = value.and_then(|value| value.get(place).copied());
            }
        }
        self.take_memory(step, instruction);
    }

    /// Takes the memory that a step reads and writes.
    fn take_memory(&mut self, step: BlockStep<'_>, instruction: Option<&Instruction>) {
        // A system call may write anything.
        let is_trap = instruction.is_some_and(|it| it.control.flow == FlowKind::Trap);
        if is_trap || self.memory.len() >= KEPT_MEMORY {
            self.memory.clear();
        }
        if step.block.has_other_threads {
            return;
        }
        for access in step.block.accesses(step.step) {
            for (place, address) in (access.address..access.end()).enumerate() {
                let byte = access.bytes.and_then(|bytes| bytes.get(place).copied());
                match (byte, access.kind) {
                    (Some(byte), _) => {
                        self.memory.insert(address, byte);
                    }
                    (None, AccessKind::Write) => {
                        self.memory.remove(&address);
                    }
                    (None, AccessKind::Read) => {}
                }
            }
        }
    }

    /// Returns true if a step reads another value than was there before.
    pub fn is_misread(&self, step: BlockStep<'_>) -> bool {
        let accesses = step.block.accesses(step.step).iter();
        let mut reads = accesses.filter(|access| access.kind == AccessKind::Read);
        reads.any(|read| {
            let bytes = read.bytes.unwrap_or_default();
            let bytes = (read.address..read.end()).zip(bytes);
            let mut known = bytes.filter_map(|(address, byte)| {
                let known = self.memory.get(&address)?;
                Some(*known != byte)
            });
            read.bytes.is_some() && known.any(|differs| differs)
        })
    }

    /// Returns true if a step has another result than its instruction computes from its inputs.
    /// False if that is not known.
    pub fn contradicts(
        &self,
        instruction: &Instruction,
        step: BlockStep<'_>,
        result: &StepResult,
    ) -> bool {
        let Some((expression, size_bytes)) = result.expression(instruction) else {
            return false;
        };
        let reads: Vec<&AccessEffect> = step
            .block
            .accesses(step.step)
            .iter()
            .filter(|access| access.kind == AccessKind::Read)
            .collect();
        let loads = || {
            let operands = instruction.meaning.memory.iter().enumerate();
            operands.filter(|(_, operand)| operand.kind == AccessKind::Read)
        };
        let loaded = |operand: usize| {
            let place = loads().position(|(number, _)| number == operand)?;
            let read = reads
                .get(place)
                .filter(|_| reads.len() == loads().count())?;
            let bytes: Vec<u8> = match read.bytes {
                Some(bytes) => bytes.get(..usize::from(read.size_bytes))?.to_vec(),
                None => {
                    let addresses = read.address..read.end();
                    let known = addresses.map(|address| self.memory.get(&address).copied());
                    known.collect::<Option<_>>()?
                }
            };
            Some(number(&bytes))
        };
        let register = |view: RegisterView| {
            let known = self.registers.get(&view.register)?;
            let from = usize::from(view.offset);
            let bytes = known.get(from..from + usize::from(view.size_bytes))?;
            let bytes: Option<Vec<u8>> = bytes.iter().copied().collect();
            Some(number(&bytes?))
        };
        let Some(expected) = expression.value(&register, &loaded) else {
            return false;
        };
        let recorded = &result.value.0;
        let recorded = recorded.iter().take(usize::from(size_bytes));
        let mut bytes = recorded.zip(expected.to_le_bytes());
        bytes.any(|(recorded, expected)| recorded.is_some_and(|byte| byte != expected))
    }
}

/// A recorded result of a step: a register, or memory that it wrote.
#[derive(Clone, Debug)]
pub(crate) struct StepResult {
    pub place: DifferingPlace,
    pub value: Value,
}

impl StepResult {
    /// Returns the result of each trace.
    pub fn of(cell: &CellDifference) -> [Self; 2] {
        [&cell.a, &cell.b].map(|value| Self {
            place: cell.place.clone(),
            value: value.clone(),
        })
    }

    /// Returns what a step has at a place, by its partner `a` in the first trace. `None` if it is not
    /// a result, or is not recorded.
    pub fn at(place: PointerPlace, a: BlockStep<'_>, step: BlockStep<'_>) -> Option<Self> {
        match place {
            PointerPlace::Address => None,
            PointerPlace::Register(register) => {
                let values = step.block.register_values(step.step);
                let mut values = values.into_iter();
                let (view, value) = values.find(|(view, _)| view.register == register)?;
                let name = String::new();
                Some(Self {
                    place: DifferingPlace::Register { name, view },
                    value: Value(value),
                })
            }
            PointerPlace::Memory(address) => {
                let mut accesses = a.block.accesses(a.step).iter();
                let place = accesses.position(|access| access.address == address)?;
                let access = step.block.accesses(step.step).get(place)?;
                let size_bytes = usize::from(access.size_bytes);
                let bytes = access.bytes?;
                (access.kind == AccessKind::Write).then(|| Self {
                    place: DifferingPlace::Memory {
                        address: Address(access.address),
                        len_bytes: u64::from(access.size_bytes),
                    },
                    value: Value(bytes.iter().take(size_bytes).copied().map(Some).collect()),
                })
            }
        }
    }

    /// Returns the value that an instruction gives it, and the number of bytes that it writes at most.
    /// `None` if that is not known.
    fn expression<'i>(&self, instruction: &'i Instruction) -> Option<(&'i Expression, u16)> {
        let meaning = &instruction.meaning;
        match &self.place {
            DifferingPlace::Register { view, .. } => {
                let mut effects = meaning.writes.iter();
                let effect = effects.find(|effect| effect.view.register == view.register)?;
                let view = effect.view;
                (view.offset == 0).then_some((&effect.value, view.size_bytes))
            }
            DifferingPlace::Memory { .. } => {
                let is_store = |operand: &&MemoryOperand| operand.kind == AccessKind::Write;
                let mut stores = meaning.memory.iter().filter(is_store);
                let only = stores.next().filter(|_| stores.next().is_none())?;
                Some((&only.value, u16::MAX))
            }
            DifferingPlace::Code(_) | DifferingPlace::Disassembly(_) => None,
        }
    }
}

fn number(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().take(KEPT_BYTES).rev();
    bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
}
