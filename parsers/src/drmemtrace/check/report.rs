//! Destination of findings.

use crate::finding::{FindingPlace, Findings, Rule};

/// Adds findings at the record that is being checked.
pub(super) struct RecordReport<'f> {
    pub findings: &'f mut Findings,
    /// Ordinal of the record.
    pub ordinal: u64,
}

impl RecordReport<'_> {
    /// Adds a finding at the record.
    pub fn add(&mut self, rule: &'static Rule, message: impl FnOnce() -> String) {
        self.findings
            .add(rule, FindingPlace::Record(self.ordinal), message);
    }

    /// Adds a finding with a fixed text at the record.
    pub fn say(&mut self, rule: &'static Rule, message: &'static str) {
        self.add(rule, || message.to_owned());
    }
}
