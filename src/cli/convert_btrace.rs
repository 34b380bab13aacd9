//! Conversion between the forms of a branch recording.

use std::io;
use std::io::{IsTerminal as _, Write};
use std::path::Path;

use crate::cli::answer_forms::AnswerForms;
use anyhow::{Result, anyhow, bail};
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::session::{IndexPolicy, Input, OpenOptions};
use stepback_index::Cancel;
use stepback_parsers::btrace::{
    BranchLayout, BranchRecord, Btrace, BtraceTextWriter, StepRecorder, header,
};
use stepback_parsers::{ParseScratch, Source as _};

use super::convert::{ConversionOutput, output};
use super::progress::{say, watched};
use super::report::{OutputError, STANDARD_OUTPUT};
use crate::cli::cells::UsageError;
use crate::cli::question::TraceArguments;

/// Form to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchForm {
    /// Records after a header.
    WithHeader,
    /// Records without a header.
    Plain,
    /// One line per instruction.
    Text,
}

/// Form and destination of a conversion.
#[derive(Clone, Copy, Debug)]
pub struct BranchConversion<'a> {
    /// None for standard output.
    pub target: Option<&'a Path>,
    pub form: BranchForm,
    /// Restricts the output to this thread.
    pub thread: Option<&'a str>,
}

/// Summary of the conversion.
#[derive(Serialize, JsonSchema)]
struct BranchSummaryJson {
    to: &'static str,
    records: Option<u64>,
    lines: Option<u64>,
    /// Number of branches whose target the trace does not show.
    left_out: u64,
}

/// Writes a branch recording in another form.
pub fn convert_branches(common: &TraceArguments, wanted: &BranchConversion<'_>) -> Result<()> {
    let BranchConversion {
        target,
        form,
        thread,
    } = *wanted;
    let TraceArguments {
        trace,
        options,
        report,
    } = common;
    if target.is_none() && form != BranchForm::Text && io::stdout().is_terminal() {
        bail!("the records are binary: name a file with -o");
    }
    // Leaves no files: uses an existing unpacked copy but never creates one.
    let input = Input::open(&OpenOptions {
        policy: IndexPolicy::Never,
        ..options.to_open_options(trace)
    })?;
    let Some(source) = input.source.downcast::<Btrace>() else {
        let why = format!("only recordings of branches can be written as Btrace: {trace:?}");
        return Err(UsageError(why).into());
    };
    watched("reading", report, |progress| {
        input.settle(trace, progress, &Cancel::default())
    })?;
    if !report.quiet {
        input
            .notices()
            .for_each(|notice| say(&format!("note: {notice}: {trace:?}")));
    }
    let thread = chosen_thread(source, thread, form)?;
    let mut out = output(target, trace)?;
    let written = watched("converting", report, |_| match form {
        BranchForm::Text => write_text(source, thread, &mut out),
        BranchForm::WithHeader | BranchForm::Plain => {
            RecordSelection { source, thread }.write(form, &mut out)
        }
    });
    let name = target.map_or_else(|| STANDARD_OUTPUT.to_owned(), |path| format!("{path:?}"));
    let written = written.map_err(|error| match error.downcast::<io::Error>() {
        // The reader of the output may close the pipe early.
        Ok(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            OutputError::new(error, name.clone()).into()
        }
        Ok(error) => anyhow!("{error}: {trace:?}"),
        Err(error) => anyhow!("{error}: {trace:?}"),
    })?;
    out.finish()
        .map_err(|error| OutputError::new(error, name))?;
    if input.is_changed(trace) {
        bail!("the trace changed while it was read: {trace:?}");
    }
    if written.left_out > 0 && !report.quiet {
        let count = written.left_out;
        say(&format!(
            "note: {count} branches are left out, since the trace does not show where they led: {trace:?}"
        ));
    }
    if report.json {
        print_json(&written)
    } else {
        Ok(())
    }
}

