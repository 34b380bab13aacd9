//! Messages of `find`: the number of hits, and descriptions of failed searches ([`nothing_of`]).

use anyhow::Result;
use stepback_debugger::analysis::walk::{HitQuery, Subject};
use stepback_debugger::expression::{dereferenced, split_range, split_space};
use stepback_index::Index;
use stepback_index::answer::{AccessKinds, Cell, Direction, MemoryRange};
use stepback_index::read::MarkerReader;
use stepback_parsers::drmemtrace::marker_name;
use stepback_parsers::{MarkerKind, Position};

use crate::cli::find::FindArguments;
use crate::cli::report::Report;
use crate::cli::text::{counted, grouped, printable};

/// Note that a search by value ignores inferred values in a trace that omits values.
pub const INFERRED_PASSED_OVER: &str = "inferred values are not searched";

/// Flushes the hits and prints their number. Mentions the limit if it ended the search.
pub fn note_count(count: u64, arguments: &FindArguments, report: &mut Report<'_>) -> Result<()> {
    if report.is_quiet {
        return Ok(());
    }
    report.flush()?;
    let is_stopped = usize::try_from(count).is_ok_and(|count| count >= arguments.wanted());
    let stopped = if is_stopped {
        ", stopped by --limit"
    } else {
        ""
    };
    report.note(&format!("{}{stopped}", counted(count, "hit")));
    Ok(())
}

/// Formats `nothing found: no write of 0x8000ff00:8 before position 1,763`.
pub fn nothing_of(subject: &str, at: Position, arguments: &FindArguments) -> String {
    if arguments.wanted() == 0 {
        return "nothing to search for: --limit is 0\n".to_owned();
    }
    let thread = arguments.thread.as_ref();
    let thread = thread.map(|thread| format!(" by thread {}", printable(thread)));
    let at = grouped(at.0);
    let place = match arguments.kind.direction() {
        Direction::Back => format!("before position {at}"),
        Direction::Forward => format!("from position {at} on"),
    };
    let thread = thread.unwrap_or_default();
    format!("nothing found: no {subject}{thread} {place}\n")
}

/// Describes the subject of a walk: `write of 0x1000:8`. Registers keep the user's spelling.
pub fn subject_of(query: &HitQuery, what: &str) -> String {
    match &query.subject {
        Subject::Accesses(cell, kinds) => {
            let cell = match *cell {
                Cell::Register { .. } => printable(what.trim()),
                Cell::Memory { address, len_bytes } => {
                    range_text(MemoryRange { address, len_bytes })
                }
                Cell::Physical { address, len_bytes } => {
                    format!(
                        "physical {}",
                        range_text(MemoryRange { address, len_bytes })
                    )
                }
            };
            format!("{} of {cell}", kinds_word(*kinds))
        }
        Subject::EveryAccess(range, kinds) => {
            format!("{} of {}", kinds_word(*kinds), range_text(*range))
        }
        Subject::Visits(code) => {
            let code: Vec<String> = code.iter().map(|address| address.to_string()).collect();
            format!("step at {}", code.join(" or "))
        }
        Subject::ExternalChanges(None) => "external change".to_owned(),
        Subject::ExternalChanges(Some(range)) => {
            format!("external change of {}", range_text(*range))
        }
    }
}

/// Returns the hint that the brackets of a cell choose the memory to which a number in memory
/// points; `None` if the address does not come from memory.
pub fn pointer_hint(what: &str) -> Option<String> {
    let (address, len) = split_range(split_space(what).1);
    let pointer = dereferenced(address)?;
    let cell = match len {
        Some(len) => format!("{pointer}:{}", len.trim()),
        None => pointer.to_owned(),
    };
    let (address, pointer, cell) = (printable(address), printable(pointer), printable(&cell));
    Some(format!(
        "the address is the number in memory at {address}: for the memory that {pointer} points to write {cell}"
    ))
}

/// Describes a failed marker search. If the trace has no markers of the kind, lists the kinds it
/// has.
pub fn nothing_of_marker(
    kind: MarkerKind,
    at: Position,
    arguments: &FindArguments,
    index: &Index,
) -> String {
    let mut known: Vec<MarkerKind> = MarkerReader(index)
        .marker_counts()
        .map(|counted| counted.kind)
        .collect();
    if known.contains(&kind) || arguments.wanted() == 0 {
        let subject = format!("marker {}", printable(arguments.subject()));
        return nothing_of(&subject, at, arguments);
    }
    if known.is_empty() {
        return "nothing found: this trace has no markers, such as binary formats keep of system calls and times\n"
            .to_owned();
    }
    known.sort_unstable();
    known.dedup();
    let names: Vec<_> = known.into_iter().map(marker_name).collect();
    format!(
        "nothing found: this trace has no marker {}, only {}\n",
        marker_name(kind),
        names.join(", ")
    )
}

fn kinds_word(kinds: AccessKinds) -> &'static str {
    match kinds {
        AccessKinds::Reads => "read",
        AccessKinds::Writes => "write",
        AccessKinds::All => "access",
    }
}

fn range_text(range: MemoryRange) -> String {
    format!("{}:{}", range.address, range.len_bytes)
}
