//! `stepback convert`: a Tarmac trace in another style, or packed RST as plain RST. The summary
//! says what the target cannot express.

use std::io;
use std::io::{BufWriter, IsTerminal as _, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use crate::cli::answer_forms::AnswerForms;
use crate::cli::convert_btrace;
use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::session::{IndexPolicy, Input, OpenOptions, TraceFiles, is_same_file};
use stepback_index::Cancel;
use stepback_index::build::BuildProgress;
use stepback_parsers::rst::{PlainCopy, write_plain};
use stepback_parsers::tarmac::{ConversionLoss, ConvertError, TarmacStyle};
use stepback_parsers::{Flow, Format, Source as _, Tarmac};

use crate::cli::cells::UsageError;
use crate::cli::convert_btrace::{BranchConversion, BranchForm, convert_branches};
use crate::cli::progress::{say, watched};
use crate::cli::question::{Command, TextOnly, TraceArguments};
use crate::cli::report::{BUFFER_BYTES, NewFile, OutputError, STANDARD_OUTPUT, is_standard_output};
use crate::cli::text::counted;

/// Help text below the options.
pub const HELP: &str = "\
Steps, times, registers and memory are preserved. Damaged lines, and lines that both styles share, \
are copied unchanged. Losses are counted. No index is needed or built.";

#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The style to write.
    #[arg(long, value_name = "FORMAT")]
    pub to: ConvertFormat,
    /// Write only the steps or records of this thread (branch recordings only); the text form holds
    /// one thread per file.
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    /// The trace. No index is used, so options about the index have no effect.
    #[command(flatten)]
    pub common: TraceArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConvertFormat {
    /// `IT` lines, `MR4` and `MW4`, a time on each line.
    #[value(name = "tarmac-fm", alias = "fm")]
    FastModels,
    /// `ES` lines, `LD` and `ST` diagrams, a time on instruction lines.
    #[value(name = "tarmac-es", alias = "es")]
    Es,
    /// Plain records of an RST trace, unpacked from rstzip 2 or 3, gzip, zstd or xz and merged from
    /// several files.
    #[value(name = "rst")]
    Rst,
    /// Branch records (Btrace) in Stepback's own layout after a header, from a recording in any
    /// layout or from the text form.
    #[value(name = "btrace")]
    Btrace,
    /// Branch records without a header.
    #[value(name = "btrace-plain")]
    BtracePlain,
    /// The text form of a branch recording: a line for each instruction; needs the program
    /// (--image).
    #[value(name = "btrace-text")]
    BtraceText,
}

/// Summary of the conversion.
#[derive(Serialize, JsonSchema)]
struct ConversionJson {
    to: String,
    physical_addresses_lost: u64,
    memory_types_lost: u64,
    exclusive_marks_lost: u64,
    damaged_records_lost: u64,
}

impl ConvertFormat {
    /// Returns the Tarmac style. None for other formats.
    fn style(self) -> Option<TarmacStyle> {
        match self {
            Self::FastModels => Some(TarmacStyle::FastModels),
            Self::Es => Some(TarmacStyle::Es),
            Self::Rst | Self::Btrace | Self::BtracePlain | Self::BtraceText => None,
        }
    }

    fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

impl ConvertArguments {
    fn target(&self) -> Option<&Path> {
        self.common
            .report
            .output
            .as_deref()
            .filter(|path| !is_standard_output(path))
    }
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    convert_btrace::forms(forms.or::<ConversionJson>().or::<RstCopyJson>())
}

impl Command for ConvertArguments {
    // Standard output cannot take both the trace and the summary.
    fn check(&self) -> Result<(), String> {
        let is_of_branches = matches!(
            self.to,
            ConvertFormat::Btrace | ConvertFormat::BtracePlain | ConvertFormat::BtraceText
        );
        if self.thread.is_some() && !is_of_branches {
            return Err(
                "--thread chooses from a recording of branches: leave it out, all threads are written".to_owned()
            );
        }
        match self.common.report.json && self.target().is_none() {
            true => {
                Err("--json describes the trace that goes to a file: name one with -o".to_owned())
            }
            false => Ok(()),
        }
    }

    fn text_only(&self) -> Option<TextOnly<'_>> {
        self.to.style()?;
        let advice = "only Tarmac traces can be converted to a style of Tarmac: list --records --json prints a trace of records for other programs";
        Some(TextOnly {
            trace: &self.common.trace,
            advice,
        })
    }

    fn run(&self) -> Result<()> {
        let thread = self.thread.as_deref();
        let branches = |form| {
            convert_branches(
                &self.common,
                &BranchConversion {
                    target: self.target(),
                    form,
                    thread,
                },
            )
        };
        match self.to {
            ConvertFormat::FastModels => convert(self, TarmacStyle::FastModels),
            ConvertFormat::Es => convert(self, TarmacStyle::Es),
            ConvertFormat::Rst => convert_to_rst(&self.common, self.target()),
            ConvertFormat::Btrace => branches(BranchForm::WithHeader),
            ConvertFormat::BtracePlain => branches(BranchForm::Plain),
            ConvertFormat::BtraceText => branches(BranchForm::Text),
        }
    }
}

/// Converts a Tarmac trace to another style.
fn convert(arguments: &ConvertArguments, style: TarmacStyle) -> Result<()> {
    let TraceArguments {
        trace,
        options,
        report,
    } = &arguments.common;
    // Leaves no files: uses an existing unpacked copy but never creates one.
    let input = Input::open(&OpenOptions {
        policy: IndexPolicy::Never,
        ..options.to_open_options(trace)
    })?;
    watched("unpacking", report, |progress| {
        input.settle(trace, progress, &Cancel::default())
    })?;
    if !report.quiet {
        input
            .notices()
            .for_each(|notice| say(&format!("note: {notice}: {trace:?}")));
    }
    let Some(tarmac) = input.source.downcast::<Tarmac>() else {
        bail!(UsageError(format!(
            "only Tarmac traces can be converted: {trace:?}"
        )));
    };
    let mut out = output(arguments.target(), trace)?;
    let lost = watched("converting", report, |progress| {
        progress
            .bytes_total
            .store(tarmac.length(), Ordering::Relaxed);
        let lost = tarmac.convert(style, &mut out, &mut |done| note(progress, done))?;
        out.finish()?;
        Ok(lost)
    });
    let lost = lost.map_err(|error| match error {
        ConvertError::Write(error) => OutputError::new(error, target_name(arguments)).into(),
        error => anyhow!("{error}: {trace:?}"),
    })?;
    if input.is_changed(trace) {
        bail!("the trace changed while it was read: {trace:?}");
    }
    if lost != ConversionLoss::default() && !report.quiet {
        say(&format!(
            "note: {} cannot represent {lost}; left out: {trace:?}",
            arguments.to.name()
        ));
    }
    if report.json {
        print_conversion_json(arguments.to, lost)
    } else {
        Ok(())
    }
}

fn note(progress: &BuildProgress, done: u64) -> Flow {
    progress.bytes_done.store(done, Ordering::Relaxed);
    Flow::Continue
}

fn target_name(arguments: &ConvertArguments) -> String {
    arguments
        .target()
        .map_or(STANDARD_OUTPUT.to_owned(), |path| format!("{path:?}"))
}

/// Destination of the result.
pub(super) enum ConversionOutput {
    StandardOutput(BufWriter<io::Stdout>),
    File(NewFile),
}

impl ConversionOutput {
    /// Completes the file and renames it, or flushes standard output.
    ///
    /// # Errors
    /// The data cannot be written.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::StandardOutput(mut out) => out.flush(),
            Self::File(file) => file.finish(),
        }
    }
}

