//! `stepback convert`: a Tarmac trace in another style, packed RST as plain RST, or any trace as
//! Tenet text. The summary says what the target cannot express.

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::session::{IndexPolicy, Input, OpenOptions, TraceFiles};
use stepback_index::Cancel;
use stepback_index::in_order::map_in_order;
use stepback_parsers::rst::write_plain;
use stepback_parsers::tarmac::{ConversionLoss, ConversionWriter, ConvertError, TarmacStyle};
use stepback_parsers::{Format, Source as _, SourceError, Tarmac};

use crate::cli::answer_forms::AnswerForms;
use crate::cli::convert_btrace::convert_branches;
use crate::cli::convert_tenet::convert_to_tenet;
use crate::cli::error::CommandError;
use crate::cli::progress::{say, watched};
use crate::cli::question::{Command, TraceArguments};
use crate::cli::report::{Destination, named_file, note_written, print_json};
use crate::cli::text::counted;

/// Help text below the options.
pub const HELP: &str = "\
Steps, times, registers and memory are preserved. Damaged lines, and lines that both styles share,
are copied unchanged. Losses are counted. No index is needed or built.";

#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The style or format to write.
    #[arg(long, value_name = "FORMAT")]
    pub to: ConvertFormat,
    /// Write only the steps or records of this thread (branch recordings and Tenet only); text forms
    /// hold one thread per file.
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
    /// Changed registers and accesses for the Tenet plugin of IDA, from any trace.
    #[value(name = "tenet")]
    Tenet,
}

/// Summary of the conversion. A number that does not apply to the format is null.
#[derive(Default, Serialize, JsonSchema)]
pub struct ConversionJson {
    pub to: String,
    /// Number of records written.
    pub records: Option<u64>,
    /// Number of lines written.
    pub lines: Option<u64>,
    /// Number of branches left out because the trace does not show where they led, or of accesses
    /// whose bytes it does not state.
    pub left_out: Option<u64>,
    /// Damaged places of the trace.
    pub problems: Option<Vec<String>>,
    pub physical_addresses_lost: Option<u64>,
    pub memory_types_lost: Option<u64>,
    pub exclusive_marks_lost: Option<u64>,
    pub damaged_records_lost: Option<u64>,
}

impl ConvertFormat {
    /// Returns the Tarmac style. None for other formats.
    fn style(self) -> Option<TarmacStyle> {
        match self {
            Self::FastModels => Some(TarmacStyle::FastModels),
            Self::Es => Some(TarmacStyle::Es),
            _ => None,
        }
    }

    fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

impl ConvertArguments {
    fn target(&self) -> Option<&Path> {
        named_file(self.common.report.output.as_deref())
    }

    fn is_of_branches(&self) -> bool {
        matches!(
            self.to,
            ConvertFormat::Btrace | ConvertFormat::BtracePlain | ConvertFormat::BtraceText
        )
    }

    /// Returns the name of the trace, for messages.
    pub fn trace_name(&self) -> impl fmt::Display {
        self.common.trace.display()
    }

    /// Opens the trace without leaving files: an existing unpacked copy is used, but none is
    /// created.
    pub fn open_input(&self) -> Result<Input> {
        let TraceArguments { trace, options, .. } = &self.common;
        options.limit_threads();
        Input::open(&OpenOptions {
            policy: IndexPolicy::Never,
            ..options.to_open_options(trace)
        })
    }

    /// Waits until the input is unpacked, and prints notes about it.
    pub fn settle(&self, input: &Input) -> Result<()> {
        let TraceArguments { trace, report, .. } = &self.common;
        watched("reading", report, |progress| {
            input.settle(trace, progress, &Cancel::default())
        })?;
        input.notices().for_each(|notice| self.note(notice));
        Ok(())
    }

    /// Opens the destination. Refuses to overwrite the trace.
    pub fn open_output(&self) -> Result<Destination> {
        Destination::open(self.target(), [&*self.common.trace])
    }

    /// Prints a note about the trace, unless only the result is wanted.
    pub fn note(&self, text: impl fmt::Display) {
        if !self.common.report.quiet {
            say(&format!("note: {}: {text}", self.trace_name()));
        }
    }
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<ConversionJson>()
}

impl Command for ConvertArguments {
    // Standard output cannot take both the trace and the summary.
    fn check(&self) -> Result<(), String> {
        if self.thread.is_some() && !self.is_of_branches() && self.to != ConvertFormat::Tenet {
            return Err(
                "--thread chooses from a recording of branches or for Tenet: leave it out, all threads are written"
                    .to_owned(),
            );
        }
        match self.common.report.json && self.target().is_none() {
            true => {
                Err("--json describes the trace that goes to a file: name one with -o".to_owned())
            }
            false => Ok(()),
        }
    }

