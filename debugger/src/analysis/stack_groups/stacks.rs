//! Call stacks as a tree of functions, each stack once.

use std::collections::HashMap;

use stepback_index::{CallId, CallTable, StepRecord};
use stepback_machine::Address;

/// So many stacks are told apart, some 60 bytes each.
const STACKS: usize = 1 << 18;
/// So many frames are remembered with their stacks: the writers of a cell are mostly in frames that were met just before.
const KNOWN: usize = 1 << 16;

/// A call stack by its functions: two calls of a function from the same callers have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallStackId(u32);

/// All call stacks that were met. Memory: bounded.
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
    /// At most so many stacks, parts of others included.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            nodes: Vec::new(),
            places: HashMap::new(),
            known: HashMap::new(),
            limit,
        }
    }

    /// The stack whose innermost frame is this one; none where it is one more than the limit.
    ///
    /// Cost: the frames around it up to one that was met before.
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

    /// The functions of a stack, innermost first.
    pub fn functions(&self, stack: CallStackId) -> impl Iterator<Item = Address> + '_ {
        let node = |CallStackId(id): CallStackId| self.nodes.get(id as usize).copied();
        std::iter::successors(node(stack), move |inner| node(inner.caller?))
            .map(|node| node.function)
    }
}

/// The innermost frame around a step; none where the trace shows none. O(log n).
pub fn frame_around(record: &StepRecord, calls: &CallTable) -> Option<CallId> {
    calls.innermost_at(record.thread, record.step.before())
}
