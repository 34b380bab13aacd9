//! Applies all rules to a whole trace.
//!
//! Damage and contradicting reads were found when the index was built. The other rules cost one
//! pass over the records and one over the events.

use std::sync::atomic::Ordering;

use anyhow::Result;
use stepback_index::answer::Direction;
use stepback_index::build::BuildProgress;
use stepback_index::in_order::beside;
use stepback_index::query::{ExternalChanges, PositionOfLine, Steps};
use stepback_index::{Cancel, Index, Query as _};
use stepback_parsers::check::{FindingPlace, Findings, Rule, Severity};
use stepback_parsers::{Flow, Line, Position, ProblemKind, Step};

use crate::analysis::check::events::check_events;
use crate::analysis::check::rules;
use crate::analysis::ending::bad_ending;
use crate::image::CheckedImage;
use crate::messages::say;
use crate::session::Session;

/// Weight of a record in the progress counter, in bytes.
const RECORD_BYTES: u64 = 24;

/// A violated rule.
#[derive(Clone, Debug)]
pub struct BrokenRule {
    pub rule: &'static Rule,
    /// Number of violations.
    pub count: u64,
    /// The first places, in order of detection.
    pub first: Vec<PlacedFinding>,
}

/// A violation with the place to navigate to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedFinding {
    pub severity: Severity,
    /// The violation, as a phrase.
    pub message: String,
    /// Step of the violation; `None` before the first step and for the trace as a whole.
    pub step: Option<Step>,
    /// Line, in text traces.
    pub line: Option<Line>,
    /// Record number, if the format numbers records.
    pub record: Option<u64>,
}

/// Checks a trace, and keeps at most `limit` places per rule. The most severe rules come first.
///
/// Cost: one pass over the records and one over the events.
///
/// # Errors
/// The trace could not be read, or the check was cancelled.
pub fn check(
    session: &Session,
    limit: usize,
    progress: &BuildProgress,
    cancel: &Cancel,
) -> Result<Vec<BrokenRule>> {
    let index = &session.index;
    let source = index.source();
    let records = source
        .record_count()
        .unwrap_or(0)
        .saturating_mul(RECORD_BYTES);
    progress
        .bytes_total
        .store(records.saturating_add(index.text_end()), Ordering::Relaxed);
    let mut findings = Findings::new(limit);
    let mut checked = Ok(());
    let check_records = || {
        let mut bytes = 0;
        let mut advance = |done: u64| {
            progress
                .bytes_done
                .fetch_add(done.saturating_sub(bytes), Ordering::Relaxed);
            bytes = done.max(bytes);
        };
        checked = source.check_records(&mut findings, &mut |done| {
            advance(done.saturating_mul(RECORD_BYTES).min(records));
            if cancel.is_cancelled() {
                Flow::Stop
            } else {
                Flow::Continue
            }
        });
        advance(records);
    };
    let mut of_events = Findings::new(limit);
    let has_others = beside(check_records, || {
        check_events(index, &mut of_events, progress, cancel)
    });
    checked?;
    let has_others = has_others?;
    findings.absorb(of_events);
    add_damage(index, &mut findings);
    add_images(&session.checked_images, &mut findings);
    let rule = if has_others {
        &rules::MEMORY_OUTSIDE
    } else {
        &rules::MEMORY
    };
    add_memory(index, rule, &mut findings, cancel)?;
    add_ending(session, &mut findings, cancel)?;
    let placed = |found: stepback_parsers::check::RuleFindings| {
        let first = found
            .first
            .into_iter()
            .map(|finding| placed(finding, index, cancel))
            .collect::<Result<_>>()?;
        Ok(BrokenRule {
            rule: found.rule,
            count: found.count,
            first,
        })
    };
    findings.into_rules().into_iter().map(placed).collect()
}

