//! `stepback profile`: how often functions were called, and how long they took.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;
use stepback_machine::Address;

use super::activations::Tree;
use super::arguments::TraceArguments;
use super::function_names::{FunctionNames, NameOptions};
use super::json::{Time, hex};
use super::report::Report;
use super::spans::{Span, Spans};

/// Shown below the options.
pub const HELP: &str = "\
Of the calls that returned, and of the whole trace as the call of its first function.
Time is that from the first to the last moment of each call; a function that calls itself counts in each of its calls.
The times of drmemtrace are too coarse for that: it is counted in instructions of the thread instead.
JSON: [{\"address\",\"name\",\"symbol\",\"calls\",\"time\",\"self_time\",\"steps\",\"self_steps\"}]; self: without calls inside.";

/// How the functions are listed.
#[derive(Debug, Args)]
pub struct ProfileArguments {
    /// What the functions are sorted by.
    #[arg(long, value_enum, default_value_t = SortKey::Address)]
    pub sort: SortKey,
    /// How functions are named.
    #[command(flatten)]
    pub names: NameOptions,
    /// Which trace.
    #[command(flatten)]
    pub common: TraceArguments,
}

/// What functions are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortKey {
    /// Lowest first.
    Address,
    /// Most calls first.
    Count,
    /// Longest time first, that of called functions included.
    Time,
    /// Longest time first, without that of called functions.
    SelfTime,
}

/// All calls of a function together. What it did while it called itself counts in each of these calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    calls: u64,
    time: u64,
    self_time: u64,
    steps: u64,
    self_steps: u64,
}

/// A function.
#[derive(Serialize)]
struct FunctionJson {
    address: String,
    name: Option<String>,
    symbol: Option<String>,
    calls: u64,
    time: Time,
    self_time: Time,
    steps: u64,
    self_steps: u64,
}

/// Prints the functions that were called, those of all CPUs together.
pub fn run(arguments: &ProfileArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let mut profile = Profile::default();
    for tree in Tree::all(&session.index, &report.cancel)? {
        Spans::new(&tree, &session.index, &report.cancel).for_each(|span| profile.enter(span))?;
        profile.leave_to(0);
    }
    let mut functions: Vec<(u64, Totals)> = profile.functions.into_iter().collect();
    // The sort is stable, so equal ones stay in order of address.
    functions.sort_by_key(|(_, totals)| match arguments.sort {
        SortKey::Address => 0,
        SortKey::Count => u64::MAX - totals.calls,
        SortKey::Time => u64::MAX - totals.time,
        SortKey::SelfTime => u64::MAX - totals.self_time,
    });
    match report.is_json {
        true => print_json(&functions, report),
        false => print_text(&functions, FunctionNames::new(&session.images, arguments.names), report),
    }
}

/// Sums up the calls that are over.
#[derive(Default)]
struct Profile {
    functions: BTreeMap<u64, Totals>,
    open: Vec<OpenCall>,
}

/// A call, and what the calls inside it took.
struct OpenCall {
    span: Span,
    time_inside: u64,
    steps_inside: u64,
}

impl Profile {
    fn enter(&mut self, span: &Span) {
        self.leave_to(span.depth);
        self.open.push(OpenCall { span: *span, time_inside: 0, steps_inside: 0 });
    }

    /// Ends all calls at this depth and deeper.
    fn leave_to(&mut self, depth: u32) {
        while let Some(call) = self.open.pop_if(|call| call.span.depth >= depth) {
            let time = duration(&call.span);
            let totals = self.functions.entry(call.span.pc).or_default();
            totals.calls += 1;
            totals.time = totals.time.saturating_add(time);
            totals.steps = totals.steps.saturating_add(call.span.steps);
            totals.self_time = totals.self_time.saturating_add(time.saturating_sub(call.time_inside));
            totals.self_steps = totals.self_steps.saturating_add(call.span.steps.saturating_sub(call.steps_inside));
            if let Some(caller) = self.open.last_mut() {
                caller.time_inside = caller.time_inside.saturating_add(time);
                caller.steps_inside = caller.steps_inside.saturating_add(call.span.steps);
            }
        }
    }
}

/// First and last moment included, so that a call of one step takes 1.
fn duration(span: &Span) -> u64 {
    (span.exit_time - span.entry_time).saturating_add(1)
}

fn print_json(functions: &[(u64, Totals)], report: &mut Report<'_>) -> Result<()> {
    let function = |(pc, totals): &(u64, Totals)| {
        let found = report.session.images.code_at(Address(pc & !1));
        FunctionJson {
            address: hex(Address(*pc)),
            name: found.map(|found| found.to_string()),
            symbol: found.map(|found| found.symbol.raw_name.to_string()),
            calls: totals.calls,
            time: Time(totals.time),
            self_time: Time(totals.self_time),
            steps: totals.steps,
            self_steps: totals.self_steps,
        }
    };
    let functions: Vec<FunctionJson> = functions.iter().map(function).collect();
    report.json(&functions)
}

fn print_text(functions: &[(u64, Totals)], names: FunctionNames<'_>, report: &mut Report<'_>) -> Result<()> {
    report.text("Address     Count       Time        Function name\n")?;
    for (pc, totals) in functions {
        let name = names.name(Address(pc & !1)).unwrap_or_default();
        let address = format!("{pc:#x}");
        report.text(&format!("{address:<11} {:<11} {:<11} {name}\n", totals.calls, totals.time))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(depth: u32, pc: u64, times: (u64, u64)) -> Span {
        Span { depth, pc, entry_time: times.0, exit_time: times.1, steps: times.1 - times.0 + 1 }
    }

    #[test]
    fn recursion_counts_in_each_call_and_own_times_add_up() {
        let mut profile = Profile::default();
        let spans = [
            span(0, 1, (0, 99)),
            span(1, 2, (10, 39)),
            span(2, 2, (20, 29)),
            span(1, 3, (50, 59)),
            span(1, 3, (70, 70)),
        ];
        spans.iter().for_each(|span| profile.enter(span));
        profile.leave_to(0);
        let totals =
            |pc: u64| (profile.functions[&pc].calls, profile.functions[&pc].time, profile.functions[&pc].self_time);
        assert_eq!([totals(1), totals(2), totals(3)], [(1, 100, 59), (2, 40, 30), (2, 11, 11)]);
        assert_eq!(profile.functions.values().map(|totals| totals.self_steps).sum::<u64>(), 100);
    }
}
