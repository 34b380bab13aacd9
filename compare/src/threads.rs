//! Pairs of threads of two traces ([`thread_pairs`]).

use stepback_index::Index;
use stepback_index::answer::ThreadId;
use stepback_machine::InstructionSet;

/// Two threads that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadPair {
    /// Thread of the first trace.
    pub a: ThreadId,
    /// Thread of the second trace.
    pub b: ThreadId,
}

/// The threads of two traces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadPairs {
    /// Threads that are compared, in the order of the first trace.
    pub pairs: Vec<ThreadPair>,
    /// Threads of the first trace without a partner.
    pub only_in_a: Vec<ThreadId>,
    /// Threads of the second trace without a partner.
    pub only_in_b: Vec<ThreadId>,
}

/// Returns the instruction sets of two traces that no processor has together. `None` if they have a
/// processor in common, or if one trace does not record its instructions.
pub fn foreign_sets(a: &Index, b: &Index) -> Option<[InstructionSet; 2]> {
    let [in_a, in_b] = [a, b].map(Index::instruction_sets);
    let are_known = !a.executed_codes().is_empty() && !b.executed_codes().is_empty();
    let is_shared = in_a
        .iter()
        .any(|one| in_b.iter().any(|other| one.shares_processor(*other)));
    let sets = in_a.first().zip(in_b.first());
    sets.filter(|_| are_known && !is_shared)
        .map(|(one, other)| [*one, *other])
}

/// Pairs threads of equal names. The rest is paired in the order of appearance, because thread
/// numbers of an operating system differ from run to run.
pub fn thread_pairs(a: &Index, b: &Index) -> ThreadPairs {
    let threads = |index: &Index| -> Vec<ThreadId> {
        let has_steps = index.threads().iter().map(|thread| thread.steps > 0);
        let numbers = (0..=u16::MAX).map(ThreadId).zip(has_steps);
        numbers
            .filter(|(_, has_steps)| *has_steps)
            .map(|(thread, _)| thread)
            .collect()
    };
    let (mut in_a, mut in_b) = (threads(a), threads(b));
    let mut pairs = Vec::new();
    in_a.retain(|one| {
        let name = a.thread_name(*one);
        let partner = in_b.iter().position(|other| b.thread_name(*other) == name);
        pairs.extend(partner.map(|place| ThreadPair {
            a: *one,
            b: in_b.remove(place),
        }));
        partner.is_none()
    });
    let count = in_a.len().min(in_b.len());
    let rest = in_a.drain(..count).zip(in_b.drain(..count));
    pairs.extend(rest.map(|(a, b)| ThreadPair { a, b }));
    pairs.sort_unstable_by_key(|pair| pair.a);
    ThreadPairs {
        pairs,
        only_in_a: in_a,
        only_in_b: in_b,
    }
}
