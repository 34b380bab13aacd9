//! The event vocabulary: what every format says, in the same words.

use serde::{Deserialize, Serialize};
use stepback_machine::{
    AccessKind, Address, Encoding, InstructionSet, Mode, RecordedBranch, RegisterId, RegisterView,
};

use crate::marker::Marker;

/// A thread by its number in one run of a parser: 0, 1, … in order of appearance.
///
/// [`EventSink::thread_named`] gives the name before the first event that bears the number.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ThreadNumber(pub u16);

/// Where in the input an event was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputLocation {
    /// Byte offset of the line or record from the start of the input.
    pub offset: u64,
    /// Lines between the start of the range that is parsed and this line: 0 is its first line.
    /// Always 0 in formats without lines.
    pub line_in_range: u64,
}

/// Where a step stands to the branch before it, on machines that execute an instruction or two after a branch
/// before control goes elsewhere (The SPARC Architecture Manual, Version 9, section 6.3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DelaySlot {
    /// In no delay slot.
    #[default]
    None,
    /// In the delay slot of the branch before it, and executed: control goes elsewhere after this step.
    Executed,
    /// In the delay slot of a branch that annulled it: reached and not executed.
    Annulled,
}

/// What a step is known from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StepOrigin {
    /// The trace has a record of it.
    #[default]
    Recorded,
    /// Nothing recorded it, and yet it must be so: it follows from the records around it and the program's files.
    Reconstructed,
    /// Nothing recorded it, and it may be otherwise: what the program most likely did, as behind the last record.
    Inferred,
}

/// One instruction that the trace shows as reached.
#[derive(Clone, Debug)]
pub struct StepEvent<'a> {
    /// The thread that reached it.
    pub thread: ThreadNumber,
    /// The instruction's own line.
    pub place: InputLocation,
    /// Where the text of this step begins: before `place.offset` when lines that bear
    /// the step's new timestamp come before its instruction line.
    /// A range that begins here can be parsed by itself.
    pub chunk_offset: u64,
    /// As written; none when the line inherits the time of the line before.
    pub time: Option<u64>,
    /// Address of the instruction, without a Thumb bit.
    pub pc: Address,
    /// How its bytes decode.
    pub instruction_set: InstructionSet,
    /// The encoding of an Arm instruction, right-aligned; 0 when the trace could not show it, and in other instruction sets.
    pub opcode: u32,
    /// The encoding as it lies in memory, in formats that record it so; empty when `opcode` says all.
    pub bytes: &'a [u8],
    /// What it did to control.
    pub branch: RecordedBranch,
    /// Length of the instruction in bytes (2 or 4 on Arm, 1 to 15 on x86).
    pub length_bytes: u8,
    /// False when the condition failed, or when the branch before it annulled it.
    pub is_executed: bool,
    /// Whether it stands in a delay slot.
    pub delay_slot: DelaySlot,
    /// Whether it was recorded.
    pub origin: StepOrigin,
    /// The processor's mode at it.
    pub mode: Mode,
    /// The disassembly as the trace has it, possibly empty, possibly not UTF-8.
    pub text: &'a [u8],
}

impl StepEvent<'_> {
    /// Its encoding as it lies in memory; none when the trace could not show it.
    pub fn encoding(&self) -> Option<Encoding> {
        if self.bytes.is_empty() {
            self.instruction_set
                .encoding_of(self.opcode, self.length_bytes)
        } else {
            Encoding::new(self.bytes)
        }
    }
}

/// A register (or a part of it) got a value.
#[derive(Clone, Copy, Debug)]
pub struct RegisterWrite<'a> {
    /// Whose register.
    pub thread: ThreadNumber,
    /// Which bytes of which register.
    pub view: RegisterView,
    /// Little-endian, as long as the view; none when the trace says that the value is unknown.
    pub bytes: Option<&'a [u8]>,
    /// Under what name.
    pub name: WrittenName,
    /// What plain names mean at it; [`Mode::Untold`] where the text around does not tell.
    pub mode: Mode,
    /// Where it was read.
    pub place: InputLocation,
}

/// Under what name a register was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WrittenName {
    /// That of the register itself: a plain name, that of a bank which is not in use, any other.
    #[default]
    Own,
    /// That of a bank in use: the first of two writes that the line makes, that of the plain register.
    OfBank,
    /// The second of the two writes, that of the bank.
    BankCopy,
}

