//! The registers that a CPU's scope shows.

use stepback_machine::{InstructionSet, RegisterView, Registers};

/// Registers of one kind: what their names begin with, and how many there are; 0 for a name without a number.
type Family = (&'static str, u16);

/// The families in the order in which they are declared, for AArch64.
const WIDE: [Family; 5] = [("x", 31), ("xsp", 0), ("psr", 0), ("d", 32), ("s", 32)];
/// The same for AArch32.
const NARROW: [Family; 4] = [("r", 15), ("psr", 0), ("d", 16), ("s", 32)];
/// The families in the order in which the changes of one node are written.
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
    let families: &[Family] = if set == InstructionSet::A64 { &WIDE } else { &NARROW };
    families.iter().flat_map(|family| family_signals(*family, set)).collect()
}

fn family_signals((prefix, count): Family, set: InstructionSet) -> impl Iterator<Item = RegisterSignal> {
    let first_rank = BY_RANK.iter().position(|known| *known == prefix).unwrap_or(0) * 32;
    (0..usize::from(count.max(1))).filter_map(move |number| {
        let name = if count == 0 { prefix.to_owned() } else { format!("{prefix}{number}") };
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
