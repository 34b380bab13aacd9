//! Rules for the consistency of a recording, and what broke them.

pub use crate::finding::{Finding, FindingPlace, Findings, Rule, RuleFindings, Severity};
pub use crate::source::CheckWatch;

use crate::{btrace, drmemtrace, rst, stf};

/// Returns the rules of all formats whose records can be checked.
pub fn format_rules() -> impl Iterator<Item = &'static Rule> {
    let all = [
        rst::check::rules::ALL,
        btrace::check::rules::ALL,
        drmemtrace::check::rules::ALL,
        stf::check::ALL,
    ];
    all.into_iter().flatten().copied()
}
