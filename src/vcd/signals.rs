//! The registers that a CPU's scope shows.

use stepback_machine::{InstructionSet, RegisterView, Registers, Run};

/// What names begin with, in the order in which the changes of one node are written.
const BY_RANK: [&str; 6] = ["x", "r", "xsp", "psr", "s", "d"];

/// A register signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterSignal {
    /// As it is declared.
    pub name: String,
    /// Which bytes it shows.
    pub view: RegisterView,
    /// Among the changes of one node, the one with the lower rank is written first.
    pub rank: usize,
}

/// The register signals of a CPU, in the order in which they are declared.
pub fn register_signals(set: InstructionSet) -> Vec<RegisterSignal> {
    set.signals().iter().flat_map(|run| run_signals(*run, set)).collect()
}

fn run_signals(run: Run, set: InstructionSet) -> impl Iterator<Item = RegisterSignal> {
    let first_rank = BY_RANK.iter().position(|known| *known == run.prefix).unwrap_or(0) * 32;
    run.names().enumerate().filter_map(move |(number, name)| {
        Some(RegisterSignal { view: Registers::view(&name, set)?, name, rank: first_rank + number })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(set: InstructionSet, count: usize, by_rank: &[&str]) {
        let mut signals = register_signals(set);
        assert_eq!(signals.len(), count);
        signals.sort_by_key(|signal| signal.rank);
        let names: Vec<&str> = signals.iter().map(|signal| &*signal.name).collect();
        let places: Vec<_> = by_rank.iter().map(|name| names.iter().position(|known| known == name)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{names:?}");
    }

    #[test]
    fn changes_of_a_node_come_in_one_order() {
        check(InstructionSet::A64, 97, &["x0", "x30", "xsp", "psr", "s0", "s31", "d0", "d31"]);
        check(InstructionSet::T32, 64, &["r0", "r14", "psr", "s0", "s31", "d0", "d15"]);
    }
}
