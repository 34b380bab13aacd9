//! Lists the findings of a trace check as rows.

use std::collections::BTreeSet;

use anyhow::Result;
use stepback_index::Cancel;
use stepback_index::build::BuildProgress;
use stepback_parsers::Position;
use stepback_parsers::check::{Rule, Severity};

use super::so_far::so_far;
use super::text::thousands;
use crate::analysis::check::{BrokenRule, PlacedFinding, check};
use crate::messages::{find, say};
use crate::session::Session;

/// Maximum number of listed places per rule.
const PLACES: usize = 1000;

/// Violations found in a trace.
#[derive(Clone, Debug, Default)]
pub struct FindingList {
    /// Number of findings by severity.
    pub summary: String,
    /// Violated rules, the most severe first.
    pub rules: Vec<BrokenRule>,
}

/// Row of the list.
#[derive(Clone, Copy, Debug)]
pub enum FindingRow<'a> {
    /// Violated rule, with its places below it unless it is folded.
    Rule(&'a BrokenRule, RuleFoldState),
    /// Place that violates the rule.
    Place(&'a BrokenRule, &'a PlacedFinding),
    /// Number of further places that are not listed.
    More(&'a BrokenRule, u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleFoldState {
    /// Its places are shown.
    Open,
    /// Its places are hidden.
    Closed,
}

/// Checks the whole trace. Runs on a worker.
///
/// # Errors
/// The trace could not be read, or the check was cancelled.
pub fn finding_list(
    session: &Session,
    progress: &BuildProgress,
    cancel: &Cancel,
) -> Result<FindingList> {
    let rules = check(session, PLACES, progress, cancel)?;
    Ok(FindingList {
        summary: so_far(session, &totals(&rules)),
        rules,
    })
}

/// Formats the number of findings by severity: `2 errors, 1 warning`.
pub fn totals(rules: &[BrokenRule]) -> String {
    let count = |severity: Severity| {
        let of = rules
            .iter()
            .filter(|broken| broken.rule.severity == severity);
        of.fold(0u64, |sum, broken| sum.saturating_add(broken.count))
    };
    let [errors, warnings, notes] = [Severity::Error, Severity::Warning, Severity::Info].map(count);
    let words = [
        (errors > 0).then(|| say!("findings-errors", count = errors)),
        (warnings > 0).then(|| say!("findings-warnings", count = warnings)),
        (notes > 0).then(|| say!("findings-notes", count = notes)),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    match words.is_empty() {
        true => say!("findings-no-findings-2").to_owned(),
        false => words.join(", "),
    }
}

/// Formats the place of a finding: `step 12, record 60`.
pub fn place_words(found: &PlacedFinding) -> String {
    let step = found
        .step
        .map(|step| say!("findings-step", number = step.0));
    let line = found
        .line
        .map(|line| say!("findings-line", number = line.0));
    let record = found
        .record
        .map(|record| say!("findings-record", number = record));
    let words: Vec<_> = [step, line, record].into_iter().flatten().collect();
    if words.is_empty() {
        say!("findings-in-the-trace").to_owned()
    } else {
        words.join(", ")
    }
}

/// Returns the title of a rule, as a phrase.
pub fn title(rule: &Rule) -> &'static str {
    find(&format!("rule-{}", rule.id)).unwrap_or(rule.title)
}

/// Returns the word for a severity.
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => say!("findings-error"),
        Severity::Warning => say!("findings-warning"),
        Severity::Info => say!("findings-note"),
    }
}

/// Returns the likely meaning of a violation.
fn meaning(rule: &Rule) -> &'static str {
    find(&format!("rule-{}-meaning", rule.id)).unwrap_or(rule.meaning)
}

/// Returns the title of a rule as the first words of a line.
pub fn title_text(rule: &Rule) -> String {
    let mut letters = title(rule).chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Describes a rule on several lines.
pub fn rule_words(rule: &Rule) -> String {
    let Rule { id, clause, .. } = rule;
    let clause = if clause.is_empty() {
        String::new()
    } else {
        say!("findings-clause", clause = *clause)
    };
    say!(
        "findings-rule",
        id = *id,
        clause = clause,
        title = title_text(rule),
        meaning = meaning(rule)
    )
}

/// Returns all rows; rules whose names are in `closed` are folded.
pub fn finding_rows<'a>(
    list: &'a FindingList,
    closed: &BTreeSet<&'static str>,
) -> Vec<FindingRow<'a>> {
    let mut rows = Vec::new();
    for broken in &list.rules {
        let branch = if closed.contains(broken.rule.id) {
            RuleFoldState::Closed
        } else {
            RuleFoldState::Open
        };
        rows.push(FindingRow::Rule(broken, branch));
        if branch == RuleFoldState::Open {
            rows.extend(
                broken
                    .first
                    .iter()
                    .map(|found| FindingRow::Place(broken, found)),
            );
            let more = broken.count.saturating_sub(broken.first.len() as u64);
            rows.extend((more > 0).then_some(FindingRow::More(broken, more)));
        }
    }
    rows
}

