//! `stepback calltree`: the calls as a tree.

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use stepback_index::{Call, CallId, CallTable, Entered, Evidence, Left};
use stepback_parsers::Step;

use super::arguments::TraceArguments;
use super::json::hex;
use super::report::Report;
use super::text::{counted, grouped, printable};

/// Deeper calls are not indented further: the text must not grow with the square of the depth.
const INDENT_LIMIT: u32 = 40;

/// Which calls.
#[derive(Debug, Args)]
pub struct CalltreeArguments {
    /// Leave out calls deeper than this (a thread's first frame has depth 0).
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Which trace.
    #[command(flatten)]
    pub common: TraceArguments,
}

/// A call.
#[derive(Serialize)]
struct CallJson<'a> {
    depth: u32,
    thread: &'a str,
    function: FunctionJson,
    call_step: Option<u64>,
    entry_step: Option<u64>,
    exit_step: Option<u64>,
    entered: &'static str,
    left: &'static str,
    evidence: &'static str,
}

/// The function that was called.
#[derive(Serialize)]
struct FunctionJson {
    address: String,
    name: Option<String>,
}

/// Prints the calls of all threads in order of entry.
pub fn run(arguments: &CalltreeArguments, report: &mut Report<'_>) -> Result<()> {
    let limit = arguments.max_depth.unwrap_or(u32::MAX);
    let session = report.session;
    for call in InOrderOfEntry::new(session.index.calls()).filter(|call| call.depth <= limit) {
        match report.is_json {
            true => print_json(&call, report)?,
            false => print_text(&call, report)?,
        }
    }
    Ok(())
}

fn print_json(call: &Call, report: &mut Report<'_>) -> Result<()> {
    let name = report.session.images.function_at(call.function).map(|at| at.to_string());
    report.json(&CallJson {
        depth: call.depth,
        thread: thread_name(call, report),
        function: FunctionJson { address: hex(call.function), name },
        call_step: call.call_step.map(|step| step.0),
        entry_step: call.entry_step.map(|step| step.0),
        exit_step: call.exit_step.map(|step| step.0),
        entered: match call.entered {
            Entered::Root => "root",
            Entered::Call => "call",
            Entered::Tail => "tail",
            Entered::Exception => "exception",
            Entered::Switch => "switch",
        },
        left: match call.left {
            Left::Return => "return",
            Left::Longjmp => "longjmp",
            Left::Skipped => "skipped",
            Left::Open => "open",
            Left::Tail => "tail",
        },
        evidence: match call.evidence {
            Evidence::Start => "start",
            Evidence::Link => "link",
            Evidence::Return => "return",
            Evidence::Branch => "branch",
            Evidence::Words => "words",
            Evidence::Jump => "jump",
            Evidence::Stack => "stack",
        },
    })
}

fn print_text(call: &Call, report: &mut Report<'_>) -> Result<()> {
    let indent = match call.depth {
        depth if depth <= INDENT_LIMIT => "  ".repeat(depth as usize),
        depth => format!("{}{depth}: ", "  ".repeat(INDENT_LIMIT as usize)),
    };
    let named = report.session.images.function_at(call.function).map(|at| format!("{}  ", printable(&at.to_string())));
    let thread = match call.entered {
        Entered::Root => format!("{}: ", thread_name(call, report)),
        Entered::Call | Entered::Tail | Entered::Exception | Entered::Switch => String::new(),
    };
    let line = format!("{indent}{thread}{}{}  {}\n", named.unwrap_or_default(), hex(call.function), steps_text(call));
    report.text(&line)
}

fn thread_name<'a>(call: &Call, report: &Report<'a>) -> &'a str {
    report.session.index.threads().get(usize::from(call.thread.0)).map_or("", |thread| &thread.name)
}

fn steps_text(call: &Call) -> String {
    let end = match call.left {
        Left::Return => "",
        Left::Longjmp => ", left by a longjmp",
        Left::Skipped => ", skipped by a later return",
        Left::Open => ", never left",
        Left::Tail => ", left by a tail call",
    };
    match (call.entry_step, call.exit_step) {
        (Some(Step(entry)), Some(Step(exit))) => {
            let count = counted(exit.saturating_sub(entry).saturating_add(1), "step");
            format!("{}-{} ({count}{end})", grouped(entry), grouped(exit))
        }
        (Some(Step(entry)), None) => format!("from {}{end}", grouped(entry)),
        (None, _) => format!("shows no step{end}"),
    }
}

/// The calls of all threads, merged in order of entry. The table has them thread by thread.
struct InOrderOfEntry<'a> {
    calls: &'a CallTable,
    /// The next call of each thread and one past its last.
    heads: Vec<(u64, u64)>,
}

impl<'a> InOrderOfEntry<'a> {
    fn new(calls: &'a CallTable) -> Self {
        let range = |root: CallId| calls.get(root).map(|_| (root.0, root.0.saturating_add(calls.descendants(root))));
        let heads = calls.roots().filter_map(range).map(|(first, last)| (first, last.saturating_add(1))).collect();
        Self { calls, heads }
    }
}

impl Iterator for InOrderOfEntry<'_> {
    type Item = Call;

    fn next(&mut self) -> Option<Call> {
        let calls = self.calls;
        let of_head = |(next, end): &mut (u64, u64)| calls.get(CallId(*next)).filter(|_| *next < *end);
        let heads = self.heads.iter_mut().filter_map(|head| of_head(head).map(|call| (head, call)));
        let (head, call) = heads.min_by_key(|(_, call)| entered_after(call))?;
        head.0 += 1;
        Some(call)
    }
}

/// The position of the entry; a call whose steps the trace does not show was entered right after it was made.
fn entered_after(call: &Call) -> u64 {
    match (call.entry_step, call.call_step) {
        (Some(step), _) => step.before().0,
        (None, Some(step)) => step.after().0,
        (None, None) => 0,
    }
}
