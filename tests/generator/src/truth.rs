//! The truth about a generated trace.

/// The truth about a generated trace. Steps count from 0, lines from 1; positions are those of the
/// index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// Total number of steps.
    pub steps: u64,
    /// Total number of lines.
    pub lines: u64,
    /// Total number of bytes.
    pub bytes: u64,
    /// Times of the first and the last step.
    pub times: (u64, u64),
    /// All calls in order of their call steps.
    pub calls: Vec<CallTruth>,
    /// States at some positions, ascending.
    pub checkpoints: Vec<Checkpoint>,
    /// Some pairs of writes of the same bytes with no other between them.
    pub rewrites: Vec<Rewrite>,
    /// Some pairs of visits of an address with no other between them.
    pub revisits: Vec<Revisit>,
    /// Each address with the number of its visits. Empty for shapes whose steps all have different
    /// addresses.
    pub visits: Vec<(u64, u64)>,
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallTruth {
    /// The calling step.
    pub call_step: u64,
    /// Address of the called function.
    pub function: u64,
    /// The returning step. None if the trace ends before it.
    pub exit_step: Option<u64>,
    /// Number of enclosing calls.
    pub depth: u32,
}

/// The state at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The position, equal to the number of completed steps.
    pub position: u64,
    /// The address of the last step.
    pub pc: u64,
    /// The line of the last step.
    pub line: u64,
    /// The time of the last step.
    pub time: u64,
    /// The last step's disassembly.
    pub text: String,
    /// All registers of the machine.
    pub registers: Vec<RegisterTruth>,
    /// Some pieces of memory.
    pub memory: Vec<MemoryTruth>,
    /// The call steps of the frames, outermost first.
    pub stack: Vec<u64>,
}

/// A register at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterTruth {
    /// `x0`, `sp`, `psr`, `v0`.
    pub name: String,
    /// Its value. None before the trace first states it.
    pub value: Option<u64>,
    /// Position after its last write, 0 for the state at the start.
    pub written_at: Option<u64>,
}

/// Some bytes of memory at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryTruth {
    /// Address of the first byte.
    pub address: u64,
    /// Actual values of the bytes, even those that the trace has not stated.
    pub bytes: Vec<u8>,
    /// For each byte, the position after the last access that states its value. None if the trace
    /// has not stated it yet.
    pub seen_at: Vec<Option<u64>>,
    /// For each byte, the step that wrote it last.
    pub written_by: Vec<Option<u64>>,
}

/// A cell that was written twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rewritten {
    /// A register.
    Register(String),
    /// The byte at an address.
    Byte(u64),
}

/// Two writes with no other between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The written cell.
    pub cell: Rewritten,
    /// The first write. None if the other is the first of all.
    pub earlier: Option<u64>,
    /// The second write.
    pub later: u64,
}

/// Two visits of an address with no other between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revisit {
    /// The visited address.
    pub pc: u64,
    /// The first visit. None if the other is the first of all.
    pub earlier: Option<u64>,
    /// The second visit.
    pub later: u64,
    /// Number of the second visit, from 1.
    pub number: u64,
}
