//! `stepback find`: accesses and visits of a cell or address; occurrences of a text or a value.

use std::cell::Cell;

use anyhow::{Error, Result};
use clap::{Args, ValueEnum};
use stepback_debugger::analysis::names::{NameError, code_address};
use stepback_debugger::analysis::search;
use stepback_debugger::analysis::search::{bytes_of, wide_number};
use stepback_debugger::analysis::walk::{HitCursor, HitQuery, Subject};
use stepback_debugger::expression::BareNumber;
use stepback_debugger::image::SourceLineName;
use stepback_debugger::place::PositionName;
use stepback_index::QueryError;
use stepback_index::answer::{AccessKinds, Direction, Number, ThreadId};
use stepback_index::query::TextPattern;
use stepback_index::read::check_records_accesses;
use stepback_machine::Address;
use stepback_parsers::{Position, RegisterSource};

use crate::cli::answer_forms::AnswerForms;
use crate::cli::cells::{check_cell, check_expression, names_at, resolved, thread_id};
use crate::cli::error::CommandError;
use crate::cli::find_hits::HitPrinter;
use crate::cli::find_marker::{check_marker, find_marker};
use crate::cli::find_words::{INFERRED_PASSED_OVER, nothing_of, pointer_hint, subject_of};
use crate::cli::json::hex;
use crate::cli::progress::say;
use crate::cli::question::{Command, Question, TraceArguments};
use crate::cli::report::Report;
use crate::cli::text::printable;
use crate::cli::{find_hits, find_marker};

/// Default maximum number of stack frames in text output.
const FRAMES: usize = 64;

#[derive(Debug, Args)]
pub struct FindArguments {
    /// The kind of search.
    #[arg(index = 2)]
    pub kind: FindKind,
    /// A register or ADDR[:LEN]; for text a regular expression, for value a number.
    ///
    /// For the kinds of access: a register, ADDR[:LEN] or phys::ADDR[:LEN] (physical memory). For
    /// pc and last-pc: ADDR or FILE:LINE. For text: a regular expression for the disassembly or the lines of the
    /// trace, case-sensitive unless it begins with (?i). For value: a number. For bytes: pairs of
    /// hex digits, or a text in quotes. For marker and last-marker: NAME[=VALUE], with a plain word
    /// (signal, system_call, time, cpu) or a name of the format, as list --records and counts
    /// --json print them (syscall=1, kernel_event). For
    /// next-external and last-external: ADDR[:LEN], or nothing for all of memory.
    #[arg(index = 3, allow_hyphen_values = true)]
    pub what: Option<String>,
    /// Position to search from (default: end for the last-… kinds, start for all others).
    #[arg(long, value_name = "POS", allow_negative_numbers = true)]
    pub at: Option<PositionName>,
    /// Thread whose registers are meant; only its steps are searched.
    ///
    /// By default, registers are those of the thread of the last step before the position, and the
    /// steps, accesses and markers of all threads are searched.
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    /// Print every hit, not just the first.
    #[arg(long)]
    pub all: bool,
    /// Maximum number of hits with --all.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Print the call stack of each hit.
    ///
    /// With --all, the text groups hits by stack, largest group first.
    #[arg(long)]
    pub stack: bool,
    /// Maximum number of frames of each stack, innermost first (default: 64, with --json all).
    #[arg(long, value_name = "N", requires = "stack")]
    pub frames: Option<usize>,
    /// Exit with status 1 if nothing is found, and with 2 if the trace cannot be searched.
    #[arg(long)]
    pub exit_code: bool,
    /// Position from which a search continues that began at `at`, where its names are resolved.
    #[arg(skip)]
    pub resumed_at: Option<Position>,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// Kind of search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FindKind {
    /// The last write before the position.
    LastWrite,
    /// The first write from the position on.
    NextWrite,
    /// The last read.
    LastRead,
    /// The next read.
    NextRead,
    /// The last read or write.
    LastAccess,
    /// The next read or write.
    NextAccess,
    /// The next step at an address.
    Pc,
    /// The last step at an address.
    LastPc,
    /// The next step whose disassembly or raw lines match.
    Text,
    /// The next register write or memory access of exactly this value.
    Value,
    /// The next access to memory containing this byte sequence.
    Bytes,
    /// The next read that contradicts what was known: an external change.
    NextExternal,
    /// The last external change.
    LastExternal,
    /// The next marker of a binary format: a system call, a signal, a time.
    #[value(alias = "markers")]
    Marker,
    /// The last marker.
    LastMarker,
}

