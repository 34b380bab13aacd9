//! `stepback profile`: how often functions were called, and how long they took.

use crate::cli::answer_forms::AnswerForms;
use anyhow::Result;
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::profile::{FunctionTotals, profile, whole_profile};
use stepback_debugger::analysis::sites::counts_steps;
use stepback_machine::Address;
use stepback_parsers::Tarmac;

use super::json::{Time, hex};
use super::progress::say;
use super::question::Question;
use super::report::Report;
use crate::cli::question::{Command, TraceArguments};
use crate::cli::text::{FunctionNames, NameOptions};

/// Help text below the options.
pub const HELP: &str = "\
The text counts as tarmac-profile does for a Tarmac trace: calls that returned, and a function that calls itself in each
of its calls. With --whole, with --json and for all other formats every call counts, also one that never returned,
and recursion counts once, as in the window.
Time is that from the first to the last moment of each call. Where the trace has no times, or too coarse ones
(drmemtrace), it is counted in steps of the thread, and a note says so.
JSON: [{\"address\",\"name\",\"symbol\",\"calls\",\"time\",\"self_time\",\"steps\",\"self_steps\"}]; self: without calls inside.
Steps are those of the call's own thread: what others did meanwhile does not count.";

#[derive(Debug, Args)]
pub struct ProfileArguments {
    /// Sort key.
    #[arg(long, value_enum, default_value_t = SortKey::Address)]
    pub sort: SortKey,
    /// Also count calls that never returned, and count recursion once.
    #[arg(long)]
    pub whole: bool,
    #[command(flatten)]
    pub names: NameOptions,
    #[command(flatten)]
    pub common: TraceArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortKey {
    /// Lowest first.
    Address,
    /// Most calls first.
    Count,
    /// Longest time first, including called functions.
    Time,
    /// Longest time first, excluding called functions.
    SelfTime,
}

/// Totals of a function.
#[derive(Serialize, JsonSchema)]
struct FunctionProfileJson {
    address: String,
    name: Option<String>,
    symbol: Option<String>,
    calls: u64,
    time: Time,
    self_time: Time,
    steps: u64,
    self_steps: u64,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<Vec<FunctionProfileJson>>()
}

impl Command for ProfileArguments {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

/// Prints the called functions, with all threads combined.
fn answer(arguments: &ProfileArguments, report: &mut Report<'_>) -> Result<()> {
    report.note_unknown_calls();
    let session = report.session;
    let is_whole =
        arguments.whole || report.is_json || session.index.source().downcast::<Tarmac>().is_none();
    let mut functions = match is_whole {
        true => whole_profile(&session.index, &report.cancel)?,
        false => profile(&session.index, &report.cancel)?,
    };
    note_unit(report);
    let is_recursive =
        |function: &FunctionTotals| function.totals.time > function.totals.outer_time;
    if !is_whole && !report.is_quiet && functions.iter().any(is_recursive) {
        say(
            "note: a function that calls itself counts in each of its calls, as in tarmac-profile; --whole counts it once",
        );
    }
    // The sort is stable, so equal functions stay in address order.
    functions.sort_by_key(|function| match arguments.sort {
        SortKey::Address => 0,
        SortKey::Count => u64::MAX - function.totals.calls,
        SortKey::Time => u64::MAX - function.totals.time,
        SortKey::SelfTime => u64::MAX - function.totals.self_time,
    });
    match report.is_json {
        true => print_json(&functions, report),
        false => print_text(
            &functions,
            FunctionNames::new(&session.images, arguments.names),
            report,
        ),
    }
}

/// Prints a note that steps are counted if times cannot measure calls.
pub fn note_unit(report: &Report<'_>) {
    if !report.is_quiet && counts_steps(&report.session.index) {
        say("note: steps are counted, since the trace has no times that measure calls");
    }
}

fn print_json(functions: &[FunctionTotals], report: &mut Report<'_>) -> Result<()> {
    let function = |FunctionTotals {
                        function,
                        pc,
                        totals,
                        ..
                    }: &FunctionTotals| {
        let found = report.session.images.code_at(*function);
        FunctionProfileJson {
            address: hex(Address(*pc)),
            name: found.map(|found| found.to_string()),
            symbol: found.map(|found| found.symbol.raw_name().to_owned()),
            calls: totals.calls,
            time: Time(totals.time),
            self_time: Time(totals.self_time),
            steps: totals.steps,
            self_steps: totals.self_steps,
        }
    };
    let functions: Vec<FunctionProfileJson> = functions.iter().map(function).collect();
    report.json(&functions)
}

fn print_text(
    functions: &[FunctionTotals],
    names: FunctionNames<'_>,
    report: &mut Report<'_>,
) -> Result<()> {
    report.text("Address     Count       Time        Function name\n")?;
    for FunctionTotals {
        function,
        pc,
        totals,
        ..
    } in functions
    {
        let name = names.name(*function).unwrap_or_default();
        let address = format!("{pc:#x}");
        report.text(&format!(
            "{address:<11} {:<11} {:<11} {name}\n",
            totals.calls, totals.time
        ))?;
    }
    Ok(())
}
