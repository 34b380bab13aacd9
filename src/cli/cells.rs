//! Names on the command line: threads, positions, memory ranges and cells. Their syntax is checked
//! before a trace is opened.

use std::ops::Range;

use anyhow::{Result, bail};
use stepback_debugger::analysis::names::NameResolver;
use stepback_debugger::analysis::register_part::RegisterPart;
use stepback_debugger::expression::{parse, split_range, split_space};
use stepback_debugger::place::PositionName;
use stepback_debugger::session::Session;
use stepback_index::answer::ThreadId;
use stepback_parsers::Position;

use crate::cli::error::CommandError;
use crate::cli::progress::say;
use crate::cli::report::Report;

/// Maximum number of threads that an error lists.
const THREADS_IN_ERROR: usize = 16;

/// Finds a thread by name. Returns none if no name is given.
pub fn thread_id(session: &Session, name: Option<&str>) -> Result<Option<ThreadId>> {
    let Some(name) = name else { return Ok(None) };
    if let Some(thread) = session.index.thread_by_name(name) {
        return Ok(Some(thread));
    }
    let known: Vec<&str> = session
        .index
        .threads()
        .iter()
        .map(|thread| &*thread.name)
        .take(THREADS_IN_ERROR)
        .collect();
    let more = match session.index.threads().len() > known.len() {
        true => ", … (stepback threads lists all)",
        false => "",
    };
    bail!(CommandError::Usage(format!(
        "the trace has no thread {name:?}, only {}{more}",
        known.join(", ")
    )))
}

/// Resolves a position and prints the remarks about it.
pub fn resolved(place: &PositionName, report: &Report<'_>) -> Result<Position> {
    let position = place.resolve(report.session, &report.cancel)?;
    if !report.is_quiet {
        let remarks = place.remarks(report.session, None, &report.cancel)?;
        remarks
            .iter()
            .for_each(|remark| report.note(&remark.to_string()));
    }
    Ok(position)
}

/// Resolves a range of steps and prints the remarks about its ends.
///
/// # Errors
/// No step lies in it.
pub fn resolved_range(
    from: &PositionName,
    to: &PositionName,
    report: &Report<'_>,
) -> Result<Range<Position>> {
    let range = resolved(from, report)?..resolved(to, report)?;
    if range.is_empty() {
        bail!(CommandError::Usage(format!(
            "no step lies between {from} and {to}"
        )))
    }
    Ok(range)
}

/// Checks the syntax of an expression before a trace is opened for it.
pub fn check_expression(text: &str) -> Result<(), String> {
    parse(text)
        .map(|_| ())
        .map_err(|error| format!("{error}: {text:?}"))
}

/// Checks the syntax of a cell. Register names are not known yet.
pub fn check_cell(text: &str) -> Result<(), String> {
    if RegisterPart::is_part(text.trim()) {
        Ok(())
    } else {
        check_range(text)
    }
}

/// Checks the syntax of `ADDR[:LEN]`.
pub fn check_range(text: &str) -> Result<(), String> {
    let (address, len) = split_range(split_space(text).1);
    check_expression(address)?;
    len.map_or(Ok(()), check_expression)
}

/// Returns the resolver of names at a position. Without a thread, it uses that of the last step
/// before the position.
pub fn names_at<'a>(
    report: &'a Report<'_>,
    at: Position,
    thread: Option<ThreadId>,
) -> Result<NameResolver<'a>> {
    let names = NameResolver::new(
        &report.session.index,
        &report.session.images,
        at,
        thread,
        &report.cancel,
    )?;
    Ok(if report.is_quiet {
        names
    } else {
        names.noticing(|reading| say(&format!("note: {reading}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_range_is_known_before_the_trace_is_opened() {
        assert!(check_range("0x1000:").is_err());
        assert!(check_range("(sp:4").is_err());
        assert!(check_range("nosuch+4:2*8").is_ok());
        assert!(check_range("phys::0x1000:16").is_ok());
        assert!(check_range("phys::").is_err());
    }
}
