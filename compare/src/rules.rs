//! Differences that are expected ([`Tolerances`]), and the account of those that were forgiven.

use std::mem;
use std::ops::Range;

use stepback_machine::{Address, decode};

use crate::values::block::StepEffects;
use crate::values::difference::{CellDifference, DifferenceKind, DifferingPlace};
use crate::values::pointers::{ForgivenValue, PointerPlace};
use crate::values::step::StepDifferences;

/// Registers and instructions that count time or events, as a disassembler writes them.
const COUNTERS: &[&str] = &[
    "cntvct_el0",
    "cntpct_el0",
    "cntvctss_el0",
    "pmccntr_el0",
    "rdtsc",
    "rdtscp",
    "rdpmc",
    "mcycle",
    "mcycleh",
    "minstret",
    "minstreth",
    "cycle",
    "cycleh",
    "time",
    "timeh",
    "instret",
    "rdcycle",
    "rdcycleh",
    "rdtime",
    "rdtimeh",
    "rdinstret",
    "%tick",
    "%stick",
];

/// Differences that do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tolerances {
    /// Registers whose values may differ, in lower case.
    pub registers: Vec<String>,
    /// Memory whose values may differ, as addresses of the first trace.
    pub memory: Vec<Range<u64>>,
    /// Results of instructions that read counters may differ.
    pub has_counters: bool,
    /// Code that waits, as addresses of the first trace: the number of its iterations may differ.
    pub polling: Vec<Range<u64>>,
}

impl Tolerances {
    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds a rule.
    pub fn add(&mut self, rule: RuleKind) {
        match rule {
            RuleKind::Register(name) => self.registers.push(name.to_ascii_lowercase()),
            RuleKind::Memory(range) => self.memory.push(range),
            RuleKind::Counter => self.has_counters = true,
            RuleKind::Polling(range) => self.polling.push(range),
        }
    }

    /// Removes a rule.
    pub fn remove(&mut self, rule: &RuleKind) {
        match rule {
            RuleKind::Register(name) => {
                self.registers
                    .retain(|known| !known.eq_ignore_ascii_case(name));
            }
            RuleKind::Memory(range) => self.memory.retain(|known| known != range),
            RuleKind::Counter => self.has_counters = false,
            RuleKind::Polling(range) => self.polling.retain(|known| known != range),
        }
    }

    /// Returns the rule that forgives a difference of a step.
    fn rule(&self, cell: &CellDifference, step: Option<&StepEffects>) -> Option<RuleKind> {
        match &cell.place {
            DifferingPlace::Register { name, .. }
                if self.registers.contains(&name.to_ascii_lowercase()) =>
            {
                return Some(RuleKind::Register(name.clone()));
            }
            DifferingPlace::Memory { address, .. }
                if matches!(cell.kind, DifferenceKind::Read | DifferenceKind::Write) =>
            {
                if let Some(range) = self.memory_rule(*address, cell) {
                    return Some(RuleKind::Memory(range.clone()));
                }
            }
            DifferingPlace::Code(_)
            | DifferingPlace::Disassembly(_)
            | DifferingPlace::Memory { .. }
            | DifferingPlace::Register { .. } => {}
        }
        let step = step?;
        if let Some(range) = self.polling.iter().find(|range| range.contains(&step.pc.0)) {
            return Some(RuleKind::Polling(range.clone()));
        }
        (self.has_counters && cell.kind == DifferenceKind::Register && reads_counter(step))
            .then_some(RuleKind::Counter)
    }
}

impl Tolerances {
    /// Returns the range that contains the first differing byte of a cell, if each differing byte is
    /// in some range.
    fn memory_rule(&self, address: Address, cell: &CellDifference) -> Option<&Range<u64>> {
        let rule_of = |byte: u64| self.memory.iter().find(|range| range.contains(&byte));
        let values = cell.a.0.iter().zip(&cell.b.0);
        let differing = (address.0..)
            .zip(values)
            .filter(|(_, (one, other))| one.zip(**other).is_some_and(|(one, other)| one != other))
            .map(|(byte, _)| rule_of(byte));
        let rules: Option<Vec<_>> = differing.collect();
        rules?.first().copied()
    }
}

/// Returns true if an instruction reads a counter. Its disassembly names the register, so no table
/// of encodings is needed for each architecture.
fn reads_counter(step: &StepEffects) -> bool {
    let Some(encoding) = step.encoding else {
        return false;
    };
    let text = decode(encoding, step.pc, step.set)
        .text
        .to_ascii_lowercase();
    let mut words =
        text.split(|letter: char| !(letter.is_ascii_alphanumeric() || "_%".contains(letter)));
    words.any(|word| COUNTERS.contains(&word))
}

/// A rule that forgave something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// A register may differ.
    Register(String),
    /// Memory may differ.
    Memory(Range<u64>),
    /// A counter may differ.
    Counter,
    /// A loop may wait longer.
    Polling(Range<u64>),
}

/// Differences that a rule ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgiven {
    /// The rule.
    pub rule: RuleKind,
    /// Number of differing values.
    pub values: u64,
    /// Number of values that are computed from those alone.
    pub computed: u64,
    /// Number of steps without a partner.
    pub steps: u64,
}

/// Applies rules and counts what they forgive.
#[derive(Debug, Default)]
pub(crate) struct Forgiving {
    pub rules: Tolerances,
    pub found: Vec<Forgiven>,
}

impl Forgiving {
    /// Moves the differences of a step that the rules forgive to the forgiven ones.
    pub fn take(&mut self, found: &mut StepDifferences, step: &StepEffects) {
        let cells = mem::take(&mut found.cells);
        for cell in cells {
            let Some(rule) = self.rules.rule(&cell, Some(step)) else {
                found.cells.push(cell);
                continue;
            };
            let rule = self.entry(rule);
            if let Some(known) = self.found.get_mut(rule) {
                known.values += 1;
            }
            let place = PointerPlace::of(&cell);
            found
                .forgiven
                .extend(place.map(|place| ForgivenValue { place, rule }));
        }
    }

    /// Counts a value that is computed from values that a rule forgives.
    pub fn count_computed(&mut self, rule: usize) {
        if let Some(rule) = self.found.get_mut(rule) {
            rule.computed += 1;
        }
    }

    /// Removes the differences between two states that the rules forgive, without counting: the
    /// steps that caused them are counted.
    pub fn retain_silently(&self, cells: &mut Vec<CellDifference>) {
        cells.retain(|cell| self.rules.rule(cell, None).is_none());
    }

    /// Counts the steps of a region without partners, and returns true, if each of them is in some
    /// polling loop.
    pub fn forgives_steps(&mut self, addresses: &[u64]) -> bool {
        let rule_of = |address: &u64| {
            let mut ranges = self.rules.polling.iter();
            ranges.find(|range| range.contains(address)).cloned()
        };
        let Some(ranges) = addresses.iter().map(rule_of).collect::<Option<Vec<_>>>() else {
            return false;
        };
        for range in ranges {
            let rule = self.entry(RuleKind::Polling(range));
            if let Some(rule) = self.found.get_mut(rule) {
                rule.steps += 1;
            }
        }
        true
    }

    /// Returns the place of a rule among those that forgave something.
    fn entry(&mut self, rule: RuleKind) -> usize {
        let place = self.found.iter().position(|known| known.rule == rule);
        place.unwrap_or_else(|| {
            self.found.push(Forgiven {
                rule,
                values: 0,
                computed: 0,
                steps: 0,
            });
            self.found.len() - 1
        })
    }
}
