//! `stepback find TRACE marker NAME[=VALUE]`: records of binary formats that are neither steps nor
//! accesses.

use crate::cli::answer_forms::AnswerForms;
use anyhow::{Result, bail};
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::marker_walk::{MarkerCursor, MarkerFilter};
use stepback_debugger::analysis::names::NameResolver;
use stepback_debugger::analysis::step_places::step_record;
use stepback_index::Index;
use stepback_index::answer::{Direction, MarkerHit, StepRecord, ThreadId};
use stepback_parsers::Position;
use stepback_parsers::drmemtrace::{marker_kind, marker_name};

use super::cells::check_expression;
use super::find_words::{NOTHING_WANTED, SearchOrigin, Tally, nothing_of_marker};
use super::json::{StepJson, thread_name};
use super::report::Report;
use super::text::{grouped, step_line};
use crate::cli::cells::UsageError;
use crate::cli::find_hits::SearchOutcome;
use crate::cli::find_words::Extent;

/// Arguments of a marker search.
#[derive(Clone, Copy, Debug)]
pub struct MarkerArguments<'a> {
    /// `NAME` or `NAME=VALUE`.
    pub what: &'a str,
    pub direction: Direction,
    /// Start of the search. None: the end of the trace that matches the direction, including
    /// markers before the first step.
    pub at: Option<Position>,
    pub thread: Option<ThreadId>,
    /// First hit or all hits.
    pub extent: Extent,
    /// Maximum number of hits.
    pub limit: usize,
}

impl<'a> MarkerArguments<'a> {
    fn way(&self, index: &'a Index) -> SearchOrigin<'a> {
        let begin = match self.direction {
            Direction::Back => index.end(),
            Direction::Forward => Position(0),
        };
        let thread = self.thread.map(|thread| thread_name(thread, index));
        SearchOrigin {
            at: self.at.unwrap_or(begin),
            direction: self.direction,
            thread,
        }
    }
}

/// A hit and the step it belongs to, if any.
#[derive(Serialize, JsonSchema)]
struct MarkerHitJson<'a> {
    #[serde(flatten)]
    step: Option<StepJson>,
    /// The thread, for a hit without a step.
    #[serde(rename = "thread", skip_serializing_if = "Option::is_none")]
    thread_alone: Option<&'a str>,
    position: u64,
    marker: MarkerJson,
}

#[derive(Serialize, JsonSchema)]
struct MarkerJson {
    name: String,
    value: String,
}

#[derive(Serialize, JsonSchema)]
struct FirstMarkerJson<'a> {
    hit: Option<MarkerHitJson<'a>>,
}

/// Checks the marker name and the syntax of the value.
pub fn check_marker(what: &str) -> Result<(), String> {
    let (name, value) = split(what);
    let Some(_) = marker_kind(name) else {
        return Err(format!(
            "no marker has this name; `list --records` and `counts --json` print the names: {name:?}"
        ));
    };
    value.map_or(Ok(()), check_expression)
}

fn split(what: &str) -> (&str, Option<&str>) {
    what.split_once('=')
        .map_or((what.trim(), None), |(name, value)| {
            (name.trim(), Some(value))
        })
}

/// Prints the first hit, or all hits as they are found.
pub fn find_marker(
    arguments: MarkerArguments<'_>,
    report: &mut Report<'_>,
) -> Result<SearchOutcome> {
    let session = report.session;
    let (index, cancel) = (&session.index, &report.cancel.clone());
    let (name, value) = split(arguments.what);
    let Some(kind) = marker_kind(name) else {
        bail!(UsageError(format!("no marker has this name: {name:?}")))
    };
    let names = NameResolver::new(
        index,
        &session.images,
        arguments.at.unwrap_or_default(),
        arguments.thread,
        cancel,
    )?;
    let value = value.map(|value| names.count(value)).transpose()?;
    let sought = MarkerFilter {
        kind,
        value,
        thread: arguments.thread,
    };
    let mut walk = MarkerCursor::new(sought, arguments.direction, arguments.at, index, cancel)?;
    let mut left = arguments.limit;
    let mut tally = Tally::new(arguments.limit);
    while left > 0
        && let Some(hits) = walk.next_hits()?
    {
        for hit in hits.iter().take(left) {
            left -= 1;
            tally.count += 1;
            print(hit, arguments.extent, report)?;
        }
        report.flush()?;
    }
    match (tally.count, report.is_json) {
        (0, true) if arguments.extent == Extent::First => {
            report.json(&FirstMarkerJson { hit: None })?
        }
        (0, false) if arguments.limit == 0 => report.text(NOTHING_WANTED)?,
        (0, false) => report.text(&nothing_of_marker(
            kind,
            arguments.what,
            arguments.way(index),
            index,
        ))?,
        _ => {}
    }
    if arguments.extent == Extent::All {
        tally.tell(report)?;
    }
    Ok(match tally.count {
        0 => SearchOutcome::Nothing,
        _ => SearchOutcome::Found,
    })
}

fn print(hit: &MarkerHit, extent: Extent, report: &mut Report<'_>) -> Result<()> {
    let index = &report.session.index;
    let record = match hit.step {
        Some(step) => step_record(step, index, &report.cancel)?,
        None => None,
    };
    let thread = thread_name(hit.thread, index);
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
        marker: MarkerJson { name, value },
    };
    match extent {
        Extent::All => report.json(&json),
        Extent::First => report.json(&FirstMarkerJson { hit: Some(json) }),
    }
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<FirstMarkerJson<'_>>().or::<MarkerHitJson<'_>>()
}
