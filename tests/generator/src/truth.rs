//! What is true of a generated trace.

/// What is true of a generated trace. Steps count from 0, lines from 1, positions are those of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// Steps in all.
    pub steps: u64,
    /// Lines in all.
    pub lines: u64,
    /// Bytes in all.
    pub bytes: u64,
    /// Times of the first and the last step.
    pub times: (u64, u64),
    /// All calls in order of their call steps.
    pub calls: Vec<CallTruth>,
    /// States at some positions, upwards.
    pub checkpoints: Vec<Checkpoint>,
    /// Some pairs of writes of the same bytes with no other between them.
    pub rewrites: Vec<Rewrite>,
    /// Some pairs of visits of an address with no other between them.
    pub revisits: Vec<Revisit>,
    /// Each address with the number of its visits. Empty for shapes where each step has its own.
    pub visits: Vec<(u64, u64)>,
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallTruth {
    /// The step that called.
    pub call_step: u64,
    /// Where it went.
    pub function: u64,
    /// The step that returned; none when the trace ends before.
    pub exit_step: Option<u64>,
    /// How many calls are around it.
    pub depth: u32,
}

/// The state at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which: so many steps are done.
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
    /// Its value; none before the trace first states it.
    pub value: Option<u64>,
    /// The position after its last write, 0 for the state at the start.
    pub written_at: Option<u64>,
}

/// Some bytes of memory at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryTruth {
    /// The address of the first.
    pub address: u64,
    /// What each holds, as a program would find it, told by the trace or not.
    pub bytes: Vec<u8>,
    /// For each the position after the last access that tells its value; none when the trace did not tell it yet.
    pub seen_at: Vec<Option<u64>>,
    /// For each the step that wrote it last.
    pub written_by: Vec<Option<u64>>,
}

/// What was written twice.
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
    /// Of what.
    pub cell: Rewritten,
    /// The step of the first; none when the other is the first of all.
    pub earlier: Option<u64>,
    /// The step of the second.
    pub later: u64,
}

/// Two visits of an address with no other between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revisit {
    /// Which address.
    pub pc: u64,
    /// The first step; none when the other is the first of all.
    pub earlier: Option<u64>,
    /// The second step.
    pub later: u64,
    /// Which visit the second is, from 1.
    pub number: u64,
}
