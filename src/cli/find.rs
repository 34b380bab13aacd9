//! `stepback find`: who wrote, read or executed it; where a text or a value occurs.

use anyhow::{Error, Result};
use clap::{Args, ValueEnum};
use stepback_index::{AccessKinds, Cell, MemoryRange, Number, TextPattern, ThreadId};
use stepback_machine::Address;
use stepback_parsers::{Position, RegisterSource};

use super::cells::{check_cell, check_expression, names_at, resolved, thread_id};
use super::command::Command;
use super::extent::Extent;
use super::find_hits::{Asked, HitPrinter};
use super::find_marker::{MarkerArguments, check_marker, find_marker};
use super::find_stacks::StackWish;
use super::find_words::{INFERRED_PASSED_OVER, NOTHING_WANTED, Way, nothing_of, subject_of};
use super::json::hex;
use super::question::Question;
use super::report::Report;
use super::text::printable;
use super::trace_arguments::TraceArguments;
use stepback_debugger::analysis::code_address::code_address;
use stepback_debugger::analysis::search::{self, bytes_of, wide_number};
use stepback_debugger::analysis::walk::{HitCursor, HitQuery, Subject};
use stepback_debugger::expression::BareNumber;
use stepback_debugger::place::PositionName;
use stepback_index::Direction;

/// Frames of a stack that people read.
const FRAMES: usize = 64;

/// What is sought, and where.
#[derive(Debug, Args)]
pub struct FindArguments {
    /// What to look for.
    #[arg(index = 2)]
    pub kind: Kind,
    /// A register, ADDR[:LEN] or phys::ADDR[:LEN] (physical memory); for pc and last-pc: ADDR; for text: a regular expression;
    /// for value: a number; for bytes: pairs of hex digits, or a text in quotes;
    /// for marker and last-marker: NAME[=VALUE], as counts has the names (syscall=1, physical_address=ADDR);
    /// for next-external and last-external: ADDR[:LEN], or nothing for all of memory.
    #[arg(index = 3, allow_hyphen_values = true)]
    pub what: Option<String>,
    /// From where (default: end for the last-… kinds, start for all others).
    #[arg(long, value_name = "POS", allow_negative_numbers = true)]
    pub at: Option<PositionName>,
    /// Whose registers (default: the thread of the last step before the position), and whose steps, accesses and markers
    /// (default: those of all threads).
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    /// Every hit, not just the first.
    #[arg(long)]
    pub all: bool,
    /// With --all, at most so many hits.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// With the call stack around each hit. With --all the text has the stacks, those with most hits first.
    #[arg(long)]
    pub stack: bool,
    /// With --stack, at most so many frames of each stack, the innermost (default: 64, with --json all).
    #[arg(long, value_name = "N", requires = "stack")]
    pub frames: Option<usize>,
    /// Which trace.
    #[command(flatten)]
    pub common: TraceArguments,
}

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
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
    /// The next access of memory that holds these bytes in a row.
    Bytes,
    /// The next read that contradicts what was known: an external change.
    NextExternal,
    /// The last external change.
    LastExternal,
    /// The next marker of a binary format: a system call, a signal, a time.
    Marker,
    /// The last one.
    LastMarker,
}

impl FindArguments {
    fn extent(&self) -> Extent {
        if self.all { Extent::All } else { Extent::First }
    }

    /// What is told of a hit besides what it is.
    fn stacks(&self) -> StackWish {
        let usual = if self.common.report.json {
            usize::MAX
        } else {
            FRAMES
        };
        if self.stack {
            StackWish::Frames(self.frames.unwrap_or(usual))
        } else {
            StackWish::LeftOut
        }
    }
}

