//! Code that lies at other addresses in the second trace ([`Slides`]).
//!
//! The distance follows from the instructions that both traces executed: one whose encoding is rare
//! votes for the distance between its two addresses. If a trace records no encodings, the distances
//! of the steps before its first execution take their place. Parts of the code that lie far apart
//! (program and libraries) vote separately, since address space randomisation moves each by itself.

use std::collections::VecDeque;
use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use foldhash::{HashMap, HashSet};
use stepback_index::answer::{ExecutedCode, ThreadId};
use stepback_index::read::StepAddresses;
use stepback_index::{Cancel, Index, QueryError};
use stepback_machine::{Address, Encoding};

/// Distance between two instructions from which they belong to different parts.
pub(crate) const PART_GAP: u64 = 1 << 20;
/// Maximum number of places of an instruction that votes.
const RARE: usize = 4;
/// Minimum number of votes for a distance.
const VOTES: usize = 4;
/// Number of steps that are read at once.
const BLOCK_STEPS: u64 = 1 << 16;
/// Number of steps before an instruction that identify it.
const COURSE_STEPS: usize = 24;
/// Distance between two steps from which it depends on where the parts of the code lie.
const FAR_STEP: u64 = 1 << 16;
/// Multiplier that mixes the distances of a course into one number.
const COURSE_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

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
    /// Finds the distances. Cost: the distinct instructions; if a trace does not record these, the
    /// addresses of all steps.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn detect(a: &Index, b: &Index, cancel: &Cancel) -> Result<Self, QueryError> {
        let places = match (a.executed_codes(), b.executed_codes()) {
            ([], _) | (_, []) => thread::scope(|scope| {
                let other = scope.spawn(|| by_course(b, cancel));
                let one = by_course(a, cancel)?;
                let other = other.join().unwrap_or_else(|panic| resume_unwind(panic))?;
                Ok::<_, QueryError>([one, other])
            })?,
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
        let [in_first, in_second] = places
            .each_ref()
            .map(|places| places.iter().collect::<HashSet<&(CodeKey, u64)>>());
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
                // Code that is also at its old address is a second copy.
                let moved = places.filter(|place| !in_second.contains(&(key.clone(), **place)));
                moved.map(|place| address.wrapping_sub(*place))
            });
            // Code that did not move needs no vote.
            let unmoved = part.iter().filter(|place| in_first.contains(*place));
            let unmoved = unmoved.count();
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

    /// Returns the addresses of each part in the first trace, with its distance.
    pub(crate) fn extents(&self) -> impl Iterator<Item = (Range<u64>, u64)> {
        self.parts.iter().map(|part| {
            let in_first = |address: Address| address.0.wrapping_sub(part.distance);
            (in_first(part.first)..in_first(part.end), part.distance)
        })
    }

    /// Returns an address of code of the second trace as the first trace has it. An address outside
    /// the known parts belongs to the nearest one: not all instructions have a known encoding.
    pub fn to_first(&self, address: Address) -> u64 {
        let after = self.parts.partition_point(|part| part.first <= address);
        let before = after.checked_sub(1).and_then(|place| self.parts.get(place));
        let part = match (before, self.parts.get(after)) {
            (Some(before), Some(next)) => {
                let past = address.0.saturating_sub(before.end.0);
                match past <= next.first.0 - address.0 {
                    true => Some(before),
                    false => Some(next),
                }
            }
            (before, next) => before.or(next),
        };
        address.0.wrapping_sub(part.map_or(0, |part| part.distance))
    }
}

/// Identity of an instruction in both traces.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum CodeKey {
    Encoding(Encoding),
    /// Distances between the steps before its first execution.
    Course(u64),
}

fn by_encoding(codes: &[ExecutedCode]) -> Vec<(CodeKey, u64)> {
    let place = |code: &ExecutedCode| (CodeKey::Encoding(code.encoding), code.pc.0);
    codes.iter().map(place).collect()
}

/// Returns the addresses of a trace without encodings, each with the distances between the steps
/// before its first execution.
fn by_course(index: &Index, cancel: &Cancel) -> Result<Vec<(CodeKey, u64)>, QueryError> {
    let mut known: HashSet<u64> = HashSet::default();
    let mut places = Vec::new();
    for thread in (0..=u16::MAX).take(index.threads().len()) {
        let mut addresses = StepAddresses::new(index, ThreadId(thread), |address| address.0);
        let mut course = VecDeque::from([0u64; COURSE_STEPS]);
        let mut last = 0u64;
        for from in (0..addresses.count()).step_by(BLOCK_STEPS as usize) {
            cancel.check()?;
            for address in addresses.range(from..from + BLOCK_STEPS)? {
                let is_near = address.abs_diff(last) < FAR_STEP;
                course.pop_front();
                course.push_back(match is_near {
                    true => address.wrapping_sub(last),
                    false => FAR_STEP,
                });
                last = address;
                if known.insert(address) {
                    let course = course.iter().copied().fold(0, mixed);
                    places.push((CodeKey::Course(course), address));
                }
            }
        }
    }
    Ok(places)
}

fn mixed(course: u64, distance: u64) -> u64 {
    (course ^ distance)
        .wrapping_add(1)
        .wrapping_mul(COURSE_FACTOR)
        .rotate_left(29)
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
