//! Profiles in the formats of other programs: callgrind (KCachegrind, gprof2dot), speedscope and
//! Trace Event JSON (Perfetto, chrome://tracing).
//!
//! - Callgrind format: <https://valgrind.org/docs/manual/cl-format.html>
//! - speedscope: <https://www.speedscope.app/file-format-schema.json>
//! - Trace Event Format: <https://docs.perfetto.dev/getting-started/other-formats>

use std::collections::HashMap;

use anyhow::Result;
use clap::ValueEnum;
use serde_json::json;
use stepback_debugger::analysis::call_profile::{CallProfile, Progress, call_profile};
use stepback_debugger::analysis::frame_events::{FrameEvent, each_frame_event};
use stepback_index::answer::StackUse;
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::cli::report::Report;
use crate::cli::text::FunctionNames;

/// Format of a profile for another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProfileFormat {
    /// For KCachegrind, QCachegrind and gprof2dot: functions and the calls between them.
    Callgrind,
    /// For speedscope.app: the calls of each thread in order, measured in its steps.
    Speedscope,
    /// Trace Event JSON for ui.perfetto.dev and chrome://tracing: the calls of all threads on one
    /// axis; one microsecond represents one step.
    Perfetto,
}

/// Writes the profile.
pub fn write_profile(
    format: ProfileFormat,
    names: &FunctionNames<'_>,
    report: &mut Report<'_>,
) -> Result<()> {
    match format {
        ProfileFormat::Callgrind => write_callgrind(names, report),
        ProfileFormat::Speedscope => write_speedscope(names, report),
        ProfileFormat::Perfetto => write_perfetto(names, report),
    }
}

fn trace_name(report: &Report<'_>) -> String {
    report.session.path.display().to_string()
}

fn write_callgrind(names: &FunctionNames<'_>, report: &mut Report<'_>) -> Result<()> {
    let index = &report.session.index;
    let all = Position(0)..index.end();
    let profile = call_profile(index, &all, &Progress::default(), &report.cancel)?;
    let has_clock = profile.has_clock;
    let events = if has_clock { "Steps Time" } else { "Steps" };
    let trace = trace_name(report);
    report.text(&format!(
        "# callgrind format\nversion: 1\ncreator: stepback {}\ncmd: {trace}\npositions: line\nevents: {events}\n",
        env!("CARGO_PKG_VERSION")
    ))?;
    let costs = |steps: u64, time: u64| match has_clock {
        true => format!("{steps} {time}"),
        false => steps.to_string(),
    };
    let mut links = profile.links.iter().peekable();
    for (number, function) in profile.functions.iter().enumerate() {
        let totals = function.totals;
        let (file, line) = source_of(function.address, report);
        let name = function_name(&profile, number, names);
        let own = costs(totals.own_steps, totals.own_time);
        report.text(&format!(
            "\nfl={file}\nfn=({number}) {name}\n{line} {own}\n"
        ))?;
        while let Some(link) = links.next_if(|link| link.caller as usize == number) {
            let callee = link.callee as usize;
            let address = profile.functions.get(callee).map(|callee| callee.address);
            let (file, to) = source_of(address.unwrap_or_default(), report);
            let (name, calls) = (function_name(&profile, callee, names), link.totals.calls);
            let inclusive = costs(link.totals.steps, link.totals.time);
            report.text(&format!(
                "cfi={file}\ncfn=({callee}) {name}\ncalls={calls} {to}\n{line} {inclusive}\n"
            ))?;
        }
    }
    let own = |of: fn(&stepback_debugger::analysis::call_profile::CallTotals) -> u64| {
        let functions = profile.functions.iter();
        functions.map(|function| of(&function.totals)).sum()
    };
    let total = costs(
        own(|totals| totals.own_steps),
        own(|totals| totals.own_time),
    );
    report.text(&format!("\ntotals: {total}\n"))
}

fn function_name(profile: &CallProfile, number: usize, names: &FunctionNames<'_>) -> String {
    let function = profile.functions.get(number);
    function.map_or_else(String::new, |function| {
        names.name_or_address(function.address)
    })
}

