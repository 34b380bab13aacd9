//! Rules for the consistency of a recording, and what broke them.

pub use crate::finding::{Finding, FindingPlace, Findings, Rule, RuleFindings, Severity};
pub use crate::source::CheckWatch;