impl FindArguments {
    /// Returns the maximum number of hits to print.
    pub fn wanted(&self) -> usize {
        match self.all {
            true => self.limit.unwrap_or(usize::MAX),
            false => self.limit.unwrap_or(1).min(1),
        }
    }

    /// Returns the text that says what to find.
    pub fn subject(&self) -> &str {
        self.what.as_deref().unwrap_or_default()
    }

    /// Returns the maximum number of frames to print with each hit. None without stacks.
    pub fn stack_frames(&self) -> Option<usize> {
        let usual = match self.common.report.json {
            true => usize::MAX,
            false => FRAMES,
        };
        self.stack.then(|| self.frames.unwrap_or(usual))
    }
}

/// Returns the forms of the JSON output: one value, or with --all one per line.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    find_marker::forms(find_hits::forms(forms))
}

impl Command for FindArguments {
    fn check(&self) -> Result<(), String> {
        let Some(what) = &self.what else {
            return if self.kind.is_external() {
                Ok(())
            } else {
                Err("give WHAT: the register, address or text to find".to_owned())
            };
        };
        match self.kind {
            FindKind::Text => pattern(what).map(|_| ()),
            FindKind::Bytes => bytes_of(what).map(|_| ()).ok_or_else(|| no_bytes(what)),
            FindKind::Value if wide_number(what).is_some() => Ok(()),
            FindKind::Pc | FindKind::LastPc if SourceLineName::parse(what).is_some() => Ok(()),
            FindKind::Pc | FindKind::LastPc | FindKind::Value => check_expression(what),
            FindKind::Marker | FindKind::LastMarker if self.stack => {
                Err("--stack is for steps, not for markers".to_owned())
            }
            FindKind::Marker | FindKind::LastMarker => check_marker(what),
            _ => check_cell(what),
        }
    }

    fn has_exit_code(&self) -> bool {
        self.exit_code
    }

    fn run(&self) -> Result<()> {
        let is_found = Cell::new(false);
        Question::new(&self.common).ask(|report| {
            is_found.set(answer(self, report)?);
            Ok(())
        })?;
        if is_found.get() {
            return Ok(());
        }
        let what = self.subject();
        let may_be_case = self.kind == FindKind::Text
            && !what.contains("(?i)")
            && !what.contains(char::is_uppercase);
        // Simulators print in upper case what lists show in lower case.
        if may_be_case && !self.common.report.quiet {
            say("note: the search is case-sensitive; start the pattern with (?i) to ignore case");
        }
        match self.exit_code {
            true => Err(CommandError::Negative.into()),
            false => Ok(()),
        }
    }
}

/// Prints the first hit, or all hits as they are found. Returns true if there are any.
///
/// # Errors
/// A name or position has no meaning, or the trace or the report fails.
pub fn answer(arguments: &FindArguments, report: &mut Report<'_>) -> Result<bool> {
    let session = report.session;
    check_values(arguments.kind, report)?;
    let given = arguments.at.as_ref();
    let given = given.map(|place| resolved(place, report)).transpose()?;
    let thread = thread_id(session, arguments.thread.as_deref())?;
    let at = given.unwrap_or_else(|| match arguments.kind.direction() {
        Direction::Back => session.index.end(),
        Direction::Forward => Position(0),
    });
    let from = arguments.resumed_at.unwrap_or(at);
    let (index, cancel) = (&session.index, &report.cancel.clone());
    match search(arguments, at, thread, report)? {
        Search::Walk(query) => {
            let mut walk =
                HitCursor::new(query, from, arguments.wanted(), index, cancel).of_thread(thread);
            let subject = subject_of(walk.sought(), arguments.subject());
            let nothing = nothing_of(&subject, at, arguments);
            let is_found = HitPrinter::new(arguments, nothing).print_walk(&mut walk, report)?;
            if let Some(hint) = pointer_hint(arguments.subject()).filter(|_| !is_found) {
                report.note(&hint);
            }
            Ok(is_found)
        }
        Search::Marker => find_marker(arguments, given, thread, report),
        Search::Through(search, subject) => {
            let reach = search::stream::SearchExtent {
                thread,
                from,
                limit: arguments.wanted(),
            };
            HitPrinter::new(arguments, nothing_of(&subject, at, arguments))
                .passing_over(passed_over(arguments.kind, report))
                .print_search(report, |each| search.stream(reach, index, cancel, each))
        }
    }
}

/// Search method.
enum Search {
    /// Walks from hit to hit through the index.
    Walk(HitQuery),
    /// Walks through the marker lists.
    Marker,
    /// Scans the trace. The string names the subject for the message that nothing was found.
    Through(search::Search, String),
}

