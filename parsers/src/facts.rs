//! What a source tells of its trace besides events.

use serde::{Deserialize, Serialize};
use stepback_machine::{Endian, InstructionSet};

/// What a source tells about itself. Kept in the index and part of its fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceTraits {
    /// The format's name on the command line, `"tarmac"`.
    #[serde(deserialize_with = "crate::decoded_text::text")]
    pub format: String,
    /// Byte order of the traced CPU.
    pub endian: Endian,
    /// Unit of the timestamps as the trace writes it (`"clk"`); none when it names none.
    #[serde(deserialize_with = "crate::decoded_text::text_or_none")]
    pub time_unit: Option<String>,
    /// Instruction set of the first step: what registers before it mean.
    pub instruction_set: InstructionSet,
    /// What tells of registers and of values.
    pub registers: RegisterSource,
    /// Options that change what the events are, in a canonical spelling: an index built with others is stale.
    #[serde(deserialize_with = "crate::decoded_text::text")]
    pub options: String,
}

/// What tells of registers and of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RegisterSource {
    /// The trace records writes of registers, and values.
    #[default]
    Recorded,
    /// The trace records neither: what an instruction does to registers follows from its operands,
    /// and an access bears no value.
    Operands,
}

/// What a trace records from some place on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordingScope {
    /// True when instructions or accesses are left out, as by a cache that the recorder simulated.
    pub is_filtered: bool,
    /// True when instructions are left out: what a branch leads to need not be recorded.
    pub lacks_steps: bool,
    /// True when each system call is told.
    pub has_system_calls: bool,
}

/// A thread of which the trace says more than its events tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownThread {
    /// Its name, as the events have it.
    pub name: String,
    /// The name of its process; none when the trace does not say it.
    pub process: Option<String>,
    /// True for a core that has nothing to run, which is no thread.
    pub is_idle: bool,
}
