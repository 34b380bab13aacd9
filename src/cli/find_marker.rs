//! `stepback find TRACE marker NAME[=VALUE]`: records of binary formats that are neither steps nor accesses.

use anyhow::{Result, bail};
use serde::Serialize;
use stepback_index::{FindMarkers, LastMarkers, MarkerHit, Query as _, ThreadId};
use stepback_parsers::{
    MarkerKind, Position,
    drmemtrace::{marker_kind, marker_name},
};

use super::cells::check_expression;
use super::json::StepJson;
use super::report::Report;
use super::text::{grouped, step_line};
use crate::analysis::names::NamesAt;
use crate::analysis::step_record::step_record;

/// Markers that are asked for at once.
const BLOCK: usize = 1024;

/// What is sought, as it was written.
#[derive(Clone, Copy, Debug)]
pub struct MarkerArguments<'a> {
    /// `NAME` or `NAME=VALUE`.
    pub what: &'a str,
    /// True for the way back.
    pub is_backward: bool,
    /// From where; none: from the end of the trace that the way begins at, with what comes before the first step.
    pub at: Option<Position>,
    /// Whose.
    pub thread: Option<ThreadId>,
    /// Every hit, not just the first.
    pub is_all: bool,
    /// At most so many hits.
    pub limit: usize,
}

/// A hit: the step that it belongs to, where there is one.
#[derive(Serialize)]
struct MarkerHitJson<'a> {
    #[serde(flatten)]
    step: Option<StepJson>,
    /// Without a step, the thread alone.
    #[serde(rename = "thread", skip_serializing_if = "Option::is_none")]
    thread_alone: Option<&'a str>,
    position: u64,
    marker: MarkerJson,
}

#[derive(Serialize)]
struct MarkerJson {
    name: String,
    value: String,
}

#[derive(Serialize)]
struct AnswerJson<'a> {
    hit: Option<MarkerHitJson<'a>>,
}

/// Says what is wrong with the spelling of what is sought.
pub fn check(what: &str) -> Result<(), String> {
    let (name, value) = split(what);
    let Some(_) = marker_kind(name) else {
        return Err(format!("no marker has this name, as the format and `counts` have it: {name:?}"));
    };
    value.map_or(Ok(()), check_expression)
}

fn split(what: &str) -> (&str, Option<&str>) {
    what.split_once('=').map_or((what.trim(), None), |(name, value)| (name.trim(), Some(value)))
}

/// Prints the hit, or all of them as they are found.
pub fn run(arguments: MarkerArguments<'_>, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let (index, cancel) = (&session.index, &report.cancel.clone());
    let (name, value) = split(arguments.what);
    let Some(kind) = marker_kind(name) else { bail!("no marker has this name: {name:?}") };
    let names = NamesAt::new(index, &session.images, arguments.at.unwrap_or_default(), arguments.thread, cancel)?;
    let value = value.map(|value| names.number(value)).transpose()?;
    // Of an address the first use of its page tells.
    let ignored = if is_page(kind) { page_bytes(report)? - 1 } else { 0 };
    let is_wanted = |hit: &MarkerHit| value.is_none_or(|value| (value ^ hit.marker.value) & !ignored == 0);
    let (kinds, thread) = (vec![kind], arguments.thread);
    let (mut next, mut left, mut is_any) = (start(&arguments, index.end()), arguments.limit, false);
    while let Some(position) = next.filter(|_| left > 0) {
        let mut hits = if arguments.is_backward {
            LastMarkers { kinds: kinds.clone(), thread, at: position }.run(index, cancel)?
        } else {
            let to = index.end();
            FindMarkers { kinds: kinds.clone(), thread, from: position, to, limit: BLOCK }.run(index, cancel)?
        };
        next = hits.last().and_then(|hit| neighbour(hit.position, arguments.is_backward, index.end()));
        if arguments.is_backward {
            hits.reverse();
        }
        for hit in hits.iter().filter(|hit| is_wanted(hit)).take(left) {
            (left, is_any) = (left - 1, true);
            print(hit, arguments.is_all, report)?;
        }
        report.flush()?;
    }
    match (is_any, report.is_json) {
        (true, _) => Ok(()),
        (false, true) if arguments.is_all => Ok(()),
        (false, true) => report.json(&AnswerJson { hit: None }),
        (false, false) => report.text("nothing found\n"),
    }
}

/// The first position that is looked at. A hit at the position that is named was given before it.
fn start(arguments: &MarkerArguments<'_>, end: Position) -> Option<Position> {
    match (arguments.at, arguments.is_backward) {
        (Some(at), true) => Some(at),
        (None, true) => Some(end),
        (Some(at), false) => neighbour(at, false, end),
        (None, false) => Some(Position(0)),
    }
}

fn neighbour(position: Position, is_backward: bool, end: Position) -> Option<Position> {
    let next = if is_backward { position.0.checked_sub(1) } else { position.0.checked_add(1) };
    next.map(Position).filter(|next| *next <= end)
}

fn is_page(kind: MarkerKind) -> bool {
    [MarkerKind::PHYSICAL_ADDRESS, MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE, MarkerKind::VIRTUAL_ADDRESS]
        .contains(&kind)
}

/// As the trace states it, else what is usual.
fn page_bytes(report: &Report<'_>) -> Result<u64> {
    let (from, to) = (Position(0), report.session.index.end());
    let stated = FindMarkers { kinds: vec![MarkerKind::PAGE_SIZE], thread: None, from, to, limit: 1 };
    let stated = stated.run(&report.session.index, &report.cancel)?;
    Ok(stated.first().map(|hit| hit.marker.value).filter(|bytes| bytes.is_power_of_two()).unwrap_or(4096))
}

fn print(hit: &MarkerHit, is_all: bool, report: &mut Report<'_>) -> Result<()> {
    let index = &report.session.index;
    let record = match hit.step {
        Some(step) => step_record(step, index, &report.cancel)?,
        None => None,
    };
    let thread = index.threads().get(usize::from(hit.thread.0)).map_or("", |thread| &thread.name);
    let (name, value) = (marker_name(hit.marker.kind).into_owned(), format!("{:#x}", hit.marker.value));
    if !report.is_json {
        let step = match record.map(|record| stepback_index::StepRecord { effects: Vec::new(), ..record }) {
            Some(record) => step_line(&record, index),
            None => format!("before the first step of thread {thread}"),
        };
        return report.text(&format!("{step:<64}  {name} = {value}  position {}\n", grouped(hit.position.0)));
    }
    let json = MarkerHitJson {
        thread_alone: Some(thread).filter(|_| record.is_none()),
        step: record.map(|record| StepJson::new(&record, index)),
        position: hit.position.0,
        marker: MarkerJson { name, value },
    };
    if is_all { report.json(&json) } else { report.json(&AnswerJson { hit: Some(json) }) }
}
