//! Collects the findings of the rules.

use crate::finding::{FindingPlace, Findings, Rule, Severity};

/// The findings, and the record that is being checked.
pub struct FindingSink {
    /// Findings that count in any trace.
    pub findings: Findings,
    /// Findings that count only in traces of whole systems. The kind of trace is known at the end
    /// only.
    pub of_systems: Findings,
    /// Number of the current record in the trace.
    pub number: u64,
    /// Number of the current record within its stream.
    pub place: u64,
}

impl FindingSink {
    /// Reports that the current record breaks a rule.
    pub fn found(&mut self, rule: &'static Rule, message: impl FnOnce() -> String) {
        self.findings
            .add(rule, FindingPlace::Record(self.number), message);
    }

    /// Reports that the current record breaks a rule, with another severity than the rule's.
    pub fn found_as(
        &mut self,
        rule: &'static Rule,
        severity: Severity,
        message: impl FnOnce() -> String,
    ) {
        self.findings
            .add_as(rule, severity, FindingPlace::Record(self.number), message);
    }

    /// Reports that an earlier record breaks a rule.
    pub fn found_at(&mut self, rule: &'static Rule, number: u64, message: impl FnOnce() -> String) {
        self.findings
            .add(rule, FindingPlace::Record(number), message);
    }

    /// Reports that the current record breaks a rule that does not apply to traces of user
    /// programs.
    pub fn found_in_system(&mut self, rule: &'static Rule, message: impl FnOnce() -> String) {
        self.of_systems
            .add(rule, FindingPlace::Record(self.number), message);
    }
}