impl RegisterWrite<'_> {
    /// True for the second of the two writes that one line makes when it names a bank in use.
    #[inline]
    pub fn is_bank_copy(&self) -> bool {
        self.name == WrittenName::BankCopy
    }

    /// The view of the register itself, which a plain name only means in the mode of its moment, or of the register that
    /// stands for all that it may be; none for the first of two writes, whose bytes the second has too.
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
    /// Who accessed.
    pub thread: ThreadNumber,
    /// Load or store.
    pub kind: AccessKind,
    /// Lowest address.
    pub address: Address,
    /// What the processor ignores on top of the address (AArch64 TBI, Intel LAM): the address that the instruction made
    /// is the exclusive or of both.
    pub tag: u64,
    /// Length in bytes: 1 to 8 when the value is known, up to 64 otherwise.
    /// `address + size_bytes` never exceeds 2^64.
    pub size_bytes: u8,
    /// The bytes in memory order, the byte at `address` lowest; none when the trace does not say.
    pub bytes: Option<[u8; 8]>,
    /// Where it was read.
    pub place: InputLocation,
}

/// Something that the trace says in words.
#[derive(Clone, Copy, Debug)]
pub struct TextEvent<'a> {
    /// Of which thread.
    pub thread: ThreadNumber,
    /// What kind of thing it is.
    pub kind: TextKind,
    /// The rest of the line, from the type word on.
    pub text: &'a [u8],
    /// Where it was read.
    pub place: InputLocation,
}

/// What a [`TextEvent`] tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TextKind {
    /// An exception was taken, as far as the words tell (Tarmac `E`, `EXC`, `IT EXC`).
    Exception,
    /// Told in the same way, but no exception that was taken: a change of mode, a halt, a return, a reset.
    StateChange,
    /// Anything else that is kept as a note on its step.
    Note,
}

impl TextKind {
    /// Whether it is told of as exceptions are.
    pub fn is_exceptional(self) -> bool {
        matches!(self, Self::Exception | Self::StateChange)
    }
}

/// A record of a binary format that is neither step nor access: a system call, a signal, a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerEvent {
    /// Of which thread; where the record belongs to no thread, the thread of the record before.
    pub thread: ThreadNumber,
    /// What it tells.
    pub marker: Marker,
    /// Where it was read.
    pub place: InputLocation,
}

/// A line or record that could not be read, or that was read with doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: InputLocation,
    /// Byte offset from the start of the line at which the reader gave up.
    pub column: u32,
    /// What is wrong, as a phrase: small first letter, no full stop.
    pub message: String,
    /// Whether it comes again.
    pub recurrence: Recurrence,
}

/// Whether a problem comes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recurrence {
    /// It is of one line or record, from which something is missing.
    Single,
    /// It is so with each line of a kind, whose text is kept as a note: only the first in a run tells that something is missing.
    OfKind,
    /// A complaint that is made only the first time in a run of a parser; a reader that puts several runs together
    /// drops the repetitions.
    OnceARun,
}

/// Whether a parser goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop at the next buffer boundary: the user cancelled, or the sink has what it wanted.
    Stop,
}

/// What a parser pushes its events into.
///
/// Events arrive in the order in which they take effect.
/// A sink overrides what it is interested in.
pub trait EventSink {
    /// The name of a thread, before the first event that bears its number.
    fn thread_named(&mut self, _thread: ThreadNumber, _name: &str) {}
    /// The name (lower case) and width of a register outside the architecture's table,
    /// before the first write that bears its number. Numbers hold for one run of a parser.
    fn register_named(&mut self, _register: RegisterId, _name: &str, _size_bytes: u16) {}
    /// An instruction was reached.
    fn begin_step(&mut self, _step: &StepEvent<'_>) {}
    /// The values of this line are not written in rows of [`crate::text::ROW_DIGITS`] digits, or the line is not where the
    /// place of its events says.
    fn scattered_values(&mut self) {}
    /// A register got a value.
    fn register_write(&mut self, _write: &RegisterWrite<'_>) {}
    /// Memory was read or written.
    fn access(&mut self, _access: &MemoryAccess) {}
    /// The trace said something in words.
    fn text(&mut self, _event: &TextEvent<'_>) {}
    /// A record told of something besides steps and accesses.
    fn marker(&mut self, _event: &MarkerEvent) {}
    /// A line or record could not be read.
    fn problem(&mut self, _problem: &Problem) {}
    /// Everything before `offset` was read; called about once a megabyte.
    fn progress(&mut self, _offset: u64) -> Flow {
        Flow::Continue
    }
}