/// Returns the source file and line of a function; `???` and 0 if they are unknown.
fn source_of(function: Address, report: &Report<'_>) -> (String, u32) {
    let session = report.session;
    session.images.source_at(function).map_or_else(
        || ("???".to_owned(), 0),
        |line| (session.source_map.text(&line.file).to_string(), line.line),
    )
}

/// Returns the stacks with their names: that of the thread, with a number if it has several.
fn named_stacks(report: &Report<'_>) -> Vec<(String, StackUse)> {
    let index = &report.session.index;
    let mut counts = HashMap::new();
    let named = |stack: StackUse| {
        let thread = index.thread_name(stack.thread);
        let count = counts.entry(stack.thread).or_insert(0);
        *count += 1;
        let name = match *count {
            1 => thread.to_owned(),
            number => format!("{thread}, stack {number}"),
        };
        (name, stack)
    };
    index.calls().stacks().into_iter().map(named).collect()
}

fn write_speedscope(names: &FunctionNames<'_>, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let index = &session.index;
    let mut frames: Vec<Address> = Vec::new();
    let mut numbers: HashMap<Address, usize> = HashMap::new();
    let trace = json!(trace_name(report));
    let exporter = concat!("stepback ", env!("CARGO_PKG_VERSION"));
    report.text(&format!(
        "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"{exporter}\",\"name\":{trace},\"profiles\":["
    ))?;
    let mut separator = "";
    for (name, stack) in named_stacks(report) {
        let name = json!(name);
        report.text(&format!(
            "{separator}\n{{\"type\":\"evented\",\"name\":{name},\"unit\":\"none\",\"startValue\":0,\"events\":["
        ))?;
        separator = ",";
        let (mut comma, mut end) = ("", 0);
        let cancel = report.cancel.clone();
        each_frame_event(index, &stack, &cancel, |event: FrameEvent| {
            let frame = *numbers.entry(event.function).or_insert_with(|| {
                frames.push(event.function);
                frames.len() - 1
            });
            let kind = if event.is_entry { "O" } else { "C" };
            end = event.steps;
            let text = format!("{comma}\n{{\"type\":\"{kind}\",\"frame\":{frame},\"at\":{end}}}");
            comma = ",";
            report.text(&text)
        })?;
        report.text(&format!("],\"endValue\":{end}}}"))?;
    }
    report.text("],\"shared\":{\"frames\":[")?;
    let mut separator = "";
    for function in frames {
        let (file, line) = source_of(function, report);
        let name = names.name_or_address(function);
        let frame = match line {
            0 => json!({ "name": name }),
            line => json!({ "name": name, "file": file, "line": line }),
        };
        report.text(&format!("{separator}\n{frame}"))?;
        separator = ",";
    }
    report.text("]}}\n")
}

fn write_perfetto(names: &FunctionNames<'_>, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let index = &session.index;
    let mut texts: HashMap<Address, String> = HashMap::new();
    let mut processes: Vec<Option<String>> = Vec::new();
    report.text("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    let mut separator = "";
    for (place, (name, stack)) in named_stacks(report).into_iter().enumerate() {
        let process = index.source().memory_of(index.thread_name(stack.thread));
        let pid = match processes.iter().position(|known| *known == process) {
            Some(place) => place + 1,
            None => {
                processes.push(process);
                processes.len()
            }
        };
        let tid = place + 1;
        let named = json!({
            "ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": { "name": name },
        });
        report.text(&format!("{separator}\n{named}"))?;
        separator = ",";
        let cancel = report.cancel.clone();
        each_frame_event(index, &stack, &cancel, |event: FrameEvent| {
            let ts = event.at.0;
            let text = match event.is_entry {
                true => {
                    let name = texts.entry(event.function).or_insert_with(|| {
                        json!(names.name_or_address(event.function)).to_string()
                    });
                    let call = event.call.0;
                    format!(
                        ",\n{{\"ph\":\"B\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts},\"name\":{name},\"args\":{{\"call\":{call}}}}}"
                    )
                }
                false => {
                    format!(",\n{{\"ph\":\"E\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts}}}")
                }
            };
            report.text(&text)
        })?;
    }
    report.text("]}\n")
}
