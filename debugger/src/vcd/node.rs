//! What the trace tells at one time.

use stepback_index::ThreadId;
use stepback_machine::{AccessKind, Address, RegisterView};

/// An instruction with what belongs to it, or what the trace tells at a time without one.
#[derive(Clone, Debug, Default)]
pub struct DumpNode {
    /// Never less than that of the node before.
    pub time: u64,
    /// The instruction; at most one.
    pub instruction: Option<NodeInstruction>,
    /// The threads that did something, each once.
    pub threads: Vec<ThreadId>,
    /// Registers that were written.
    pub writes: Vec<(ThreadId, RegisterView)>,
    /// Accesses to memory, in trace order.
    pub accesses: Vec<NodeAccess>,
}

/// The instruction of a node.
#[derive(Clone, Debug)]
pub struct NodeInstruction {
    /// The thread that reached it.
    pub thread: ThreadId,
    /// Its number.
    pub step: u64,
    /// Where it lies; Thumb code has bit 0 clear too, as `tarmac-vcd` shows it.
    pub pc: u64,
    /// Its encoding.
    pub opcode: u32,
    /// The disassembly as the trace has it.
    pub text: Vec<u8>,
    /// False when its condition failed.
    pub is_executed: bool,
}

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub struct NodeAccess {
    /// Whose.
    pub thread: ThreadId,
    /// Load or store.
    pub kind: AccessKind,
    /// Lowest address.
    pub address: Address,
    /// The number that was loaded or stored; none when the trace does not say.
    pub value: Option<u64>,
}

impl DumpNode {
    /// Makes it a node without anything at a time. Its room is used again.
    pub fn restart(&mut self, time: u64) {
        self.time = time;
        self.instruction = None;
        self.threads.clear();
        self.writes.clear();
        self.accesses.clear();
    }

    /// Takes note that a thread did something.
    pub fn note(&mut self, thread: ThreadId) {
        if !self.threads.contains(&thread) {
            self.threads.push(thread);
        }
    }
}
