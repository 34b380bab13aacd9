//! `stepback vcd`: writes a waveform of the trace, with the date in the format of C's `ctime`.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::activations::{Activation, ActivationTree};
use stepback_debugger::clock::date_of;
use stepback_debugger::place::PositionName;
use stepback_debugger::vcd::{
    Dump, DumpError, DumpOptions, DumpSource, DumpSummary, Fidelity, FunctionSpan, FunctionSpans,
    StampUnit,
};
use stepback_index::answer::Call;
use stepback_index::read::SlotReader;
use stepback_parsers::Position;

use crate::cli::answer_forms::AnswerForms;
use crate::cli::cells::resolved;
use crate::cli::options::ReportOptions;
use crate::cli::progress::watched;
use crate::cli::question::{Command, Question, TraceArguments};
use crate::cli::report::{Destination, Report, inputs_of, named_file};
use crate::cli::text::{counted, size_text};

/// Help text below the options.
pub const HELP: &str = "\
Writes the same value change dump as tarmac-vcd, to TRACE.vcd unless -o names another file (- for
standard output). An existing file is replaced only if -o names it.
Each instruction takes 1000 ticks, which its memory accesses share. Unknown values are x.";

#[derive(Debug, Args)]
pub struct VcdArguments {
    /// Omit the date from the header, so that equal traces give equal files.
    #[arg(long)]
    pub no_date: bool,
    /// Use the trace's times as time stamps, 1000 ticks each, instead of counting instructions. Of
    /// instructions that share a time (as in cycle-accurate and ES traces), the waveform then shows
    /// only the last, and a note counts the others.
    #[arg(long)]
    pub use_tarmac_timestamps: bool,
    /// Correct what tarmac-vcd shows wrongly. Without this option, calls that never returned name no
    /// function, a function that begins among steps of one time appears from the first of them on,
    /// and data of LD and ST lines (ES traces) is in big-endian order on every CPU.
    #[arg(long)]
    pub exact: bool,
    /// Begin here instead of at the start; time stamps that count instructions then begin with
    /// this number.
    #[arg(
        long,
        value_name = "POS",
        allow_negative_numbers = true,
        default_value = "start",
        hide_default_value = true
    )]
    pub from: PositionName,
    /// End here instead of at the end.
    #[arg(
        long,
        value_name = "POS",
        allow_negative_numbers = true,
        default_value = "end",
        hide_default_value = true
    )]
    pub to: PositionName,
    /// End after this number of steps.
    #[arg(long, value_name = "N", conflicts_with = "to")]
    pub count: Option<u64>,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// Summary of the waveform.
#[derive(Serialize, JsonSchema)]
struct WaveformJson {
    file: String,
    bytes: u64,
    signals: u64,
    nodes: u64,
    steps: u64,
    timescale: &'static str,
    /// Time stamp of the end, in ticks.
    end_tick: u64,
}

impl VcdArguments {
    fn fidelity(&self) -> Fidelity {
        if self.exact {
            Fidelity::Exact
        } else {
            Fidelity::TarmacVcd
        }
    }
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<WaveformJson>()
}

impl Command for VcdArguments {
    // Standard output cannot take both the waveform and the summary.
    fn check(&self) -> Result<(), String> {
        let ReportOptions { json, output, .. } = &self.common.report;
        match output.is_some() && named_file(output.as_deref()).is_none() && *json {
            true => Err(
                "--json describes the waveform that goes to a file: name one with -o".to_owned(),
            ),
            false => Ok(()),
        }
    }

    fn text_only(&self) -> Option<(&Path, &'static str)> {
        let advice = "only a trace in text is written as a waveform, and this one is binary; use calltree or flamegraph";
        Some((&self.common.trace, advice))
    }

    fn run(&self) -> Result<()> {
        // The output file holds the waveform, so the summary goes to standard output.
        Question::new(&self.common)
            .to_standard_output()
            .with_own_meter()
            .ask(|report| answer(self, report))
    }
}

/// Writes the waveform and prints its path.
fn answer(arguments: &VcdArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let printing = &arguments.common.report;
    let options = dump_options(arguments, report)?;
    let default = session.path.with_added_extension("vcd");
    let path = match &printing.output {
        Some(path) => path,
        None if default.symlink_metadata().is_ok() => bail!(
            "{} exists already: name it with -o to replace it, or name another file",
            default.display()
        ),
        None => &default,
    };
    let mut out = Destination::open(Some(path), inputs_of(session))?;
    let range = SlotReader(&session.index).text_between(options.from, options.to)?;
    let functions = functions(arguments.fidelity(), report)?;
    let traced = DumpSource {
        index: &session.index,
        images: &session.images,
        functions,
    };
    let summary = watched("writing", printing, |progress| {
        // Progress is measured against the end of the range, counted from the start of the trace.
        progress.bytes_total.store(range.end, Ordering::Relaxed);
        Dump::write(traced, &options, &mut out, &progress.bytes_done)
    });
    let summary = summary.map_err(|error| match error {
        DumpError::Output(error) => out.error(error),
        DumpError::Trace(error) => anyhow::Error::from(error),
    })?;
    out.finish()?;
    print_notes(&summary, options.stamps, report);
    match named_file(Some(path)) {
        Some(path) => print(path, &summary, report),
        None => Ok(()),
    }
}

