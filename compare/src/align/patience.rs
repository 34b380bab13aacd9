//! Anchors of two long sequences: runs of addresses that occur once on each side (patience diff).

use foldhash::HashMap;

use crate::region::StepPair;

/// Number of consecutive addresses of an anchor. In code with loops single addresses are hardly
/// ever unique, but a path through it is.
pub(crate) const ANCHOR_STEPS: usize = 16;

/// Places at which a run occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occurrence {
    Once(u32),
    Often,
}

/// Returns pairs of places at which equal runs of [`ANCHOR_STEPS`] addresses begin that occur once
/// in each sequence: the longest ascending chain of them. Cost: O(n log n), and memory for a hash
/// of each step.
pub(crate) fn anchors(a: &[u64], b: &[u64]) -> Vec<StepPair> {
    let in_a = occurrences(a);
    let in_b = occurrences(b);
    let mut pairs: Vec<StepPair> = in_a
        .iter()
        .filter_map(|(hash, place)| match (place, in_b.get(hash)) {
            (Occurrence::Once(a), Some(Occurrence::Once(b))) => Some(StepPair {
                a: u64::from(*a),
                b: u64::from(*b),
            }),
            _ => None,
        })
        .filter(|pair| run(a, pair.a) == run(b, pair.b))
        .collect();
    pairs.sort_unstable();
    longest_chain(&pairs)
}

fn run(addresses: &[u64], from: u64) -> &[u64] {
    let from = usize::try_from(from).unwrap_or(usize::MAX);
    let to = from.saturating_add(ANCHOR_STEPS);
    addresses.get(from..to).unwrap_or_default()
}

fn occurrences(addresses: &[u64]) -> HashMap<u64, Occurrence> {
    let mut found: HashMap<u64, Occurrence> = HashMap::default();
    for (place, hash) in (0u32..).zip(hashes(addresses)) {
        found
            .entry(hash)
            .and_modify(|known| *known = Occurrence::Often)
            .or_insert(Occurrence::Once(place));
    }
    found
}

/// Odd multiplier of the polynomial hash (the golden ratio in 64 bits).
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the hash of the run at each place, as a rolling polynomial.
fn hashes(addresses: &[u64]) -> impl Iterator<Item = u64> + '_ {
    let mixed = |address: u64| {
        let mixed = (address ^ address >> 29).wrapping_mul(FACTOR);
        mixed ^ mixed >> 32
    };
    let highest = FACTOR.wrapping_pow(ANCHOR_STEPS as u32);
    let mut hash = 0u64;
    (0..addresses.len()).filter_map(move |end| {
        let last = addresses.get(end).copied()?;
        hash = hash.wrapping_mul(FACTOR).wrapping_add(mixed(last));
        if let Some(gone) = end
            .checked_sub(ANCHOR_STEPS)
            .and_then(|gone| addresses.get(gone))
        {
            hash = hash.wrapping_sub(highest.wrapping_mul(mixed(*gone)));
        }
        (end + 1 >= ANCHOR_STEPS).then_some(hash)
    })
}

/// Returns the longest subsequence in which both numbers ascend, of pairs sorted by the first
/// (patience sorting).
fn longest_chain(pairs: &[StepPair]) -> Vec<StepPair> {
    // For each length, the place of the pair with the lowest second number that ends such a chain.
    let mut tops: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (place, pair) in pairs.iter().enumerate() {
        let is_lower = |top: &usize| pairs.get(*top).is_some_and(|top| top.b < pair.b);
        let length = tops.partition_point(is_lower);
        before.push(
            length
                .checked_sub(1)
                .and_then(|last| tops.get(last))
                .copied(),
        );
        match tops.get_mut(length) {
            Some(top) => *top = place,
            None => tops.push(place),
        }
    }
    let mut chain = Vec::with_capacity(tops.len());
    let mut next = tops.last().copied();
    while let Some(place) = next {
        chain.extend(pairs.get(place));
        next = before.get(place).copied().flatten();
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insertion_does_not_hide_the_unique_runs_after_it() {
        let a: Vec<u64> = (0..100).collect();
        let b: Vec<u64> = [&a[..50], &[7, 7, 7], &a[50..]].concat();
        let found = anchors(&a, &b);
        let after = found.iter().find(|pair| pair.a >= 50);
        assert_eq!(after, Some(&StepPair { a: 50, b: 53 }));
    }

    #[test]
    fn a_loop_has_no_anchors() {
        let a: Vec<u64> = (0..100).map(|step| step % 4).collect();
        assert_eq!(anchors(&a, &a), []);
    }

    #[test]
    fn the_longest_chain_ascends_on_both_sides() {
        let pairs = [(0, 5), (1, 1), (2, 2), (3, 0), (4, 3)].map(|(a, b)| StepPair { a, b });
        assert_eq!(longest_chain(&pairs), [pairs[1], pairs[2], pairs[4]]);
    }
}
