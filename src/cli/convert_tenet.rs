//! Conversion to Tenet text.

use std::io;
use std::ops::Range;
use std::sync::atomic::Ordering;

use anyhow::{Result, anyhow, bail};
use stepback_index::in_order::{cut_parts, map_in_order, parse_in_order, parse_part};
use stepback_parsers::{EventSink, Source, SourceError, TenetWriter, ThreadNumber};

use crate::cli::convert::{ConversionJson, ConvertArguments};
use crate::cli::progress::watched;
use crate::cli::text::grouped;

/// Maximum number of threads that an error lists.
const LISTED: usize = 16;

/// Writes the steps of a thread as Tenet text.
pub fn convert_to_tenet(arguments: &ConvertArguments) -> Result<ConversionJson> {
    let name = arguments.trace_name();
    let input = arguments.open_input()?;
    arguments.settle(&input)?;
    let source = &input.source;
    check_thread(source.as_ref(), arguments.thread.as_deref())
        .map_err(|error| anyhow!("{name}: {error}"))?;
    let mut out = arguments.open_output()?;
    let set = source.traits().instruction_set;
    let mut text = TenetWriter::new(&mut out, set, arguments.thread.clone());
    let parsed = watched("converting", &arguments.common.report, |progress| {
        let length = source.length();
        progress.bytes_total.store(length, Ordering::Relaxed);
        parse_in_order(source.as_ref(), cut_parts(source.as_ref()), &mut text)
    });
    parsed.map_err(|error| anyhow!("{name}: {error}"))?;
    let (written, lines, unknown) = (text.check(), text.lines, text.unknown_accesses);
    written.map_err(|error| match error.kind() {
        // The reader of the output may close the pipe early.
        io::ErrorKind::BrokenPipe => out.error(error),
        _ => anyhow!("{name}: {error}"),
    })?;
    out.finish()?;
    if input.is_changed(&arguments.common.trace) {
        bail!("{name}: the trace changed while it was read");
    }
    if unknown > 0 {
        let unknown = grouped(unknown);
        arguments.note(format!(
            "accesses left out because their bytes are not recorded: {unknown}"
        ));
    }
    Ok(ConversionJson {
        lines: Some(lines),
        left_out: Some(unknown),
        ..ConversionJson::default()
    })
}

/// Names of the threads of a trace.
#[derive(Default)]
struct ThreadNames(Vec<String>);

impl EventSink for ThreadNames {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.0.push(name.to_owned());
    }
}

/// Checks that the text would have the steps of one thread.
fn check_thread(source: &dyn Source, chosen: Option<&str>) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    let names_of = |part: Result<Range<u64>, SourceError>| {
        let mut names = ThreadNames::default();
        parse_part(source, part?, &mut names)?;
        Ok::<_, SourceError>(names)
    };
    map_in_order(cut_parts(source), names_of, |ThreadNames(found)| {
        let is_new = |name: &String| !names.contains(name);
        let new: Vec<String> = found.into_iter().filter(is_new).collect();
        names.extend(new);
        Ok(())
    })?;
    let more = if names.len() > LISTED { ", …" } else { "" };
    let known = names.get(..LISTED).unwrap_or(&names).join(", ");
    match chosen {
        None if names.len() > 1 => {
            bail!("Tenet text has one thread, so choose one with --thread: {known}{more}")
        }
        Some(chosen) if !names.iter().any(|name| name == chosen) => {
            bail!("the trace has no thread {chosen:?}, only {known}{more}")
        }
        _ => Ok(()),
    }
}
