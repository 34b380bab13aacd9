//! `stepback check`: violations of the format's rules in the trace, by rule.

use std::cell::Cell;

use crate::cli::answer_forms::AnswerForms;
use anyhow::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::check::{BrokenRule, check};
use stepback_debugger::model::finding_rows::{place_words, totals};
use stepback_parsers::check::{Rule, Severity};

use super::progress::watched;
use super::question::Question;
use super::report::Report;
use super::text::{counted, grouped, printable};
use crate::cli::error::CommandError;
use crate::cli::question::{Command, TraceArguments};

/// Help text below the options.
pub const HELP: &str = "\
A finding is an error if the trace contradicts its format or itself, a warning if it probably does,
and info if something is merely recommended. Rules named R-… are those of the RST specification.
The exit status is 0 whatever is found, unless --exit-code is given.";

/// Default number of places per rule in text output.
const FOR_PEOPLE: usize = 10;
/// Default number of places per rule in JSON output.
const FOR_PROGRAMS: usize = 1000;

#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Maximum number of places to print for each rule (default: 10, with --json 1000); all are
    /// counted.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Exit with status 1 if there is an error or a warning, and with 2 if the trace cannot be checked.
    #[arg(long)]
    pub exit_code: bool,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// A violation of a rule.
#[derive(Serialize, JsonSchema)]
pub struct FindingJson<'a> {
    pub rule: &'a str,
    pub severity: &'a str,
    pub message: String,
    pub step: Option<u64>,
    /// Line of the trace. Missing in formats without lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Option<u64>>,
    /// Record of the trace. Missing in formats without records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Option<u64>>,
    /// Section of the specification. None if the rule is common sense.
    pub clause: Option<&'a str>,
    /// Total number of violations of the rule.
    pub count: u64,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<FindingJson<'_>>().by_line()
}

impl Command for CheckArguments {
    fn has_exit_code(&self) -> bool {
        self.exit_code
    }

    fn run(&self) -> Result<()> {
        let worst = Cell::new(None);
        Question::new(&self.common).with_own_meter().ask(|report| {
            worst.set(answer(self, report)?);
            Ok(())
        })?;
        match worst.get() {
            Some(Severity::Error | Severity::Warning) if self.exit_code => {
                Err(CommandError::Negative.into())
            }
            _ => Ok(()),
        }
    }
}

/// Prints the findings and returns the highest severity among them.
fn answer(arguments: &CheckArguments, report: &mut Report<'_>) -> Result<Option<Severity>> {
    let session = report.session;
    let limit = arguments.limit.unwrap_or(if report.is_json {
        FOR_PROGRAMS
    } else {
        FOR_PEOPLE
    });
    let broken = watched("checking", &arguments.common.report, |progress| {
        check(session, limit, progress, &report.cancel)
    })?;
    if report.is_json {
        broken
            .iter()
            .try_for_each(|broken| print_json(broken, report))?;
    } else {
        broken.iter().try_for_each(|broken| print(broken, report))?;
        report.text(&format!("{}\n", totals(&broken)))?;
    }
    Ok(broken.iter().map(|broken| broken.rule.severity).max())
}

fn print_json(broken: &BrokenRule, report: &mut Report<'_>) -> Result<()> {
    let has_lines = report.session.index.source().is_text();
    let Rule { id, clause, .. } = broken.rule;
    broken.first.iter().try_for_each(|found| {
        report.json(&FindingJson {
            rule: id,
            severity: found.severity.name(),
            message: found.message.clone(),
            step: found.step.map(|step| step.0),
            line: has_lines.then(|| found.line.map(|line| line.0)),
            record: (!has_lines).then_some(found.record),
            clause: Some(*clause).filter(|clause| !clause.is_empty()),
            count: broken.count,
        })
    })
}

/// Prints a rule, its possible meaning, and the first places.
fn print(broken: &BrokenRule, report: &mut Report<'_>) -> Result<()> {
    let Rule {
        id,
        severity,
        clause,
        title,
        meaning,
    } = broken.rule;
    let clause = if clause.is_empty() {
        String::new()
    } else {
        format!(" ({clause})")
    };
    let times = counted(broken.count, "time");
    report.text(&format!(
        "{} {id}, {times}: {title}{clause}\n",
        severity.name()
    ))?;
    report.text(&format!("    it may mean: {meaning}\n"))?;
    for found in &broken.first {
        report.text(&format!(
            "    {}: {}\n",
            place_words(found),
            printable(&found.message)
        ))?;
    }
    let more = broken.count.saturating_sub(broken.first.len() as u64);
    if more > 0 {
        report.text(&format!("    … and {} more\n", grouped(more)))
    } else {
        Ok(())
    }
}
