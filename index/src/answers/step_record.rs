//! A step with what it did.

use stepback_machine::{
    AccessKind, Address, Encoding, InstructionSet, RecordedBranch, RegisterUse, RegisterView,
    decode,
};
use stepback_parsers::{DelaySlot, Line, Marker, Step, StepOrigin};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::host_operation::HostOperation;
use crate::answers::thread::ThreadId;
use crate::answers::value::Value;

/// How far behind a step events that belong to it are looked for.
pub const LATE_STEPS: u64 = 1024;

/// Of what a step did so much is told: one instruction may have a million lines or records below it.
pub const STEP_EFFECTS: usize = 1 << 16;

/// Of what the steps of an answer did together so much is told (some 100 bytes each), first come, first served;
/// the first step has room for all of [`STEP_EFFECTS`].
pub const ANSWER_EFFECTS: usize = 1 << 19;

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
    pub branch: RecordedBranch,
    /// Length of the instruction in bytes.
    pub length_bytes: u8,
    /// False when its condition failed, or when the branch before it annulled it.
    pub is_executed: bool,
    /// Whether it stands in a delay slot.
    pub delay_slot: DelaySlot,
    /// Whether the trace recorded it.
    pub origin: StepOrigin,
    /// The disassembly as the trace has it, else made from the encoding; where neither is known it says so.
    pub text: String,
    /// What it did, in trace order: the first [`STEP_EFFECTS`] (fewer where [`ANSWER_EFFECTS`] are told),
    /// and where there were more, how many ([`Effect::More`]).
    pub effects: Vec<Effect>,
}

impl StepRecord {
    /// Takes the next effect if there is room for so many more in the answer; else, and beyond [`STEP_EFFECTS`], it is counted alone.
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

    /// Whether asking for this step first tells more of what it did.
    pub fn is_cut_by_others(&self) -> bool {
        matches!(self.effects.last(), Some(Effect::More(_))) && self.effects.len() <= STEP_EFFECTS
    }

    /// What the step does to a view that it uses when accesses of some kinds were asked for:
    /// of all kinds a write, unless the instruction is known to read it only.
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
    /// A record of a binary format that is neither a step nor an access.
    Marker(Marker),
    /// So many more, which are left out. It is always the last.
    More(u64),
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
    /// True when the trace records no such accesses, and the decoded instruction tells of this one:
    /// reads of registers in traces that record their writes.
    pub is_decoded: bool,
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