fn dump_options(arguments: &VcdArguments, report: &Report<'_>) -> Result<DumpOptions> {
    let session = report.session;
    let from = resolved(&arguments.from, report)?;
    let to = match arguments.count {
        Some(count) => Position(from.0.saturating_add(count).min(session.index.step_count())),
        None => resolved(&arguments.to, report)?.max(from),
    };
    let stamps = if arguments.use_tarmac_timestamps {
        StampUnit::Trace
    } else {
        StampUnit::Nodes
    };
    let date = (!arguments.no_date).then(now);
    let fidelity = arguments.fidelity();
    Ok(DumpOptions {
        date,
        stamps,
        fidelity,
        from,
        to,
    })
}

/// Returns the functions of each thread: of the calls that returned, or of all frames.
fn functions<'a>(fidelity: Fidelity, report: &Report<'a>) -> Result<Vec<FunctionSpans<'a>>> {
    let index = &*report.session.index;
    let mut functions: Vec<FunctionSpans<'a>> = index
        .threads()
        .iter()
        .map(|_| -> FunctionSpans<'a> { Box::new(std::iter::empty()) })
        .collect();
    for tree in ActivationTree::all(index, &report.cancel)? {
        let Some(spans) = functions.get_mut(usize::from(tree.thread.0)) else {
            continue;
        };
        let of_activation = |Activation {
                                 function,
                                 entry,
                                 exit,
                                 ..
                             }| FunctionSpan {
            function,
            entry,
            exit: Some(exit),
        };
        let of_frame = |frame: Call| {
            let (function, exit) = (frame.function, frame.exit_step);
            frame.entry_step.map(|entry| FunctionSpan {
                function,
                entry,
                exit,
            })
        };
        *spans = match fidelity {
            Fidelity::Exact => Box::new(tree.frames(index.calls()).filter_map(of_frame)),
            Fidelity::TarmacVcd => Box::new(tree.activations(index.calls()).map(of_activation)),
        };
    }
    Ok(functions)
}

/// Prints notes about limits of the waveform.
fn print_notes(summary: &DumpSummary, stamps: StampUnit, report: &Report<'_>) {
    let note = |count, noun, text: &str| {
        if count > 0 {
            report.note(&format!("{} {text}", counted(count, noun)));
        }
    };
    if stamps == StampUnit::Trace {
        note(
            summary.equal_times,
            "instruction",
            "at the time of the one before: the waveform shows only the last of each time",
        );
    }
    note(
        summary.crowded,
        "instruction",
        "with more than 1000 accesses: some of these share a tick",
    );
    note(
        summary.early,
        "function change",
        "shown too early, as tarmac-vcd does where times are equal: --exact corrects it",
    );
    note(
        summary.swapped,
        "value",
        "of LD and ST lines in big-endian order, as tarmac-vcd does: --exact corrects it",
    );
}

fn print(path: &Path, summary: &DumpSummary, report: &mut Report<'_>) -> Result<()> {
    let DumpSummary {
        signals,
        nodes,
        steps,
        end,
        bytes,
        ..
    } = *summary;
    if report.is_json {
        let file = path.display().to_string();
        return report.json(&WaveformJson {
            file,
            bytes,
            signals,
            nodes,
            steps,
            timescale: "1ps",
            end_tick: end,
        });
    }
    if report.is_quiet {
        return Ok(());
    }
    let (steps, signals, size) = (
        counted(steps, "step"),
        counted(signals, "signal"),
        size_text(bytes),
    );
    report.text(&format!("{}: {steps}, {signals}, {size}\n", path.display()))
}

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const DAY_SECONDS: u64 = 24 * 60 * 60;

/// Returns the current time in UTC.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    date_text(since.map_or(0, |since| since.as_secs()))
}

/// Formats seconds since 1970 as `Sun Nov 22 02:18:29 2026`.
fn date_text(seconds: u64) -> String {
    let (days, second) = (seconds / DAY_SECONDS, seconds % DAY_SECONDS);
    let (year, month, day) = date_of(days);
    // Months count from 1.
    let (weekday, month) = (
        DAYS[(days % 7) as usize],
        MONTHS[(month + 11) as usize % 12],
    );
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{weekday} {month} {day:2} {hour:02}:{minute:02}:{second:02} {year}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let dates = [0, 68_169_599, 951_782_400, 1_795_313_909].map(date_text);
        let expected = [
            "Thu Jan  1 00:00:00 1970",
            "Mon Feb 28 23:59:59 1972",
            "Tue Feb 29 00:00:00 2000",
            "Sun Nov 22 02:18:29 2026",
        ];
        assert_eq!(dates, expected);
    }
}
