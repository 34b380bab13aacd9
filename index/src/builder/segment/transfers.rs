//! Input of the call search from a segment: the places where control was not sequential.
//!
//! The heuristic (formats of the Tarmac tools, "call and return") reads the stack pointer and the
//! link register at each transfer of control. A segment does not know their values at its start, so
//! values may be [`TrackedRegister::Carry`]: the sequential pass fills them in.

use serde::{Deserialize, Serialize};
use stepback_machine::flow::{BranchTarget, ControlFlowEffect, FlowKind};
use stepback_machine::{Address, CodeSite, InstructionSet, RegisterId};
use stepback_parsers::{RegisterWrite, StepEvent, WrittenName};

/// Knowledge of a segment about a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrackedRegister {
    /// Not written in this segment yet: the value at the segment's start.
    #[default]
    Carry,
    /// Written with a value that the trace does not contain.
    Unknown,
    /// Known value.
    Known(u64),
}

impl TrackedRegister {
    /// Returns the value, given the one at the segment's start.
    pub fn resolve(self, carried: Option<u64>) -> Option<u64> {
        match self {
            Self::Carry => carried,
            Self::Unknown => None,
            Self::Known(value) => Some(value),
        }
    }
}

/// Maximum count of instructions since the link register was written.
pub const AGE_LIMIT: u8 = 8;

/// Records that an instruction which does not compute the stack pointer from itself wrote it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpSet {
    /// True if a step of this segment did.
    pub is_set: bool,
    /// True if the thread's last step of an earlier segment wrote it; only the sequential pass
    /// knows that step.
    pub is_early: bool,
}

/// A write of a stack pointer that was not the one in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherStack {
    /// Slot of the writing step, 0 for one of an earlier segment.
    pub slot: u32,
    /// The physical register, regardless of its name in the line.
    pub register: RegisterId,
    /// Value; none when unknown.
    pub value: Option<u64>,
}

/// A step of a thread that did not follow the step before in memory, or the thread's first in its
/// segment.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Number of the thread in the segment.
    pub thread: u16,
    /// Slot of the destination step.
    pub slot: u32,
    /// Address of the step.
    pub pc: u64,
    /// Encoding of the step.
    pub opcode: u32,
    /// Length of the step's instruction.
    pub length_bytes: u8,
    /// Instruction set of the step.
    pub instruction_set: InstructionSet,
    /// True for the thread's first step in the segment: the sequential pass determines whether
    /// control was transferred.
    pub is_first: bool,
    /// True for a branch by whose instruction, words and registers neither a call, a return nor an
    /// exception begins or ends. An unfinished frame may still end here.
    pub is_plain: bool,
    /// Place of its [`TransferRegisters`].
    pub registers: u32,
    /// Steps since the link register was written, up to [`AGE_LIMIT`].
    pub lr_age: u8,
    /// True when the link register was not written in this segment: `lr_age` counts from the
    /// segment's start or, after it, from the thread's first step.
    pub is_age_carried: bool,
    /// True when the trace reports an exception after the step before, or with this step.
    pub has_words: bool,
    /// Step before; none when it is in an earlier segment.
    pub before: Option<LastStep>,
}

/// Registers at a transfer of control. Transfers of a thread with the same values share them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferRegisters {
    /// Stack pointer when the step began.
    pub sp: TrackedRegister,
    /// Slot of the step that wrote the stack pointer last, 0 for one of an earlier segment; none if
    /// no step of this segment did.
    pub sp_slot: Option<u32>,
    /// Writes of unrelated values to the stack pointer since the transfer before.
    pub sp_set: SpSet,
    /// Highest value written to the stack pointer since the transfer before.
    pub sp_high: Option<u64>,
    /// Last write in this segment of a stack pointer that was not in use.
    pub other_stack: Option<OtherStack>,
    /// Stack pointer that the step uses, if its mode determines one.
    pub stack_in_use: Option<RegisterId>,
    /// Link register when the step began.
    pub lr: TrackedRegister,
    /// Value of the register that the step before jumps to, in instruction sets with silent traps.
    pub jump_value: TrackedRegister,
}

/// Transfers of control of a segment.
#[derive(Clone, Debug, Default)]
pub struct Transfers {
    /// The transfers, in order.
    pub list: Vec<Transfer>,
    /// Their registers.
    pub registers: Vec<TransferRegisters>,
    /// Places of the transfers that are their threads' first.
    pub firsts: Vec<u32>,
}

