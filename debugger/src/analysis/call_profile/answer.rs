//! What a profile tells: plain data.

use stepback_index::{CallId, ThreadId};
use stepback_machine::Address;
use stepback_parsers::Position;

/// What the calls in a part of a trace took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallProfile {
    /// Steps of the part, of all threads.
    pub steps: u64,
    /// Whether the trace tells times that are fine enough to measure calls.
    pub has_clock: bool,
    /// By their places others name them.
    pub functions: Vec<FunctionUsage>,
    /// By caller, then callee.
    pub links: Vec<CallEdge>,
    /// The stacks, merged: those that call stand before those that they call. The first is the part as a whole.
    pub stacks: Vec<StackNode>,
    /// Calls whose function or stack is not told apart, since there are too many; they count for what is around them.
    pub merged_calls: u64,
}

/// A function, and all its calls in the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionUsage {
    /// The address of its first step.
    pub address: Address,
    /// One of its calls, the first of its stack.
    pub example: CallId,
    /// Where the first call that is made in the part is entered; where none is, the first that goes on in it.
    pub first: Position,
    /// What its calls took, those inside others of the same function once.
    pub totals: CallTotals,
}

/// What calls took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallTotals {
    /// How many there are.
    pub calls: u64,
    /// Steps of their threads inside them.
    pub steps: u64,
    /// The same without the calls inside.
    pub own_steps: u64,
    /// From the first to the last moment of each; 0 where nothing tells.
    pub time: u64,
    /// The same without the calls inside.
    pub own_time: u64,
}

/// Calls of one function by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEdge {
    /// Place of the function that called.
    pub caller: u32,
    /// Place of the function that was called.
    pub callee: u32,
    /// Where the first such call that is made in the part is entered; else the first that goes on in it.
    pub first: Position,
    /// The calls, those inside others of the same two functions once; nothing is told of own steps.
    pub totals: CallTotals,
}

/// All stacks with the same functions in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackNode {
    /// What is on top of it.
    pub who: StackNodeKind,
    /// Place of the stack that it grows from; its own for the first.
    pub parent: u32,
    /// How many stacks it grows from.
    pub depth: u32,
    /// Where the first such call that is made in the part is entered; else the first that goes on in it.
    pub first: Position,
    /// What the calls took.
    pub totals: CallTotals,
}

/// What a stack has on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackNodeKind {
    /// Everything.
    Part,
    /// A thread, where there are several.
    Thread(ThreadId),
    /// A function by its place.
    Function(u32),
}
