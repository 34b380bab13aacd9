//! `stepback flamegraph`: the time spent in each call stack, as folded lines or drawn.

use crate::cli::answer_forms::AnswerForms;
use anyhow::{Result, bail};
use clap::Args;
use inferno::flamegraph::{Options, TextTruncateDirection, from_lines};
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::activations::{ActivationSpan, ActivationSpans, ActivationTree};
use stepback_debugger::analysis::call_profile::{Progress, call_profile};
use stepback_debugger::analysis::profile::marked_pc;
use stepback_debugger::analysis::sites::{Sites, counts_steps};
use stepback_debugger::analysis::stack_times::{FoldedStack, StackFunction, StackTimes};
use stepback_parsers::{Position, Tarmac};

use super::json::{FunctionJson, Time};
use super::profile::note_unit;
use super::progress::say;
use super::question::Question;
use super::report::Report;
use super::text::{counted, grouped};
use crate::cli::question::{Command, TraceArguments};
use crate::cli::text::{FunctionNames, NameOptions};

/// Longer text is printed only if the user chose a depth.
const TEXT_LIMIT_BYTES: u64 = 64 << 20;
/// Maximum number of rows in a picture; more cannot be viewed usefully.
const ROWS_LIMIT: u32 = 1000;

/// Help text below the options.
pub const HELP: &str = "\
Each line is a call stack, outermost function first, and the time spent in its innermost function,
excluding callees.
For a Tarmac trace, the text counts like tarmac-flamegraph: only calls that returned. With --whole
or --json, and for all other formats, every call counts, as in `profile` and in the window.
If the trace has no times, or only coarse ones (drmemtrace), steps of the thread are counted
instead, and a note says so.
JSON: one array with \"thread\", \"functions\" (outermost first) and \"time\" in each element.";

#[derive(Debug, Args)]
pub struct FlamegraphArguments {
    /// Count calls deeper than this for the function at this depth (default: no limit, unless the
    /// text would exceed 64 MB).
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Also count calls that never returned.
    #[arg(long)]
    pub whole: bool,
    /// Draw an SVG picture for a web browser.
    #[arg(long, conflicts_with = "json")]
    pub svg: bool,
    #[command(flatten)]
    pub names: NameOptions,
    #[command(flatten)]
    pub common: TraceArguments,
}

#[derive(Serialize, JsonSchema)]
struct FoldedStackJson<'a> {
    thread: &'a str,
    /// The functions of the stack, outermost first.
    functions: Vec<FunctionJson>,
    time: Time,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<Vec<FoldedStackJson<'_>>>()
}

impl Command for FlamegraphArguments {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

/// Prints the stacks of all threads.
fn answer(arguments: &FlamegraphArguments, report: &mut Report<'_>) -> Result<()> {
    report.note_unknown_calls();
    let session = report.session;
    let names = FunctionNames::new(&session.images, arguments.names);
    let is_whole =
        arguments.whole || report.is_json || session.index.source().downcast::<Tarmac>().is_none();
    let mut threads = if is_whole {
        whole_stacks(&names, report)?
    } else {
        returned_stacks(&names, report)?
    };
    note_unit(report);
    let share = TEXT_LIMIT_BYTES / (threads.len() as u64).max(1);
    for (_, stacks) in &mut threads {
        if let Some(depth) = depth_limit(stacks, share, arguments) {
            stacks.cut(depth);
        }
    }
    match () {
        () if report.is_json => print_json(&threads, report),
        () if arguments.svg => draw(&lines(&threads).collect::<Vec<_>>(), report),
        () => lines(&threads).try_for_each(|line| report.text(&line)),
    }
}

/// Returns the stacks of calls that returned.
fn returned_stacks<'a>(
    names: &FunctionNames<'_>,
    report: &Report<'a>,
) -> Result<Vec<(&'a str, StackTimes)>> {
    let session = report.session;
    let mut threads = Vec::new();
    for tree in ActivationTree::all(&session.index, &report.cancel)? {
        let mut stacks = StackTimes::default();
        let spans = ActivationSpans::new(&tree, &session.index, &report.cancel);
        let name = |span: &ActivationSpan| {
            names
                .name(span.function)
                .unwrap_or_else(|| format!("{:#x}", span.pc))
        };
        spans.for_each(|span| stacks.enter(span, name(span)))?;
        let thread = session.index.thread_name(tree.thread);
        threads.push((thread, stacks));
    }
    Ok(threads)
}

