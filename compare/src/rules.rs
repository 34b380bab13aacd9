//! Differences that are expected ([`Tolerances`]), and the account of those that were forgiven.

use std::ops::Range;

use stepback_machine::decode;

use crate::values::block::StepEffects;
use crate::values::difference::{CellDifference, DifferenceKind, DifferingPlace};

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
                let range = self.memory.iter().find(|range| range.contains(&address.0));
                if let Some(range) = range {
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
    /// Removes the differences of a step that the rules forgive.
    pub fn retain(&mut self, cells: &mut Vec<CellDifference>, step: &StepEffects) {
        cells.retain(|cell| match self.rules.rule(cell, Some(step)) {
            Some(rule) => {
                self.entry(rule).values += 1;
                false
            }
            None => true,
        });
    }

    /// Removes the differences between two states that the rules forgive, without counting: the
    /// steps that caused them are counted.
    pub fn retain_silently(&self, cells: &mut Vec<CellDifference>) {
        cells.retain(|cell| self.rules.rule(cell, None).is_none());
    }

    /// Counts the steps of a region without partners, and returns true, if all of them are in one
    /// polling loop.
    pub fn forgives_steps(&mut self, addresses: &[u64]) -> bool {
        let is_inside =
            |range: &&Range<u64>| addresses.iter().all(|address| range.contains(address));
        let Some(range) = self.rules.polling.iter().find(is_inside).cloned() else {
            return false;
        };
        self.entry(RuleKind::Polling(range)).steps += addresses.len() as u64;
        true
    }

    /// Returns the number of differing values that were ignored.
    pub fn ignored_values(&self) -> u64 {
        self.found.iter().map(|rule| rule.values).sum()
    }

    fn entry(&mut self, rule: RuleKind) -> &mut Forgiven {
        let place = self.found.iter().position(|known| known.rule == rule);
        let place = place.unwrap_or_else(|| {
            self.found.push(Forgiven {
                rule,
                values: 0,
                steps: 0,
            });
            self.found.len() - 1
        });
        &mut self.found[place]
    }
}
