//! Problems of lines and records, as data.
//!
//! A parser reports a kind of problem with the offending values; `Display` makes the sentence, a
//! phrase with a lower-case first letter and no full stop. The kinds of all formats are here, below
//! the formats, because the event sink and the step store take any of them.

use crate::events::InputLocation;
use crate::packed::kind::Damage;

/// A line or record that could not be read, or that was read with doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Location of the line or record.
    pub place: InputLocation,
    /// Byte offset from the start of the line at which the reader stopped.
    pub column: u32,
    /// Kind of problem, with the offending values.
    pub kind: ProblemKind,
}

/// Kind of a problem.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ProblemKind {
    /// A line of a Tarmac trace is wrong.
    #[error(
        "{fault}{}{}",
        found_text(*fault, found.as_ref()),
        if *is_open_ended { OPEN_ENDED } else { "" }
    )]
    Tarmac {
        /// The fault.
        fault: TarmacFault,
        /// Content of the line at the place of the fault, where that helps.
        found: Option<FoundToken>,
        /// True for the last line of the input if it has no newline.
        is_open_ended: bool,
    },
    /// A file of an RST trace cannot be read, or not completely.
    #[error("{file:?}, after record {record}, byte {offset} of the unpacked data: {fault}")]
    Rst {
        /// Name of the file.
        file: String,
        /// Number of the last record before the fault, in the whole trace.
        record: u64,
        /// Offset in the unpacked contents of the file.
        offset: u64,
        /// The fault.
        fault: RstFault,
    },
    /// A file of an RST trace repeats the processors of the files before it.
    #[error(
        "{file:?}: it starts again with processors of the files before it, and is read after them"
    )]
    RestartedFile {
        /// Name of the file.
        file: String,
    },
    /// Nothing relates the instructions of the parallel files of an RST trace.
    #[error(
        "{file:?} and its other files: the order in which their instructions were executed is unknown, \
         they are read in turns of {turn}"
    )]
    UnknownOrder {
        /// Name of the first file.
        file: String,
        /// Number of instructions in a turn.
        turn: u64,
    },
    /// A file of a drmemtrace trace cannot be read, or not completely.
    #[error("{file:?}, byte {offset} of its records: {fault}")]
    Drmemtrace {
        /// Name of the file, and of its member.
        file: String,
        /// Offset in the unpacked records of the file.
        offset: u64,
        /// The fault.
        fault: DrmemtraceFault,
    },
    /// A file of an STF trace cannot be read, or not completely.
    #[error("{file:?}, {}byte {offset} of its records: {fault}", chunk_text(*chunk))]
    Stf {
        /// Name of the file.
        file: String,
        /// Number of the chunk from 0; `None` if the file is not read by chunks.
        chunk: Option<u64>,
        /// Offset in the unpacked records of the chunk, or of the file.
        offset: u64,
        /// The fault.
        fault: StfFault,
    },
    /// An STF trace has too many threads.
    #[error("more than {0} threads: the further ones are joined into one")]
    StfThreads(usize),
    /// A companion file of a drmemtrace trace cannot be read, or not completely.
    #[error("byte {offset}: {fault}")]
    Companion {
        /// Offset of the line or entry in the file.
        offset: u64,
        /// The fault.
        fault: CompanionFault,
    },
    /// A record of a Btrace recording is wrong.
    #[error("record {record}: {fault}")]
    Btrace {
        /// Number of the record.
        record: u64,
        /// The fault.
        fault: BtraceFault,
    },
    /// A line of a Btrace text is unknown.
    #[error("line {line}: it is none of an instruction, and none is shown for it")]
    BtraceLine {
        /// Number of the line.
        line: u64,
    },
    /// A Btrace recording ends inside a record.
    #[error("the last record is cut off: {bytes} bytes of it are there")]
    BtraceCutOff {
        /// Number of bytes of the last record.
        bytes: usize,
    },
    /// A line of a text log is wrong.
    #[error("{0}")]
    Log(LogFault),
    /// The compressed input is damaged.
    #[error("{0}")]
    Packed(Damage),
    /// Too many records follow one step.
    #[error("{0} records without an instruction among them are counted but not kept")]
    RecordsLeftOut(u64),
    /// Accesses exceed the memory that steps can touch.
    #[error("{0} accesses claim more memory than steps touch: they are counted but not kept")]
    AccessesLeftOut(u64),
    /// The table of instructions is full.
    #[error("more distinct instructions than are kept: encodings are forgotten from here on")]
    EncodingsForgotten,
    /// A problem from a step store, which contains the sentence only.
    #[error("{0}")]
    Stored(String),
}