/// Returns the stacks of all calls.
fn whole_stacks<'a>(
    names: &FunctionNames<'_>,
    report: &Report<'a>,
) -> Result<Vec<(&'a str, StackTimes)>> {
    let index = &report.session.index;
    let profile = call_profile(
        index,
        &(Position(0)..index.end()),
        &Progress::default(),
        &report.cancel,
    )?;
    let sites = Sites::new(index, &report.cancel);
    let mut functions = Vec::with_capacity(profile.functions.len());
    for used in &profile.functions {
        let pc = marked_pc(used, &sites, index)?;
        let text = names
            .name(used.address)
            .unwrap_or_else(|| format!("{pc:#x}"));
        functions.push(StackFunction {
            text,
            address: used.address,
        });
    }
    if profile.merged_calls > 0 {
        let calls = counted(profile.merged_calls, "call");
        report.note(&format!(
            "{calls} of too many different stacks are counted for their callers"
        ));
    }
    let stacks = StackTimes::of_profile(&profile, &functions).into_iter();
    Ok(stacks
        .map(|(thread, stacks)| (index.thread_name(thread), stacks))
        .collect())
}

/// Returns the depth at which stacks are cut. Prints a note if the user did not choose the depth.
fn depth_limit(
    stacks: &StackTimes,
    share_bytes: u64,
    arguments: &FlamegraphArguments,
) -> Option<u32> {
    if arguments.max_depth.is_some() {
        return arguments.max_depth;
    }
    let within = stacks.depth_within(share_bytes);
    let limit = if arguments.svg {
        within.unwrap_or(u32::MAX).min(ROWS_LIMIT)
    } else {
        within?
    };
    if stacks.deepest() <= limit {
        return None;
    }
    if !arguments.common.report.quiet {
        let depth = grouped(limit.into());
        say(&format!(
            "note: calls deeper than {depth} count for the calls around them; --max-depth sets another limit"
        ));
    }
    Some(limit)
}

/// Iterates over the lines of all threads. Formats one thread at a time, since deep recursion makes
/// them many and long.
fn lines<'a>(threads: &'a [(&'a str, StackTimes)]) -> impl Iterator<Item = String> {
    let is_alone = threads.len() == 1;
    threads.iter().flat_map(move |(thread, stacks)| {
        stacks
            .folded()
            .into_iter()
            .map(move |FoldedStack { text, time, .. }| match is_alone {
                true => format!("{text} {time}\n"),
                false => format!("{thread};{text} {time}\n"),
            })
    })
}

fn print_json(threads: &[(&str, StackTimes)], report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let stacks = threads.iter().flat_map(|(thread, stacks)| {
        stacks.folded().into_iter().map(move |stack| {
            let functions = stacks.functions_of(&stack).into_iter();
            FoldedStackJson {
                thread,
                functions: functions
                    .map(|address| FunctionJson::new(address, session))
                    .collect(),
                time: Time(stack.time),
            }
        })
    });
    report.json_array(stacks)
}

fn draw(lines: &[String], report: &mut Report<'_>) -> Result<()> {
    if lines.iter().all(|line| line.ends_with(" 0\n")) {
        bail!("there is nothing to draw: no time passes in any call");
    }
    let info = report.session.index.info();
    let mut options = Options::default();
    options.title = report
        .session
        .path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    options.count_name = match counts_steps(&report.session.index) {
        true => "steps".to_owned(),
        false => info.time_unit.unwrap_or_else(|| "units of time".to_owned()),
    };
    options.font_type = "Inter, Helvetica, Arial, sans-serif".to_owned();
    options.text_truncate_direction = TextTruncateDirection::Right;
    // A function has the same colour in every picture.
    options.hash = true;
    options.deterministic = true;
    let mut picture = Vec::new();
    from_lines(&mut options, lines.iter().map(String::as_str), &mut picture)?;
    report.text(&String::from_utf8_lossy(&picture))
}
