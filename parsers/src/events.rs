//! The events that all parsers emit, and the [`EventSink`] that receives them, with newtypes for
//! steps, positions and lines. Events arrive in the order in which they take effect, and have the
//! same meaning in all formats.

use serde::{Deserialize, Serialize};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{
    AccessKind, Address, Encoding, InstructionSet, Mode, RegisterId, RegisterView,
};

use crate::marker::Marker;
use crate::problem::Problem;

/// Number of a thread in one run of a parser: 0, 1, … in order of appearance.
///
/// [`EventSink::thread_named`] announces the name before the first event of the thread.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ThreadNumber(pub u16);

/// Location in the input from which an event was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputLocation {
    /// Byte offset of the line or record from the start of the input.
    pub offset: u64,
    /// Number of lines between the start of the parsed range and this line: 0 is its first line.
    /// Always 0 in formats without lines.
    pub line_in_range: u64,
}

/// Relation of a step to the delay slot of the branch before it. Some machines execute one or two
/// instructions after a branch before control goes elsewhere (The SPARC Architecture Manual,
/// Version 9, section 6.3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DelaySlot {
    /// The step is in no delay slot.
    #[default]
    None,
    /// The step was executed in the delay slot of the branch before it. Control goes elsewhere
    /// after this step.
    Executed,
    /// The step is in the delay slot of a branch that annulled it: it was reached and not executed.
    Annulled,
}

/// Evidence for a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StepOrigin {
    /// The trace has a record of it.
    #[default]
    Recorded,
    /// There is no record of the step, but it follows from the neighbouring records and the
    /// program's files.
    Reconstructed,
    /// There is no record of the step, and it may not have happened. It is what the program most
    /// likely did, for example after the last record.
    Inferred,
}

/// An instruction that the trace shows as reached.
#[derive(Clone, Debug)]
pub struct StepEvent<'a> {
    /// Thread that reached the instruction.
    pub thread: ThreadNumber,
    /// Location of the instruction's own line.
    pub place: InputLocation,
    /// Byte offset at which the text of this step begins. It is less than `place.offset` if lines
    /// with the step's new timestamp precede its instruction line. A range that begins here can be
    /// parsed separately.
    pub chunk_offset: u64,
    /// Timestamp as recorded; `None` if the line inherits the time of the line before.
    pub time: Option<u64>,
    /// Address of the instruction, without the bit that selects an instruction set.
    pub pc: Address,
    /// Instruction set in which its bytes decode.
    pub instruction_set: InstructionSet,
    /// Encoding as a right-aligned number ([`InstructionSet::encoding_of`]). It is 0 if the trace does
    /// not contain it, and in formats that record `bytes`.
    pub opcode: u32,
    /// Encoding in memory order, in formats that record it that way; empty if `opcode` is complete.
    pub bytes: &'a [u8],
    /// Effect on control flow.
    pub branch: RecordedBranch,
    /// Length of the instruction in bytes.
    pub length_bytes: u8,
    /// False when the condition failed, or when the branch before it annulled it.
    pub is_executed: bool,
    /// Relation to the delay slot of the branch before it.
    pub delay_slot: DelaySlot,
    /// Evidence for the step.
    pub origin: StepOrigin,
    /// Mode of the processor at the step.
    pub mode: Mode,
    /// The disassembly as the trace has it, possibly empty, possibly not UTF-8.
    pub text: &'a [u8],
}

impl StepEvent<'_> {
    /// Returns the encoding in memory order; `None` if the trace does not contain it.
    pub fn encoding(&self) -> Option<Encoding> {
        if self.bytes.is_empty() {
            self.instruction_set
                .encoding_of(self.opcode, self.length_bytes)
        } else {
            Encoding::new(self.bytes)
        }
    }
}

/// A write to a register or to a part of it.
#[derive(Clone, Copy, Debug)]
pub struct RegisterWrite<'a> {
    /// Thread that owns the register.
    pub thread: ThreadNumber,
    /// Written bytes of the register.
    pub view: RegisterView,
    /// Value, little-endian, of the same length as the view; `None` if the trace marks it as
    /// unknown.
    pub bytes: Option<&'a [u8]>,
    /// Name under which the register was written.
    pub name: WrittenName,
    /// Mode that gives plain register names their meaning; [`Mode::Untold`] if it does not follow
    /// from the surrounding text.
    pub mode: Mode,
    /// Location from which the write was read.
    pub place: InputLocation,
}

/// Kind of name under which a register was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WrittenName {
    /// The register's own name: a plain name, the name of a bank that is not in use, or any other.
    #[default]
    Own,
    /// The name of a bank in use. This is the first of the line's two writes, to the plain
    /// register.
    OfBank,
    /// The second of the line's two writes, to the bank.
    BankCopy,
}