/// Adds what the index could not read. Decreasing times are left to [`TIME`].
fn add_damage(index: &Index, findings: &mut Findings) {
    for warning in index
        .warnings()
        .iter()
        .filter(|warning| !warning.is_of_time())
    {
        let place = if index.source().is_text() {
            FindingPlace::Line(Line(warning.line))
        } else {
            FindingPlace::Trace
        };
        let message = warning.kind.to_string();
        let rule = match ProblemKind::is_of_options(&message) {
            true => &rules::BLOCKS,
            false => &rules::DAMAGED,
        };
        findings.add_many(rule, warning.count, place, || message);
    }
}

/// Adds images that differ from the executed code, each at the first instruction that differs.
fn add_images(images: &[CheckedImage], findings: &mut Findings) {
    for (CheckedImage { spec, fit, .. }, text) in images
        .iter()
        .filter_map(|one| Some((one, one.fit.misfit_text()?)))
    {
        let rule = if fit.is_of_another_program() {
            &rules::IMAGE
        } else {
            &rules::IMAGE_CHANGES
        };
        let first = fit.first.as_ref().map(|first| FindingPlace::Step {
            step: first.step,
            line: None,
        });
        findings.add_many(
            rule,
            fit.contradicted.max(1),
            first.unwrap_or(FindingPlace::Trace),
            || format!("{text}: {spec}"),
        );
    }
}

/// Adds reads that contradict the known memory. The index holds their number; at most as many
/// places as for any rule are kept.
fn add_memory(
    index: &Index,
    rule: &'static Rule,
    findings: &mut Findings,
    cancel: &Cancel,
) -> Result<()> {
    let count = index.info().external_changes;
    let limit = findings
        .limit()
        .min(usize::try_from(count).unwrap_or(usize::MAX));
    let first = ExternalChanges {
        range: None,
        thread: None,
        at: Position(0),
        direction: Direction::Forward,
        skip: 0,
        limit,
    };
    let found = if count > 0 {
        first.run(index, cancel)?
    } else {
        Vec::new()
    };
    let stated = found.len() as u64;
    for change in found {
        let record = &change.hit.record;
        let place = FindingPlace::Step {
            step: record.step,
            line: record.line,
        };
        let (address, read) = (
            change.address,
            bytes_text(change.bytes.into_iter().map(Some)),
        );
        let known = bytes_text(change.known_before);
        findings.add(rule, place, || {
            say!(
                "check-read",
                address = address.to_string(),
                read = read,
                known = known
            )
        });
    }
    findings.count_more(rule, count.saturating_sub(stated));
    Ok(())
}

/// Adds a bad end, in the words of `info`.
fn add_ending(session: &Session, findings: &mut Findings, cancel: &Cancel) -> Result<()> {
    let Some(ending) = bad_ending(session, cancel)? else {
        return Ok(());
    };
    let last = Steps {
        first: ending.step,
        count: 1,
    };
    let last = last.run(&session.index, cancel)?;
    let place = FindingPlace::Step {
        step: ending.step,
        line: last.first().and_then(|record| record.line),
    };
    findings.add(&rules::BAD_ENDING, place, || {
        ending.cause.title(&session.images)
    });
    Ok(())
}

/// Formats bytes as `aa ?? 00`.
fn bytes_text(bytes: impl IntoIterator<Item = Option<u8>>) -> String {
    let digits = bytes
        .into_iter()
        .map(|byte| byte.map_or("??".to_owned(), |byte| format!("{byte:02x}")));
    digits.collect::<Vec<_>>().join(" ")
}

fn placed(
    finding: stepback_parsers::check::Finding,
    index: &Index,
    cancel: &Cancel,
) -> Result<PlacedFinding> {
    let before = |position: Position| position.0.checked_sub(1).map(Step);
    let (step, line, record) = match finding.place {
        FindingPlace::Trace => (None, None, None),
        FindingPlace::Record(number) => (
            index.source().position_of_record(number)?.and_then(before),
            None,
            Some(number),
        ),
        FindingPlace::Line(line) => (
            before(PositionOfLine(line).run(index, cancel)?),
            Some(line),
            None,
        ),
        FindingPlace::Step { step, line } => (Some(step), line, None),
    };
    Ok(PlacedFinding {
        severity: finding.severity,
        message: finding.message,
        step,
        line,
        record,
    })
}
