//! Where the rules say what they find.

use crate::finding::{FindingPlace, Findings, Rule, Severity};

/// Where findings go.
pub struct FindingSink {
    /// Those that count in any case.
    pub findings: Findings,
    /// Those that count only in traces of whole systems: which that is, is known at the end.
    pub of_systems: Findings,
    /// The record that is looked at.
    pub number: u64,
    /// Its number among those of its files alone.
    pub place: u64,
}

impl FindingSink {
    /// The record breaks a rule.
    pub fn found(&mut self, rule: &'static Rule, message: impl FnOnce() -> String) {
        self.findings
            .add(rule, FindingPlace::Record(self.number), message);
    }

    /// The same, more or less bad than the rule says.
    pub fn found_as(
        &mut self,
        rule: &'static Rule,
        severity: Severity,
        message: impl FnOnce() -> String,
    ) {
        self.findings
            .add_as(rule, severity, FindingPlace::Record(self.number), message);
    }

    /// An earlier record breaks a rule.
    pub fn found_at(&mut self, rule: &'static Rule, number: u64, message: impl FnOnce() -> String) {
        self.findings
            .add(rule, FindingPlace::Record(number), message);
    }

    /// The record breaks a rule that traces of user programs alone need not keep.
    pub fn found_in_system(&mut self, rule: &'static Rule, message: impl FnOnce() -> String) {
        self.of_systems
            .add(rule, FindingPlace::Record(self.number), message);
    }
}
