//! What is wrong with a trace, by rule.

use crate::numbers::{Line, Step};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Recommended, and not so here.
    Info,
    /// Probably wrong.
    Warning,
    /// Against what is specified, or impossible.
    Error,
}

impl Severity {
    /// `error`, `warning`, `info`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// A rule that traces should keep.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// By what name, different from that of any other.
    pub id: &'static str,
    /// How bad it is to break it.
    pub severity: Severity,
    /// Where it is specified; empty where it is common sense.
    pub clause: &'static str,
    /// What it says, as a phrase.
    pub title: &'static str,
    /// What it may mean where it is broken, as a phrase.
    pub meaning: &'static str,
}

/// Where something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingPlace {
    /// In the trace as a whole.
    Trace,
    /// In the record with this number, from 1.
    Record(u64),
    /// At a line of a trace of text.
    Line(Line),
    /// At a step, and at which line, where the trace has lines.
    Step {
        /// The step.
        step: Step,
        /// The line.
        line: Option<Line>,
    },
}

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad it is here.
    pub severity: Severity,
    /// Where.
    pub place: FindingPlace,
    /// What is wrong, as a phrase.
    pub message: String,
}

/// What breaks one rule.
#[derive(Clone, Debug)]
pub struct RuleFindings {
    /// The rule.
    pub rule: &'static Rule,
    /// How often it is broken.
    pub count: u64,
    /// The first places, in the order in which they were found.
    pub first: Vec<Finding>,
}

/// Counts findings by rule, and keeps the first of each: memory is bounded by the rules times the limit.
#[derive(Clone, Debug)]
pub struct Findings {
    limit: usize,
    rules: Vec<RuleFindings>,
}

impl Findings {
    /// Nothing yet; of each rule so many are kept.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            rules: Vec::new(),
        }
    }

    /// Nothing yet, with the same limit.
    pub fn emptied(&self) -> Self {
        Self::new(self.limit)
    }

    /// Adds a place; the words are made only when they are kept.
    pub fn add(
        &mut self,
        rule: &'static Rule,
        place: FindingPlace,
        message: impl FnOnce() -> String,
    ) {
        self.add_as(rule, rule.severity, place, message);
    }

    /// Adds a place that is worse or less bad than the rule says.
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

    /// Adds a place that stands for so many.
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

    /// Counts places that are not told.
    pub fn count_more(&mut self, rule: &'static Rule, count: u64) {
        if count > 0 {
            let group = self.group(rule);
            group.count = group.count.saturating_add(count);
        }
    }

    /// How many places of each rule are kept.
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

    /// Takes over what another collection found.
    pub fn absorb(&mut self, other: Self) {
        let limit = self.limit;
        for found in other.rules {
            let group = self.group(found.rule);
            group.count = group.count.saturating_add(found.count);
            let room = limit.saturating_sub(group.first.len());
            group.first.extend(found.first.into_iter().take(room));
        }
    }

    /// The rules that are broken, the worst first, else in the order of their names.
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
        let told: Vec<_> = rules
            .iter()
            .map(|group| (group.rule.id, group.count, group.first.len()))
            .collect();
        assert_eq!(told, [("b", 1, 1), ("a", 6, 2)]);
        assert_eq!(rules[1].first[1].message, "2");
    }
}
