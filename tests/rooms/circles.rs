//! Cycles in a graph.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A dependency graph: the nodes that each node uses.
pub type Graph<T> = BTreeMap<T, BTreeSet<T>>;

/// Returns the strongly connected components of more than one node. Cost: `O(nodes * arrows)` in
/// the worst case.
pub fn circles<T: Copy + Ord>(graph: &Graph<T>) -> Vec<Vec<T>> {
    let mut left: BTreeSet<T> = graph.keys().copied().collect();
    let backward = reversed(graph);
    let mut found = Vec::new();
    while let Some(start) = left.first().copied() {
        let ahead = reached(graph, start, &left);
        let after = reached(&backward, start, &left);
        let both: Vec<T> = ahead.intersection(&after).copied().collect();
        left.remove(&start);
        both.iter().for_each(|node| {
            left.remove(node);
        });
        if both.len() > 1 {
            found.push(both);
        }
    }
    found
}

/// Returns the shortest cycle within `nodes`, with the first node repeated at the end.
pub fn shortest<T: Copy + Ord>(graph: &Graph<T>, nodes: &[T]) -> Vec<T> {
    let inside: BTreeSet<T> = nodes.iter().copied().collect();
    let rounds = nodes
        .iter()
        .filter_map(|start| round_from(graph, *start, &inside));
    rounds.min_by_key(Vec::len).unwrap_or_default()
}

fn round_from<T: Copy + Ord>(graph: &Graph<T>, start: T, inside: &BTreeSet<T>) -> Option<Vec<T>> {
    let mut came_from: BTreeMap<T, T> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(node) = waiting.pop_front() {
        for next in graph
            .get(&node)
            .into_iter()
            .flatten()
            .filter(|next| inside.contains(next))
        {
            if *next == start {
                let mut round = vec![start, node];
                while let Some(before) = came_from.get(round.last()?) {
                    round.push(*before);
                }
                round.reverse();
                return Some(round);
            }
            if !came_from.contains_key(next) {
                came_from.insert(*next, node);
                waiting.push_back(*next);
            }
        }
    }
    None
}

fn reversed<T: Copy + Ord>(graph: &Graph<T>) -> Graph<T> {
    let mut backward = Graph::new();
    for (from, all) in graph {
        for to in all {
            backward
                .entry(*to)
                .or_insert_with(BTreeSet::new)
                .insert(*from);
        }
    }
    backward
}

fn reached<T: Copy + Ord>(graph: &Graph<T>, start: T, inside: &BTreeSet<T>) -> BTreeSet<T> {
    let mut reached = BTreeSet::from([start]);
    let mut waiting = vec![start];
    while let Some(node) = waiting.pop() {
        for next in graph.get(&node).into_iter().flatten() {
            if inside.contains(next) && reached.insert(*next) {
                waiting.push(*next);
            }
        }
    }
    reached
}
