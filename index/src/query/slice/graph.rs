//! Control flow graph of a function, from the trace and the images, and its control dependences.
//!
//! An instruction is control dependent on a branch if it post-dominates one of the branch's
//! successors, and not the branch itself (Ferrante, Ottenstein, Warren: The Program Dependence
//! Graph and Its Use in Optimization, 1987). Immediate post-dominators are computed as in Cooper,
//! Harvey, Kennedy: A Simple, Fast Dominance Algorithm, 2001, on the reversed graph.

use std::ops::Range;

use foldhash::HashMap;
use stepback_machine::Address;

use crate::answers::error::{Cancel, QueryError};

/// Node of the function's exit.
const EXIT: usize = 0;

/// Successors of an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FlowSuccessors {
    /// Addresses of successors within the function.
    pub to: Vec<Address>,
    /// True if control may also leave the function, or reach unknown code.
    pub may_leave: bool,
}

/// Control dependences of the instructions of a function. Memory: some words for each instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct ControlDependences {
    addresses: Vec<Address>,
    numbers: HashMap<Address, usize>,
    after: PostDominators,
    branches: Vec<BranchNode>,
}

/// Point at which the paths from a branch join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JoinPoint {
    /// The instruction has one successor.
    Nothing,
    /// The immediate post-dominator.
    At(Address),
    /// Not before the function ends.
    End,
}

/// An instruction with several successors.
#[derive(Clone, Debug)]
struct BranchNode {
    pc: Address,
    number: usize,
    ways: Vec<usize>,
}

impl ControlDependences {
    /// Computes the dependences of the function at `entry`; `ways` returns the successors of each
    /// instruction. The result is empty for a function with more instructions than `limit`.
    pub fn find(
        entry: Address,
        limit: usize,
        cancel: &Cancel,
        mut ways: impl FnMut(Address) -> Result<FlowSuccessors, QueryError>,
    ) -> Result<Self, QueryError> {
        let ways = |pc| {
            cancel.check()?;
            ways(pc)
        };
        let Some(mut graph) = FlowGraph::explore(entry, limit, ways)? else {
            return Ok(Self::default());
        };
        let numbers = std::mem::take(&mut graph.numbers);
        let after = PostDominators::of(graph.immediate_post_dominators(cancel)?);
        let places = graph
            .successors
            .into_iter()
            .enumerate()
            .filter(|(number, ways)| *number != EXIT && ways.len() > 1);
        let branches = places.filter_map(|(number, ways)| {
            let pc = *graph.addresses.get(number)?;
            Some(BranchNode { pc, number, ways })
        });
        let branches = branches.collect();
        Ok(Self {
            branches,
            addresses: graph.addresses,
            numbers,
            after,
        })
    }

    /// Returns the branches that an instruction is control dependent on. Empty if it runs whenever
    /// the function does; none if no path to it was found. Cost: linear in the branches of the
    /// function.
    pub fn of(&self, pc: Address) -> Option<impl Iterator<Item = Address>> {
        let here = *self.numbers.get(&pc)?;
        // It post-dominates one of the successors, but not all of them.
        let is_decided = move |branch: &&BranchNode| {
            let of_way = |way: &usize| self.after.post_dominates(here, *way);
            branch.ways.iter().any(of_way)
                && !self
                    .after
                    .immediate_post_dominator(branch.number)
                    .is_some_and(|join| of_way(&join))
        };
        Some(
            self.branches
                .iter()
                .filter(is_decided)
                .map(|branch| branch.pc),
        )
    }

    /// Returns the join point of an instruction; none if no path to it was found.
    pub fn join_point(&self, pc: Address) -> Option<JoinPoint> {
        let here = *self.numbers.get(&pc)?;
        let Some(branch) = self.branches.iter().find(|branch| branch.number == here) else {
            return Some(JoinPoint::Nothing);
        };
        Some(
            self.after
                .immediate_post_dominator(branch.number)
                .filter(|join| *join != EXIT)
                .map_or(JoinPoint::End, |join| {
                    self.addresses
                        .get(join)
                        .map_or(JoinPoint::End, |address| JoinPoint::At(*address))
                }),
        )
    }

