//! Code that lies at other addresses in the second trace ([`Slides`]).
//!
//! The distance follows from the instructions that both traces executed: one whose encoding is rare
//! votes for the distance between its two addresses. Parts of the code that lie far apart (program
//! and libraries) vote separately, since address space randomisation moves each by itself.

use foldhash::HashMap;
use stepback_index::answer::{ExecutedCode, ThreadId};
use stepback_index::read::StepAddresses;
use stepback_index::{Index, QueryError};
use stepback_machine::{Address, Encoding};

/// Distance between two instructions from which they belong to different parts.
const PART_GAP: u64 = 1 << 20;
/// Maximum number of places of an instruction that votes.
const RARE: usize = 4;
/// Minimum number of votes for a distance.
const VOTES: usize = 4;
/// Number of steps whose addresses are compared if a trace does not record instructions.
const FIRST_STEPS: u64 = 1 << 16;

/// A part of the code of the second trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodePart {
    /// Lowest address in the second trace.
    pub first: Address,
    /// Address after its highest instruction in the second trace.
    pub end: Address,
    /// Address in the second trace minus that in the first, modulo 2^64.
    pub distance: u64,
}

/// Distances between the code of two traces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slides {
    /// By ascending address, disjoint.
    parts: Vec<CodePart>,
}

impl Slides {
    /// Finds the distances.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn detect(a: &Index, b: &Index) -> Result<Self, QueryError> {
        let places = match (a.executed_codes(), b.executed_codes()) {
            ([], _) | (_, []) => [first_visits(a)?, first_visits(b)?],
            (a, b) => [by_encoding(a), by_encoding(b)],
        };
        let [one, other] = &places;
        let mut known: HashMap<&CodeKey, Vec<u64>> = HashMap::default();
        for (key, address) in one {
            known.entry(key).or_default().push(*address);
        }
        let mut counts: HashMap<&CodeKey, usize> = HashMap::default();
        for (key, _) in other {
            *counts.entry(key).or_default() += 1;
        }
        let mut sorted: Vec<_> = other.iter().collect();
        sorted.sort_unstable_by_key(|(_, address)| *address);
        let mut parts: Vec<CodePart> = Vec::new();
        for part in sorted.chunk_by(|one, other| other.1 - one.1 < PART_GAP) {
            let (Some((_, first)), Some((_, last))) = (part.first(), part.last()) else {
                continue;
            };
            let votes = part.iter().flat_map(|(key, address)| {
                let rare = known.get(key).filter(|places| places.len() <= RARE);
                let is_rare = counts.get(key).is_some_and(|count| *count <= RARE);
                let places = rare.filter(|_| is_rare).into_iter().flatten();
                places.map(|place| address.wrapping_sub(*place))
            });
            let is_here = |(key, address): &&&(CodeKey, u64)| {
                known
                    .get(key)
                    .is_some_and(|places| places.contains(address))
            };
            // Code that did not move needs no vote.
            let unmoved = part.iter().filter(is_here).count();
            let distance = match 2 * unmoved >= part.len() {
                true => 0,
                false => clear_winner(votes).unwrap_or(0),
            };
            parts.push(CodePart {
                first: Address(*first),
                end: Address(last.saturating_add(1)),
                distance,
            });
        }
        Ok(Self { parts })
    }

    /// Returns the parts of the second trace's code that moved.
    pub fn moved(&self) -> impl Iterator<Item = &CodePart> {
        self.parts.iter().filter(|part| part.distance != 0)
    }

    /// Returns an address of code of the second trace as the first trace has it.
    pub fn to_first(&self, address: Address) -> u64 {
        let after = self.parts.partition_point(|part| part.first <= address);
        let part = after.checked_sub(1).and_then(|place| self.parts.get(place));
        // Between two parts an address belongs to the nearer one before it.
        let part = part.or_else(|| self.parts.first());
        address.0.wrapping_sub(part.map_or(0, |part| part.distance))
    }
}

/// Distances between things in the second trace and the same in the first, modulo 2^64, without 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Distances(pub Vec<u64>);

impl Distances {
    /// Returns true if two numbers of a size in bytes are apart by one of the distances, as pointers
    /// to the same thing are.
    pub fn are_apart(&self, a: u64, b: u64, size_bytes: usize) -> bool {
        let mask = match size_bytes {
            8.. => u64::MAX,
            // A distance has hardly any meaning in fewer bytes than a pointer.
            4..8 => (1 << (8 * size_bytes)) - 1,
            _ => return false,
        };
        let distance = b.wrapping_sub(a) & mask;
        distance != 0 && self.0.iter().any(|known| known & mask == distance)
    }
}

/// Identity of an instruction in both traces.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum CodeKey {
    Encoding(Encoding),
    /// Number of the address in the order of first execution.
    Visit(usize),
}

fn by_encoding(codes: &[ExecutedCode]) -> Vec<(CodeKey, u64)> {
    let place = |code: &ExecutedCode| (CodeKey::Encoding(code.encoding), code.pc.0);
    codes.iter().map(place).collect()
}

/// Returns the addresses of the first steps, by first execution: two runs of a program begin alike.
fn first_visits(index: &Index) -> Result<Vec<(CodeKey, u64)>, QueryError> {
    let mut addresses = StepAddresses::new(index, ThreadId(0), |address| address.0);
    let mut known: HashMap<u64, usize> = HashMap::default();
    for address in addresses.range(0..FIRST_STEPS.min(addresses.count()))? {
        let number = known.len();
        known.entry(address).or_insert(number);
    }
    let visit = |(address, number)| (CodeKey::Visit(number), address);
    Ok(known.into_iter().map(visit).collect())
}

/// Returns the distance with most votes, if they are enough and no other has as many.
fn clear_winner(votes: impl Iterator<Item = u64>) -> Option<u64> {
    let mut counts: HashMap<u64, usize> = HashMap::default();
    for vote in votes {
        *counts.entry(vote).or_default() += 1;
    }
    let most = counts
        .values()
        .copied()
        .max()
        .filter(|most| *most >= VOTES)?;
    let mut winners = counts.into_iter().filter(|(_, count)| *count == most);
    let (winner, _) = winners.next()?;
    winners.next().is_none().then_some(winner)
}
