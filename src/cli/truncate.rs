//! `stepback truncate`: copies a trace up to the point where it only repeats.

use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::session::source_error_text;
use stepback_debugger::truncate::{
    CopyError, CopySummary, CopyingStream, CutReason, UnpackedReader, copy,
};
use stepback_parsers::{Format, FormatError, SourceError, Tarmac, TarmacOptions};

use crate::cli::answer_forms::AnswerForms;
use crate::cli::options::{ReportOptions, TraceOptions};
use crate::cli::progress::{say, watched};
use crate::cli::question::Command;
use crate::cli::report::{BUFFER_BYTES, Destination, named_file, note_written, print_json};
use crate::cli::text::{counted, grouped, printable};

/// Name of standard input on the command line.
const STANDARD_INPUT: &str = "-";

/// Help text below the options.
pub const HELP: &str = "\
Lines are copied unchanged, up to and including the first line
(1) whose instruction is one of the last 16 while no register has changed (a polling loop), or
(2) that completes a repetition of 8 to 16 lines without instructions and registers.
With several CPUs, every CPU that has run since the last change must be polling.
System registers are ignored. No index is needed or built.";

#[derive(Debug, Args)]
pub struct TruncateArguments {
    /// The trace; standard input if missing or -.
    #[arg(index = 1, value_name = "TRACE")]
    pub trace: Option<PathBuf>,
    /// No index is used, so options about the index have no effect.
    #[command(flatten)]
    pub options: TraceOptions,
    #[command(flatten)]
    pub report: ReportOptions,
}

/// Summary of the copy.
#[derive(Serialize, JsonSchema)]
struct TruncationJson {
    lines: u64,
    bytes: u64,
    cut: Option<CutJson>,
    warning_count: u64,
}

/// Reason why the copy ends.
#[derive(Serialize, JsonSchema)]
struct CutJson {
    line: u64,
    reason: &'static str,
    /// None for a repetition.
    pc: Option<String>,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<TruncationJson>()
}

impl Command for TruncateArguments {
    // Standard output cannot take both the copy and the summary.
    fn check(&self) -> Result<(), String> {
        match self.report.json && named_file(self.report.output.as_deref()).is_none() {
            true => {
                Err("--json describes the copy that goes to a file: name one with -o".to_owned())
            }
            false => Ok(()),
        }
    }

    fn text_only(&self) -> Option<(&Path, &'static str)> {
        let advice = "only Tarmac traces can be cut; list --records prints a part of a drmemtrace trace, DynamoRIO's record_filter copies one";
        Some((self.trace.as_deref()?, advice))
    }

    fn run(&self) -> Result<()> {
        truncate(self)
    }
}

/// Copies the trace.
fn truncate(arguments: &TruncateArguments) -> Result<()> {
    let path = arguments.trace.as_deref();
    let path = path.filter(|path| path.as_os_str() != STANDARD_INPUT);
    let name = path.map_or("standard input".into(), |path| path.display().to_string());
    let (reader, length) = open(path).map_err(|error| anyhow!("{name}: {error:#}"))?;
    let UnpackedReader {
        reader,
        damage,
        is_packed,
    } = UnpackedReader::new(reader)
        .map_err(|error| anyhow!("{name}: the trace could not be read ({error})"))?;
    // The size of a compressed file says nothing about that of its text.
    let length = if is_packed { 0 } else { length };
    let stream = CopyingStream::new(reader);
    let tarmac = trace(&stream, &arguments.options).map_err(|error| match damage.get() {
        Some(damage) => anyhow!("{name}: {damage}"),
        None => anyhow!("{name}: {}", source_error_text(&error)),
    })?;
    let printing = &arguments.report;
    let input = path.unwrap_or(Path::new("/dev/stdin"));
    let out = Destination::open(printing.output.as_deref(), [input])?;
    stream.copy_into(match &out {
        Destination::File(file, _) => {
            Box::new(BufWriter::with_capacity(BUFFER_BYTES, file.handle()?))
        }
        Destination::StandardOutput(_) => Box::new(io::stdout()),
    });
    // The length of a pipe is unknown, so no progress can be shown.
    let meter = ReportOptions {
        quiet: printing.quiet || length == 0,
        show_progress_meter: printing.show_progress_meter && length > 0,
        ..ReportOptions::default()
    };
    let copied = watched("copying", &meter, |progress| {
        progress.bytes_total.store(length, Ordering::Relaxed);
        copy(&tarmac, &stream, &progress.bytes_done)
    });
    let copied = copied.map_err(|error| match error {
        CopyError::Output(error) => out.error(error),
        CopyError::Input(error) => anyhow!("{name}: {error}"),
    })?;
    out.finish()?;
    if !printing.quiet {
        if let Some(damage) = damage.get() {
            say(&format!("note: {name}: {damage}"));
        }
        let shown = if printing.verbose { usize::MAX } else { 1 };
        print_notes(&copied, &name, shown);
    }
    note_written(printing, &counted(copied.lines, "line"));
    match printing.json {
        true => print_json(&TruncationJson::new(&copied)),
        false => Ok(()),
    }
}

