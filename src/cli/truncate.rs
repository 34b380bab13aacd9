//! `stepback truncate`: copies a trace up to the point where it only repeats.

use std::fs::File;
use std::io;
use std::io::{BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use crate::cli::answer_forms::AnswerForms;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::session::{is_same_file, source_error_text};
use stepback_debugger::truncate::{
    CopyError, CopySummary, CopyingStream, CutReason, UnpackedReader, copy,
};
use stepback_parsers::{Format, FormatError, SourceError, Tarmac, TarmacOptions};

use super::options::{ReportOptions, TraceOptions};
use super::progress::{say, watched};
use super::report::{NewFile, OutputError, STANDARD_OUTPUT, is_standard_output};
use super::text::{counted, grouped, printable};
use crate::cli::question::{Command, TextOnly};
use crate::cli::report::BUFFER_BYTES;

/// Name of standard input on the command line.
const STANDARD_INPUT: &str = "-";

/// Help text below the options.
pub const HELP: &str = "\
Lines are copied unchanged, up to and including the first
(1) whose instruction is one of the last 16 while no register changed: a polling loop;
(2) that ends 8 to 16 lines without instructions and registers that equal the lines before them.
If there are several CPUs, every CPU that has run since the last change must be polling.
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
    warnings: u64,
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
        let is_copied_to_file = self
            .report
            .output
            .as_deref()
            .is_some_and(|path| !is_standard_output(path));
        match self.report.json && !is_copied_to_file {
            true => {
                Err("--json describes the copy that goes to a file: name one with -o".to_owned())
            }
            false => Ok(()),
        }
    }

    fn text_only(&self) -> Option<TextOnly<'_>> {
        let advice = "only Tarmac traces can be cut: list --records prints a part of a drmemtrace trace, DynamoRIO's record_filter copies one";
        self.trace
            .as_deref()
            .map(|trace| TextOnly { trace, advice })
    }

    fn run(&self) -> Result<()> {
        truncate(self)
    }
}

