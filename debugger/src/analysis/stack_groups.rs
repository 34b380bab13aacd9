//! Counts hits by call stack ([`StackGroups`]).
//!
//! Stacks are interned as a tree of functions, so that each common prefix is stored once. Beyond
//! the limit, hits are counted without their stacks.

use std::collections::HashMap;

use stepback_index::answer::{CallId, CallTable, Hit, StepRecord};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

/// Common property of the hits in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupKey {
    /// A call stack.
    Stack(CallStackId),
    /// The trace shows no frame around them.
    NoFrame,
    /// Their stacks exceed the limit of distinct stacks.
    Others,
}

/// Hits with one call stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackGroup {
    pub key: GroupKey,
    /// Number of hits.
    pub count: u64,
    /// First step in the trace, and the position where it is visible.
    pub first: (Step, Position),
    /// Last step in the trace, and the position where it is visible.
    pub last: (Step, Position),
}

/// Hits grouped by call stack; they may arrive in any order. Memory is bounded by the limit on
/// distinct stacks.
#[derive(Debug, Default)]
pub struct StackGroups {
    stacks: CallStackSet,
    groups: Vec<StackGroup>,
    places: HashMap<GroupKey, usize>,
    count: u64,
}

impl StackGroups {
    /// Creates groups with given stacks, for another limit.
    pub fn new(stacks: CallStackSet) -> Self {
        Self {
            stacks,
            ..Self::default()
        }
    }

    /// Counts a hit. Returns the index of its group, which stays valid.
    ///
    /// Cost: O(log n), and the frames around the hit that are new.
    pub fn take(&mut self, hit: &Hit, calls: &CallTable) -> usize {
        let key = match frame_around(&hit.record, calls) {
            None => GroupKey::NoFrame,
            Some(frame) => self
                .stacks
                .of(frame, calls)
                .map_or(GroupKey::Others, GroupKey::Stack),
        };
        let seen = (hit.record.step, hit.position);
        let place = *self.places.entry(key).or_insert(self.groups.len());
        match self.groups.get_mut(place) {
            Some(group) => {
                group.count += 1;
                (group.first, group.last) = (group.first.min(seen), group.last.max(seen));
            }
            None => self.groups.push(StackGroup {
                key,
                count: 1,
                first: seen,
                last: seen,
            }),
        }
        self.count += 1;
        place
    }

    /// Returns the total number of hits.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns all groups in the order of their first hits.
    pub fn all(&self) -> &[StackGroup] {
        &self.groups
    }

    /// Returns the groups with their indices, those with most hits first.
    pub fn sorted(&self) -> Vec<(usize, &StackGroup)> {
        let mut sorted: Vec<(usize, &StackGroup)> = self.groups.iter().enumerate().collect();
        sorted.sort_by_key(|(_, group)| (std::cmp::Reverse(group.count), group.first));
        sorted
    }

    /// Iterates over the functions of a group's stack, innermost first; empty for a group without a
    /// stack.
    pub fn functions(&self, key: GroupKey) -> impl Iterator<Item = Address> + '_ {
        let stack = match key {
            GroupKey::Stack(stack) => Some(stack),
            GroupKey::NoFrame | GroupKey::Others => None,
        };
        stack
            .into_iter()
            .flat_map(|stack| self.stacks.functions(stack))
    }
}

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

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use stepback_index::Cancel;
    use stepback_index::answer::AccessKinds;

    use super::*;
    use crate::analysis::search::Search;
    use crate::analysis::search::meaning::SearchParser;
    use crate::analysis::search::stream::SearchExtent;
    use crate::notes::FindKind;
    use crate::session::Session;
    use crate::session::test_session::overflow_with_image;

    fn writes(session: &Session, cell: &str, mut groups: StackGroups) -> Vec<String> {
        let cancel = Cancel::default();
        let reader =
            SearchParser::new(&session.index, &session.images, Position(0), &cancel).unwrap();
        let Search::Accesses(cell, _, value) =
            reader.read(cell, FindKind::Accesses).unwrap().search
        else {
            panic!("{cell} is neither a register nor memory")
        };
        let search = Search::Accesses(cell, AccessKinds::Writes, value);
        let extent = SearchExtent {
            thread: None,
            from: Position(0),
            limit: usize::MAX,
        };
        let stream = search.stream(extent, &session.index, &cancel, |found| {
            found
                .hits
                .iter()
                .for_each(|hit| _ = groups.take(hit, session.index.calls()));
            ControlFlow::Continue(())
        });
        stream.unwrap();
        let line = |(_, group): (usize, &StackGroup)| {
            let name = |function| {
                session
                    .images
                    .code_at(function)
                    .map_or_else(String::new, |at| at.to_string())
            };
            let stack: Vec<String> = groups.functions(group.key).map(name).collect();
            format!(
                "{} {}..{} {}",
                group.count,
                group.first.0.0,
                group.last.0.0,
                stack.join(" < ")
            )
        };
        groups.sorted().into_iter().map(line).collect()
    }

    #[test]
    fn writes_with_the_same_callers_are_one_group_and_the_largest_is_first() {
        let found = writes(
            &overflow_with_image(),
            "0x80020010:8",
            StackGroups::default(),
        );
        let expected = [
            "8 1249..1382 decode_field < open_session < main < _start",
            "1 726..726 new_handler < open_session < main < _start",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn stacks_beyond_the_limit_are_counted_together() {
        let found = writes(
            &overflow_with_image(),
            "x2",
            StackGroups::new(CallStackSet::with_limit(3)),
        );
        assert_eq!(
            found,
            [
                "232 105..1761 ",
                "4 29..53 mini_atoi < main < _start",
                "1 82..82 main < _start"
            ]
        );
    }
}
