//! The tables: their rows and columns.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use stepback_machine::AccessKind;

use crate::columns::table::Cell::{
    Bits, Count, Flag, MaybeBits, MaybeBytes, MaybeCount, MaybeName, MaybeSmall, MaybeText, Name,
    Small, Word,
};
use crate::columns::table::{Column, NameId, TableRow};

/// Source of a row or of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Provenance {
    Recorded,
    /// A step that follows from the neighbouring records.
    Reconstructed,
    /// A step that is only likely.
    Inferred,
    /// The trace does not state the value.
    Unknown,
    /// A semihosting call let the host write there.
    Host,
}

impl Provenance {
    fn word(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Reconstructed => "reconstructed",
            Self::Inferred => "inferred",
            Self::Unknown => "unknown",
            Self::Host => "host",
        }
    }

    /// Returns the source of a value.
    pub(super) fn of_value<T>(value: Option<T>) -> Self {
        match value {
            Some(_) => Self::Recorded,
            None => Self::Unknown,
        }
    }
}

const NTH: &str =
    "order among the register writes and accesses that become visible at the same position";

/// Returns the number of positions from the end of a step to the one where an effect is visible.
fn late(step: Option<u64>, position: u64) -> u64 {
    position.saturating_sub(step.map_or(0, |step| step + 1))
}

/// A step.
#[derive(Clone, Debug)]
pub struct StepRow {
    pub step: u64,
    pub thread: NameId,
    pub time: Option<u64>,
    pub line: Option<u64>,
    pub pc: u64,
    pub variant: u32,
    pub is_executed: bool,
    pub depth: Option<u32>,
    pub call: Option<u64>,
    pub provenance: Provenance,
}

impl TableRow for StepRow {
    const TABLE: &'static str = "steps";
    const MEANING: &'static str = "an instruction that the trace shows as reached";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::growing("step", Count(|row| row.step), "number of the step, from 0"),
        Column::new("thread", Name(|row| row.thread), "thread that reached it"),
        Column::growing(
            "time",
            MaybeBits(|row| row.time),
            "time in the unit of the trace, never less than that of the step before",
        ),
        Column::growing(
            "line",
            MaybeCount(|row| row.line),
            "line of the trace file, from 1; missing in binary formats",
        ),
        Column::varied("pc", Bits(|row| row.pc), "address of the instruction"),
        Column::new(
            "variant",
            Small(|row| row.variant),
            "number of the instruction among those executed at this address: 0 unless code was overwritten",
        ),
        Column::new(
            "executed",
            Flag(|row| row.is_executed),
            "false if its condition failed, or if the branch before it annulled it",
        ),
        Column::new(
            "depth",
            MaybeSmall(|row| row.depth),
            "number of callers on the stack",
        ),
        Column::varied(
            "call",
            MaybeCount(|row| row.call),
            "innermost call that contains the step: `calls.call`",
        ),
        Column::new(
            "provenance",
            Word(|row| row.provenance.word()),
            "`recorded`; `reconstructed` if it follows from neighbouring records; `inferred` if it is only likely",
        ),
    ];
}

/// A write to a register.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegisterWriteRow {
    pub step: Option<u64>,
    pub position: u64,
    pub nth: u32,
    pub thread: NameId,
    pub register: NameId,
    pub first_bit: u32,
    pub bits: u32,
    pub value: Option<u64>,
    pub wide: Option<Box<[u8]>>,
    pub provenance: Provenance,
}

impl TableRow for RegisterWriteRow {
    const TABLE: &'static str = "register_writes";
    const MEANING: &'static str = "a recorded write to a register";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::growing("step", MaybeCount(|row| row.step), STEP),
        Column::new("late", Count(|row| late(row.step, row.position)), LATE),
        Column::new("nth", Small(|row| row.nth), NTH),
        Column::new("thread", Name(|row| row.thread), "thread of the register"),
        Column::new(
            "register",
            Name(|row| row.register),
            "the whole register: `x3` also for a write of `w3`; a line that names a bank in use gives two rows, for `sp` and `sp_el3`",
        ),
        Column::new(
            "first_bit",
            Small(|row| row.first_bit),
            "lowest bit written",
        ),
        Column::new("bits", Small(|row| row.bits), "number of bits written"),
        Column::new(
            "value",
            MaybeBits(|row| row.value),
            "value of at most 64 bits; missing if it is unknown or wider",
        ),
        Column::new(
            "wide",
            MaybeBytes(|row| row.wide.as_deref()),
            "value of more than 64 bits, most significant byte first",
        ),
        Column::new(
            "provenance",
            Word(|row| row.provenance.word()),
            "`recorded`, or `unknown` if the trace does not state the value",
        ),
    ];
}

const STEP: &str = "step that did it; missing for a state before the first step of the thread";
const LATE: &str = "positions from the end of the step to where it is visible: 0 but for events of a thread after steps of others";

/// A load or store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AccessRow {
    pub step: Option<u64>,
    pub position: u64,
    pub nth: u32,
    pub thread: NameId,
    pub kind: AccessKind,
    pub address: u64,
    pub size: u64,
    pub value: Option<u64>,
    pub is_external: bool,
    pub provenance: Provenance,
}