/// Copies the trace.
fn truncate(arguments: &TruncateArguments) -> Result<()> {
    let input = TruncateInput::new(arguments.trace.as_deref());
    let (reader, length) = input.open()?;
    let UnpackedReader {
        reader,
        damage,
        is_packed,
    } = UnpackedReader::new(reader).map_err(|error| input.unreadable(&error))?;
    // The size of a compressed file says nothing about that of its text.
    let length = if is_packed { 0 } else { length };
    let stream = CopyingStream::new(reader);
    let tarmac = trace(&stream, &arguments.options).map_err(|error| match damage.get() {
        Some(damage) => anyhow!("{damage}: {}", input.name()),
        None => anyhow!("{}: {}", source_error_text(&error), input.name()),
    })?;
    let printing = &arguments.report;
    let target = printing
        .output
        .as_deref()
        .filter(|path| !is_standard_output(path));
    let file = target.map(|path| new_file(path, &input)).transpose()?;
    stream.copy_into(match &file {
        Some(file) => Box::new(BufWriter::with_capacity(BUFFER_BYTES, file.handle()?)),
        None => Box::new(io::stdout()),
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
    let target = target.map_or(STANDARD_OUTPUT.to_owned(), |path| format!("{path:?}"));
    let copied = copied.map_err(|error| match error {
        CopyError::Output(error) => OutputError::new(error, target.clone()).into(),
        CopyError::Input(error) => anyhow!("{error}: {}", input.name()),
    })?;
    if let Some(file) = file {
        file.finish()
            .map_err(|error| OutputError::new(error, target))?;
    }
    if let Some(damage) = damage.get().filter(|_| !printing.quiet) {
        say(&format!("note: {damage}: {}", input.name()));
    }
    if !printing.quiet {
        tell(
            &copied,
            &input,
            if printing.verbose { usize::MAX } else { 1 },
        );
    }
    if printing.json {
        print_json(&copied)
    } else {
        Ok(())
    }
}

fn trace(stream: &CopyingStream, options: &TraceOptions) -> Result<Tarmac, SourceError> {
    let open = options.to_open_options(Path::new(""));
    match Format::of_input(stream) {
        // Lines without the instruction-set field look like prose; the options identify them.
        Err(SourceError::NotATrace(FormatError::NoTraceLine { .. }))
            if open.implicit_thumb || open.format == Some(Format::Tarmac) => {}
        found => {
            found?;
        }
    }
    let tarmac = TarmacOptions {
        endian: open.endian.unwrap_or_default(),
        implicit_thumb: open.implicit_thumb,
    };
    Tarmac::open(Box::new(stream.clone()), tarmac)
}

/// Origin of the trace.
enum TruncateInput<'a> {
    StandardInput,
    File(&'a Path),
}

impl<'a> TruncateInput<'a> {
    fn new(path: Option<&'a Path>) -> Self {
        match path {
            Some(path) if path.as_os_str() != STANDARD_INPUT => Self::File(path),
            _ => Self::StandardInput,
        }
    }

    /// Returns the name for messages.
    fn name(&self) -> String {
        match self {
            Self::StandardInput => "standard input".to_owned(),
            Self::File(path) => format!("{path:?}"),
        }
    }

    /// Returns the path in the file system.
    fn path(&self) -> &Path {
        match self {
            Self::StandardInput => Path::new("/dev/stdin"),
            Self::File(path) => path,
        }
    }

    fn unreadable(&self, error: &io::Error) -> anyhow::Error {
        anyhow!("the trace could not be read ({error}): {}", self.name())
    }

    /// Opens the input. Also returns its length in bytes, 0 for a pipe.
    fn open(&self) -> Result<(Box<dyn Read + Send>, u64)> {
        let Self::File(path) = self else {
            return Ok((Box::new(io::stdin()), 0));
        };
        let refused = |error| anyhow!("the file could not be opened ({error}): {path:?}");
        let file = File::open(path).map_err(refused)?;
        let metadata = file.metadata().map_err(refused)?;
        if metadata.is_dir() {
            bail!("this is a directory, not a trace: {path:?}");
        }
        Ok((Box::new(file), metadata.len()))
    }
}

/// Creates the file of the copy. Refuses to overwrite the trace.
fn new_file(path: &Path, input: &TruncateInput<'_>) -> Result<NewFile> {
    if is_same_file(input.path(), path) {
        bail!("the copy would overwrite the trace: {path:?}");
    }
    NewFile::create(path)
}

/// Prints a note about the end of the copy and up to `shown` problems.
fn tell(copied: &CopySummary, input: &TruncateInput<'_>, shown: usize) {
    for problem in copied.problems.iter().take(shown) {
        let (line, column) = (problem.place.line_in_range + 1, problem.column);
        say(&format!(
            "note: line {line}, byte {column}: {}: {}",
            printable(&problem.kind.to_string()),
            input.name()
        ));
    }
    if copied.problem_count > 1 {
        say(&format!(
            "note: {} in the trace: {}",
            counted(copied.problem_count, "problem"),
            input.name()
        ));
    }
    let Some(cut) = copied.cut else { return };
    let line = grouped(cut.place.line_in_range + 1);
    let why = match cut.reason {
        CutReason::Polling(pc) => {
            format!("the instruction at {pc} is reached again and no register has changed")
        }
        CutReason::Repetition => "the same is said again and nothing has happened".to_owned(),
    };
    say(&format!(
        "note: cut after line {line}, where {why}: {}",
        input.name()
    ));
}

fn print_json(copied: &CopySummary) -> Result<()> {
    let cut = copied.cut.map(|cut| CutJson {
        line: cut.place.line_in_range + 1,
        reason: match cut.reason {
            CutReason::Polling(_) => "polling",
            CutReason::Repetition => "repetition",
        },
        pc: match cut.reason {
            CutReason::Polling(pc) => Some(format!("{:#x}", pc.0)),
            CutReason::Repetition => None,
        },
    });
    let json = TruncationJson {
        lines: copied.lines,
        bytes: copied.bytes,
        cut,
        warnings: copied.problem_count,
    };
    let written = writeln!(io::stdout(), "{}", serde_json::to_string(&json)?);
    Ok(written.map_err(|error| OutputError::new(error, STANDARD_OUTPUT.to_owned()))?)
}
