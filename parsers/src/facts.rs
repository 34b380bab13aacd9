//! Facts about a trace that a source provides besides its events.

use serde::{Deserialize, Serialize};
use stepback_machine::{Endian, InstructionSet};

/// Properties of a source. They are stored in the index and are part of its fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceTraits {
    /// The format's name on the command line, `"tarmac"`.
    #[serde(deserialize_with = "crate::decoded_text::text")]
    pub format: String,
    /// Byte order of the traced CPU.
    pub endian: Endian,
    /// Unit of the timestamps as written in the trace (`"clk"`); `None` if it has none.
    #[serde(deserialize_with = "crate::decoded_text::text_or_none")]
    pub time_unit: Option<String>,
    /// Instruction set of the first step, in which register names before it are interpreted.
    pub instruction_set: InstructionSet,
    /// Source of register contents and values.
    pub registers: RegisterSource,
    /// Options that affect the events, in a canonical spelling. An index that was built with other
    /// options is stale.
    #[serde(deserialize_with = "crate::decoded_text::text")]
    pub options: String,
}

/// Source of register contents and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RegisterSource {
    /// The trace records register writes and values.
    #[default]
    Recorded,
    /// The trace records neither. Register effects follow from the operands of instructions, and
    /// accesses have no values.
    Operands,
}

/// Extent of what a trace records from some point on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordingScope {
    /// True if instructions or accesses are left out, for example by a cache that the recorder
    /// simulated.
    pub is_filtered: bool,
    /// True if instructions are left out: the target of a branch may not be recorded.
    pub lacks_steps: bool,
    /// True if every system call is recorded.
    pub has_system_calls: bool,
}

/// Facts about a thread that its events do not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownThread {
    /// Name as in the events.
    pub name: String,
    /// Name of its process; `None` if the trace does not record it.
    pub process: Option<String>,
    /// True for a core that has nothing to run, which is not a thread.
    pub is_idle: bool,
}