/// Recurrence of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recurrence {
    /// Affects a single line or record, part of which is missing.
    Single,
    /// Recurs with each line of a kind, whose text is kept as a note. Only the first one in a run
    /// counts as missing content.
    OfKind,
    /// Reported only once in a run of a parser. A reader that joins several runs drops the
    /// repetitions.
    OnceARun,
}

impl ProblemKind {
    /// Returns true for the sentence of a problem that comes from the options of a recording, not
    /// from damage. Sentences are all that an index keeps of problems.
    pub fn is_of_options(sentence: &str) -> bool {
        sentence == Self::Log(LogFault::Blocks).to_string()
    }

    /// Returns how often a problem of this kind is reported.
    pub fn recurrence(&self) -> Recurrence {
        match self {
            Self::Tarmac {
                fault: TarmacFault::UnknownType,
                ..
            } => Recurrence::OfKind,
            Self::Tarmac {
                fault: TarmacFault::UnknownUnit,
                ..
            } => Recurrence::OnceARun,
            Self::Log(
                LogFault::ForeignLine | LogFault::TooManyThreads(_) | LogFault::TooManyRegisters(_),
            ) => Recurrence::OfKind,
            Self::Log(LogFault::Blocks | LogFault::Filtered) => Recurrence::OnceARun,
            _ => Recurrence::Single,
        }
    }
}

/// Content of a line at the place of a fault.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum FoundToken {
    /// The end of the line.
    #[error("the end of the line")]
    End,
    /// The beginning of a word.
    #[error("{0:?}")]
    Word(String),
    /// A mark of punctuation.
    #[error("{0:?}")]
    Mark(char),
}

fn found_text(fault: TarmacFault, found: Option<&FoundToken>) -> String {
    let link = match fault {
        TarmacFault::Expected(_) => ", found",
        _ => "",
    };
    found.map_or_else(String::new, |found| format!("{link} {found}"))
}

const OPEN_ENDED: &str = ", and the last line has no newline: the trace may be cut short";

/// Fault of a line of a Tarmac trace.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what the variants mean")]
pub enum TarmacFault {
    #[error("not a Tarmac line")]
    NotTarmac,
    #[error("expected {0}")]
    Expected(&'static str),
    #[error("{0} does not fit in 64 bits")]
    TooLarge(&'static str),
    #[error("unknown Tarmac event type")]
    UnknownType,
    #[error("unknown unit of time")]
    UnknownUnit,
    #[error("NUL bytes before the line: was the file emptied while it was written?")]
    Hole,
    #[error("two records on one line: both are kept")]
    Fused,
    #[error("two records on one line: the first is cut, and the second is kept")]
    FusedAndCut,
    #[error("longer than {0} bytes: skipped")]
    LineTooLong(usize),
    #[error("register value too long: {0} bytes have room")]
    ValueTooLong(usize),
    #[error("register value shorter than the {0} bytes of the register: the others are unknown")]
    ValueTooShort(usize),
    #[error("the value may be cut off, and is unknown")]
    CutOff,
    #[error(
        "register value longer than the {0} bytes of the register: its leading zeros are left out"
    )]
    SurplusDigits(usize),
    #[error("one dash instead of two: half a byte cannot be left out")]
    HalfByte,
    #[error("bits {high} to {low} are not whole bytes of a register of {size_bytes} bytes")]
    BitRange {
        high: u64,
        low: u64,
        size_bytes: u16,
    },
    #[error("an access of {0} bytes: 1 to 64 are possible")]
    AccessSize(u64),
    #[error("data longer than the access of {0} bytes")]
    DataTooLong(usize),
    #[error("data shorter than the access of {0} bytes")]
    DataTooShort(usize),
    #[error("the access reaches beyond the last address")]
    AddressOverflow,
    #[error("more than {0} threads: line dropped")]
    TooManyThreads(usize),
    #[error("more than {0} registers outside the architecture's table: line dropped")]
    TooManyRegisters(usize),
}

/// Position in a line of a Tarmac trace at which the reader stopped, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineFault {
    /// Byte offset from the start of the line.
    pub column: usize,
    /// Reason.
    pub kind: TarmacFault,
}

impl TarmacFault {
    /// Returns this fault at a column.
    pub(crate) fn at(self, column: usize) -> LineFault {
        LineFault { column, kind: self }
    }
}

