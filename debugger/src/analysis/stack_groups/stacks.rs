//! Call stacks as a tree of functions, each stack once.

use std::collections::HashMap;

use stepback_index::{CallId, CallTable, StepRecord};
use stepback_machine::Address;

/// Maximum number of distinct stacks, at about 60 bytes each.
const STACKS: usize = 1 << 18;
/// Maximum number of cached frames. The writers of a cell are mostly in recently seen frames.
const KNOWN: usize = 1 << 16;

/// A call stack by its functions. Two calls of a function from the same callers have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallStackId(u32);

/// All call stacks seen. Memory is bounded.
#[derive(Debug)]
pub struct CallStackSet {
    nodes: Vec<CallStackNode>,
    places: HashMap<(Option<CallStackId>, Address), CallStackId>,
    known: HashMap<CallId, CallStackId>,
    limit: usize,
}

/// A stack: one function on top of another stack.
#[derive(Clone, Copy, Debug)]
struct CallStackNode {
    caller: Option<CallStackId>,
    function: Address,
}

impl Default for CallStackSet {
    fn default() -> Self {
        Self::with_limit(STACKS)
    }
}

impl CallStackSet {
    /// Creates an empty set of at most `limit` stacks, prefixes of others included.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            nodes: Vec::new(),
            places: HashMap::new(),
            known: HashMap::new(),
            limit,
        }
    }

    /// Returns the stack with this innermost frame; `None` if it would exceed the limit.
    ///
    /// Cost: the frames around it, up to one that is cached.
    pub fn of(&mut self, innermost: CallId, calls: &CallTable) -> Option<CallStackId> {
        let (mut fresh, mut next, mut stack) = (Vec::new(), Some(innermost), None);
        while let Some(id) = next {
            if let Some(known) = self.known.get(&id) {
                stack = Some(*known);
                break;
            }
            let call = calls.get(id)?;
            fresh.push((id, call.function));
            next = call.parent;
        }
        for (id, function) in fresh.into_iter().rev() {
            let grown = self.grown(stack, function)?;
            self.remember(id, grown);
            stack = Some(grown);
        }
        stack
    }

    fn grown(&mut self, caller: Option<CallStackId>, function: Address) -> Option<CallStackId> {
        if let Some(known) = self.places.get(&(caller, function)) {
            return Some(*known);
        }
        let id = CallStackId(
            u32::try_from(self.nodes.len())
                .ok()
                .filter(|_| self.nodes.len() < self.limit)?,
        );
        self.nodes.push(CallStackNode { caller, function });
        self.places.insert((caller, function), id);
        Some(id)
    }

    fn remember(&mut self, frame: CallId, stack: CallStackId) {
        if self.known.len() >= KNOWN {
            self.known.clear();
        }
        self.known.insert(frame, stack);
    }

    /// Iterates over the functions of a stack, innermost first.
    pub fn functions(&self, stack: CallStackId) -> impl Iterator<Item = Address> + '_ {
        let node = |CallStackId(id): CallStackId| self.nodes.get(id as usize).copied();
        std::iter::successors(node(stack), move |inner| node(inner.caller?))
            .map(|node| node.function)
    }
}

/// Returns the innermost frame around a step; `None` if the trace shows none. O(log n).
pub fn frame_around(record: &StepRecord, calls: &CallTable) -> Option<CallId> {
    calls.innermost_at(record.thread, record.step.before())
}
