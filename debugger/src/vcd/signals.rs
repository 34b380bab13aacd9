//! Register signals of a CPU's scope, and the instruction sets that determine their names.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use stepback_index::answer::ThreadId;
use stepback_index::read::SlotReader;
use stepback_index::{Index, QueryError};
use stepback_machine::display::RegisterRun;
use stepback_machine::{InstructionSet, RegisterView, Registers};
use stepback_parsers::{EventSink, Flow, ParseScratch, Position, StepEvent, ThreadNumber};

use crate::vcd::register_state::RegisterState;

/// Prefixes of names, in the order in which the changes of one node are written.
const BY_RANK: [&str; 6] = ["x", "r", "xsp", "psr", "s", "d"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterSignal {
    /// Declared name.
    pub name: String,
    /// Size of the widest register with this name.
    pub size_bytes: u16,
    /// Bytes shown while each of the scope's sets is in use; `None` if that set has no register of
    /// this name.
    pub views: Vec<Option<RegisterView>>,
    /// Rank among the changes of one node; the lowest is written first.
    pub rank: usize,
}

/// Returns the register signals of a CPU that uses these sets, in the order of declaration: those
/// of the first set, then the additional ones of the others.
pub fn register_signals(sets: &[InstructionSet]) -> Vec<RegisterSignal> {
    let mut signals: Vec<RegisterSignal> = Vec::new();
    for (name, rank) in sets.iter().flat_map(|set| set.signals()).flat_map(ranked) {
        if signals.iter().any(|known| known.name == name) {
            continue;
        }
        let views: Vec<_> = sets.iter().map(|set| view(&name, *set)).collect();
        let Some(size_bytes) = views.iter().flatten().map(|view| view.size_bytes).max() else {
            continue;
        };
        signals.push(RegisterSignal {
            name,
            size_bytes,
            views,
            rank,
        });
    }
    signals
}

/// Iterates over the names of a run, each with its rank.
fn ranked(run: &RegisterRun) -> impl Iterator<Item = (String, usize)> + use<> {
    let first = BY_RANK
        .iter()
        .position(|known| *known == run.prefix)
        .unwrap_or(0)
        * 32;
    run.names().zip(first..)
}

/// Returns the view of a name while a set is in use. The set must have it as a signal: `x0` is also
/// a name of AArch32's first register.
fn view(name: &str, set: InstructionSet) -> Option<RegisterView> {
    let is_signal = set
        .signals()
        .iter()
        .any(|run| run.names().any(|signal| signal == name));
    is_signal.then(|| Registers::view(name, set)).flatten()
}

/// Returns the instruction sets that each thread uses between two positions, in order of first use.
/// Of sets with the same names only the first is listed. A thread without a step there has the set
/// of its state.
///
/// Cost: a pass over the text between, if a processor of the trace can change its names. `done`
/// receives the offset reached.
///
/// # Errors
/// See [`QueryError`].
pub fn used_sets(
    index: &Index,
    start: &[RegisterState],
    range: Range<Position>,
    done: &AtomicU64,
) -> Result<Vec<Vec<InstructionSet>>, QueryError> {
    let mut used = UsedSets {
        index,
        threads: Vec::new(),
        sets: vec![Vec::new(); index.threads().len()],
        done,
    };
    if used
        .all_threads()
        .any(|thread| index.instruction_set(thread).has_states())
    {
        let text = SlotReader(index).text_between(range.start, range.end)?;
        index
            .source()
            .parse(text, &mut ParseScratch::default(), &mut used)?;
    }
    for ((thread, sets), registers) in (0..).map(ThreadId).zip(&mut used.sets).zip(start) {
        if sets.is_empty() {
            sets.push(
                registers
                    .set()
                    .unwrap_or_else(|| index.instruction_set(thread)),
            );
        }
    }
    Ok(used.sets)
}

/// Returns true if two sets have the same registers under the same names.
pub fn share_names(one: InstructionSet, other: InstructionSet) -> bool {
    one.signals() == other.signals()
}

/// Event sink that collects the sets in use.
struct UsedSets<'a> {
    index: &'a Index,
    threads: Vec<ThreadId>,
    sets: Vec<Vec<InstructionSet>>,
    done: &'a AtomicU64,
}

impl UsedSets<'_> {
    fn all_threads(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..).map(ThreadId).take(self.sets.len())
    }
}

impl EventSink for UsedSets<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.threads
            .push(self.index.thread_by_name(name).unwrap_or_default());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let thread = self
            .threads
            .get(usize::from(step.thread.0))
            .copied()
            .unwrap_or_default();
        let Some(sets) = self.sets.get_mut(usize::from(thread.0)) else {
            return;
        };
        if !sets
            .iter()
            .any(|known| share_names(*known, step.instruction_set))
        {
            sets.push(step.instruction_set);
        }
    }

    fn progress(&mut self, offset: u64) -> Flow {
        self.done.store(offset, Ordering::Relaxed);
        Flow::Continue
    }
}

#[cfg(test)]
mod tests {
    use stepback_machine::RegisterId;

    use super::*;

    #[track_caller]
    fn check(sets: &[InstructionSet], count: usize, by_rank: &[&str]) {
        let mut signals = register_signals(sets);
        assert_eq!(signals.len(), count);
        signals.sort_by_key(|signal| signal.rank);
        let names: Vec<&str> = signals.iter().map(|signal| &*signal.name).collect();
        let places: Vec<_> = by_rank
            .iter()
            .map(|name| names.iter().position(|known| known == name))
            .collect();
        assert!(
            places.iter().all(Option::is_some) && places.is_sorted(),
            "{names:?}"
        );
    }

    #[test]
    fn changes_of_a_node_come_in_one_order() {
        check(
            &[InstructionSet::A64],
            97,
            &["x0", "x30", "xsp", "psr", "s0", "s31", "d0", "d31"],
        );
        check(
            &[InstructionSet::T32],
            64,
            &["r0", "r14", "psr", "s0", "s31", "d0", "d15"],
        );
        let both = [InstructionSet::A64, InstructionSet::A32];
        check(
            &both,
            112,
            &[
                "x0", "x30", "r0", "r14", "xsp", "psr", "s0", "s31", "d0", "d31",
            ],
        );
    }

    #[test]
    fn a_name_shows_what_it_means_in_each_set() {
        let signals = register_signals(&[InstructionSet::A64, InstructionSet::A32]);
        let views = |name: &str| {
            &*signals
                .iter()
                .find(|signal| signal.name == name)
                .unwrap()
                .views
        };
        let (low, high) = (
            RegisterView::new(RegisterId::V0, 0, 8),
            RegisterView::new(RegisterId::V0, 8, 8),
        );
        let second = RegisterView::new(RegisterId(RegisterId::V0.0 + 1), 0, 8);
        assert_eq!(views("d0"), [Some(low), Some(low)]);
        assert_eq!(views("d1"), [Some(second), Some(high)]);
        assert_eq!(
            views("d31"),
            [
                Some(RegisterView::new(RegisterId(RegisterId::V0.0 + 31), 0, 8)),
                None
            ]
        );
        assert_eq!(
            views("r0"),
            [None, Some(RegisterView::new(RegisterId(0), 0, 4))]
        );
    }
}