impl RegisterWrite<'_> {
    /// Returns true for the second of the two writes of a line that names a bank in use.
    #[inline]
    pub fn is_bank_copy(&self) -> bool {
        self.name == WrittenName::BankCopy
    }

    /// Returns the view of the actual register. A plain name means different registers in different
    /// modes. If the mode is unknown, this is the register that represents all candidates. Returns
    /// `None` for the first of two writes, because the second one carries its bytes too.
    #[inline]
    pub fn home(&self) -> Option<RegisterView> {
        let register = self.mode.home(self.view.register);
        (self.name != WrittenName::OfBank).then_some(RegisterView {
            register,
            ..self.view
        })
    }
}

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub struct MemoryAccess {
    /// Thread that made the access.
    pub thread: ThreadNumber,
    /// Load or store.
    pub kind: AccessKind,
    /// Lowest address of the access.
    pub address: Address,
    /// Top bits that the processor ignores (AArch64 TBI, Intel LAM). The address that the
    /// instruction computed is the exclusive or of this and `address`.
    pub tag: u64,
    /// Length in bytes: 1 to 8 if the value is known, up to 64 otherwise. `address + size_bytes`
    /// never exceeds 2^64.
    pub size_bytes: u8,
    /// Bytes in memory order, the one at `address` first; `None` if the trace does not contain
    /// them.
    pub bytes: Option<[u8; 8]>,
    /// Location from which the access was read.
    pub place: InputLocation,
}

/// An event that the trace describes in words.
#[derive(Clone, Copy, Debug)]
pub struct TextEvent<'a> {
    /// Thread of the event.
    pub thread: ThreadNumber,
    /// Kind of the event.
    pub kind: TextKind,
    /// Rest of the line, from the type word on.
    pub text: &'a [u8],
    /// Location from which the event was read.
    pub place: InputLocation,
}

/// Kind of a [`TextEvent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TextKind {
    /// Exception that was taken, according to the text (Tarmac `E`, `EXC`, `IT EXC`).
    Exception,
    /// Event that is recorded like an exception, but is not one: a change of mode, a halt, a
    /// return, a reset.
    StateChange,
    /// Any other text, kept as a note on its step.
    Note,
}

impl TextKind {
    /// Returns whether the trace records it in the way of exceptions.
    pub fn is_exceptional(self) -> bool {
        matches!(self, Self::Exception | Self::StateChange)
    }
}

/// A record of a binary format that is neither a step nor an access: a system call, a signal, a
/// timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerEvent {
    /// Thread of the record, or of the record before if this one belongs to no thread.
    pub thread: ThreadNumber,
    /// Content of the record.
    pub marker: Marker,
    /// Location from which the record was read.
    pub place: InputLocation,
}

/// Answer of a sink that controls whether the parser continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Continue.
    Continue,
    /// Stop at the next buffer boundary: the user cancelled, or the sink has all that it needs.
    Stop,
}

/// Receiver of the events of a parser.
///
/// Events arrive in the order in which they take effect. A sink overrides the methods that it
/// needs.
pub trait EventSink {
    /// Announces the name of a thread, before its first event.
    fn thread_named(&mut self, _thread: ThreadNumber, _name: &str) {}
    /// Announces the name (lower case) and width of a register outside the architecture's table,
    /// before its first write. Numbers are valid for one run of a parser.
    fn register_named(&mut self, _register: RegisterId, _name: &str, _size_bytes: u16) {}
    /// Begins a step: an instruction was reached.
    fn begin_step(&mut self, _step: &StepEvent<'_>) {}
    /// Announces that the values of this line are not written in rows of
    /// [`crate::ROW_DIGITS`] digits, or that the line is not at the location of its events.
    fn scattered_values(&mut self) {}
    /// Records a write to a register.
    fn register_write(&mut self, _write: &RegisterWrite<'_>) {}
    /// Records a read or write of memory.
    fn access(&mut self, _access: &MemoryAccess) {}
    /// Records an event that the trace describes in words.
    fn text(&mut self, _event: &TextEvent<'_>) {}
    /// Records an event that is neither a step nor an access.
    fn marker(&mut self, _event: &MarkerEvent) {}
    /// Reports a line or record that could not be read.
    fn problem(&mut self, _problem: &Problem) {}
    /// Reports that everything before `offset` was read; called about once a megabyte.
    fn progress(&mut self, _offset: u64) -> Flow {
        Flow::Continue
    }
}

/// One instruction that the trace shows as reached, numbered from 0 in trace order.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Step(pub u64);

/// A gap between two steps: `Position(n)` is after step `n - 1` and before step `n`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Position(pub u64);

/// A line of a text trace, counted from 1.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Line(pub u64);

impl Step {
    /// Returns the position just before this step.
    pub fn before(self) -> Position {
        Position(self.0)
    }

    /// Returns the position just after this step.
    pub fn after(self) -> Position {
        Position(self.0.saturating_add(1))
    }
}

impl Position {
    /// Returns the step just before this position; `None` at the start of the trace.
    pub fn last_step(self) -> Option<Step> {
        self.0.checked_sub(1).map(Step)
    }

    /// Returns the step just after this position, which may be beyond the end of the trace.
    pub fn next_step(self) -> Step {
        Step(self.0)
    }
}
