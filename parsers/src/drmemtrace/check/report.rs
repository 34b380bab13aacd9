//! Where findings go.

use crate::finding::{FindingPlace, Findings, Rule};

/// Findings at the record that is being looked at.
pub(super) struct Report<'f> {
    pub findings: &'f mut Findings,
    /// Ordinal of the record.
    pub ordinal: u64,
}

impl Report<'_> {
    /// Adds a finding at the record.
    pub fn add(&mut self, rule: &'static Rule, message: impl FnOnce() -> String) {
        self.findings.add(rule, FindingPlace::Record(self.ordinal), message);
    }

    /// Adds a finding at the record unless something holds.
    pub fn require(&mut self, holds: bool, rule: &'static Rule, message: &'static str) {
        if !holds {
            self.add(rule, || message.to_owned());
        }
    }
}