impl Write for ConversionOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::StandardOutput(out) => out.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::StandardOutput(out) => out.flush(),
            Self::File(file) => file.flush(),
        }
    }
}

/// Opens the destination. Refuses to overwrite the trace.
pub(super) fn output(target: Option<&Path>, trace: &Path) -> Result<ConversionOutput> {
    match target {
        None => Ok(ConversionOutput::StandardOutput(BufWriter::with_capacity(
            BUFFER_BYTES,
            io::stdout(),
        ))),
        Some(path) if is_same_file(trace, path) => {
            bail!("the result would overwrite the trace: {path:?}")
        }
        Some(path) => Ok(ConversionOutput::File(NewFile::create(path)?)),
    }
}

fn print_conversion_json(to: ConvertFormat, lost: ConversionLoss) -> Result<()> {
    let json = ConversionJson {
        to: to.name(),
        physical_addresses_lost: lost.physical_addresses,
        memory_types_lost: lost.memory_types,
        exclusive_marks_lost: lost.exclusive_marks,
        damaged_records_lost: lost.damaged,
    };
    let written = writeln!(io::stdout(), "{}", serde_json::to_string(&json)?);
    Ok(written.map_err(|error| OutputError::new(error, STANDARD_OUTPUT.to_owned()))?)
}

