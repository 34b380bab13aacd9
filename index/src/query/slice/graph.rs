//! The paths through a function, as far as the trace and the images show them, and which branches decide what on them runs.
//!
//! An instruction depends on a branch when one of its ways leads there for sure, and another need not: it stands behind one of
//! them on every path to the end of the function (it post-dominates it), and not behind the branch itself
//! (Ferrante, Ottenstein, Warren: The Program Dependence Graph and Its Use in Optimization, 1987).
//! The nearest instruction behind one on every path to the end is found as in Cooper, Harvey, Kennedy:
//! A Simple, Fast Dominance Algorithm, 2001, on the graph turned round.

use foldhash::HashMap;
use stepback_machine::Address;

/// So many pairs of branches and what they decide are kept of a function.
const ENTRIES: usize = 1 << 22;
/// The end of the function.
const EXIT: usize = 0;

/// Where control may go from an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ways {
    /// To these instructions.
    pub to: Vec<Address>,
    /// It may also leave the function, or go where nothing is known.
    pub may_leave: bool,
}

/// Which branches decide about an instruction, by their addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct Deciders {
    of: HashMap<Address, Vec<Address>>,
}

impl Deciders {
    /// Those about an instruction; none where it runs whenever the function does.
    pub fn of(&self, pc: Address) -> &[Address] {
        self.of.get(&pc).map_or(&[], Vec::as_slice)
    }

    /// Of a function that begins at an address; `ways` tells where control may go from each instruction.
    /// Instructions beyond `limit` count as the end.
    pub fn find<E>(entry: Address, limit: usize, ways: impl FnMut(Address) -> Result<Ways, E>) -> Result<Self, E> {
        let graph = Graph::explore(entry, limit, ways)?;
        let nearest = graph.nearest_behind();
        let mut of: HashMap<Address, Vec<Address>> = HashMap::default();
        let mut entries = 0;
        for (branch, successors) in graph.successors.iter().enumerate() {
            if branch == EXIT || successors.len() < 2 {
                continue;
            }
            let Some(pc) = graph.addresses.get(branch) else { continue };
            let behind = nearest.get(branch).copied().flatten();
            for successor in successors {
                let mut node = Some(*successor);
                while let Some(here) = node.filter(|here| Some(*here) != behind && *here != EXIT) {
                    if let Some(address) = graph.addresses.get(here) {
                        let deciders = of.entry(*address).or_default();
                        // All that one branch decides comes together.
                        if deciders.last() != Some(pc) && entries < ENTRIES {
                            deciders.push(*pc);
                            entries += 1;
                        }
                    }
                    node = nearest.get(here).copied().flatten();
                }
            }
        }
        Ok(Self { of })
    }
}

/// Instructions by numbers; that of the end is [`EXIT`].
struct Graph {
    addresses: Vec<Address>,
    successors: Vec<Vec<usize>>,
}

impl Graph {
    fn explore<E>(entry: Address, limit: usize, mut ways: impl FnMut(Address) -> Result<Ways, E>) -> Result<Self, E> {
        let mut graph = Self { addresses: vec![Address(0)], successors: vec![Vec::new()] };
        let mut numbers: HashMap<Address, usize> = HashMap::default();
        let mut next = 1;
        graph.number_of(entry, limit, &mut numbers);
        while let Some(address) = graph.addresses.get(next).copied() {
            let Ways { to, may_leave } = ways(address)?;
            let mut successors: Vec<usize> =
                to.into_iter().map(|address| graph.number_of(address, limit, &mut numbers)).collect();
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
        Ok(graph)
    }

    fn number_of(&mut self, address: Address, limit: usize, numbers: &mut HashMap<Address, usize>) -> usize {
        if let Some(number) = numbers.get(&address) {
            return *number;
        }
        if self.addresses.len() > limit {
            return EXIT;
        }
        numbers.insert(address, self.addresses.len());
        self.addresses.push(address);
        self.successors.push(Vec::new());
        self.addresses.len() - 1
    }

    /// For each instruction the nearest one that stands behind it on every path to the end; none for the end.
    /// An endless loop counts as one that may end at any instruction of it.
    fn nearest_behind(&self) -> Vec<Option<usize>> {
        let count = self.addresses.len();
        let mut predecessors = vec![Vec::new(); count];
        for (node, successors) in self.successors.iter().enumerate() {
            successors.iter().for_each(|successor| predecessors[*successor].push(node));
        }
        let mut order = Vec::new();
        let mut place = vec![None; count];
        walk_back(EXIT, &predecessors, &mut place, &mut order);
        let mut is_loop = vec![false; count];
        for node in (1..count).rev() {
            if place[node].is_none() {
                is_loop[node] = true;
                walk_back(node, &predecessors, &mut place, &mut order);
            }
        }
        // The end first.
        order.reverse();
        let rank_of = |order: &[usize]| {
            let mut rank = vec![usize::MAX; count];
            order.iter().enumerate().for_each(|(number, node)| rank[*node] = number);
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
                let out = self.successors[node].iter().copied().chain(is_loop[node].then_some(EXIT));
                let found =
                    out.filter(|to| nearest[*to].is_some()).reduce(|one, other| meet(&nearest, &rank, one, other));
                if found.is_some() && nearest[node] != found {
                    nearest[node] = found;
                    is_changed = true;
                }
            }
        }
        nearest[EXIT] = None;
        nearest
    }
}

/// The nodes from which one is reached, each behind those that it leads to last.
fn walk_back(from: usize, predecessors: &[Vec<usize>], place: &mut [Option<()>], order: &mut Vec<usize>) {
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

/// The nearest node behind both.
fn meet(nearest: &[Option<usize>], rank: &[usize], mut one: usize, mut other: usize) -> usize {
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
    use std::convert::Infallible;

    use super::*;

    /// Instructions by number with where they go; those that go nowhere end the function.
    fn deciders(edges: &[&[u64]]) -> Vec<Vec<u64>> {
        let ways = |Address(pc)| {
            let to = edges[pc as usize].iter().map(|to| Address(*to)).collect();
            Ok::<_, Infallible>(Ways { to, may_leave: false })
        };
        let Ok(found) = Deciders::find(Address(0), 1000, ways);
        (0..edges.len() as u64)
            .map(|pc| {
                let mut of: Vec<u64> = found.of(Address(pc)).iter().map(|Address(pc)| *pc).collect();
                of.sort_unstable();
                of
            })
            .collect()
    }

    #[test]
    fn a_branch_decides_its_ways_and_not_what_comes_behind_both() {
        // if 0 { 1 } else { 2 }; 3
        assert_eq!(deciders(&[&[1, 2], &[3], &[3], &[]]), [vec![], vec![0], vec![0], vec![]]);
    }

    #[test]
    fn a_loop_is_decided_by_its_own_branch() {
        // 0; do { 1; 2 } while 2; 3
        assert_eq!(deciders(&[&[1], &[2], &[1, 3], &[]]), [vec![], vec![2], vec![2], vec![]]);
    }

    #[test]
    fn what_follows_an_early_return_is_decided_by_it() {
        // if 0 { return 1 }; 2; if 2 { 3 }; 4
        let found = deciders(&[&[1, 2], &[], &[3, 4], &[4], &[]]);
        assert_eq!(found, [vec![], vec![0], vec![0], vec![2], vec![0]]);
    }

    #[test]
    fn an_endless_loop_has_an_end_for_this() {
        // if 0 { loop { 1; 2 } }; 3
        let found = deciders(&[&[1, 3], &[2], &[1], &[]]);
        assert_eq!(found[3], [0]);
        assert_eq!(found[1], [0]);
    }
}
