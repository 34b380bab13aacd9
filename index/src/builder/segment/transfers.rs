//! What the search for calls needs of a segment: the places where control did not simply go on.
//!
//! The heuristic (formats of the Tarmac tools, "call and return") looks at the stack pointer and the link register
//! at each transfer of control. A segment does not know what they were at its start, so values may be [`Tracked::Carry`]:
//! the pass in order fills them in.

use serde::{Deserialize, Serialize};
use stepback_machine::{Address, CodeSite, ControlFlowEffect, InstructionSet, RegisterId};
use stepback_parsers::{RegisterWrite, StepEvent, WrittenName};

/// What a segment knows of a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrackedRegister {
    /// Not written in this segment yet: what it was at the segment's start.
    #[default]
    Carry,
    /// Written with a value that the trace does not give.
    Unknown,
    /// Its value.
    Known(u64),
}

impl TrackedRegister {
    /// The value, given the one at the segment's start.
    pub fn resolve(self, carried: Option<u64>) -> Option<u64> {
        match self {
            Self::Carry => carried,
            Self::Unknown => None,
            Self::Known(value) => Some(value),
        }
    }
}

/// The instructions since the link register was written are counted up to this.
pub const AGE_LIMIT: u8 = 8;

/// Whether the stack pointer was given a value by an instruction that does not compute it from itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpSet {
    /// By a step of this segment.
    pub is_set: bool,
    /// It was written by the thread's last step of an earlier segment, which the pass in order knows.
    pub is_early: bool,
}

/// A write of a stack pointer that was not the one in use.
#[derive(Clone, Copy, Debug)]
pub struct OtherStack {
    /// The slot of the writing step, 0 for one of an earlier segment.
    pub slot: u32,
    /// The register itself, whatever name the line gave it.
    pub register: RegisterId,
    /// Its value; none when unknown.
    pub value: Option<u64>,
}

/// A step of a thread that did not follow the step before in memory, or the thread's first in its segment.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// The thread's number in the segment.
    pub thread: u16,
    /// Where control went.
    pub slot: u32,
    /// Address of the step.
    pub pc: u64,
    /// Its encoding.
    pub opcode: u32,
    /// Its length.
    pub length_bytes: u8,
    /// How it decodes.
    pub instruction_set: InstructionSet,
    /// True for the thread's first step in the segment: whether control was transferred must be found out.
    pub is_first: bool,
    /// Stack pointer when the step began.
    pub sp: TrackedRegister,
    /// The slot of the step that wrote the stack pointer last, 0 for one of an earlier segment; none when none in this one did.
    pub sp_slot: Option<u32>,
    /// Whether the stack pointer was given an unrelated value since the transfer before.
    pub sp_set: SpSet,
    /// The highest value that the stack pointer was given since the transfer before.
    pub sp_high: Option<u64>,
    /// The last write in this segment of a stack pointer that was not in use.
    pub other_stack: Option<OtherStack>,
    /// The stack pointer that the step uses, where its mode tells which.
    pub stack_in_use: Option<RegisterId>,
    /// Link register when the step began.
    pub lr: TrackedRegister,
    /// Steps since the link register was written, up to [`AGE_LIMIT`].
    pub lr_age: u8,
    /// True when the link register was not written in this segment: `lr_age` counts from the segment's start,
    /// behind the thread's first step from there.
    pub is_age_carried: bool,
    /// True when the trace tells of an exception behind the step before, or with this step.
    pub has_words: bool,
    /// The step before; none when it is in an earlier segment.
    pub before: Option<LastStep>,
}

/// The stack pointers that a thread's lines name before its first step: a trace may begin with the values of all banks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct EarlyStacks(Vec<EarlyStack>);

/// A stack pointer and its newest value.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct EarlyStack {
    /// The register itself; the plain one where the line named that.
    register: RegisterId,
    /// None when unknown.
    sp: Option<u64>,
}

impl EarlyStacks {
    /// Notes a value. O(n) in the number of banks.
    pub fn note(&mut self, register: RegisterId, sp: Option<u64>) {
        self.0.retain(|known| known.register != register);
        self.0.push(EarlyStack { register, sp });
    }

    /// Adds those that were noted later.
    pub fn extend(&mut self, later: &Self) {
        later
            .0
            .iter()
            .for_each(|stack| self.note(stack.register, stack.sp));
    }

    /// The stack pointer of the first step, given the one that its mode uses: none within when unknown, none where the last
    /// value of any is taken, as where the mode does not tell.
    pub fn chosen(&self, in_use: Option<RegisterId>) -> Option<Option<u64>> {
        let of = |register| {
            self.0
                .iter()
                .find(|known| Some(known.register) == register)
                .map(|known| known.sp)
        };
        let known = of(in_use).or_else(|| of(Some(RegisterId::SP)));
        let is_open = in_use.is_some() && !self.0.is_empty();
        known.or(is_open.then_some(None))
    }
}

