//! Findings: violations of the rules of a trace format.

use crate::events::{Line, Step};

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The specification recommends otherwise.
    Info,
    /// Probably wrong.
    Warning,
    /// Violates the specification, or is impossible.
    Error,
}

impl Severity {
    /// Returns `error`, `warning` or `info`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// A rule that traces should obey.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Unique name.
    pub id: &'static str,
    /// Severity of a violation.
    pub severity: Severity,
    /// Clause of the specification; empty for rules of common sense.
    pub clause: &'static str,
    /// A violation as a phrase.
    pub title: &'static str,
    /// Likely cause of a violation, as a phrase.
    pub meaning: &'static str,
}

/// Location of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingPlace {
    /// The trace as a whole.
    Trace,
    /// The record with this number, counted from 1.
    Record(u64),
    /// A line of a text trace.
    Line(Line),
    /// A step, and its line if the trace has lines.
    Step {
        /// Step of the finding.
        step: Step,
        /// Line of the step.
        line: Option<Line>,
    },
}

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The violated rule.
    pub rule: &'static Rule,
    /// Severity in this case.
    pub severity: Severity,
    /// Location of the violation.
    pub place: FindingPlace,
    /// Description as a phrase.
    pub message: String,
}

/// The violations of one rule.
#[derive(Clone, Debug)]
pub struct RuleFindings {
    /// The rule.
    pub rule: &'static Rule,
    /// Number of violations.
    pub count: u64,
    /// The first violations, in the order in which they were found.
    pub first: Vec<Finding>,
}

/// Counts findings by rule and keeps the first of each. Memory is bounded by the number of rules
/// times the limit.
#[derive(Clone, Debug)]
pub struct Findings {
    limit: usize,
    rules: Vec<RuleFindings>,
}

impl Findings {
    /// Creates an empty collection that keeps at most `limit` findings of each rule.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            rules: Vec::new(),
        }
    }

    /// Creates an empty collection with the same limit.
    pub fn emptied(&self) -> Self {
        Self::new(self.limit)
    }

    /// Adds a finding. `message` is called only if the finding is kept.
    pub fn add(
        &mut self,
        rule: &'static Rule,
        place: FindingPlace,
        message: impl FnOnce() -> String,
    ) {
        self.add_as(rule, rule.severity, place, message);
    }

    /// Adds a finding with a severity other than the rule's.
    pub fn add_as(
        &mut self,
        rule: &'static Rule,
        severity: Severity,
        place: FindingPlace,
        message: impl FnOnce() -> String,
    ) {
        self.put(rule, 1, |rule| Finding {
            rule,
            severity,
            place,
            message: message(),
        });
    }

    /// Adds a finding that represents `count` violations.
    pub fn add_many(
        &mut self,
        rule: &'static Rule,
        count: u64,
        place: FindingPlace,
        message: impl FnOnce() -> String,
    ) {
        self.put(rule, count, |rule| Finding {
            rule,
            severity: rule.severity,
            place,
            message: message(),
        });
    }

    /// Counts violations that are not listed.
    pub fn count_more(&mut self, rule: &'static Rule, count: u64) {
        if count > 0 {
            let group = self.group(rule);
            group.count = group.count.saturating_add(count);
        }
    }

    /// Returns the maximum number of findings kept of each rule.
    pub fn limit(&self) -> usize {
        self.limit
    }

    fn put(
        &mut self,
        rule: &'static Rule,
        count: u64,
        finding: impl FnOnce(&'static Rule) -> Finding,
    ) {
        let limit = self.limit;
        let group = self.group(rule);
        group.count = group.count.saturating_add(count);
        if group.first.len() < limit {
            group.first.push(finding(rule));
        }
    }

    /// Adds all findings of another collection.
    pub fn absorb(&mut self, other: Self) {
        let limit = self.limit;
        for found in other.rules {
            let group = self.group(found.rule);
            group.count = group.count.saturating_add(found.count);
            let room = limit.saturating_sub(group.first.len());
            group.first.extend(found.first.into_iter().take(room));
        }
    }

    /// Returns the violated rules, the most severe first, then in the order of their names.
    pub fn into_rules(mut self) -> Vec<RuleFindings> {
        self.rules
            .sort_by_key(|group| (std::cmp::Reverse(group.rule.severity), group.rule.id));
        self.rules
    }

    fn group(&mut self, rule: &'static Rule) -> &mut RuleFindings {
        let known = self.rules.iter().position(|group| group.rule.id == rule.id);
        let at = known.unwrap_or_else(|| {
            self.rules.push(RuleFindings {
                rule,
                count: 0,
                first: Vec::new(),
            });
            self.rules.len() - 1
        });
        &mut self.rules[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static BAD: Rule = Rule {
        id: "b",
        severity: Severity::Error,
        clause: "",
        title: "",
        meaning: "",
    };
    static ODD: Rule = Rule {
        id: "a",
        severity: Severity::Warning,
        clause: "",
        title: "",
        meaning: "",
    };

    #[test]
    fn all_are_counted_and_the_first_are_kept() {
        let mut findings = Findings::new(2);
        for number in 1..=5 {
            findings.add(&ODD, FindingPlace::Record(number), || number.to_string());
        }
        let mut other = Findings::new(9);
        other.add(&BAD, FindingPlace::Trace, String::new);
        other.add(&ODD, FindingPlace::Record(9), String::new);
        findings.absorb(other);
        let rules = findings.into_rules();
        let stated: Vec<_> = rules
            .iter()
            .map(|group| (group.rule.id, group.count, group.first.len()))
            .collect();
        assert_eq!(stated, [("b", 1, 1), ("a", 6, 2)]);
        assert_eq!(rules[1].first[1].message, "2");
    }
}