fn write_text(
    source: &Btrace,
    thread: Option<u64>,
    out: &mut ConversionOutput,
) -> Result<BranchSummaryJson> {
    if source.missing_program().is_some() {
        bail!(
            "the text form has a line for each instruction, so the program is needed: name it with --image"
        );
    }
    let mut text = BtraceTextWriter::new(out, thread.map(|thread| thread.to_string()))?;
    source.parse(0..source.length(), &mut ParseScratch::default(), &mut text)?;
    text.check()?;
    Ok(BranchSummaryJson {
        to: "btrace-text",
        records: None,
        lines: Some(text.lines),
        left_out: 0,
    })
}

/// Returns the thread to write, none for all. Lines of the text form do not name their thread, so a
/// recording with several needs a choice.
fn chosen_thread(source: &Btrace, name: Option<&str>, form: BranchForm) -> Result<Option<u64>> {
    let threads: Vec<u64> = source
        .store()
        .facts()
        .threads
        .iter()
        .map(|thread| thread.tid)
        .collect();
    let named = name.map(|name| {
        (
            name,
            threads.iter().find(|thread| thread.to_string() == name),
        )
    });
    match named {
        Some((_, Some(thread))) => Ok(Some(*thread)),
        Some((name, None)) => {
            bail!(UsageError(format!(
                "the recording has no thread {name:?}, only {}",
                some_of(&threads)
            )));
        }
        None if form == BranchForm::Text && threads.len() > 1 => bail!(
            "a line of the text form has no place for a thread, and this recording has {} ({}): write each to a file of its \
             own with --thread T, or keep them together with --to btrace",
            threads.len(),
            some_of(&threads)
        ),
        None => Ok(None),
    }
}

/// Lists the first numbers, with an ellipsis if there are more.
fn some_of(threads: &[u64]) -> String {
    let first: Vec<_> = threads.iter().take(8).map(u64::to_string).collect();
    first.join(", ")
        + if threads.len() > first.len() {
            ", …"
        } else {
            ""
        }
}

/// Counts of the records passed on and left out.
struct RecordCounts {
    records: u64,
    left_out: u64,
}

/// Records of a recording, of all threads or of one.
#[derive(Clone, Copy)]
struct RecordSelection<'a> {
    source: &'a Btrace,
    thread: Option<u64>,
}

impl RecordSelection<'_> {
    fn write(self, form: BranchForm, out: &mut ConversionOutput) -> Result<BranchSummaryJson> {
        let layout = BranchLayout::own(0);
        let mut written = BranchSummaryJson {
            to: "btrace",
            records: None,
            lines: None,
            left_out: 0,
        };
        let count = self.each(|_| Ok(()))?;
        let mut bytes = Vec::new();
        let mut is_first = true;
        self.each(|record| {
            bytes.clear();
            if std::mem::take(&mut is_first) && form == BranchForm::WithHeader {
                bytes = header(count.records, record.time.unwrap_or(0));
            }
            layout.write(record, &mut bytes);
            out.write_all(&bytes)
        })?;
        (written.records, written.left_out) = (Some(count.records), count.left_out);
        Ok(written)
    }

    /// Passes each record to `each`, in file order. For the text form, passes the records that a
    /// recorder would have written.
    fn each(self, mut each: impl FnMut(&BranchRecord) -> io::Result<()>) -> Result<RecordCounts> {
        let Self { source, thread } = self;
        if let Some(mut reader) = source.records_in_file() {
            let mut records = 0;
            while let Some(record) = reader.next_record()? {
                if thread.is_none_or(|thread| record.thread == thread) {
                    each(&record)?;
                    records += 1;
                }
            }
            return Ok(RecordCounts {
                records,
                left_out: 0,
            });
        }
        let mut failure = None;
        let mut sink = StepRecorder::new(|record: &BranchRecord| {
            if failure.is_none() {
                failure = each(record).err();
            }
        });
        source.parse(0..source.length(), &mut ParseScratch::default(), &mut sink)?;
        sink.settle();
        let counted = RecordCounts {
            records: sink.records,
            left_out: sink.left_out,
        };
        failure.map_or(Ok(counted), |error| Err(error.into()))
    }
}

fn print_json(json: &BranchSummaryJson) -> Result<()> {
    let written = writeln!(io::stdout(), "{}", serde_json::to_string(json)?);
    Ok(written.map_err(|error| OutputError::new(error, STANDARD_OUTPUT.to_owned()))?)
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<BranchSummaryJson>()
}