impl Command for FindArguments {
    fn check(&self) -> Result<(), String> {
        let Some(what) = &self.what else {
            return if self.kind.is_external() {
                Ok(())
            } else {
                Err("WHAT is missing: what to find".to_owned())
            };
        };
        match self.kind {
            Kind::Text => pattern(what).map(|_| ()),
            Kind::Bytes => bytes_of(what).map(|_| ()).ok_or_else(|| no_bytes(what)),
            Kind::Value if wide_number(what).is_some() => Ok(()),
            Kind::Pc | Kind::LastPc | Kind::Value => check_expression(what),
            Kind::Marker | Kind::LastMarker if self.stack => {
                Err("--stack is for steps, not for markers".to_owned())
            }
            Kind::Marker | Kind::LastMarker => check_marker(what),
            _ => check_cell(what),
        }
    }

    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

/// Prints the hit, or all of them as they are found.
fn answer(arguments: &FindArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let at = match &arguments.at {
        Some(place) => resolved(place, report)?,
        None => match arguments.kind.direction() {
            Direction::Back => session.index.end(),
            Direction::Forward => Position(0),
        },
    };
    let thread = thread_id(session, arguments.thread.as_deref())?;
    let asked = search(arguments, at, thread, report)?;
    let (index, cancel) = (&session.index, &report.cancel.clone());
    let limit = arguments.limit.unwrap_or(usize::MAX);
    let wanted = if arguments.all { limit } else { limit.min(1) };
    let what = arguments.what.as_deref().unwrap_or_default();
    let nothing = {
        let way = Way {
            at,
            direction: arguments.kind.direction(),
            thread: arguments.thread.as_deref(),
        };
        move |subject: &str| match wanted {
            0 => NOTHING_WANTED.to_owned(),
            _ => nothing_of(subject, way),
        }
    };
    let printer = |nothing: String| {
        HitPrinter::new(Asked {
            extent: arguments.extent(),
            wanted,
            nothing,
            stacks: arguments.stacks(),
        })
    };
    match asked {
        Search::Walk(sought) => {
            let mut walk = HitCursor::new(sought, at, wanted, index, cancel).of_thread(thread);
            let nothing = nothing(&subject_of(walk.sought(), what));
            printer(nothing).print_walk(&mut walk, report)
        }
        Search::Marker => {
            let marker = MarkerArguments {
                what,
                direction: arguments.kind.direction(),
                at: arguments.at.as_ref().map(|_| at),
                thread,
                extent: arguments.extent(),
                limit: wanted,
            };
            find_marker(marker, report)
        }
        Search::Through(search, subject) => {
            let reach = search::stream::SearchExtent {
                thread,
                from: at,
                limit: wanted,
            };
            let printer =
                printer(nothing(&subject)).passing_over(passed_over(arguments.kind, report));
            printer.print_search(report, |each| search.stream(reach, index, cancel, each))
        }
    }
}

/// How it is looked for.
enum Search {
    /// From hit to hit through the index.
    Walk(HitQuery),
    /// Through the lists of markers.
    Marker,
    /// Through the trace; what is said to be missing where nothing is found.
    Through(search::Search, String),
}

fn search(
    arguments: &FindArguments,
    at: Position,
    thread: Option<ThreadId>,
    report: &Report<'_>,
) -> Result<Search> {
    let names = names_at(report, at, thread)?;
    let what = arguments.what.as_deref().unwrap_or_default();
    let cell = || names.cell(what);
    let code = || -> Result<Vec<Address>> {
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
    let subject = match arguments.kind {
        Kind::LastWrite => Subject::Accesses(cell()?, AccessKinds::Writes),
        Kind::LastRead => Subject::Accesses(cell()?, AccessKinds::Reads),
        Kind::LastAccess => Subject::Accesses(cell()?, AccessKinds::All),
        Kind::NextWrite => next_access(cell()?, AccessKinds::Writes, arguments.extent(), report),
        Kind::NextRead => next_access(cell()?, AccessKinds::Reads, arguments.extent(), report),
        Kind::NextAccess => next_access(cell()?, AccessKinds::All, arguments.extent(), report),
        Kind::Pc | Kind::LastPc => Subject::Visits(code()?),
        Kind::Marker | Kind::LastMarker => return Ok(Search::Marker),
        Kind::Text => {
            let pattern = pattern(what).map_err(Error::msg)?;
            let subject = format!("step whose text or lines match {:?}", printable(what));
            return Ok(Search::Through(search::Search::Text(pattern), subject));
        }
        Kind::Value => {
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
        Kind::Bytes => {
            let bytes = bytes_of(what).ok_or_else(|| Error::msg(no_bytes(what)))?;
            let subject = format!("access of memory with the bytes {}", printable(what.trim()));
            return Ok(Search::Through(search::Search::Bytes(bytes), subject));
        }
        Kind::NextExternal | Kind::LastExternal => Subject::ExternalChanges(range()?),
    };
    Ok(Search::Walk(HitQuery {
        subject,
        direction: arguments.kind.direction(),
    }))
}

/// What a search by value does not look at.
fn passed_over(kind: Kind, report: &Report<'_>) -> Option<&'static str> {
    let source = report.session.index.source();
    let is_incomplete =
        source.traits().registers == RegisterSource::Operands || source.leaves_values_out();
    (matches!(kind, Kind::Value | Kind::Bytes) && is_incomplete).then_some(INFERRED_PASSED_OVER)
}

/// Of a step that reads and writes, both are listed where nothing but accesses tells of memory.
fn next_access(cell: Cell, kinds: AccessKinds, extent: Extent, report: &Report<'_>) -> Subject {
    let registers = report.session.index.source().traits().registers;
    match cell {
        Cell::Memory { address, len_bytes }
            if extent == Extent::All && registers == RegisterSource::Operands =>
        {
            Subject::EveryAccess(MemoryRange { address, len_bytes }, kinds)
        }
        _ => Subject::Accesses(cell, kinds),
    }
}

fn no_bytes(text: &str) -> String {
    format!("bytes are pairs of hex digits (67 64 62) or a text in quotes, not {text:?}")
}

fn pattern(text: &str) -> Result<TextPattern, String> {
    text.parse()
        .map_err(|error| format!("the pattern is no regular expression: {error}"))
}

impl Kind {
    fn direction(self) -> Direction {
        use Kind::{LastAccess, LastExternal, LastMarker, LastPc, LastRead, LastWrite};
        match self {
            LastWrite | LastRead | LastAccess | LastPc | LastExternal | LastMarker => {
                Direction::Back
            }
            _ => Direction::Forward,
        }
    }

    fn is_external(self) -> bool {
        matches!(self, Self::NextExternal | Self::LastExternal)
    }
}
