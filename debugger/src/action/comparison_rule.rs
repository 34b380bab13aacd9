//! Rules about the differences of two traces ([`ComparisonRule`]).

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use stepback_compare::RuleKind;

use crate::messages::say;

/// Differences of two traces that do not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ComparisonRule {
    /// Values of a register.
    Register(String),
    /// Values in memory, by addresses of the open trace.
    Memory(Range<u64>),
    /// Results of instructions that read counters.
    Counters,
    /// Numbers of iterations of code that waits.
    Polling(Range<u64>),
}

impl From<RuleKind> for ComparisonRule {
    fn from(rule: RuleKind) -> Self {
        match rule {
            RuleKind::Register(name) => Self::Register(name),
            RuleKind::Memory(range) => Self::Memory(range),
            RuleKind::Counter => Self::Counters,
            RuleKind::Polling(range) => Self::Polling(range),
        }
    }
}

impl From<ComparisonRule> for RuleKind {
    fn from(rule: ComparisonRule) -> Self {
        match rule {
            ComparisonRule::Register(name) => Self::Register(name),
            ComparisonRule::Memory(range) => Self::Memory(range),
            ComparisonRule::Counters => Self::Counter,
            ComparisonRule::Polling(range) => Self::Polling(range),
        }
    }
}

impl fmt::Display for ComparisonRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(name) => f.write_str(name),
            Self::Memory(range) => write!(f, "[{:#x}:{}]", range.start, range.end - range.start),
            Self::Counters => f.write_str(say!("differences-counters")),
            Self::Polling(range) => write!(f, "{:#x}–{:#x}", range.start, range.end - 1),
        }
    }
}
