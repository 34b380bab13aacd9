//! A step with its effects.

use stepback_machine::{
    AccessKind, Address, Encoding, InstructionSet, RecordedBranch, RegisterUse, RegisterView,
    decode,
};
use stepback_parsers::{DelaySlot, Line, Marker, Step, StepOrigin};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::host_operation::HostOperation;
use crate::answers::thread::ThreadId;
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
