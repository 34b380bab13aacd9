//! The events as the oracle keeps them.

use stepback_machine::naive::{NaiveFlow, NaiveStep};
use stepback_machine::{
    AccessKind, Address, BankedRegister, Encoding, InstructionSet, Mode, RecordedBranch,
    RegisterId, RegisterView, decode,
};
use stepback_parsers::{DelaySlot, Marker, Step, StepOrigin, TextKind, WrittenName};

use crate::answers::host_operation::HostOperation;
use crate::answers::thread::ThreadId;
use crate::oracle::banks::PhysicalRegister;

/// An event of the trace.
#[derive(Clone, Debug)]
pub(super) struct OracleEvent {
    /// Steps of any thread before it: the first position at which it shows.
    pub slot: u64,
    /// Whose it is.
    pub thread: ThreadId,
    /// The last step of its thread; none before that thread's first.
    pub owner: Option<Step>,
    /// Its line, counted from 0.
    pub line: u64,
    /// What happened.
    pub kind: OracleEventKind,
}

/// What happened.
#[derive(Clone, Debug)]
pub(super) enum OracleEventKind {
    /// A step began.
    Step,
    /// A register got a value.
    Register(OracleWrite),
    /// Memory was accessed.
    Access(OracleAccess),
    /// The host may have written memory, as the step asked it to.
    HostWrite {
        first: u64,
        last: u64,
        operation: HostOperation,
    },
    /// The host may have written memory, but nobody knows where.
    HostWriteAnywhere,
    /// The trace said something in words.
    Text { kind: TextKind, text: String },
    /// A record told of something else.
    Marker(Marker),
}

impl OracleEventKind {
    /// Whether it is a write of a register that bears such a name.
    pub fn is_named(&self, name: WrittenName) -> bool {
        matches!(self, Self::Register(written) if written.name == name)
    }
}

/// A line that is made of a record.
#[derive(Clone, Debug)]
pub(super) struct NamedLine {
    /// Of the slot that it belongs to.
    pub chunk_offset: u64,
    /// Whose it is, by name.
    pub thread: String,
    pub text: Vec<u8>,
}

/// A write of a register.
#[derive(Clone, Debug)]
pub(super) struct OracleWrite {
    pub view: RegisterView,
    /// None when the trace does not tell.
    pub bytes: Option<Vec<u8>>,
    pub name: WrittenName,
    /// Whose name the line gave; none of a plain one.
    pub bank: Option<BankedRegister>,
    /// Which register it was, as the modes of its thread tell.
    pub physical: PhysicalRegister,
    /// The same as far as the lines of its step tell.
    pub told: PhysicalRegister,
}

/// An access to memory.
#[derive(Clone, Debug)]
pub(super) struct OracleAccess {
    pub kind: AccessKind,
    pub address: Address,
    pub size_bytes: u8,
    /// None when the trace does not tell.
    pub bytes: Option<[u8; 8]>,
    /// The bytes, by their addresses, that a read found other than they were known to be.
    pub contradicting: Vec<u64>,
}

impl OracleEvent {
    /// Whether the host may have written a byte.
    pub fn is_host_write_of(&self, address: u64) -> bool {
        matches!(self.kind, OracleEventKind::HostWrite { first, last, .. } if (first..=last).contains(&address))
    }
}

impl OracleAccess {
    /// The addresses of its bytes, each with its value.
    pub fn each_byte(&self) -> impl Iterator<Item = (u64, Option<u8>)> + '_ {
        let value = |place: u64| self.bytes?.get(usize::try_from(place).ok()?).copied();
        (0..u64::from(self.size_bytes))
            .map(move |place| (self.address.0.wrapping_add(place), value(place)))
    }

    /// True for a load.
    pub fn is_read(&self) -> bool {
        self.kind == AccessKind::Read
    }
}

/// A step as the trace tells it.
#[derive(Clone, Debug)]
pub(super) struct OracleStep {
    pub thread: ThreadId,
    pub chunk_offset: u64,
    /// Line of its instruction, counted from 0.
    pub line: u64,
    /// Line where its text begins.
    pub first_line: u64,
    /// The latest time of this step and all before it.
    pub time: Option<u64>,
    pub pc: Address,
    pub instruction_set: InstructionSet,
    pub opcode: u32,
    pub encoding: Option<Encoding>,
    pub branch: RecordedBranch,
    pub length_bytes: u8,
    pub is_executed: bool,
    pub delay_slot: DelaySlot,
    pub origin: StepOrigin,
    pub mode: Mode,
    pub text: Vec<u8>,
}

impl OracleStep {
    /// What is read of its encoding.
    pub fn naive(&self) -> NaiveStep {
        let Self {
            instruction_set,
            opcode,
            pc,
            length_bytes,
            ..
        } = *self;
        NaiveStep {
            set: instruction_set,
            opcode,
            pc: pc.0,
            length_bytes,
        }
    }

    /// Whether the instruction gives the stack pointer a value.
    pub fn moves_stack_pointer(&self) -> bool {
        let decoded = self
            .encoding
            .map(|encoding| decode(encoding, self.pc, self.instruction_set));
        let known = decoded
            .as_ref()
            .and_then(|decoded| decoded.registers.as_ref());
        known.is_some_and(|known| {
            known
                .writes
                .iter()
                .any(|view| view.register == RegisterId::SP)
        })
    }

    /// Whether it jumps to what a register or memory holds.
    pub fn may_return(&self) -> bool {
        let naive = self.naive();
        matches!(naive.kind(), NaiveFlow::Branch | NaiveFlow::Return)
            && naive.branch_target().is_none()
    }
}