impl FindingRow<'_> {
    pub fn rule(&self) -> &'static Rule {
        match self {
            Self::Rule(broken, _) | Self::Place(broken, _) | Self::More(broken, _) => broken.rule,
        }
    }

    /// Returns the position that a click travels to: after the step, where its effects are visible.
    /// Returns none if the finding has no place.
    pub fn position(&self) -> Option<Position> {
        let Self::Place(_, found) = self else {
            return None;
        };
        let is_somewhere = found.step.is_some() || found.line.is_some() || found.record.is_some();
        is_somewhere.then(|| found.step.map_or(Position(0), |step| step.after()))
    }

    /// Formats the row for screen readers, tests and the clipboard.
    pub fn line(&self) -> String {
        match self {
            Self::Rule(BrokenRule { rule, count, .. }, _) => {
                format!(
                    "{} {} ×{}: {}",
                    severity_word(rule.severity),
                    rule.id,
                    thousands(*count),
                    title(rule)
                )
            }
            Self::Place(broken, found) => format!(
                "{}: {}: {}",
                broken.rule.id,
                place_words(found),
                found.message
            ),
            Self::More(_, count) => say!("findings-more", count = *count),
        }
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::check::format_rules;
    use stepback_parsers::{Line, Step};

    use super::*;
    use crate::analysis::check::rules;
    use crate::messages::Language;

    /// All rules are translated; their English texts are also those of the command line.
    #[test]
    fn rules_have_texts_in_both_languages() {
        let general = [
            &rules::DAMAGED,
            &rules::BLOCKS,
            &rules::PATH,
            &rules::BAD_ENDING,
            &rules::NO_STEP,
        ];
        for rule in general.into_iter().chain(format_rules()) {
            assert_eq!((title(rule), meaning(rule)), (rule.title, rule.meaning));
            Language::French.speak();
            assert_ne!(title(rule), rule.title);
            assert_ne!(meaning(rule), rule.meaning);
            Language::English.speak();
        }
    }

    static RULE: Rule = Rule {
        id: "R-X99",
        severity: Severity::Error,
        clause: "clause 7a",
        title: "a branch says where it goes",
        meaning: "nobody knows",
    };

    fn list() -> FindingList {
        let found = |number: u64| PlacedFinding {
            severity: Severity::Error,
            message: "a branch".to_owned(),
            step: number.checked_sub(1).map(Step),
            line: None,
            record: Some(number),
        };
        let rules = vec![BrokenRule {
            rule: &RULE,
            count: 1002,
            first: vec![found(0), found(8)],
        }];
        FindingList {
            summary: totals(&rules),
            rules,
        }
    }

    #[test]
    fn places_are_below_their_rule() {
        let list = list();
        assert_eq!(list.summary, "1,002 errors");
        let rows = finding_rows(&list, &BTreeSet::new());
        let lines: Vec<_> = rows.iter().map(FindingRow::line).collect();
        assert_eq!(
            lines,
            [
                "error R-X99 ×1,002: a branch says where it goes",
                "R-X99: record 0: a branch",
                "R-X99: step 7, record 8: a branch",
                "and 1,000 more",
            ]
        );
        let positions: Vec<_> = rows
            .iter()
            .map(|row| row.position().map(|position| position.0))
            .collect();
        assert_eq!(positions, [None, Some(0), Some(8), None]);
        assert_eq!(finding_rows(&list, &BTreeSet::from(["R-X99"])).len(), 1);
    }

    #[test]
    fn a_rule_says_where_it_is_and_what_it_may_mean() {
        let words = "R-X99, clause 7a of the specification\nA branch says where it goes\nPossible cause: nobody knows";
        assert_eq!(rule_words(&RULE), words);
        assert_eq!(totals(&[]), "no findings");
        assert_eq!(title_text(&RULE), "A branch says where it goes");
        let nowhere = PlacedFinding {
            severity: Severity::Info,
            message: String::new(),
            step: None,
            line: None,
            record: None,
        };
        assert_eq!(place_words(&nowhere), "in the trace");
        assert_eq!(
            place_words(&PlacedFinding {
                line: Some(Line(1200)),
                ..nowhere
            }),
            "line 1,200"
        );
    }
}