/// Fault of a line of a text log.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what the variants mean")]
pub enum LogFault {
    #[error("the line is longer than {0} bytes: it is left out")]
    LineTooLong(usize),
    #[error("a line that does not belong to the log: it is kept as a note")]
    ForeignLine,
    #[error("expected {expected}, found {found:?}: the rest of the line is left out")]
    Expected {
        expected: &'static str,
        found: String,
    },
    #[error("an item that cannot be read, {0:?}: it is left out")]
    Item(String),
    #[error("two records on one line: both are kept")]
    Fused,
    #[error("more than {0} threads: lines of further ones are left out")]
    TooManyThreads(usize),
    #[error(
        "more than {0} registers that the architecture does not have: further ones are left out"
    )]
    TooManyRegisters(usize),
    #[error("the last line has no newline, and its last value may be cut off: it is unknown")]
    CutOff,
    #[error("more than {0} effects: the rest is left out")]
    TooManyEffects(usize),
    #[error("a value that cannot be read or is too long, {0:?}: it is unknown")]
    Value(String),
    #[error(
        "the log has blocks of several instructions, and registers only between blocks: \
         record with -one-insn-per-tb, in old versions -singlestep"
    )]
    Blocks,
    #[error("instructions are missing, because the plugin filtered them out or the log lost them")]
    Filtered,
    #[error(
        "the block has {listed} instructions, of which the first {count} are steps, one for each \
         byte of the line"
    )]
    LongBlock { listed: usize, count: usize },
    #[error("the value has {found} bytes, {register} has {expected}")]
    ValueSize {
        register: String,
        found: usize,
        expected: u16,
    },
}

/// Fault of a file of an RST trace.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what the variants mean")]
pub enum RstFault {
    #[error("it does not begin with a header record: what follows is read as records nevertheless")]
    NoHeader,
    #[error("{}: {} left out", INSIDE_RECORD, count_text(*.0 as u64, "byte"))]
    InsideRecord(usize),
    #[error("the file is cut off: copy it again if there is more")]
    CutOff,
    #[error(
        "what is packed here contradicts itself: it is damaged, and some records before this place may be wrong too"
    )]
    Contradiction,
    #[error("to unpack more would need more than 1 GiB of memory")]
    Memory,
    #[error(
        "it is packed by rstzip 1, whose format was never published: unpack it with rstunzip first"
    )]
    Unpublished,
    #[error(
        "its head does not say how many processors there are (\"Numcpus=\"): what is packed is damaged"
    )]
    NoProcessorCount,
    #[error("a block says that it has {0} bytes: what is packed here is damaged")]
    BlockLength(usize),
    #[error("rstzip 3.{minor} is not known, only 3.{first} to 3.{last}")]
    UnknownVersion { minor: u8, first: u8, last: u8 },
    #[error("no section of rstzip begins here: what is packed here is damaged")]
    NoSection,
    #[error("a section says that it has an impossible number of records")]
    SectionLength,
    #[error("the file is cut off")]
    SectionCutOff,
    #[error("a section of {records} records says that array {array} has {elements} elements")]
    ArrayLength {
        records: u32,
        array: usize,
        elements: u32,
    },
    #[error("{0}")]
    Packed(Damage),
}

/// Fault of a file of a drmemtrace trace.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what the variants mean")]
pub enum DrmemtraceFault {
    #[error(
        "the records do not begin with their thread: it is taken from {}",
        if *is_in_name { "the file's name" } else { "no record and no file name" }
    )]
    NoThread { is_in_name: bool },
    #[error("{} missing before this place: is a chunk lost?", count_text(*.0, "record"))]
    MissingRecords(u64),
    #[error(
        "a record of type {kind}, size {size} and value {value:#x} makes no sense: it is left out"
    )]
    InvalidRecord { kind: u16, size: u16, value: u64 },
    #[error("{0} more records up to here make no sense: they are left out")]
    MoreInvalidRecords(u64),
    #[error("the file does not begin with the header of a trace: is its first part missing?")]
    NoHeader,
    #[error(
        "the trace has version {version}, the newest that is known is {newest}: \
         what is new in it may be read wrongly; look for a newer version of this program"
    )]
    NewVersion { version: u64, newest: u64 },
    #[error("it ends inside a record: {} left out", count_text(*.0 as u64, "byte"))]
    InsideRecord(usize),
    #[error(
        "the trace ends without its last record: the program was killed, or the file is cut off"
    )]
    NoFooter,
    #[error(
        "the archive's directory cannot be read ({why}): its members are read from the front; \
         copy the file again if there is more"
    )]
    NoDirectory { why: String },
    #[error("{} is left out: {why}", member.as_deref().unwrap_or("a member of the archive"))]
    MemberLeftOut { member: Option<String>, why: String },
    #[error("{} is cut off: copy the file again if there is more", if *is_member { MEMBER } else { PACKED_DATA })]
    CutOff { is_member: bool },
    #[error(
        "{} is damaged ({why}): what can be read of it is shown; copy the file again, or mend it",
        if *is_member { MEMBER } else { PACKED_DATA }
    )]
    Corrupt { is_member: bool, why: String },
    #[error("{0}")]
    Packed(Damage),
}