fn trace(stream: &CopyingStream, options: &TraceOptions) -> Result<Tarmac, SourceError> {
    let open = options.to_open_options(Path::new(""));
    match Format::of_input(stream) {
        // Lines without the instruction-set field look like prose; the options identify them.
        Err(SourceError::NotATrace(FormatError::NoTraceLine { .. }))
            if open.implicit_thumb || open.format == Some(Format::Tarmac) => {}
        Ok(Format::Tarmac) => {}
        Ok(_) => {
            return Err(FormatError::Foreign {
                kind: "a log of another format",
                formats: Format::Tarmac.title().to_owned(),
            }
            .into());
        }
        Err(error) => return Err(error),
    }
    let tarmac = TarmacOptions {
        endian: open.endian.unwrap_or_default(),
        implicit_thumb: open.implicit_thumb,
    };
    Tarmac::open(Box::new(stream.clone()), tarmac)
}

/// Opens the trace, or standard input without a path. Also returns its length in bytes, 0 for a
/// pipe.
fn open(path: Option<&Path>) -> Result<(Box<dyn Read + Send>, u64)> {
    let Some(path) = path else {
        return Ok((Box::new(io::stdin()), 0));
    };
    let refused = |error| anyhow!("the file could not be opened ({error})");
    let file = File::open(path).map_err(refused)?;
    let metadata = file.metadata().map_err(refused)?;
    if metadata.is_dir() {
        bail!("this is a directory, not a trace");
    }
    Ok((Box::new(file), metadata.len()))
}

/// Prints a note about the end of the copy and up to `shown` problems.
fn print_notes(copied: &CopySummary, name: &str, shown: usize) {
    for problem in copied.problems.iter().take(shown) {
        let (line, column) = (problem.place.line_in_range + 1, problem.column);
        say(&format!(
            "note: {name}: line {line}, byte {column}: {}",
            printable(&problem.kind.to_string())
        ));
    }
    if copied.problem_count > 1 {
        let problems = counted(copied.problem_count, "problem");
        say(&format!("note: {name}: {problems} in the trace"));
    }
    let Some(cut) = copied.cut else { return };
    let line = grouped(cut.place.line_in_range + 1);
    let why = match cut.reason {
        CutReason::Polling(pc) => {
            format!("the instruction at {pc} is reached again and no register has changed")
        }
        CutReason::Repetition => "the same is said again and nothing has happened".to_owned(),
    };
    say(&format!("note: {name}: cut after line {line}, where {why}"));
}

impl TruncationJson {
    fn new(copied: &CopySummary) -> Self {
        let cut = copied.cut.map(|cut| {
            let (reason, pc) = match cut.reason {
                CutReason::Polling(pc) => ("polling", Some(pc.to_string())),
                CutReason::Repetition => ("repetition", None),
            };
            CutJson {
                line: cut.place.line_in_range + 1,
                reason,
                pc,
            }
        });
        Self {
            lines: copied.lines,
            bytes: copied.bytes,
            cut,
            warning_count: copied.problem_count,
        }
    }
}
