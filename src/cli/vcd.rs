//! `stepback vcd`: a waveform of the trace.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use stepback_index::{Call, SlotReader};
use stepback_parsers::Position;

use super::cells::resolved;
use super::command::{Command, TextOnly};
use super::date;
use super::options::ReportOptions;
use super::progress::{say, watched};
use super::question::{Question, Target as Answers};
use super::report::{OutputError, Report, STANDARD_OUTPUT, create, is_standard_output};
use super::retold::BUFFER_BYTES;
use super::text::{counted, size_text};
use super::trace_arguments::TraceArguments;
use stepback_debugger::analysis::activations::{Activation, ActivationTree};
use stepback_debugger::place::PositionName;
use stepback_debugger::session::Session;
use stepback_debugger::vcd::{
    Dump, DumpError, DumpOptions, DumpSource, DumpSummary, Fidelity, FunctionSpan, FunctionSpans,
    StampUnit,
};

/// Arguments of `stepback vcd`.
///
/// The file is the value change dump that tarmac-vcd writes, TRACE.vcd unless -o names another file
/// (- is standard output). Each instruction takes 1000 ticks, which its memory accesses share.
/// Unknown values are x.
#[derive(Debug, Args)]
pub struct VcdArguments {
    /// Leave the date out of the header, so that equal traces give equal files.
    #[arg(long)]
    pub no_date: bool,
    /// Stamps are the trace's times, 1000 ticks each, instead of counting instructions. Of
    /// instructions that share a time (as in cycle-accurate and ES traces) the waveform then shows
    /// only the last; a note counts the hidden ones.
    #[arg(long)]
    pub use_tarmac_timestamps: bool,
    /// Show more than tarmac-vcd does. Without this option, calls that never returned name no
    /// function; a function that begins among steps of one time appears from the first of them on;
    /// data of LD and ST lines (ES traces) are in big-endian order on every CPU.
    #[arg(long)]
    pub exact: bool,
    /// Begin here instead of at the start; stamps that count instructions then begin with this
    /// number.
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
#[derive(Serialize)]
struct WrittenJson {
    file: String,
    bytes: u64,
    signals: u64,
    nodes: u64,
    steps: u64,
    timescale: &'static str,
    end: u64,
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

impl Command for VcdArguments {
    // Standard output cannot take both the waveform and the summary.
    fn check(&self) -> Result<(), String> {
        let ReportOptions { json, output, .. } = &self.common.report;
        match output.as_deref().is_some_and(is_standard_output) && *json {
            true => Err(
                "--json describes the waveform that goes to a file: name one with -o".to_owned(),
            ),
            false => Ok(()),
        }
    }

    fn text_only(&self) -> Option<TextOnly<'_>> {
        let advice = "only a trace in text is written as a waveform, and this one is binary: use calltree or flamegraph";
        Some(TextOnly {
            trace: &self.common.trace,
            advice,
        })
    }

    fn run(&self) -> Result<()> {
        // The output file holds the waveform, so the summary goes to standard output.
        Question::new(&self.common)
            .to(Answers::StandardOutput)
            .ask(|report| answer(self, report))
    }
}

/// Writes the waveform and prints its path.
fn answer(arguments: &VcdArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let printing = &arguments.common.report;
    let options = dump_options(arguments, report)?;
    let target = Target::new(printing.output.as_deref(), session);
    let out = BufWriter::with_capacity(BUFFER_BYTES, target.open(session)?);
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
        Dump::write(traced, &options, out, &progress.bytes_done)
    });
    let summary = summary.map_err(|error| match error {
        DumpError::Output(error) => OutputError::new(error, target.name()).into(),
        DumpError::Trace(error) => anyhow::Error::from(error),
    })?;
    if !printing.quiet {
        tell(&summary, options.stamps);
    }
    match &target {
        Target::File(path) => print(path, &summary, printing, report),
        Target::StandardOutput => Ok(()),
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
    let date = (!arguments.no_date).then(date::now);
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

/// Destination of the waveform.
enum Target {
    StandardOutput,
    File(PathBuf),
}

impl Target {
    fn new(output: Option<&Path>, session: &Session) -> Self {
        match output {
            Some(path) if is_standard_output(path) => Self::StandardOutput,
            Some(path) => Self::File(path.to_owned()),
            None => Self::File(session.path.with_added_extension("vcd")),
        }
    }

    fn open(&self, session: &Session) -> Result<Box<dyn Write>> {
        Ok(match self {
            Self::StandardOutput => Box::new(io::stdout()),
            Self::File(path) => Box::new(create(path, session)?),
        })
    }

    fn name(&self) -> String {
        match self {
            Self::StandardOutput => STANDARD_OUTPUT.to_owned(),
            Self::File(path) => format!("{path:?}"),
        }
    }
}

/// Prints notes about limits of the waveform.
fn tell(summary: &DumpSummary, stamps: StampUnit) {
    if stamps == StampUnit::Trace && summary.equal_times > 0 {
        let nodes = counted(summary.equal_times, "instruction");
        say(&format!(
            "note: {nodes} at the time of the one before: the waveform shows only the last of each time"
        ));
    }
    if summary.crowded > 0 {
        let nodes = counted(summary.crowded, "instruction");
        say(&format!(
            "note: {nodes} with more than 1000 accesses: some of these share a tick"
        ));
    }
    if summary.early > 0 {
        let changes = counted(summary.early, "function change");
        say(&format!(
            "note: {changes} shown too early, as tarmac-vcd does where times are equal: --exact mends it"
        ));
    }
    if summary.swapped > 0 {
        let values = counted(summary.swapped, "value");
        say(&format!(
            "note: {values} of LD and ST lines in big-endian order, as tarmac-vcd does: --exact mends it"
        ));
    }
}

fn print(
    path: &Path,
    summary: &DumpSummary,
    printing: &ReportOptions,
    report: &mut Report<'_>,
) -> Result<()> {
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
        return report.json(&WrittenJson {
            file,
            bytes,
            signals,
            nodes,
            steps,
            timescale: "1ps",
            end,
        });
    }
    if printing.quiet {
        return Ok(());
    }
    let (steps, signals, size) = (
        counted(steps, "step"),
        counted(signals, "signal"),
        size_text(bytes),
    );
    report.text(&format!("{}: {steps}, {signals}, {size}\n", path.display()))
}
