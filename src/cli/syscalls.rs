//! `stepback syscalls`: the system calls of the trace and their results.

use crate::cli::answer_forms::AnswerForms;
use anyhow::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::system_calls::{
    SystemCall, SystemCallTotal, system_call_totals, system_calls,
};
use stepback_machine::InstructionSet;

use super::cells::thread_id;
use super::json::Time;
use super::question::Question;
use super::report::Report;
use super::text::grouped;
use crate::cli::question::{Command, TraceArguments};

#[derive(Debug, Args)]
pub struct SyscallsArguments {
    /// List every call with its step, arguments and result, instead of totals.
    #[arg(long)]
    pub list: bool,
    /// Show only calls of this thread.
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    #[command(flatten)]
    pub common: TraceArguments,
}

#[derive(Serialize, JsonSchema)]
struct SyscallTotalsJson {
    count: u64,
    syscalls: Vec<SyscallTotalJson>,
}

/// Totals of one system call number.
#[derive(Serialize, JsonSchema)]
struct SyscallTotalJson {
    number: u64,
    name: Option<&'static str>,
    count: u64,
    failed: Option<u64>,
    latency_micros: Option<u64>,
    timed: u64,
}

impl SyscallTotalJson {
    fn new(total: &SystemCallTotal, set: InstructionSet) -> Self {
        let SystemCallTotal {
            number,
            count,
            failed,
            latency_micros,
            timed,
        } = *total;
        let name = set.system_call_name(number);
        Self {
            number: set.system_call_number(number),
            name,
            count,
            failed,
            latency_micros,
            timed,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct SyscallJson<'a> {
    step: Option<u64>,
    thread: &'a str,
    time: Option<Time>,
    number: u64,
    name: Option<&'static str>,
    args: Option<Vec<String>>,
    result: Option<String>,
    errno: Option<u64>,
    error: Option<&'static str>,
    latency_micros: Option<u64>,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms
        .or::<SyscallTotalsJson>()
        .or::<SyscallJson<'_>>()
        .by_line()
}

impl Command for SyscallsArguments {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

/// Prints totals, or each call.
fn answer(arguments: &SyscallsArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let thread = thread_id(session, arguments.thread.as_deref())?;
    let set = session.index.source().traits().instruction_set;
    let mut calls = Vec::new();
    system_calls(&session.index, &report.cancel, &mut |call| {
        if thread.is_none_or(|thread| thread == call.thread) {
            calls.push(call.clone());
        }
    })?;
    // Calls of different threads may end in another order than they begin.
    calls.sort_by_key(|call| call.step);
    if calls.is_empty() {
        report.note("the trace has no system calls");
    }
    if arguments.list {
        return calls
            .iter()
            .try_for_each(|call| print_call(call, set, report));
    }
    let totals = system_call_totals(&calls, set);
    print_totals(
        totals
            .iter()
            .map(|total| SyscallTotalJson::new(total, set))
            .collect(),
        report,
    )
}

fn print_totals(totals: Vec<SyscallTotalJson>, report: &mut Report<'_>) -> Result<()> {
    let count = totals.iter().map(|total| total.count).sum();
    if report.is_json {
        return report.json(&SyscallTotalsJson {
            count,
            syscalls: totals,
        });
    }
    report.text(&format!(
        "{:>12} {:>10} {:>14}  syscall\n",
        "count", "failed", "microseconds"
    ))?;
    for total in totals {
        let known = |number: Option<u64>| number.map_or_else(|| "unknown".to_owned(), grouped);
        let (micros, failed) = (known(total.latency_micros), known(total.failed));
        let name = total
            .name
            .map(|name| format!(" {name}"))
            .unwrap_or_default();
        let (count, number) = (grouped(total.count), total.number);
        report.text(&format!(
            "{count:>12} {failed:>10} {micros:>14}  {number}{name}\n"
        ))?;
    }
    report.text(&format!(
        "{:>12} {:>10} {:>14}  in all\n",
        grouped(count),
        "",
        ""
    ))
}

fn print_call(call: &SystemCall, set: InstructionSet, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let thread = session.index.thread_name(call.thread);
    if !report.is_json {
        return report.text(&format!("{}\n", call_text(call, thread, set)));
    }
    let failure = call.failure(set);
    let hex = |value: &u64| format!("{value:#x}");
    report.json(&SyscallJson {
        step: call.step.map(|step| step.0),
        thread,
        time: call.time.map(Time),
        number: set.system_call_number(call.number),
        name: set.system_call_name(call.number),
        args: call
            .arguments
            .as_ref()
            .map(|arguments| arguments.iter().map(hex).collect()),
        result: call.result.as_ref().map(hex),
        errno: failure,
        error: failure.and_then(|error| set.error_name(call.number, error)),
        latency_micros: call.latency_micros,
    })
}

/// Formats `      12345  20249  openat(0xffffff9c, 0x7ff0) = 0x3  <12 us>`. Unrecorded parts are
/// `…` or left out.
fn call_text(call: &SystemCall, thread: &str, set: InstructionSet) -> String {
    let step = call
        .step
        .map_or_else(|| "-".to_owned(), |step| step.0.to_string());
    let name = set.system_call_name(call.number).map_or_else(
        || format!("syscall_{}", set.system_call_number(call.number)),
        str::to_owned,
    );
    let arguments = call
        .arguments
        .as_ref()
        .filter(|arguments| !arguments.is_empty())
        .map_or_else(
            || "…".to_owned(),
            |arguments| {
                arguments
                    .iter()
                    .map(|value| format!("{value:#x}"))
                    .collect::<Vec<_>>()
                    .join(", ")
            },
        );
    let result = match (call.failure(set), call.result) {
        (Some(error), _) => {
            let name = set.error_name(call.number, error);
            format!(
                " = -1 {}",
                name.map_or_else(|| error.to_string(), str::to_owned)
            )
        }
        (None, Some(result)) => format!(" = {result:#x}"),
        (None, None) => String::new(),
    };
    let latency = call
        .latency_micros
        .map(|micros| format!("  <{} us>", grouped(micros)))
        .unwrap_or_default();
    format!("{step:>12}  {thread}  {name}({arguments}){result}{latency}")
}