impl Transfers {
    /// Removes all.
    pub fn clear(&mut self) {
        self.list.clear();
        self.registers.clear();
        self.firsts.clear();
    }

    /// Returns a copy without excess capacity, and clears the buffers.
    pub fn take(&mut self) -> Self {
        let taken = self.clone();
        self.clear();
        taken
    }

    /// Returns the size in memory.
    pub fn len_bytes(&self) -> usize {
        size_of_val(self.list.as_slice()) + size_of_val(self.registers.as_slice())
    }

    /// Adds a transfer; `shared` is the place of the registers of the thread's transfer before.
    /// Returns the place of its registers.
    fn push(
        &mut self,
        transfer: Transfer,
        registers: TransferRegisters,
        shared: Option<u32>,
    ) -> u32 {
        let is_same = |place: &u32| self.registers.get(*place as usize) == Some(&registers);
        let place = shared.filter(is_same).unwrap_or_else(|| {
            self.registers.push(registers);
            (self.registers.len() - 1) as u32
        });
        if transfer.is_first {
            self.firsts.push(self.list.len() as u32);
        }
        self.list.push(Transfer {
            registers: place,
            ..transfer
        });
        place
    }
}

/// Stack pointers that a thread's lines name before its first step: a trace may begin with the
/// values of all banks. Each is the physical register (the plain one if the line named that) with
/// its newest value, `None` when unknown.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct EarlyStacks(Vec<(RegisterId, Option<u64>)>);

impl EarlyStacks {
    /// Records a value. O(n) in the number of banks.
    pub fn note(&mut self, register: RegisterId, sp: Option<u64>) {
        self.0.retain(|(known, _)| *known != register);
        self.0.push((register, sp));
    }

    /// Adds values that were recorded later.
    pub fn extend(&mut self, later: &Self) {
        later
            .0
            .iter()
            .for_each(|(register, sp)| self.note(*register, *sp));
    }

    /// Returns the stack pointer of the first step, given the one that its mode uses. The inner
    /// `None` means an unknown value. The outer `None` means that the last value of any stack
    /// pointer applies, for example because the mode determines none.
    pub fn chosen(&self, in_use: Option<RegisterId>) -> Option<Option<u64>> {
        let of = |register| {
            self.0
                .iter()
                .find(|(known, _)| Some(*known) == register)
                .map(|(_, sp)| *sp)
        };
        let known = of(in_use).or_else(|| of(Some(RegisterId::SP)));
        let is_open = in_use.is_some() && !self.0.is_empty();
        known.or(is_open.then_some(None))
    }
}

/// State of a thread at the end of a segment.
#[derive(Clone, Debug)]
pub struct ThreadEnd {
    /// Last step; none when it has none in this segment.
    pub last: Option<LastStep>,
    /// `x0` to `x30`, the stack pointer, and the link register of AArch32, by their numbers in the
    /// table.
    pub core: [TrackedRegister; CORE],
    /// As in [`Transfer`].
    pub sp_slot: Option<u32>,
    /// As in [`Transfer`], since the last one.
    pub sp_set: SpSet,
    /// Highest value of the stack pointer since the last transfer in the segment.
    pub sp_high: Option<u64>,
    /// As in [`Transfer`].
    pub other_stack: Option<OtherStack>,
    /// Steps since the link register was written, up to [`AGE_LIMIT`].
    pub lr_age: u8,
    /// As in [`Transfer`].
    pub is_age_carried: bool,
    /// True when the trace reports an exception after the last step.
    pub has_words: bool,
    /// Stack pointers written before the thread's first step in the segment.
    pub early_stacks: EarlyStacks,
    /// Writes of registers with the address of trap handlers: slots and values.
    pub handler_bases: Vec<(u32, u64)>,
    /// Place of the registers of the last transfer.
    registers: Option<u32>,
}

/// Number of tracked registers: the first ones of the table.
pub const CORE: usize = RegisterId::LR.0 as usize + 1;
/// Place of the stack pointer among them.
pub const SP: usize = RegisterId::SP.0 as usize;

/// Returns the place of the link register among them; if a set has none, that of one which it never
/// writes.
#[inline(always)]
pub const fn link_place(set: InstructionSet) -> usize {
    match set.link_register() {
        Some(register) => register.0 as usize,
        None => RegisterId::LR.0 as usize,
    }
}

