//! The events of a trace at one time.

use stepback_index::ThreadId;
use stepback_machine::{AccessKind, Address, RegisterView};

/// An instruction with its events, or the events at a time without an instruction.
#[derive(Clone, Debug, Default)]
pub struct DumpNode {
    /// Time; never less than that of the preceding node.
    pub time: u64,
    /// The instruction; at most one.
    pub instruction: Option<NodeInstruction>,
    /// Threads with an event, each once.
    pub threads: Vec<ThreadId>,
    /// Registers that were written.
    pub writes: Vec<(ThreadId, RegisterView)>,
    /// Memory accesses, in trace order.
    pub accesses: Vec<NodeAccess>,
}

/// The instruction of a node.
#[derive(Clone, Debug)]
pub struct NodeInstruction {
    /// The thread that reached it.
    pub thread: ThreadId,
    /// Step number.
    pub step: u64,
    /// Address; bit 0 is clear for Thumb code too, as `tarmac-vcd` shows it.
    pub pc: u64,
    pub opcode: u32,
    /// Disassembly in the trace.
    pub text: Vec<u8>,
    /// False if its condition failed.
    pub is_executed: bool,
}

/// A memory access.
#[derive(Clone, Copy, Debug)]
pub struct NodeAccess {
    pub thread: ThreadId,
    /// Load or store.
    pub kind: AccessKind,
    /// Lowest address.
    pub address: Address,
    /// The number that was loaded or stored; `None` if the trace does not record it.
    pub value: Option<u64>,
}

impl DumpNode {
    /// Clears the node for a time and keeps its buffers.
    pub fn restart(&mut self, time: u64) {
        self.time = time;
        self.instruction = None;
        self.threads.clear();
        self.writes.clear();
        self.accesses.clear();
    }

    /// Adds a thread that has an event.
    pub fn note(&mut self, thread: ThreadId) {
        if !self.threads.contains(&thread) {
            self.threads.push(thread);
        }
    }
}