impl TableRow for AccessRow {
    const TABLE: &'static str = "accesses";
    const MEANING: &'static str = "a recorded load or store";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::growing("step", MaybeCount(|row| row.step), STEP),
        Column::new("late", Count(|row| late(row.step, row.position)), LATE),
        Column::new("nth", Small(|row| row.nth), NTH),
        Column::new("thread", Name(|row| row.thread), "thread that made it"),
        Column::new("kind", Word(|row| row.kind.word()), "`read` or `write`"),
        Column::new("address", Bits(|row| row.address), "lowest address"),
        Column::new("size", Count(|row| row.size), "number of bytes"),
        Column::new(
            "value",
            MaybeBits(|row| row.value),
            "value as a number in the byte order of the traced CPU; missing if it is unknown",
        ),
        Column::new(
            "external",
            Flag(|row| row.is_external),
            "true for a read that contradicts the last value known before it",
        ),
        Column::new(
            "provenance",
            Word(|row| row.provenance.word()),
            "`recorded`; `unknown` if the trace does not state the value; `host` for a semihosting call that lets the host write there",
        ),
    ];
}

/// A table that is also written in the order of its cells, for readers that look up one cell.
pub trait CellRow: TableRow + Serialize + DeserializeOwned {
    /// Name of the table in this order.
    const SORTED_TABLE: &'static str;

    /// Returns the number by which rows are sorted first: an address, or the rank of a name.
    fn cell(&self, rank: &dyn Fn(NameId) -> u64) -> u64;

    /// Returns the position, by which rows of one cell are sorted.
    fn position(&self) -> u64;
}

impl CellRow for RegisterWriteRow {
    const SORTED_TABLE: &'static str = "register_writes_by_register";

    fn cell(&self, rank: &dyn Fn(NameId) -> u64) -> u64 {
        rank(self.register)
    }

    fn position(&self) -> u64 {
        self.position
    }
}

impl CellRow for AccessRow {
    const SORTED_TABLE: &'static str = "accesses_by_address";

    fn cell(&self, _: &dyn Fn(NameId) -> u64) -> u64 {
        self.address
    }

    fn position(&self) -> u64 {
        self.position
    }
}

/// A call.
#[derive(Clone, Debug)]
pub struct CallRow {
    pub call: u64,
    pub parent: Option<u64>,
    pub depth: u32,
    pub thread: NameId,
    pub function: u64,
    pub name: Option<NameId>,
    pub call_step: Option<u64>,
    pub entry_step: Option<u64>,
    pub exit_step: Option<u64>,
    pub entered: &'static str,
    pub left: &'static str,
    pub evidence: &'static str,
}

impl TableRow for CallRow {
    const TABLE: &'static str = "calls";
    const MEANING: &'static str = "a call, as in `stepback calltree`";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::growing(
            "call",
            Count(|row| row.call),
            "number of the call, from 0; a caller has a lower number than its callees",
        ),
        Column::growing(
            "parent",
            MaybeCount(|row| row.parent),
            "call that contains it; missing for the first frame of a stack",
        ),
        Column::new("depth", Small(|row| row.depth), "number of callers"),
        Column::new("thread", Name(|row| row.thread), "thread"),
        Column::new(
            "function",
            Bits(|row| row.function),
            "address of the called function",
        ),
        Column::new(
            "name",
            MaybeName(|row| row.name),
            "its name; missing without symbols",
        ),
        Column::growing(
            "call_step",
            MaybeCount(|row| row.call_step),
            "step that called",
        ),
        Column::growing(
            "entry_step",
            MaybeCount(|row| row.entry_step),
            "first step inside; missing if the trace shows none",
        ),
        Column::growing(
            "exit_step",
            MaybeCount(|row| row.exit_step),
            "last step inside, the return itself; missing if the call does not end in the trace",
        ),
        Column::new(
            "entered_by",
            Word(|row| row.entered),
            "`root`, `call`, `tail`, `exception`, `switch` or `gap`",
        ),
        Column::new(
            "left_by",
            Word(|row| row.left),
            "`return`, `longjmp`, `skipped`, `tail`, `open` or `gap`",
        ),
        Column::new(
            "evidence",
            Word(|row| row.evidence),
            "what shows that it is a call, as in `stepback calltree --json`",
        ),
    ];
}

/// An executed instruction.
#[derive(Clone, Debug)]
pub struct CodeRow {
    pub pc: u64,
    pub variant: u32,
    pub first_step: u64,
    pub bytes: Option<Box<[u8]>>,
    pub instruction_set: &'static str,
    pub text: String,
    pub function: Option<u64>,
    pub name: Option<String>,
    pub file: Option<String>,
    pub source_line: Option<u32>,
}

