//! The result of a call profile, as plain data.

use stepback_index::{CallId, ThreadId};
use stepback_machine::Address;
use stepback_parsers::Position;

/// The cost of the calls in a part of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallProfile {
    /// Number of steps in the part, over all threads.
    pub steps: u64,
    /// True if the trace has times that are fine enough to measure calls.
    pub has_clock: bool,
    /// The functions; other tables refer to them by index.
    pub functions: Vec<FunctionUsage>,
    /// Sorted by caller, then callee.
    pub links: Vec<CallEdge>,
    /// Merged call stacks, as a tree. A stack precedes the stacks that grow from it. The first is
    /// the whole part.
    pub stacks: Vec<StackNode>,
    /// Number of calls whose function or stack was not distinguished because of the limits. Their
    /// cost counts for the enclosing frame.
    pub merged_calls: u64,
}

/// A function with all its calls in the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionUsage {
    /// Address of its first step.
    pub address: Address,
    /// One of its calls: the first in stack order.
    pub example: CallId,
    /// Entry position of the first call that is made in the part. If there is none, that of the
    /// first call that continues into it.
    pub first: Position,
    /// Cost of its calls; a call nested inside another of the same function counts once.
    pub totals: CallTotals,
}

/// Number and cost of some calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallTotals {
    /// Number of calls.
    pub calls: u64,
    /// Steps of the calls' threads, callees included.
    pub steps: u64,
    /// Steps without those of callees.
    pub own_steps: u64,
    /// Time from the first to the last moment of each call, callees included; 0 if unknown.
    pub time: u64,
    /// Time without that of callees.
    pub own_time: u64,
}

/// Edge of the call graph: the calls of one function by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEdge {
    /// Index of the calling function.
    pub caller: u32,
    /// Index of the called function.
    pub callee: u32,
    /// Entry position of the first such call that is made in the part, else of the first that
    /// continues into it.
    pub first: Position,
    /// Cost of the calls; one nested inside another of the same pair counts once. Own steps and
    /// times are 0.
    pub totals: CallTotals,
}

/// All stacks with the same functions in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackNode {
    /// Innermost element of the stack.
    pub who: StackNodeKind,
    /// Index of the parent stack; the root's is its own.
    pub parent: u32,
    /// Number of ancestors.
    pub depth: u32,
    /// Entry position of the first such call that is made in the part, else of the first that
    /// continues into it.
    pub first: Position,
    pub totals: CallTotals,
}

/// Innermost element of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackNodeKind {
    /// The whole part.
    Part,
    /// A thread; used if the trace has several.
    Thread(ThreadId),
    /// A function, by its index.
    Function(u32),
}
