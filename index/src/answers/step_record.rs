//! A step with its effects ([`StepRecord`]), and the hits of access queries and searches with the
//! reasons to doubt them. One instruction may have a million lines or records, so the effects in an
//! answer are limited and the rest is only counted ([`Effect::More`]).

use std::fmt;

use stepback_machine::flow::RecordedBranch;
use stepback_machine::semantics::RegisterUse;
use stepback_machine::{AccessKind, Address, Encoding, InstructionSet, RegisterView, decode};
use stepback_parsers::{DelaySlot, Line, Marker, Position, Step, StepOrigin};

use crate::answers::cell::{AccessKinds, ThreadId};
use crate::answers::value::Value;

/// Number of slots after a step that are searched for events that belong to it.
pub const LATE_STEPS: u64 = 1024;

/// Maximum number of effects reported for one step: one instruction may have a million lines or
/// records.
pub const STEP_EFFECTS: usize = 1 << 16;

/// Maximum number of effects of all steps in an answer, about 100 bytes each. Earlier steps come
/// first; the first one always has room for [`STEP_EFFECTS`].
pub const ANSWER_EFFECTS: usize = 1 << 19;

/// A step with its effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRecord {
    /// Its number.
    pub step: Step,
    /// Line of its instruction; none in formats without lines.
    pub line: Option<Line>,
    /// Time in the unit of the trace, never less than that of the previous step; `None` if the
    /// trace has no times.
    pub time: Option<u64>,
    /// Thread that executed it.
    pub thread: ThreadId,
    /// Address of the instruction.
    pub pc: Address,
    /// Instruction set of the encoding.
    pub instruction_set: InstructionSet,
    /// Encoding, right-aligned; 0 if the trace does not show it.
    pub opcode: u32,
    /// Encoding in memory order, for every instruction set: from the trace, otherwise from the
    /// program's files.
    pub encoding: Option<Encoding>,
    /// Effect on control flow, if the format records it.
    pub branch: RecordedBranch,
    /// Length of the instruction in bytes.
    pub length_bytes: u8,
    /// False if its condition failed, or if the preceding branch annulled it.
    pub is_executed: bool,
    /// Position in a delay slot.
    pub delay_slot: DelaySlot,
    /// Origin of the step: recorded or reconstructed.
    pub origin: StepOrigin,
    /// Disassembly from the trace, otherwise made from the encoding. If neither is known, the text
    /// says so.
    pub text: String,
    /// Effects in trace order: the first [`STEP_EFFECTS`], or fewer if [`ANSWER_EFFECTS`] are used
    /// up. [`Effect::More`] counts the rest.
    pub effects: Vec<Effect>,
}

impl StepRecord {
    /// Appends an effect while the answer has room and the step has fewer than [`STEP_EFFECTS`].
    /// Otherwise counts it in [`Effect::More`].
    pub(crate) fn add(&mut self, effect: Effect, room: &mut usize) {
        if let Some(Effect::More(count)) = self.effects.last_mut() {
            *count += 1;
        } else if self.effects.len() >= STEP_EFFECTS || *room == 0 {
            self.effects.push(Effect::More(1));
        } else {
            *room -= 1;
            self.effects.push(effect);
        }
    }

    /// Returns true if a query that starts with this step reports more of its effects.
    pub fn is_cut_by_others(&self) -> bool {
        matches!(self.effects.last(), Some(Effect::More(_))) && self.effects.len() <= STEP_EFFECTS
    }

    /// Returns the kind of the step's use of a view in a query for accesses of `kinds`. For all
    /// kinds it is a write, unless the instruction is known only to read the view.
    pub(crate) fn kind_of_use(&self, view: RegisterView, kinds: AccessKinds) -> AccessKind {
        let instruction = self
            .encoding
            .map(|encoding| decode(encoding, self.pc, self.instruction_set));
        let is_written =
            |registers: &RegisterUse| registers.writes.iter().any(|known| known.overlaps(view));
        let known = instruction
            .as_deref()
            .and_then(|instruction| instruction.registers.as_ref());
        match kinds {
            AccessKinds::Reads => AccessKind::Read,
            AccessKinds::Writes => AccessKind::Write,
            AccessKinds::All if known.is_none_or(is_written) => AccessKind::Write,
            AccessKinds::All => AccessKind::Read,
        }
    }
}

/// An effect of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A register was written.
    Register {
        /// Displayed name: `x3`, `w3`, `sp`, `r13_svc`.
        name: String,
        /// Written bytes.
        view: RegisterView,
        /// New value.
        value: Value,
    },
    /// Memory was accessed.
    Access(Access),
    /// An exception, in the words of the trace.
    Exception(String),
    /// Any other text of the trace about the step.
    Note(String),
    /// A record of a binary format that is neither a step nor an access.
    Marker(Marker),
    /// Number of further effects that are left out. Always the last entry.
    More(u64),
}

/// An access to a register or to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Load or store; a register write is a store.
    pub kind: AccessKind,
    /// Register or memory that was accessed.
    pub target: AccessTarget,
    /// Value as a number, least significant byte first (memory: in the byte order of the traced
    /// CPU).
    pub value: Value,
    /// True if the value is inferred from other steps rather than recorded.
    pub is_inferred: bool,
    /// True if the access comes from the decoded instruction because the trace records no such
    /// accesses: register reads in traces that record only register writes.
    pub is_decoded: bool,
    /// True when a read contradicted the last value known before it.
    pub is_external: bool,
    /// Semihosting operation by which the host made a write that the trace does not show.
    pub host_operation: Option<HostOperation>,
}

