//! `stepback profile`: how often functions were called, and how long they took.

use crate::cli::answer_forms::AnswerForms;
use anyhow::Result;
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::profile::{FunctionTotals, profile, whole_profile};
use stepback_debugger::analysis::sites::counts_steps;
use stepback_parsers::Tarmac;

use super::json::{FunctionJson, Time};
use super::question::Question;
use super::report::Report;
use crate::cli::profile_files::{ProfileFormat, write_profile};
use crate::cli::question::{Command, TraceArguments};
use crate::cli::text::{FunctionNames, NameOptions};

/// Help text below the options.
pub const HELP: &str = "\
For a Tarmac trace, the text counts like tarmac-profile: only calls that returned, and a recursive
function once per call. With --whole or --json, and for all other formats, every call counts and
recursion counts once, as in the window.
Time runs from the first to the last moment of a call. If the trace has no times, or only coarse
ones (drmemtrace), steps of the calling thread are counted instead, and a note says so.
--to writes every call for another program, measured in steps of its thread.
JSON: one array with a function, \"calls\", \"time\", \"self_time\", \"steps\" and \"self_steps\" in each
element. \"self\" excludes callees. Steps of other threads during a call do not count.";

#[derive(Debug, Args)]
pub struct ProfileArguments {
    /// Sort key.
    #[arg(long, value_enum, default_value_t = SortKey::Address)]
    pub sort: SortKey,
    /// Also count calls that never returned, and count recursion once.
    #[arg(long)]
    pub whole: bool,
    /// Write the profile for another program, usually with -o FILE.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["json", "sort", "whole"])]
    pub to: Option<ProfileFormat>,
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
    /// Longest time first, excluding called functions; the text shows this time too.
    SelfTime,
}

/// Totals of a function.
#[derive(Serialize, JsonSchema)]
struct FunctionProfileJson {
    #[serde(flatten)]
    function: FunctionJson,
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
    if let Some(format) = arguments.to {
        let names = FunctionNames::new(&session.images, arguments.names);
        return write_profile(format, &names, report);
    }
    let is_whole =
        arguments.whole || report.is_json || session.index.source().downcast::<Tarmac>().is_none();
    let mut functions = match is_whole {
        true => whole_profile(&session.index, &report.cancel)?,
        false => profile(&session.index, &report.cancel)?,
    };
    note_unit(report);
    let is_recursive = |function: &FunctionTotals| function.time > function.outer_time;
    if !is_whole && functions.iter().any(is_recursive) {
        report.note(
            "a function that calls itself counts in each of its calls, as in tarmac-profile; --whole counts it once",
        );
    }
    // The sort is stable, so equal functions stay in address order.
    functions.sort_by_key(|function| match arguments.sort {
        SortKey::Address => 0,
        SortKey::Count => u64::MAX - function.calls,
        SortKey::Time => u64::MAX - function.time,
        SortKey::SelfTime => u64::MAX - function.self_time,
    });
    match report.is_json {
        true => print_json(&functions, report),
        false => print_text(&functions, arguments, report),
    }
}

/// Prints a note that steps are counted if times cannot measure calls.
pub fn note_unit(report: &Report<'_>) {
    if counts_steps(&report.session.index) {
        report.note("steps are counted, since the trace has no times that measure calls");
    }
}

fn print_json(functions: &[FunctionTotals], report: &mut Report<'_>) -> Result<()> {
    let function = |totals: &FunctionTotals| FunctionProfileJson {
        function: FunctionJson::new(totals.function, report.session),
        calls: totals.calls,
        time: Time(totals.time),
        self_time: Time(totals.self_time),
        steps: totals.steps,
        self_steps: totals.self_steps,
    };
    let functions: Vec<FunctionProfileJson> = functions.iter().map(function).collect();
    report.json(&functions)
}

fn print_text(
    functions: &[FunctionTotals],
    arguments: &ProfileArguments,
    report: &mut Report<'_>,
) -> Result<()> {
    let images = &report.session.images;
    let names = FunctionNames::new(images, arguments.names);
    // The other columns are those of tarmac-profile.
    let has_self_time = arguments.sort == SortKey::SelfTime;
    let self_time = |text: &str| match has_self_time {
        true => format!("{text:<11} "),
        false => String::new(),
    };
    let head = self_time("Self time");
    report.text(&format!(
        "Address     Count       Time        {head}Function name\n"
    ))?;
    for totals in functions {
        let name = names.name(totals.function).unwrap_or_default();
        let address = format!("{:#x}", totals.pc);
        report.text(&format!(
            "{address:<11} {:<11} {:<11} {}{name}\n",
            totals.calls,
            totals.time,
            self_time(&totals.self_time.to_string())
        ))?;
    }
    Ok(())
}