fn search(
    arguments: &FindArguments,
    at: Position,
    thread: Option<ThreadId>,
    report: &Report<'_>,
) -> Result<Search> {
    let names = names_at(report, at, thread)?;
    let what = arguments.subject();
    let cell = || names.cell(what);
    let code = || -> Result<Vec<Address>> {
        if let Some(line) = SourceLineName::parse(what) {
            let code = line.code(&report.session.images, &report.cancel)?;
            return match code.is_empty() {
                true => Err(NameError::NoCode(line).into()),
                false => Ok(code),
            };
        }
        let addresses = names.numbers(what)?.into_iter();
        Ok(addresses
            .map(|number| code_address(number, &report.session.index, &report.cancel))
            .collect::<Result<_, _>>()?)
    };
    let range = || {
        arguments
            .what
            .as_ref()
            .map(|what| names.memory_range(what))
            .transpose()
    };
    let next_access = |cell, kinds| match arguments.all {
        true => Subject::each_access(cell, kinds, &report.session.index),
        false => Subject::Accesses(cell, kinds),
    };
    let subject = match arguments.kind {
        FindKind::LastWrite => Subject::Accesses(cell()?, AccessKinds::Writes),
        FindKind::LastRead => Subject::Accesses(cell()?, AccessKinds::Reads),
        FindKind::LastAccess => Subject::Accesses(cell()?, AccessKinds::All),
        FindKind::NextWrite => next_access(cell()?, AccessKinds::Writes),
        FindKind::NextRead => next_access(cell()?, AccessKinds::Reads),
        FindKind::NextAccess => next_access(cell()?, AccessKinds::All),
        FindKind::Pc | FindKind::LastPc => Subject::Visits(code()?),
        FindKind::Marker | FindKind::LastMarker => return Ok(Search::Marker),
        FindKind::Text => {
            let pattern = pattern(what).map_err(Error::msg)?;
            let subject = format!("step whose text or lines match {:?}", printable(what));
            return Ok(Search::Through(search::Search::Text(pattern), subject));
        }
        FindKind::Value => {
            let is_number = wide_number(what).is_some() || BareNumber::of(what.trim()).is_some();
            let (value, text) = match is_number {
                true => (names.sought_value(what)?, printable(what.trim())),
                false => {
                    let number = names.number(what)?;
                    (Number::from(number), hex(Address(number)))
                }
            };
            return Ok(Search::Through(
                search::Search::Value(value),
                format!("value {text}"),
            ));
        }
        FindKind::Bytes => {
            check_records_accesses(&report.session.index)?;
            let bytes = bytes_of(what).ok_or_else(|| Error::msg(no_bytes(what)))?;
            let subject = format!("access of memory with the bytes {}", printable(what.trim()));
            return Ok(Search::Through(search::Search::Bytes(bytes), subject));
        }
        FindKind::NextExternal | FindKind::LastExternal => Subject::ExternalChanges(range()?),
    };
    Ok(Search::Walk(HitQuery {
        subject,
        direction: arguments.kind.direction(),
    }))
}

/// Refuses a search for values in a trace that records none.
fn check_values(kind: FindKind, report: &Report<'_>) -> Result<()> {
    let traits = report.session.index.source().traits();
    if kind.is_of_values() && traits.registers == RegisterSource::Operands {
        let (format, what) = (traits.format.clone(), "values of registers and memory");
        return Err(QueryError::NotRecorded { format, what }.into());
    }
    Ok(())
}

/// Returns a note about values that the search skips.
fn passed_over(kind: FindKind, report: &Report<'_>) -> Option<&'static str> {
    let is_incomplete = report.session.index.source().leaves_values_out();
    (kind.is_of_values() && is_incomplete).then_some(INFERRED_PASSED_OVER)
}

fn no_bytes(text: &str) -> String {
    format!("bytes are pairs of hex digits (67 64 62) or a text in quotes, not {text:?}")
}

fn pattern(text: &str) -> Result<TextPattern, String> {
    text.parse()
        .map_err(|error| format!("invalid regular expression: {error}"))
}

impl FindKind {
    /// Returns the direction of the search.
    pub fn direction(self) -> Direction {
        use FindKind::{LastAccess, LastExternal, LastMarker, LastPc, LastRead, LastWrite};
        match self {
            LastWrite | LastRead | LastAccess | LastPc | LastExternal | LastMarker => {
                Direction::Back
            }
            _ => Direction::Forward,
        }
    }

    fn is_of_values(self) -> bool {
        matches!(self, Self::Value | Self::Bytes)
    }

    fn is_external(self) -> bool {
        matches!(self, Self::NextExternal | Self::LastExternal)
    }
}