/// Maximum number of problems reported one by one.
const TOLD: usize = 10;

/// Summary of the conversion.
#[derive(Serialize, JsonSchema)]
struct RstCopyJson {
    to: &'static str,
    records: u64,
    problems: Vec<String>,
}

/// Writes the records of a trace as a plain file.
pub fn convert_to_rst(common: &TraceArguments, target: Option<&Path>) -> Result<()> {
    let TraceArguments {
        trace,
        options,
        report,
    } = common;
    let found = TraceFiles::of(&options.to_open_options(trace))?
        .filter(|files| files.format == Format::Rst);
    let Some(files) = found else {
        let why = format!("only RST traces can be written as RST: {trace:?}");
        return Err(UsageError(why).into());
    };
    let unreadable =
        |error: io::Error| anyhow!("the trace could not be converted ({error}): {trace:?}");
    let opened = files.open()?;
    let copy = watched("converting", report, |progress| {
        let mut tell = |records: u64| progress.steps.store(records, Ordering::Relaxed);
        match target {
            Some(target) => {
                if files.files.iter().any(|file| is_same_file(file, target)) {
                    bail!("the result would overwrite the trace: {target:?}");
                }
                let mut out = NewFile::create(target)?;
                let copy = write_plain(opened, &mut out, &mut tell).map_err(unreadable)?;
                out.finish()
                    .map_err(|error| OutputError::new(error, format!("{target:?}")))?;
                Ok(copy)
            }
            None if io::stdout().is_terminal() => {
                bail!("the records are binary: name a file with -o")
            }
            None => {
                let mut out = io::stdout().lock();
                let copy = write_plain(opened, &mut out, &mut tell);
                let told =
                    |error| anyhow::Error::new(OutputError::new(error, STANDARD_OUTPUT.to_owned()));
                let is_reader_gone = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
                let copy = copy.map_err(|error| {
                    if is_reader_gone(&error) {
                        told(error)
                    } else {
                        unreadable(error)
                    }
                })?;
                out.flush().map_err(told)?;
                Ok(copy)
            }
        }
    })?;
    if files.is_changed() {
        bail!("the trace changed while it was read: {trace:?}");
    }
    if !report.quiet {
        tell_problems(&copy, trace);
    }
    if report.json {
        print_copy_json(copy)
    } else {
        Ok(())
    }
}

fn tell_problems(copy: &PlainCopy, trace: &Path) {
    for problem in copy.problems.iter().take(TOLD) {
        say(&format!("note: {}: {trace:?}", problem.kind));
    }
    if copy.problems.len() > TOLD {
        say(&format!(
            "note: {} in the trace: {trace:?}",
            counted(copy.problems.len() as u64, "problem")
        ));
    }
}

fn print_copy_json(copy: PlainCopy) -> Result<()> {
    let problems = copy
        .problems
        .into_iter()
        .map(|problem| problem.kind.to_string())
        .collect();
    let json = RstCopyJson {
        to: "rst",
        records: copy.records,
        problems,
    };
    let written = writeln!(io::stdout(), "{}", serde_json::to_string(&json)?);
    Ok(written.map_err(|error| OutputError::new(error, STANDARD_OUTPUT.to_owned()))?)
}