/// Fault of a file of an STF trace.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what the variants mean")]
pub enum StfFault {
    #[error(
        "no record has the descriptor {0}: what follows cannot be read, because records have no lengths"
    )]
    UnknownDescriptor(u8),
    #[error("a vector register comes before the length of vectors: what follows cannot be read")]
    NoVectorLength,
    #[error(
        "record {0} belongs to a trace of bus transactions, which has no instructions: it is not read"
    )]
    Transactions(u8),
    #[error("{}: {} left out", INSIDE_RECORD, count_text(*.0 as u64, "byte"))]
    InsideRecord(usize),
    #[error("the last instruction has no opcode: its records are left out")]
    NoOpcode,
    #[error("{} left out: no record states the address", count_text(*.0, "instruction"))]
    NoAddress(u64),
    #[error("the index states an impossible place for the chunk: it is left out")]
    MisplacedChunk,
    #[error("{0} records of one instruction are too many: they are left out")]
    CrowdedGroup(u64),
    #[error("{} left out: no access precedes", count_text(*.0, "value"))]
    StrayValues(u64),
    #[error("the instructions are those of {0}, and are read as those of RISC-V")]
    ForeignIsa(&'static str),
    #[error("the encoding mode {0} is unknown: the one before stays")]
    UnknownMode(u16),
    #[error("the trace has version {major}.{minor}: what is new in it may be read wrongly")]
    NewVersion { major: u32, minor: u32 },
    #[error("{0}")]
    Packed(Damage),
}

/// Returns the words that name a chunk.
fn chunk_text(chunk: Option<u64>) -> String {
    chunk.map_or_else(String::new, |chunk| format!("chunk {chunk}, "))
}

const MEMBER: &str = "the member";
const PACKED_DATA: &str = "the packed data";

/// Fault of a companion file of a drmemtrace trace.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what the variants mean")]
pub enum CompanionFault {
    #[error("no \"id,arguments,0xaddress,library!function\"")]
    NoFunction,
    #[error("{found:?} is not a number")]
    PageNumber { found: String },
    #[error("it names no page size that is a power of two")]
    NoPageSize,
    #[error("no line \"Module Table: version N, count N\" begins it")]
    NoModuleTable,
    #[error("the file ends after {found} of {count} entries")]
    MissingEntries { found: u64, count: u64 },
    #[error("the line ends before {field}")]
    EntryEnd { field: &'static str },
    #[error("{field} is not a number: {found:?}")]
    EntryNumber { field: &'static str, found: String },
    #[error("it ends at {end:#x}, before its start at {start:#x}")]
    EntryRange { start: u64, end: u64 },
    #[error("its custom field is longer than the file")]
    CustomField,
}

/// Fault of a record of a Btrace recording.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum BtraceFault {
    /// The record has this time.
    #[error("its time, {0}, does not fit the others of its thread")]
    Time(u64),
    /// The record belongs to a thread for which there is no number.
    #[error("there are too many threads: records of the further ones are left out")]
    TooManyThreads,
    /// The record does not belong to the program.
    #[error("at {pc:#x}, contradicts the program: {mismatch}")]
    Contradiction {
        /// Address of the recorded instruction.
        pc: u64,
        /// The contradiction.
        mismatch: RecordMismatch,
    },
}

/// Reason why a record of a Btrace recording cannot belong to the program, or is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum RecordMismatch {
    /// The program has another instruction at the address.
    #[error("the program has {found:08x} at this address, but the record has {stated:08x}")]
    Word {
        /// Word in the program.
        found: u32,
        /// Word in the record.
        stated: u32,
    },
    /// Btrace does not record this instruction.
    #[error("the instruction is none that Btrace records")]
    NoBranch,
    /// The instruction is of another kind, which has this name.
    #[error("the instruction is a {0}")]
    Kind(&'static str),
    /// The instruction leads to another address.
    #[error("the instruction leads to {0:#x}")]
    Target(u64),
    /// The instruction is always taken, or never.
    #[error("the instruction is {} taken", if *.0 { "always" } else { "never" })]
    Outcome(bool),
    /// The delay slot is always annulled with this outcome, or never.
    #[error("its delay slot is {} then", if *.0 { "annulled" } else { "executed" })]
    Annulment(bool),
}

/// Sentence about a file whose length is no multiple of a record's.
pub(crate) const INSIDE_RECORD: &str = "the file ends inside a record";

fn count_text(count: u64, unit: &str) -> String {
    match count {
        1 => format!("1 {unit} is"),
        _ => format!("{count} {unit}s are"),
    }
}