/// Target of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessTarget {
    /// A register, by its displayed name.
    Register(String),
    /// Memory.
    Memory {
        /// Lowest address.
        address: Address,
        /// Number of bytes.
        size_bytes: u64,
    },
}

impl fmt::Display for AccessTarget {
    /// Formats the cell as `find` accepts it: `x3`, `0x80020010:4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(name) => f.write_str(name),
            Self::Memory {
                address,
                size_bytes,
            } => write!(f, "{address}:{size_bytes}"),
        }
    }
}

/// Maximum number of effects in the hit of an access. A step may have a million matching accesses,
/// and each hit would hold a million effects.
pub const HIT_EFFECTS: usize = 4;

/// A step that matches a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The step. For an access query it contains only the first [`HIT_EFFECTS`] effects.
    pub record: StepRecord,
    /// First position at which the match is visible.
    pub position: Position,
    /// Access of the queried cell; `None` for queries that are not about a cell.
    pub access: Option<Access>,
    /// Reason why this may be the wrong answer.
    pub doubt: Option<Doubt>,
}

impl Hit {
    /// Returns the hit of a query that is not about a cell.
    pub(crate) fn at(position: Position, record: StepRecord) -> Self {
        Self {
            record,
            position,
            access: None,
            doubt: None,
        }
    }
}

/// Reason why an answer may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// The trace does not show the instruction's encoding, or it cannot be decoded: it may use any
    /// register.
    Undecoded,
    /// The instruction is conditional, and the trace does not say whether it was executed.
    Conditional,
    /// A later system call may have written the memory, which the trace does not show.
    SystemCall {
        /// The step of the call.
        step: Step,
        /// Number of the call.
        number: u64,
    },
    /// A system call that began before the write and returned after it may have written the memory.
    BlockedCall {
        /// The step of the call.
        step: Step,
        /// Number of the call.
        number: u64,
        /// The first step of its thread after the call; `None` if the trace shows none.
        returned: Option<Step>,
    },
    /// A later signal, or the return from its handler, may have changed it: the kernel writes then.
    KernelEvent {
        /// The last step before it.
        step: Step,
    },
    /// The trace was interrupted since: execution during the gap is not recorded.
    Gap {
        /// The last step before it.
        step: Step,
    },
    /// System calls may have written the memory, and the trace does not identify them.
    SystemCallsUnsaid,
    /// The trace leaves out instructions or accesses.
    Filtered,
    /// The trace does not state the mode: it may be another register of the same name.
    Bank,
}

impl Doubt {
    /// Returns the word for it in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Undecoded => "undecoded",
            Self::Conditional => "conditional",
            Self::SystemCall { .. } | Self::BlockedCall { .. } => "syscall",
            Self::KernelEvent { .. } => "kernel",
            Self::Gap { .. } => "gap",
            Self::SystemCallsUnsaid => "syscalls-unsaid",
            Self::Filtered => "filtered",
            Self::Bank => "bank",
        }
    }
}

/// Accesses that become visible at the same position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessesAt {
    /// First position at which they are visible.
    pub position: Position,
    /// The accesses, at least one, nearest to the queried position first.
    pub accesses: Vec<CellAccess>,
}

/// An access by a step, or a state that the trace records before the first step of the thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellAccess {
    /// Access by a step.
    Step(Box<Hit>),
    /// Line of an initial dump: no step made the access.
    Initial(Line),
}

impl CellAccess {
    /// Returns the access of a step; none for an initial dump.
    pub fn into_hit(self) -> Option<Hit> {
        match self {
            Self::Step(hit) => Some(*hit),
            Self::Initial(_) => None,
        }
    }
}

/// A semihosting operation that lets the host write into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostOperation {
    /// Reads from a file into a buffer.
    Read,
    /// Generates a name for a temporary file.
    TmpNam,
    /// Copies the command line.
    GetCmdline,
    /// Returns the addresses of heap and stack.
    HeapInfo,
    /// Returns the elapsed ticks.
    Elapsed,
}

impl HostOperation {
    pub(crate) const ALL: [Self; 5] = [
        Self::Read,
        Self::TmpNam,
        Self::GetCmdline,
        Self::HeapInfo,
        Self::Elapsed,
    ];

    /// Returns the operation for a number in `r0`; `None` for operations that write no memory.
    pub(crate) fn of_number(number: u64) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.number() == number)
    }

    /// Returns true if the lower 32 bits of a register are the number of an operation that writes
    /// memory.
    pub(crate) fn is_in(register: u64) -> bool {
        Self::of_number(register & u64::from(u32::MAX)).is_some()
    }

    /// Returns the number in `r0`.
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Read => 0x06,
            Self::TmpNam => 0x0d,
            Self::GetCmdline => 0x15,
            Self::HeapInfo => 0x16,
            Self::Elapsed => 0x30,
        }
    }

    /// Returns the name in Arm's documentation: `SYS_READ`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "SYS_READ",
            Self::TmpNam => "SYS_TMPNAM",
            Self::GetCmdline => "SYS_GET_CMDLINE",
            Self::HeapInfo => "SYS_HEAPINFO",
            Self::Elapsed => "SYS_ELAPSED",
        }
    }
}
