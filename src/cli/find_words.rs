//! What `find` says besides its hits: how many there were, and what was looked for in vain.

use stepback_index::{AccessKinds, Cell, Index, MarkerReader, MemoryRange};
use stepback_parsers::{MarkerKind, Position, drmemtrace::marker_name};

use super::progress::say;
use super::report::Report;
use super::text::{counted, grouped, printable};
use stepback_debugger::analysis::walk::{HitQuery, Subject};
use stepback_index::Direction;

/// What is said where the limit leaves nothing to look for.
pub const NOTHING_WANTED: &str = "nothing looked for: --limit is 0\n";

/// What a search by value passes over in a trace that leaves out values.
pub const INFERRED_PASSED_OVER: &str = "inferred values are not searched";

/// Hits of a search for all of them, as they are counted.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    /// So far.
    pub count: u64,
    /// The search ends after so many.
    pub wanted: usize,
}

impl Tally {
    /// None so far.
    pub fn new(wanted: usize) -> Self {
        Self { count: 0, wanted }
    }

    /// Hands over the hits and says how many they are; a search that its limit ended may have left out others.
    pub fn tell(self, report: &mut Report<'_>) -> anyhow::Result<()> {
        if report.is_quiet {
            return Ok(());
        }
        report.flush()?;
        let is_stopped = usize::try_from(self.count).is_ok_and(|count| count >= self.wanted);
        let stopped = if is_stopped {
            ", stopped by --limit"
        } else {
            ""
        };
        say(&format!("note: {}{stopped}", counted(self.count, "hit")));
        Ok(())
    }
}

/// From where it was looked for, and which way.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    /// The position where the search began.
    pub at: Position,
    /// Which way.
    pub direction: Direction,
    /// The thread whose steps were meant alone.
    pub thread: Option<&'a str>,
}

/// `nothing found: no write of 0x8000ff00:8 before position 1,763`.
pub fn nothing_of(subject: &str, way: Way<'_>) -> String {
    let thread = way
        .thread
        .map(|thread| format!(" by thread {}", printable(thread)))
        .unwrap_or_default();
    let at = grouped(way.at.0);
    let place = match way.direction {
        Direction::Back => format!("before position {at}"),
        Direction::Forward => format!("from position {at} on"),
    };
    format!("nothing found: no {subject}{thread} {place}\n")
}

/// What a walk looks for, `write of 0x1000:8`; registers are called as the user called them.
pub fn subject_of(sought: &HitQuery, what: &str) -> String {
    match &sought.subject {
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

/// What is said of a marker that was not found: where the trace has none of its kind, no other question finds one.
pub fn nothing_of_marker(kind: MarkerKind, subject: &str, way: Way<'_>, index: &Index) -> String {
    let mut known: Vec<MarkerKind> = MarkerReader(index)
        .marker_counts()
        .map(|counted| counted.kind)
        .collect();
    if known.contains(&kind) {
        return nothing_of(&format!("marker {}", printable(subject)), way);
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