    fn text_only(&self) -> Option<(&Path, &'static str)> {
        self.to.style()?;
        let advice = "only Tarmac traces can be converted to a style of Tarmac; list --records --json prints a trace of records for other programs";
        Some((&self.common.trace, advice))
    }

    fn run(&self) -> Result<()> {
        let is_text = self.to.style().is_some()
            || matches!(self.to, ConvertFormat::BtraceText | ConvertFormat::Tenet);
        if !is_text && self.target().is_none() && io::stdout().is_terminal() {
            bail!("the records are binary: name a file with -o");
        }
        let summary = match self.to.style() {
            Some(style) => convert(self, style)?,
            None if self.is_of_branches() => convert_branches(self)?,
            None if self.to == ConvertFormat::Tenet => convert_to_tenet(self)?,
            None => convert_to_rst(self)?,
        };
        let counted = |count: Option<u64>, noun| count.map(|count| counted(count, noun));
        let records = counted(summary.records, "record").or(counted(summary.lines, "line"));
        let content: Vec<String> = records.into_iter().chain([self.to.name()]).collect();
        note_written(&self.common.report, &content.join(", "));
        match self.common.report.json {
            true => print_json(&ConversionJson {
                to: self.to.name(),
                ..summary
            }),
            false => Ok(()),
        }
    }
}

/// Converts a Tarmac trace to another style.
fn convert(arguments: &ConvertArguments, style: TarmacStyle) -> Result<ConversionJson> {
    let name = arguments.trace_name();
    let input = arguments.open_input()?;
    let Some(tarmac) = input.source.downcast::<Tarmac>() else {
        bail!(CommandError::Usage(format!(
            "{name}: only Tarmac traces can be converted to a style of Tarmac"
        )));
    };
    arguments.settle(&input)?;
    let mut out = arguments.open_output()?;
    let lost = watched("converting", &arguments.common.report, |progress| {
        progress
            .bytes_total
            .store(tarmac.length(), Ordering::Relaxed);
        let mut written = ConversionWriter::new(tarmac, style, &mut out)?;
        let convert = |part: Result<Range<u64>, SourceError>| tarmac.convert_part(style, part?);
        map_in_order(tarmac.conversion_parts(), convert, |part| {
            progress.bytes_done.store(part.end(), Ordering::Relaxed);
            written.write(part)
        })?;
        Ok(written.lost())
    });
    let lost = lost.map_err(|error| match error {
        ConvertError::Write(error) => out.error(error),
        error => anyhow!("{name}: {error}"),
    })?;
    out.finish()?;
    if input.is_changed(&arguments.common.trace) {
        bail!("{name}: the trace changed while it was read");
    }
    if lost != ConversionLoss::default() {
        arguments.note(format!(
            "{} cannot represent {lost}; left out",
            arguments.to.name()
        ));
    }
    Ok(ConversionJson {
        physical_addresses_lost: Some(lost.physical_addresses),
        memory_types_lost: Some(lost.memory_types),
        exclusive_marks_lost: Some(lost.exclusive_marks),
        damaged_records_lost: Some(lost.damaged),
        ..ConversionJson::default()
    })
}

/// Maximum number of problems reported one by one.
const MOST_PROBLEMS: usize = 10;

/// Writes the records of a trace as a plain file.
fn convert_to_rst(arguments: &ConvertArguments) -> Result<ConversionJson> {
    let TraceArguments {
        trace,
        options,
        report,
    } = &arguments.common;
    let name = arguments.trace_name();
    let found = TraceFiles::of(&options.to_open_options(trace))?
        .filter(|files| files.format == Format::Rst);
    let Some(files) = found else {
        bail!(CommandError::Usage(format!(
            "{name}: only RST traces can be written as RST"
        )));
    };
    let opened = files.open()?;
    let mut out = Destination::open(
        arguments.target(),
        files.files.iter().map(|file| file.as_path()),
    )?;
    let copy = watched("converting", report, |progress| {
        write_plain(opened, &mut out, &mut |records| {
            progress.steps.store(records, Ordering::Relaxed)
        })
    });
    let copy = copy.map_err(|error| match error.kind() {
        // The reader of the output may close the pipe early.
        io::ErrorKind::BrokenPipe => out.error(error),
        _ => anyhow!("{name}: the trace could not be converted ({error})"),
    })?;
    out.finish()?;
    if files.is_changed() {
        bail!("{name}: the trace changed while it was read");
    }
    for problem in copy.problems.iter().take(MOST_PROBLEMS) {
        arguments.note(&problem.kind);
    }
    if copy.problems.len() > MOST_PROBLEMS {
        arguments.note(counted(copy.problems.len() as u64, "problem"));
    }
    let problems = copy
        .problems
        .into_iter()
        .map(|problem| problem.kind.to_string());
    Ok(ConversionJson {
        records: Some(copy.records),
        problems: Some(problems.collect()),
        ..ConversionJson::default()
    })
}