/// A thread's last step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct LastStep {
    /// Slot.
    pub slot: u32,
    /// Address.
    pub pc: u64,
    /// Encoding.
    pub opcode: u32,
    /// Length of the instruction.
    pub length_bytes: u8,
    /// Instruction set.
    pub instruction_set: InstructionSet,
    /// False when its condition failed.
    pub is_executed: bool,
}

impl LastStep {
    /// Returns the address after it.
    pub fn next_pc(&self) -> u64 {
        self.pc.wrapping_add(u64::from(self.length_bytes))
    }

    /// Returns its effect on control, from its encoding.
    #[inline]
    pub fn control(&self) -> ControlFlowEffect {
        let encoding = self
            .instruction_set
            .encoding_of(self.opcode, self.length_bytes);
        let site = encoding.map(|encoding| CodeSite {
            pc: Address(self.pc),
            encoding,
        });
        site.map_or_else(ControlFlowEffect::default, |site| {
            self.instruction_set.control(&site)
        })
    }

    /// Returns the place of the tracked register that it jumps to.
    pub fn jump_register(&self) -> Option<usize> {
        match self.control().target {
            BranchTarget::Register(register) => {
                Some(usize::from(register.0)).filter(|place| *place < CORE)
            }
            BranchTarget::Address(_) | BranchTarget::Unsaid => None,
        }
    }

    /// Returns true if it computes the stack pointer from itself: the result then belongs to the
    /// same stack.
    #[inline(always)]
    pub fn is_sp_relative(&self) -> bool {
        self.instruction_set.computes_stack_from_itself(self.opcode)
    }

    /// Returns the return address of a call by it, with the bit that selects the instruction set.
    pub fn return_address(&self) -> u64 {
        self.instruction_set.marked_address(self.next_pc())
    }
}

impl ThreadEnd {
    /// Creates the state of a thread at a segment's start: everything is carried in.
    pub fn carried() -> Self {
        Self {
            last: None,
            core: [TrackedRegister::Carry; CORE],
            sp_slot: None,
            sp_set: SpSet::default(),
            sp_high: None,
            other_stack: None,
            lr_age: 0,
            is_age_carried: true,
            has_words: false,
            early_stacks: EarlyStacks::default(),
            handler_bases: Vec::new(),
            registers: None,
        }
    }

    /// Records a step, and the transfer of control that it completes, if any.
    #[inline(always)]
    pub fn begin_step(&mut self, slot: u32, step: &StepEvent<'_>, transfers: &mut Transfers) {
        self.lr_age = (self.lr_age + 1).min(AGE_LIMIT);
        let is_follower = self
            .last
            .is_some_and(|last| (last.next_pc() ^ step.pc.0) & !1 == 0);
        let now = LastStep {
            slot,
            pc: step.pc.0,
            opcode: step.opcode,
            length_bytes: step.length_bytes,
            instruction_set: step.instruction_set,
            is_executed: step.is_executed,
        };
        if !is_follower {
            let in_use = step.mode.tells(RegisterId::SP);
            let stack_in_use = in_use.then(|| step.mode.home(RegisterId::SP));
            let registers = TransferRegisters {
                stack_in_use,
                ..self.transfer_registers(step.instruction_set)
            };
            let transfer = self.transfer(step.thread.0, &now, &registers);
            self.registers = Some(transfers.push(transfer, registers, self.registers));
        }
        self.has_words = false;
        self.last = Some(now);
    }

    fn transfer_registers(&mut self, set: InstructionSet) -> TransferRegisters {
        TransferRegisters {
            sp: self.core[SP],
            sp_slot: self.sp_slot,
            sp_set: std::mem::take(&mut self.sp_set),
            sp_high: self.sp_high.take(),
            other_stack: self.other_stack,
            stack_in_use: None,
            lr: self.core[link_place(set)],
            jump_value: self.jump_value(),
        }
    }

    fn transfer(
        &mut self,
        thread: u16,
        step: &LastStep,
        registers: &TransferRegisters,
    ) -> Transfer {
        let transfer = Transfer {
            thread,
            slot: step.slot,
            pc: step.pc,
            opcode: step.opcode,
            length_bytes: step.length_bytes,
            instruction_set: step.instruction_set,
            is_first: self.last.is_none(),
            is_plain: self.is_plain(step, registers),
            registers: 0,
            lr_age: self.lr_age,
            is_age_carried: self.is_age_carried,
            has_words: self.has_words,
            before: self.last,
        };
        (self.lr_age, self.is_age_carried) = if transfer.is_first {
            // The sequential pass decides whether this is a transfer at all: from here on it knows
            // the age.
            (0, true)
        } else {
            // The link register must be written again before another transfer can be a call.
            (AGE_LIMIT, false)
        };
        transfer
    }