    /// Returns the number of instructions.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// Post-dominator forest in depth-first numbering, so that a post-dominance test is a range check.
#[derive(Clone, Debug, Default)]
struct PostDominators {
    nearest: Vec<Option<usize>>,
    /// For each instruction, the depth-first numbers of the instructions that it post-dominates,
    /// itself first.
    spans: Vec<Range<usize>>,
}

impl PostDominators {
    fn of(nearest: Vec<Option<usize>>) -> Self {
        let mut before = vec![Vec::new(); nearest.len()];
        for (node, after) in nearest.iter().enumerate() {
            after.iter().for_each(|after| before[*after].push(node));
        }
        let mut spans = vec![0..0; nearest.len()];
        let mut count = 0;
        for root in (0..nearest.len()).filter(|node| nearest[*node].is_none()) {
            let mut open = vec![(root, 0)];
            while let Some((node, next)) = open.last_mut() {
                if *next == 0 {
                    spans[*node].start = count;
                    count += 1;
                }
                match before[*node].get(*next) {
                    Some(child) => {
                        *next += 1;
                        open.push((*child, 0));
                    }
                    None => {
                        spans[*node].end = count;
                        open.pop();
                    }
                }
            }
        }
        Self { nearest, spans }
    }

    /// Returns true if `one` post-dominates `other`, or they are equal.
    fn post_dominates(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.spans.get(one), self.spans.get(other));
        one.zip(other)
            .is_some_and(|(one, other)| one.contains(&other.start))
    }

    fn immediate_post_dominator(&self, node: usize) -> Option<usize> {
        self.nearest.get(node).copied().flatten()
    }
}

/// Control flow graph with numbered instructions; the exit is [`EXIT`].
struct FlowGraph {
    addresses: Vec<Address>,
    numbers: HashMap<Address, usize>,
    successors: Vec<Vec<usize>>,
}

impl FlowGraph {
    /// Explores the graph from `entry` with a worklist; none if it has more instructions than
    /// `limit`.
    fn explore(
        entry: Address,
        limit: usize,
        mut ways: impl FnMut(Address) -> Result<FlowSuccessors, QueryError>,
    ) -> Result<Option<Self>, QueryError> {
        let (addresses, successors) = (vec![Address(0)], vec![Vec::new()]);
        let mut graph = Self {
            addresses,
            successors,
            numbers: HashMap::default(),
        };
        let mut next = 1;
        graph.number_of(entry);
        while let Some(address) = graph.addresses.get(next).copied() {
            if graph.numbers.len() > limit {
                return Ok(None);
            }
            let FlowSuccessors { to, may_leave } = ways(address)?;
            let mut successors: Vec<usize> = to
                .into_iter()
                .map(|address| graph.number_of(address))
                .collect();
            if may_leave || successors.is_empty() {
                successors.push(EXIT);
            }
            successors.sort_unstable();
            successors.dedup();
            if let Some(known) = graph.successors.get_mut(next) {
                *known = successors;
            }
            next += 1;
        }
        Ok(Some(graph))
    }

    fn number_of(&mut self, address: Address) -> usize {
        *self.numbers.entry(address).or_insert_with(|| {
            self.addresses.push(address);
            self.successors.push(Vec::new());
            self.addresses.len() - 1
        })
    }

    /// Returns the immediate post-dominator of each instruction; none for the exit. Nodes without a
    /// path to the exit get an edge to it from one node of each endless loop.
    fn immediate_post_dominators(&self, cancel: &Cancel) -> Result<Vec<Option<usize>>, QueryError> {
        let count = self.addresses.len();
        let mut predecessors = vec![Vec::new(); count];
        for (node, successors) in self.successors.iter().enumerate() {
            successors
                .iter()
                .for_each(|successor| predecessors[*successor].push(node));
        }
        let mut order = Vec::new();
        let mut place = vec![None; count];
        reverse_postorder(EXIT, &predecessors, &mut place, &mut order);
        let mut is_loop = vec![false; count];
        for node in (1..count).rev() {
            if place[node].is_none() {
                is_loop[node] = true;
                reverse_postorder(node, &predecessors, &mut place, &mut order);
            }
        }
        // The exit comes first.
        order.reverse();
        let rank_of = |order: &[usize]| {
            let mut rank = vec![usize::MAX; count];
            order
                .iter()
                .enumerate()
                .for_each(|(number, node)| rank[*node] = number);
            rank
        };
        order.retain(|node| *node != EXIT);
        order.insert(0, EXIT);
        let rank = rank_of(&order);
        let mut nearest: Vec<Option<usize>> = vec![None; count];
        nearest[EXIT] = Some(EXIT);
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for node in order.iter().copied().filter(|node| *node != EXIT) {
                cancel.check()?;
                let out = self.successors[node]
                    .iter()
                    .copied()
                    .chain(is_loop[node].then_some(EXIT));
                let found = out
                    .filter(|to| nearest[*to].is_some())
                    .reduce(|one, other| {
                        nearest_common_post_dominator(&nearest, &rank, one, other)
                    });
                if found.is_some() && nearest[node] != found {
                    nearest[node] = found;
                    is_changed = true;
                }
            }
        }
        nearest[EXIT] = None;
        Ok(nearest)
    }
}