impl TableRow for CodeRow {
    const TABLE: &'static str = "pcs";
    const MEANING: &'static str = "an instruction at an address; `pc` and `variant` identify it";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::growing("pc", Bits(|row| row.pc), "address"),
        Column::new(
            "variant",
            Small(|row| row.variant),
            "number of the instruction among those executed at this address, from 0",
        ),
        Column::new(
            "first_step",
            Count(|row| row.first_step),
            "first step that reached it",
        ),
        Column::new(
            "bytes",
            MaybeBytes(|row| row.bytes.as_deref()),
            "its encoding in memory order; missing if it is unknown",
        ),
        Column::new(
            "instruction_set",
            Word(|row| row.instruction_set),
            "instruction set of the encoding",
        ),
        Column::new("text", MaybeText(|row| Some(&row.text)), "disassembly"),
        Column::new(
            "function",
            MaybeBits(|row| row.function),
            "address of the function that contains it; missing without symbols",
        ),
        Column::new(
            "name",
            MaybeText(|row| row.name.as_deref()),
            "name of that function",
        ),
        Column::new(
            "file",
            MaybeText(|row| row.file.as_deref()),
            "source file; missing without line numbers in the image",
        ),
        Column::new(
            "source_line",
            MaybeSmall(|row| row.source_line),
            "line of the source file",
        ),
    ];
}

/// An event that is neither a step nor an access.
#[derive(Clone, Debug)]
pub struct MarkerRow {
    pub step: Option<u64>,
    pub position: u64,
    pub thread: NameId,
    pub kind: NameId,
    pub value: Option<u64>,
    pub text: Option<String>,
}

impl TableRow for MarkerRow {
    const TABLE: &'static str = "markers";
    const MEANING: &'static str = "an event that is neither a step nor an access";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::growing("step", MaybeCount(|row| row.step), STEP),
        Column::new("late", Count(|row| late(row.step, row.position)), LATE),
        Column::new("thread", Name(|row| row.thread), "thread"),
        Column::new(
            "kind",
            Name(|row| row.kind),
            "`exception`, `state change`, `note`, or the format's name of the marker",
        ),
        Column::new(
            "value",
            MaybeBits(|row| row.value),
            "value of a marker: an address, a number, a time",
        ),
        Column::new(
            "text",
            MaybeText(|row| row.text.as_deref()),
            "words of the trace, for the first three kinds",
        ),
    ];
}

/// A thread.
#[derive(Clone, Debug)]
pub struct ThreadRow {
    pub thread: NameId,
    pub process: Option<String>,
    pub steps: u64,
}

impl TableRow for ThreadRow {
    const TABLE: &'static str = "threads";
    const MEANING: &'static str = "a thread";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("thread", Name(|row| row.thread), "name"),
        Column::new(
            "process",
            MaybeText(|row| row.process.as_deref()),
            "process that owns its memory; missing if the trace names none",
        ),
        Column::new("steps", Count(|row| row.steps), "number of its steps"),
    ];
}

/// A run: one trace of a dataset.
#[derive(Clone, Debug)]
pub struct RunRow {
    pub trace: String,
    pub format: String,
    pub arch: &'static str,
    pub is_big_endian: bool,
    pub steps: u64,
    pub calls: u64,
    pub time_unit: Option<String>,
    pub first_time: Option<u64>,
    pub last_time: Option<u64>,
    pub trace_bytes: u64,
    pub warnings: u64,
    pub external_changes: u64,
}

/// Version of the tables: a number that grows when a column changes its meaning or goes.
const SCHEMA: u32 = 1;

impl TableRow for RunRow {
    const TABLE: &'static str = "runs";
    const MEANING: &'static str = "a trace, written last: a run without a row here is incomplete";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("trace", MaybeText(|row| Some(&row.trace)), "its path"),
        Column::new(
            "format",
            MaybeText(|row| Some(&row.format)),
            "format of the trace",
        ),
        Column::new("arch", Word(|row| row.arch), "architecture"),
        Column::new(
            "big_endian",
            Flag(|row| row.is_big_endian),
            "true if numbers in memory have their most significant byte first",
        ),
        Column::new("steps", Count(|row| row.steps), "number of steps"),
        Column::new("calls", Count(|row| row.calls), "number of calls"),
        Column::new(
            "time_unit",
            MaybeText(|row| row.time_unit.as_deref()),
            "unit of times; missing if the trace has none",
        ),
        Column::new(
            "first_time",
            MaybeBits(|row| row.first_time),
            "first time of a step",
        ),
        Column::new(
            "last_time",
            MaybeBits(|row| row.last_time),
            "time of the last step",
        ),
        Column::new(
            "trace_bytes",
            Count(|row| row.trace_bytes),
            "size of the trace",
        ),
        Column::new(
            "warnings",
            Count(|row| row.warnings),
            "number of problems in the trace",
        ),
        Column::new(
            "external_changes",
            Count(|row| row.external_changes),
            "number of reads that contradict the last value known before them",
        ),
        Column::new("schema", Small(|_| SCHEMA), "version of these tables: 1"),
        Column::new(
            "producer",
            Word(|_| concat!("stepback ", env!("CARGO_PKG_VERSION"))),
            "program and version that wrote them",
        ),
    ];
}