    /// Returns [`Transfer::is_plain`] for the transfer to a step.
    fn is_plain(&self, step: &LastStep, registers: &TransferRegisters) -> bool {
        let Some(last) = self.last.filter(|last| last.is_executed) else {
            return false;
        };
        let is_sp_unwritten = registers.sp_set == SpSet::default() && registers.sp_high.is_none();
        if self.lr_age < AGE_LIMIT || self.has_words || !is_sp_unwritten {
            return false;
        }
        let control = last.control();
        control.flow == FlowKind::Branch
            && match control.target {
                BranchTarget::Address(target) => (target ^ step.pc) & !1 == 0,
                // Such a jump may be a silent trap, or return from an exception.
                BranchTarget::Register(_) | BranchTarget::Unsaid => {
                    let set = step.instruction_set;
                    !last.instruction_set.has_silent_traps()
                        && match registers.lr {
                            TrackedRegister::Carry => false,
                            TrackedRegister::Unknown => true,
                            TrackedRegister::Known(lr) => !set.is_exception_return_value(lr),
                        }
                }
            }
    }

    /// Returns the value of the register that the last step jumps to.
    #[inline(always)]
    fn jump_value(&self) -> TrackedRegister {
        match self.last {
            Some(last) if last.instruction_set.has_silent_traps() => {
                let register = last.jump_register();
                register.map_or(TrackedRegister::Unknown, |place| self.core[place])
            }
            _ => TrackedRegister::Carry,
        }
    }

    /// Records a write of a stack pointer that is not in use, by its banked name.
    #[cold]
    pub fn other_stack_write(&mut self, register: RegisterId, bytes: Option<&[u8]>) {
        let value = bytes.filter(|bytes| bytes.len() >= 4).map(little_endian);
        self.other_stack = Some(OtherStack {
            slot: self.last.map_or(0, |last| last.slot),
            register,
            value,
        });
    }

    /// Records a write of a stack pointer, by its banked or its plain name, before the thread's
    /// first step.
    #[cold]
    pub fn early_stack_write(&mut self, register: RegisterId, write: &RegisterWrite<'_>) {
        let is_low = write.view.offset == 0;
        let value = write
            .bytes
            .filter(|bytes| is_low && bytes.len() >= 4)
            .map(little_endian);
        self.early_stacks.note(register, value);
    }

    /// Records a write of a register with the address of trap handlers.
    #[inline(always)]
    fn handler_base_write(&mut self, write: &RegisterWrite<'_>) {
        if let Some(last) = self.last
            && last.instruction_set.is_handler_base(write.view.register)
            && let Some(bytes) = write.bytes
        {
            self.handler_bases.push((last.slot, little_endian(bytes)));
        }
    }

    /// Records a write of a register.
    #[inline(always)]
    pub fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let register = usize::from(write.view.register.0);
        let Some(held) = self.core.get_mut(register) else {
            self.handler_base_write(write);
            return;
        };
        *held = match write.bytes {
            Some(bytes) if write.view.offset == 0 && bytes.len() >= 4 => {
                TrackedRegister::Known(little_endian(bytes))
            }
            _ => TrackedRegister::Unknown,
        };
        if register == SP {
            self.sp_slot = Some(self.last.map_or(0, |last| last.slot));
            match self.last {
                None => self.sp_set.is_early = true,
                Some(last) => self.sp_set.is_set |= !last.is_sp_relative(),
            }
        }
        let set = self
            .last
            .map_or_else(InstructionSet::default, |last| last.instruction_set);
        let held = *held;
        if register == SP && self.last.is_none() && write.name == WrittenName::Own {
            self.early_stack_write(write.view.register, write);
        }
        match (register, held) {
            (SP, TrackedRegister::Known(value)) => self.sp_high = self.sp_high.max(Some(value)),
            _ if set.is_link_register(write.view.register) => {
                (self.lr_age, self.is_age_carried) = (0, false)
            }
            _ => {}
        }
    }
}

#[inline]
fn little_endian(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)),
    }
}