/// What a thread is at the end of a segment.
#[derive(Clone, Debug)]
pub struct ThreadEnd {
    /// Its last step; none when it has none in this segment.
    pub last: Option<LastStep>,
    /// `x0` to `x30`, the stack pointer, and the link register of AArch32, by their numbers in the table.
    pub core: [TrackedRegister; CORE],
    /// As in [`Transfer`].
    pub sp_slot: Option<u32>,
    /// As in [`Transfer`], since the last one.
    pub sp_set: SpSet,
    /// The highest value of the stack pointer since the last transfer in the segment.
    pub sp_high: Option<u64>,
    /// As in [`Transfer`].
    pub other_stack: Option<OtherStack>,
    /// Steps since the link register was written, up to [`AGE_LIMIT`].
    pub lr_age: u8,
    /// As in [`Transfer`].
    pub is_age_carried: bool,
    /// True when the trace tells of an exception behind the last step.
    pub has_words: bool,
    /// The stack pointers that were written before the thread's first step in the segment.
    pub early_stacks: EarlyStacks,
}

/// The registers that are followed: they stand first in the table.
pub const CORE: usize = RegisterId::LR.0 as usize + 1;
/// The stack pointer among them.
pub const SP: usize = RegisterId::SP.0 as usize;

/// The link register among them; where a set has none, one that it never writes.
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
    /// Its slot.
    pub slot: u32,
    /// Its address.
    pub pc: u64,
    /// Its encoding.
    pub opcode: u32,
    /// Its length.
    pub length_bytes: u8,
    /// How it decodes.
    pub instruction_set: InstructionSet,
    /// False when its condition failed.
    pub is_executed: bool,
}

impl LastStep {
    /// The address behind it.
    pub fn next_pc(&self) -> u64 {
        self.pc.wrapping_add(u64::from(self.length_bytes))
    }

    /// What it does to control, as far as its encoding says.
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

    /// Whether it is an instruction that computes the stack pointer from itself: what it is then belongs to the same stack.
    #[inline(always)]
    pub fn is_sp_relative(&self) -> bool {
        self.instruction_set.computes_stack_from_itself(self.opcode)
    }

    /// Where a call by it would return to, with a bit that tells how to decode what is there.
    pub fn return_address(&self) -> u64 {
        self.instruction_set.marked_address(self.next_pc())
    }
}

impl ThreadEnd {
    /// A thread of which nothing is known but what it carries in.
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
        }
    }

    /// Notes a step; gives the transfer that it is, if it is one.
    #[inline(always)]
    pub fn begin_step(&mut self, slot: u32, step: &StepEvent<'_>) -> Option<Transfer> {
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
        let transfer = (!is_follower).then(|| {
            let stack_in_use = step
                .mode
                .tells(RegisterId::SP)
                .then(|| step.mode.home(RegisterId::SP));
            Transfer {
                stack_in_use,
                ..self.transfer(step.thread.0, &now)
            }
        });
        self.has_words = false;
        self.last = Some(now);
        transfer
    }

    fn transfer(&mut self, thread: u16, step: &LastStep) -> Transfer {
        let transfer = Transfer {
            thread,
            slot: step.slot,
            pc: step.pc,
            opcode: step.opcode,
            length_bytes: step.length_bytes,
            instruction_set: step.instruction_set,
            is_first: self.last.is_none(),
            sp: self.core[SP],
            sp_slot: self.sp_slot,
            sp_set: std::mem::take(&mut self.sp_set),
            sp_high: self.sp_high.take(),
            other_stack: self.other_stack,
            stack_in_use: None,
            lr: self.core[link_place(step.instruction_set)],
            lr_age: self.lr_age,
            is_age_carried: self.is_age_carried,
            has_words: self.has_words,
            before: self.last,
        };
        (self.lr_age, self.is_age_carried) = if transfer.is_first {
            // The pass in order finds out whether this is a transfer at all: from here on it knows the age.
            (0, true)
        } else {
            // The link register must be written again before another transfer can be a call.
            (AGE_LIMIT, false)
        };
        transfer
    }

    /// Notes a write of a stack pointer that is not in use, by a name of its own.
    #[cold]
    pub fn other_stack_write(&mut self, register: RegisterId, bytes: Option<&[u8]>) {
        let value = bytes.filter(|bytes| bytes.len() >= 4).map(little_endian);
        self.other_stack = Some(OtherStack {
            slot: self.last.map_or(0, |last| last.slot),
            register,
            value,
        });
    }

    /// Notes a write of a stack pointer by a name of its own, or by the plain one, before the thread's first step.
    #[cold]
    pub fn early_stack_write(&mut self, register: RegisterId, write: &RegisterWrite<'_>) {
        let is_low = write.view.offset == 0;
        let value = write
            .bytes
            .filter(|bytes| is_low && bytes.len() >= 4)
            .map(little_endian);
        self.early_stacks.note(register, value);
    }

    /// Notes a write of a register.
    #[inline(always)]
    pub fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let register = usize::from(write.view.register.0);
        let Some(held) = self.core.get_mut(register) else {
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
