//! `stepback find TRACE marker NAME[=VALUE]`: records of binary formats that are neither steps nor
//! accesses.

use anyhow::{Result, bail};
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::marker_walk::{MarkerCursor, MarkerFilter};
use stepback_debugger::analysis::names::NameResolver;
use stepback_debugger::analysis::step_places::step_record;
use stepback_index::answer::{Direction, MarkerHit, StepRecord, ThreadId};
use stepback_parsers::Position;
use stepback_parsers::drmemtrace::{known_marker_names, marker_kind, marker_name};

use crate::cli::answer_forms::AnswerForms;
use crate::cli::cells::check_expression;
use crate::cli::error::CommandError;
use crate::cli::find::FindArguments;
use crate::cli::find_hits::FirstHitJson;
use crate::cli::find_words::{note_count, nothing_of_marker};
use crate::cli::json::StepJson;
use crate::cli::report::Report;
use crate::cli::text::{grouped, step_line};

/// A hit and the step it belongs to, if any.
#[derive(Serialize, JsonSchema)]
struct MarkerHitJson<'a> {
    #[serde(flatten)]
    step: Option<StepJson>,
    /// The thread, for a hit without a step.
    #[serde(rename = "thread", skip_serializing_if = "Option::is_none")]
    thread_alone: Option<&'a str>,
    position: u64,
    /// Kind of marker, as the format names it.
    marker: String,
    value: String,
}

/// Checks the marker name and the syntax of the value.
pub fn check_marker(what: &str) -> Result<(), String> {
    let (name, value) = split(what);
    if marker_kind(name).is_none() {
        return Err(no_marker(name));
    }
    value.map_or(Ok(()), check_expression)
}

fn no_marker(name: &str) -> String {
    format!(
        "no marker has the name {name:?}, only {}",
        known_marker_names().join(", ")
    )
}

fn split(what: &str) -> (&str, Option<&str>) {
    what.split_once('=')
        .map_or((what.trim(), None), |(name, value)| {
            (name.trim(), Some(value))
        })
}

/// Prints the first hit, or all hits as they are found. Returns true if there are any. Without a
/// position, the search also covers markers before the first step.
pub fn find_marker(
    arguments: &FindArguments,
    at: Option<Position>,
    thread: Option<ThreadId>,
    report: &mut Report<'_>,
) -> Result<bool> {
    let session = report.session;
    let (index, cancel) = (&session.index, &report.cancel.clone());
    let (name, value) = split(arguments.subject());
    let Some(kind) = marker_kind(name) else {
        bail!(CommandError::Usage(no_marker(name)))
    };
    let start = at.unwrap_or_default();
    let names = NameResolver::new(index, &session.images, start, thread, cancel)?;
    let value = value.map(|value| names.count(value)).transpose()?;
    let filter = MarkerFilter {
        kind,
        value,
        thread,
    };
    let direction = arguments.kind.direction();
    let mut walk = MarkerCursor::new(filter, direction, at, index, cancel)?;
    let mut left = arguments.wanted();
    let mut count = 0;
    while left > 0
        && let Some(hits) = walk.next_hits()?
    {
        for hit in hits.iter().take(left) {
            left -= 1;
            count += 1;
            print(hit, arguments, report)?;
        }
        report.flush()?;
    }
    if count == 0 && !report.is_json {
        let at = at.unwrap_or(match direction {
            Direction::Back => index.end(),
            Direction::Forward => Position(0),
        });
        report.text(&nothing_of_marker(kind, at, arguments, index))?;
    }
    if arguments.all {
        note_count(count, arguments, report)?;
    } else if count == 0 && report.is_json {
        report.json(&FirstHitJson::<MarkerHitJson<'_>>::new(None))?;
    }
    Ok(count > 0)
}

fn print(hit: &MarkerHit, arguments: &FindArguments, report: &mut Report<'_>) -> Result<()> {
    let index = &report.session.index;
    let record = match hit.step {
        Some(step) => step_record(step, index, &report.cancel)?,
        None => None,
    };
    let thread = index.thread_name(hit.thread);
    let (name, value) = (
        marker_name(hit.marker.kind).into_owned(),
        format!("{:#x}", hit.marker.value),
    );
    if !report.is_json {
        let step = match record.map(|record| StepRecord {
            effects: Vec::new(),
            ..record
        }) {
            Some(record) => step_line(&record, index),
            None => format!("before the first step of thread {thread}"),
        };
        return report.text(&format!(
            "{step:<64}  {name} = {value}  position {}\n",
            grouped(hit.position.0)
        ));
    }
    let json = MarkerHitJson {
        thread_alone: Some(thread).filter(|_| record.is_none()),
        step: record.map(|record| StepJson::new(&record, index)),
        position: hit.position.0,
        marker: name,
        value,
    };
    match arguments.all {
        true => report.json(&json),
        false => report.json(&FirstHitJson::new(Some(json))),
    }
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms
        .or::<FirstHitJson<MarkerHitJson<'_>>>()
        .or::<MarkerHitJson<'_>>()
}