/// Appends the nodes that reach `from` to `order`, in postorder of the reversed graph.
fn reverse_postorder(
    from: usize,
    predecessors: &[Vec<usize>],
    place: &mut [Option<()>],
    order: &mut Vec<usize>,
) {
    let mut stack = vec![(from, 0)];
    place[from] = Some(());
    while let Some((node, next)) = stack.last_mut() {
        match predecessors[*node].get(*next).copied() {
            Some(before) => {
                *next += 1;
                if place[before].is_none() {
                    place[before] = Some(());
                    stack.push((before, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
}

/// Returns the nearest common post-dominator of two nodes (`intersect` in the paper).
fn nearest_common_post_dominator(
    nearest: &[Option<usize>],
    rank: &[usize],
    mut one: usize,
    mut other: usize,
) -> usize {
    while one != other {
        while rank[one] > rank[other] {
            one = nearest[one].unwrap_or(EXIT);
        }
        while rank[other] > rank[one] {
            other = nearest[other].unwrap_or(EXIT);
        }
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the controlling branches of each instruction, given its successors by number; those
    /// without successors end the function.
    fn deciders(edges: &[&[u64]]) -> Vec<Vec<u64>> {
        let ways = |Address(pc)| {
            let to = edges[pc as usize].iter().map(|to| Address(*to)).collect();
            Ok(FlowSuccessors {
                to,
                may_leave: false,
            })
        };
        let found = ControlDependences::find(Address(0), 1000, &Cancel::default(), ways).unwrap();
        (0..edges.len() as u64)
            .map(|pc| {
                let mut of: Vec<u64> = found
                    .of(Address(pc))
                    .unwrap()
                    .map(|Address(pc)| pc)
                    .collect();
                of.sort_unstable();
                of
            })
            .collect()
    }

    #[test]
    fn a_branch_decides_its_ways_and_not_what_comes_after_both() {
        // if 0 { 1 } else { 2 }; 3
        assert_eq!(
            deciders(&[&[1, 2], &[3], &[3], &[]]),
            [vec![], vec![0], vec![0], vec![]]
        );
    }

    #[test]
    fn a_loop_is_decided_by_its_own_branch() {
        // 0; do { 1; 2 } while 2; 3
        assert_eq!(
            deciders(&[&[1], &[2], &[1, 3], &[]]),
            [vec![], vec![2], vec![2], vec![]]
        );
    }

    #[test]
    fn what_follows_an_early_return_is_decided_by_it() {
        // if 0 { return 1 }; 2; if 2 { 3 }; 4
        let found = deciders(&[&[1, 2], &[], &[3, 4], &[4], &[]]);
        assert_eq!(found, [vec![], vec![0], vec![0], vec![2], vec![0]]);
    }

    #[test]
    fn of_what_is_too_long_or_not_reached_nothing_is_known() {
        let chain = |Address(pc)| {
            Ok(FlowSuccessors {
                to: vec![Address(pc + 1)],
                may_leave: pc == 7,
            })
        };
        let found = ControlDependences::find(Address(0), 5, &Cancel::default(), chain).unwrap();
        assert!(found.of(Address(0)).is_none());
        let ends = |_| Ok(FlowSuccessors::default());
        let found = ControlDependences::find(Address(0), 5, &Cancel::default(), ends).unwrap();
        assert!(found.of(Address(0)).is_some() && found.of(Address(9)).is_none());
    }

    #[test]
    fn an_endless_loop_has_an_end_for_this() {
        // if 0 { loop { 1; 2 } }; 3
        let found = deciders(&[&[1, 3], &[2], &[1], &[]]);
        assert_eq!(found[3], [0]);
        assert_eq!(found[1], [0]);
    }
}
