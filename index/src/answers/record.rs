//! The plain data that queries answer with.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use stepback_machine::{AccessKind, Address, Branch, Encoding, InstructionSet, RegisterView};
use stepback_parsers::{Line, Marker, Position, Step};

use crate::builder::semihosting::call::HostOperation;

/// A thread of the trace: its place in [`crate::index::Index::threads`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ThreadId(pub u16);

/// Where a value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ValueSource {
    /// The trace states it at or before the position.
    Recorded,
    /// It follows from something else: a later read with no write between.
    Inferred,
    /// Stated by a read that contradicts the last write known before it.
    External,
    /// Nothing states it.
    #[default]
    Unknown,
}

/// A value as bytes, least significant first, each known or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Value(pub Vec<Option<u8>>);

impl Value {
    /// True when no byte is known.
    pub fn is_unknown(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// The number, when all bytes are known and those above 64 bits are zero.
    pub fn to_u64(&self) -> Option<u64> {
        let mut number = 0u64;
        for (place, byte) in self.0.iter().enumerate() {
            let byte = u64::from((*byte)?);
            match place {
                0..8 => number |= byte << (8 * place),
                _ if byte != 0 => return None,
                _ => {}
            }
        }
        Some(number)
    }

    /// Most significant digit first, without `0x`, full width, `??` for an unknown byte.
    pub fn hex(&self) -> String {
        let mut text = String::with_capacity(2 * self.0.len());
        for byte in self.0.iter().rev() {
            let _infallible = match byte {
                Some(byte) => write!(text, "{byte:02x}"),
                None => text.write_str("??"),
            };
        }
        text
    }
}

/// One step with what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRecord {
    /// Its number.
    pub step: Step,
    /// Line of its instruction; none in formats without lines.
    pub line: Option<Line>,
    /// In the trace's unit, never less than that of the step before; none when the trace has no time at all.
    pub time: Option<u64>,
    /// Who executed it.
    pub thread: ThreadId,
    /// Where.
    pub pc: Address,
    /// How its bytes decode.
    pub instruction_set: InstructionSet,
    /// Its encoding, right-aligned; 0 when the trace could not show it.
    pub opcode: u32,
    /// Its encoding as it lies in memory, in any instruction set: as the trace shows it, else as the program's files have it.
    pub encoding: Option<Encoding>,
    /// What it did to control, where the format says so.
    pub branch: Branch,
    /// Length of the instruction in bytes.
    pub length_bytes: u8,
    /// False when its condition failed.
    pub is_executed: bool,
    /// The disassembly as the trace has it; made from the encoding where the trace has none, and where that is not known either it says so.
    pub text: String,
    /// What it did, in trace order.
    pub effects: Vec<Effect>,
}

/// One thing that a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A register got a value.
    Register {
        /// As shown: `x3`, `w3`, `sp`, `r13_svc`.
        name: String,
        /// Which bytes.
        view: RegisterView,
        /// What they became.
        value: Value,
    },
    /// Memory was accessed.
    Access(Access),
    /// An exception, in the trace's words.
    Exception(String),
    /// Anything else that the trace says of the step.
    Note(String),
    /// What a record of a binary format tells that is neither step nor access.
    Marker(Marker),
}

/// An access to a register or to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Load or store; a register write is a store.
    pub kind: AccessKind,
    /// What was accessed.
    pub target: AccessTarget,
    /// The value, in the byte order of a number (memory: as the traced CPU reads it).
    pub value: Value,
    /// True when the trace does not state the value, and it follows from what steps did.
    pub is_inferred: bool,
    /// True when a read contradicted the last value known before it.
    pub is_external: bool,
    /// The semihosting operation by which the host wrote it, which the trace does not show.
    pub host_operation: Option<HostOperation>,
}

/// What an access touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessTarget {
    /// A register under the name that is shown.
    Register(String),
    /// Memory.
    Memory {
        /// Lowest address.
        address: Address,
        /// Bytes.
        size_bytes: u64,
    },
}

/// What a question about accesses is asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cell {
    /// Some bytes of a register of a thread.
    Register {
        /// Whose.
        thread: ThreadId,
        /// Which bytes.
        view: RegisterView,
    },
    /// A byte range of memory.
    Memory {
        /// Lowest address.
        address: Address,
        /// Number of bytes, at least 1.
        len_bytes: u64,
    },
}

/// Where a question found its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The step that did it.
    pub record: StepRecord,
    /// The first position at which it shows.
    pub position: Position,
    /// What it did to the cell; none when the question was not about a cell.
    pub access: Option<Access>,
    /// Why it may not be the answer after all.
    pub doubt: Option<Doubt>,
}

/// Why an answer may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// The trace does not show the instruction's encoding, or it cannot be decoded: it may use any register.
    Undecoded,
    /// The instruction is conditional, and the trace does not say whether it was executed.
    Conditional,
    /// A later system call may have written the memory, which the trace does not show.
    SystemCall {
        /// The step that made it.
        step: Step,
        /// Its number.
        number: u64,
    },
    /// A later signal, or the return from its handler, may have changed it: the kernel does that.
    KernelEvent {
        /// The last step before it.
        step: Step,
    },
    /// System calls may have written the memory, and the trace does not say which were made.
    SystemCallsUnsaid,
    /// The trace leaves out instructions or accesses.
    Filtered,
}
