//! Conversion between the forms of a branch recording.

use std::io;
use std::io::Write;

use anyhow::{Result, anyhow, bail};
use stepback_parsers::btrace::{
    BranchLayout, BranchRecord, Btrace, BtraceTextWriter, StepRecorder, header,
};
use stepback_parsers::{ParseScratch, Source as _};

use crate::cli::convert::{ConversionJson, ConvertArguments, ConvertFormat};
use crate::cli::error::CommandError;
use crate::cli::progress::watched;
use crate::cli::report::Destination;

/// Writes a branch recording in another form.
pub fn convert_branches(arguments: &ConvertArguments) -> Result<ConversionJson> {
    let name = arguments.trace_name();
    let input = arguments.open_input()?;
    let Some(source) = input.source.downcast::<Btrace>() else {
        bail!(CommandError::Usage(format!(
            "{name}: only recordings of branches can be written as Btrace"
        )));
    };
    arguments.settle(&input)?;
    let thread = chosen_thread(source, arguments.thread.as_deref(), arguments.to)
        .map_err(|error| CommandError::about(&name.to_string(), error))?;
    let mut out = arguments.open_output()?;
    let written = watched(
        "converting",
        &arguments.common.report,
        |_| match arguments.to {
            ConvertFormat::BtraceText => write_text(source, thread, &mut out),
            to => write_records(source, thread, to, &mut out),
        },
    );
    let written = written.map_err(|error| match error.downcast::<io::Error>() {
        // The reader of the output may close the pipe early.
        Ok(error) if error.kind() == io::ErrorKind::BrokenPipe => out.error(error),
        Ok(error) => anyhow!("{name}: {error}"),
        Err(error) => anyhow!("{name}: {error:#}"),
    })?;
    out.finish()?;
    if input.is_changed(&arguments.common.trace) {
        bail!("{name}: the trace changed while it was read");
    }
    if let Some(count) = written.left_out.filter(|count| *count > 0) {
        arguments.note(format!(
            "{count} branches are left out, since the trace does not show where they led"
        ));
    }
    Ok(written)
}

fn write_text(
    source: &Btrace,
    thread: Option<u64>,
    out: &mut Destination,
) -> Result<ConversionJson> {
    if source.missing_program().is_some() {
        bail!(
            "the text form has a line for each instruction, so the program is needed: name it with --image"
        );
    }
    let mut text = BtraceTextWriter::new(out, thread.map(|thread| thread.to_string()))?;
    source.parse(0..source.length(), &mut ParseScratch::default(), &mut text)?;
    text.check()?;
    Ok(ConversionJson {
        lines: Some(text.lines),
        left_out: Some(0),
        ..ConversionJson::default()
    })
}

fn write_records(
    source: &Btrace,
    thread: Option<u64>,
    to: ConvertFormat,
    out: &mut Destination,
) -> Result<ConversionJson> {
    let layout = BranchLayout::own(0);
    let (records, left_out) = each_record(source, thread, |_| Ok(()))?;
    let mut bytes = Vec::new();
    let mut is_first = true;
    each_record(source, thread, |record| {
        bytes.clear();
        if std::mem::take(&mut is_first) && to == ConvertFormat::Btrace {
            bytes = header(records, record.time.unwrap_or(0));
        }
        layout.write(record, &mut bytes);
        out.write_all(&bytes)
    })?;
    Ok(ConversionJson {
        records: Some(records),
        left_out: Some(left_out),
        ..ConversionJson::default()
    })
}

/// Passes each record to `each`, in file order. For the text form, passes the records that a
/// recorder would have written. Returns the number of records, and of branches left out.
fn each_record(
    source: &Btrace,
    thread: Option<u64>,
    mut each: impl FnMut(&BranchRecord) -> io::Result<()>,
) -> Result<(u64, u64)> {
    if let Some(mut reader) = source.records_in_file() {
        let mut records = 0;
        while let Some(record) = reader.next_record()? {
            if thread.is_none_or(|thread| record.thread == thread) {
                each(&record)?;
                records += 1;
            }
        }
        return Ok((records, 0));
    }
    let mut failure = None;
    let mut sink = StepRecorder::new(|record: &BranchRecord| {
        if failure.is_none() {
            failure = each(record).err();
        }
    });
    source.parse(0..source.length(), &mut ParseScratch::default(), &mut sink)?;
    sink.settle();
    let counts = (sink.records, sink.left_out);
    failure.map_or(Ok(counts), |error| Err(error.into()))
}

/// Returns the thread to write, none for all. Lines of the text form do not name their thread, so a
/// recording with several needs a choice.
fn chosen_thread(source: &Btrace, name: Option<&str>, to: ConvertFormat) -> Result<Option<u64>> {
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
            bail!(CommandError::Usage(format!(
                "the recording has no thread {name:?}, only {}",
                some_of(&threads)
            )));
        }
        None if to == ConvertFormat::BtraceText && threads.len() > 1 => bail!(
            "a line of the text form has no place for a thread, and this recording has {} ({}): write each to a separate \
             file with --thread T, or keep them together with --to btrace",
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
