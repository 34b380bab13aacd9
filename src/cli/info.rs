//! `stepback info`: a summary of the trace.

use std::collections::BTreeSet;

use crate::cli::answer_forms::{AnswerForms, SCHEMA_VERSION};
use anyhow::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::counts::cpu_count;
use stepback_debugger::clock::TraceClock;
use stepback_debugger::model::ending::{EndingReport, ending_report};
use stepback_debugger::model::so_far::IndexedPart;
use stepback_debugger::model::threads::threads_of;
use stepback_debugger::model::trace_notes::{placed, trace_notes};
use stepback_debugger::session::Session;
use stepback_index::answer::{ThreadInfo, TranslationCounts};
use stepback_index::query::CountTranslations;
use stepback_index::{Cancel, Query as _};
use stepback_machine::InstructionSet;

use super::images_json::{ImageJson, image_rows};
use super::json::{FunctionJson, Time};
use super::report::Report;
use super::text::{counted, grouped, printable, size_text};
use super::threads::ThreadJson;
use crate::cli::index_sections::{SectionJson, print_sections};
use crate::cli::question::{Command, Question, TraceArguments};

/// Maximum number of warnings listed in JSON; all are counted.
const WARNINGS_IN_JSON: usize = 100;
/// Maximum number of warnings listed in text without --verbose.
const WARNINGS_IN_TEXT: usize = 5;

/// Maximum number of threads listed in text.
const THREADS_IN_TEXT: usize = 16;

/// Maximum number of contexts listed in text.
const CONTEXTS_IN_TEXT: usize = 16;

/// The JSON answer.
#[derive(Serialize, JsonSchema)]
struct InfoJson<'a> {
    format: &'a str,
    steps: u64,
    /// Number of lines. None in formats without lines.
    lines: Option<u64>,
    threads: Vec<ThreadJson>,
    time: TimeJson<'a>,
    arch: &'static str,
    endian: &'static str,
    warnings: WarningsJson,
    external_changes: u64,
    trace_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    packed: Option<CompressionJson>,
    index: IndexJson,
    /// Version of the JSON output of all commands.
    schema: u64,
    /// Path of the trace.
    trace: String,
    calls: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<ImageJson>,
    /// Present if the trace records address translations.
    #[serde(skip_serializing_if = "Option::is_none")]
    translations: Option<TranslationsJson>,
    /// Fields that only drmemtrace has.
    #[serde(skip_serializing_if = "Option::is_none")]
    drmemtrace: Option<DrmemtraceJson>,
    /// Present if the trace ends badly.
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<EndingJson>,
    /// Present if only a part is indexed: all other numbers then describe that part.
    #[serde(skip_serializing_if = "Option::is_none")]
    so_far: Option<IndexedPartJson>,
    /// Present with --sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    sections: Option<Vec<SectionJson>>,
}

/// Summary of the recorded address translations.
#[derive(Serialize, JsonSchema)]
struct TranslationsJson {
    /// Number of recorded translations.
    recorded: u64,
    /// Number of distinct virtual pages. None if there are too many to count.
    pages: Option<u64>,
    /// Number of distinct physical pages.
    physical_pages: Option<u64>,
    /// The named address spaces.
    contexts: Option<Vec<u64>>,
}

impl TranslationsJson {
    fn new(session: &Session, cancel: &Cancel) -> Result<Option<Self>> {
        let TranslationCounts { stated, counts } = CountTranslations.run(&session.index, cancel)?;
        let (pages, physical_pages) = (
            counts.as_ref().map(|of| of.pages),
            counts.as_ref().map(|of| of.physical_pages),
        );
        let contexts = counts.map(|of| of.contexts);
        Ok((stated > 0).then_some(Self {
            recorded: stated,
            pages,
            physical_pages,
            contexts,
        }))
    }

    fn text(&self) -> String {
        let mut text = format!("{} recorded", grouped(self.recorded));
        if let Some((pages, physical)) = self.pages.zip(self.physical_pages) {
            text += &format!(
                ": {} on {}",
                counted(pages, "virtual page"),
                counted(physical, "physical one")
            );
        }
        let contexts = self
            .contexts
            .as_ref()
            .filter(|contexts| !contexts.is_empty());
        if let Some(contexts) = contexts {
            let shown: Vec<_> = contexts
                .iter()
                .take(CONTEXTS_IN_TEXT)
                .map(u64::to_string)
                .collect();
            let rest = if contexts.len() > shown.len() {
                ", …"
            } else {
                ""
            };
            text += &format!(
                ", {} ({}{rest})",
                counted(contexts.len() as u64, "context"),
                shown.join(", ")
            );
        }
        text
    }
}

/// How the trace ends badly.
#[derive(Serialize, JsonSchema)]
struct EndingJson {
    /// The step during or after which it happened.
    step: u64,
    /// Description of the event.
    title: String,
    /// The step in words: its function and its instruction.
    place: String,
    /// Cell whose value explains it, for `why`.
    culprit: Option<CulpritJson>,
    /// Steps that the value came from, newest first, up to a store.
    origin: Vec<OriginJson>,
}

#[derive(Serialize, JsonSchema)]
struct CulpritJson {
    cell: String,
    /// Position at which the cell has the value.
    position: u64,
}

#[derive(Serialize, JsonSchema)]
struct OriginJson {
    step: u64,
    /// Function that executed it. None if no image names it.
    function: Option<FunctionJson>,
    /// The step as `why` shows it.
    text: String,
    /// Value in the words of the text output.
    value: Option<String>,
}

impl EndingJson {
    fn new(report: EndingReport, session: &Session) -> Self {
        let culprit = report.ending.culprit.map(|(cell, at)| CulpritJson {
            cell: cell.to_string(),
            position: at.0,
        });
        let origin = report.origin.into_iter().map(|line| OriginJson {
            step: line.step.0,
            function: line
                .address
                .and_then(|pc| session.images.code_at(pc))
                .map(|found| FunctionJson::new(found.symbol.address, session)),
            text: line.text,
            value: Some(line.value).filter(|value| !value.is_empty()),
        });
        Self {
            step: report.ending.step.0,
            title: report.title,
            place: report.place,
            culprit,
            origin: origin.collect(),
        }
    }
}

/// Returns the rows about how a trace ends badly.
fn ending_rows(report: &EndingReport) -> Vec<(&'static str, String)> {
    let mut rows = vec![("ending", report.title.clone()), ("", report.place.clone())];
    let origin = report.origin.iter();
    rows.extend(origin.map(|line| ("", format!("{}  {}", grouped(line.step.0), line.words()))));
    if let Some((cell, at)) = &report.ending.culprit {
        rows.push(("", format!("see: stepback why TRACE {cell} --at {}", at.0)));
    }
    rows
}

/// Extent of a partial index.
#[derive(Serialize, JsonSchema)]
struct IndexedPartJson {
    steps: u64,
    bytes: u64,
}

/// Metadata of a drmemtrace trace.
#[derive(Serialize, JsonSchema)]
struct DrmemtraceJson {
    version: u64,
    file_type: String,
    file_type_words: Vec<String>,
    files: usize,
    records: u64,
    /// Processes without duplicates.
    processes: Vec<String>,
    /// None if there are too many CPU changes to examine.
    cpu_count: Option<usize>,
    notes: Vec<String>,
}

impl DrmemtraceJson {
    fn new(session: &Session, cancel: &Cancel) -> Result<Option<Self>> {
        let Some(trace) = session.drmemtrace() else {
            return Ok(None);
        };
        let head = trace.head();
        let pids: BTreeSet<u64> = trace
            .threads()
            .iter()
            .filter(|thread| !thread.is_idle())
            .map(|thread| thread.pid)
            .collect();
        Ok(Some(Self {
            version: head.version,
            file_type: format!("{:#x}", head.file_type.0),
            file_type_words: head.file_type.words(),
            files: session.files().map_or(0, |files| files.files.len()),
            records: trace.facts().records,
            processes: pids
                .into_iter()
                .filter(|pid| *pid != 0)
                .map(|pid| pid.to_string())
                .collect(),
            cpu_count: cpu_count(&session.index, cancel)?,
            notes: trace_notes(session),
        }))
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let with_type = format!(
            "{}, file type {} ({})",
            self.version,
            self.file_type,
            self.file_type_words.join(", ")
        );
        vec![
            (
                "version",
                if self.file_type_words.is_empty() {
                    self.version.to_string()
                } else {
                    with_type
                },
            ),
            (
                "records",
                format!(
                    "{} in {}",
                    grouped(self.records),
                    counted(self.files as u64, "file")
                ),
            ),
            ("process", self.processes.join(", ")),
            (
                "cpus",
                self.cpu_count.map_or_else(
                    || "too many changes to count".to_owned(),
                    |count| count.to_string(),
                ),
            ),
        ]
    }
}

/// The file of a compressed trace.
#[derive(Serialize, JsonSchema)]
struct CompressionJson {
    kind: &'static str,
    bytes: u64,
    /// Size of the unpacked copy for random access.
    copy_bytes: u64,
    /// Reason why the text ends early.
    damage: Option<DamageJson>,
}

#[derive(Serialize, JsonSchema)]
struct DamageJson {
    offset: u64,
    message: String,
}

impl CompressionJson {
    fn new(session: &Session) -> Option<Self> {
        let text = session.packed()?;
        let damage = text.damage().map(|damage| DamageJson {
            offset: damage.offset,
            message: damage.to_string(),
        });
        Some(Self {
            kind: text.kind().name(),
            bytes: session.file_bytes(),
            copy_bytes: text.copy_bytes(),
            damage,
        })
    }
}

#[derive(Serialize, JsonSchema)]
struct TimeJson<'a> {
    unit: Option<&'a str>,
    first: Option<Time>,
    last: Option<Time>,
}

#[derive(Serialize, JsonSchema)]
struct WarningsJson {
    /// Number of places that were damaged or doubtful while the trace was read; `check` examines
    /// more.
    count: u64,
    first: Vec<WarningJson>,
}

#[derive(Serialize, JsonSchema)]
struct WarningJson {
    line: u64,
    offset: u64,
    message: String,
    /// Number of occurrences; `line` and `offset` are those of the first.
    count: u64,
}

/// The index file. Without a path, the index is in memory.
#[derive(Serialize, JsonSchema)]
pub struct IndexJson {
    path: Option<String>,
    bytes: u64,
    complete: bool,
}

impl IndexJson {
    /// Describes the index of a report's session.
    pub fn new(report: &Report<'_>) -> Self {
        let path = report
            .session
            .index_path
            .as_ref()
            .map(|path| path.display().to_string());
        Self {
            path,
            bytes: report.session.index.info().index_bytes,
            complete: report.session.index.is_whole(),
        }
    }
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<InfoJson<'_>>()
}

#[derive(Debug, Args)]
pub struct InfoArguments {
    /// Also list the sections of the index file: their sizes, contents, and the questions that they
    /// answer.
    #[arg(long)]
    pub sections: bool,
    #[command(flatten)]
    pub common: TraceArguments,
}

impl Command for InfoArguments {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| {
            let sections = self.sections.then(|| SectionJson::all(report));
            match report.is_json {
                true => print_json(sections, report),
                false => {
                    print_text(report)?;
                    sections.map_or(Ok(()), |sections| print_sections(&sections, report))
                }
            }
        })
    }
}

/// Prints a summary of the trace.
///
/// # Errors
/// The trace cannot be read, or the report cannot be written.
pub fn print_info(report: &mut Report<'_>) -> Result<()> {
    match report.is_json {
        true => print_json(None, report),
        false => print_text(report),
    }
}

fn print_json(sections: Option<Vec<SectionJson>>, report: &mut Report<'_>) -> Result<()> {
    let index = &report.session.index;
    let info = index.info();
    let warnings = index.warnings().iter().take(WARNINGS_IN_JSON);
    let first = warnings.map(|warning| WarningJson {
        line: warning.line,
        offset: warning.offset,
        message: warning.kind.to_string(),
        count: warning.count,
    });
    let threads = threads_of(report.session, &report.cancel)?;
    let (time_first, time_last) = threads.time_range(index).unzip();
    let json = InfoJson {
        schema: SCHEMA_VERSION,
        trace: report.session.path.display().to_string(),
        format: &info.format,
        steps: info.steps,
        lines: index.source().is_text().then_some(info.lines),
        calls: report.session.index.call_count(),
        threads: threads
            .rows
            .iter()
            .map(|row| ThreadJson::new(row, report))
            .collect::<Result<_>>()?,
        time: TimeJson {
            unit: info.time_unit.as_deref(),
            first: time_first.map(Time),
            last: time_last.map(Time),
        },
        arch: architecture(index.threads()),
        endian: if info.is_big_endian { "big" } else { "little" },
        warnings: WarningsJson {
            count: info.warning_count,
            first: first.collect(),
        },
        external_changes: info.external_changes,
        trace_bytes: report.session.trace_bytes(),
        packed: CompressionJson::new(report.session),
        drmemtrace: DrmemtraceJson::new(report.session, &report.cancel)?,
        index: IndexJson::new(report),
        images: ImageJson::all(report.session),
        translations: TranslationsJson::new(report.session, &report.cancel)?,
        ending: ending_report(report.session, &report.cancel)?
            .map(|ending| EndingJson::new(ending, report.session)),
        so_far: IndexedPart::of(report.session).map(|part| IndexedPartJson {
            steps: part.steps,
            bytes: part.bytes,
        }),
        sections,
    };
    report.json(&json)
}

fn print_text(report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let (index, info) = (&session.index, session.index.info());
    let endian = if info.is_big_endian {
        "big-endian"
    } else {
        "little-endian"
    };
    let mut rows = vec![
        ("trace", session.path.display().to_string()),
        (
            "format",
            format!(
                "{}, {}, {endian}",
                info.format,
                architecture(index.threads())
            ),
        ),
        (
            "size",
            size_text(session.trace_bytes()) + &lines_text(info.lines),
        ),
        ("compressed", packed_text(session).unwrap_or_default()),
        ("steps", grouped(info.steps)),
        ("calls", grouped(session.index.call_count())),
        ("threads", threads_text(index.threads())),
    ];
    let threads = threads_of(session, &report.cancel)?;
    if let Some((first, last)) = threads.time_range(index) {
        let unit = info
            .time_unit
            .as_deref()
            .map(|unit| format!(" {}", printable(unit)))
            .unwrap_or_default();
        let time = match TraceClock::of(index) {
            clock @ TraceClock::UnixMicros => format!(
                "{} to {}, {}",
                clock.time_text(first),
                clock.time_text(last),
                clock.span_text(last.saturating_sub(first))
            ),
            _ => format!("{} to {}{unit}", grouped(first), grouped(last)),
        };
        rows.push(("time", time));
    }
    let of_format = DrmemtraceJson::new(session, &report.cancel)?;
    rows.extend(of_format.iter().flat_map(DrmemtraceJson::rows));
    let translations = TranslationsJson::new(session, &report.cancel)?;
    rows.extend(translations.map(|translations| ("translations", translations.text())));
    rows.push(("external changes", grouped(info.external_changes)));
    rows.push(("warnings", warnings_text(info.warning_count)));
    let ending = ending_report(session, &report.cancel)?;
    rows.extend(ending.iter().flat_map(ending_rows));
    if let Some(part) = IndexedPart::of(session) {
        rows.push((
            "so far",
            format!(
                "{} of the trace, {} %",
                size_text(part.bytes),
                part.per_cent()
            ),
        ));
    }
    let place = session
        .index_path
        .as_ref()
        .map_or("in memory".to_owned(), |path| path.display().to_string());
    rows.push(("index", format!("{}, {place}", size_text(info.index_bytes))));
    rows.extend(
        image_rows(session)
            .into_iter()
            .map(|image| ("image", image)),
    );
    rows.retain(|(_, value)| !value.is_empty());
    for (name, value) in rows {
        report.text(&format!("{name:<18}{value}\n"))?;
    }
    for note in of_format.iter().flat_map(|of_format| &of_format.notes) {
        report.text(&format!("{:<18}{note}\n", "note"))?;
    }
    print_warnings(report)
}

fn lines_text(lines: u64) -> String {
    if lines == 0 {
        String::new()
    } else {
        format!(", {}", counted(lines, "line"))
    }
}

fn print_warnings(report: &mut Report<'_>) -> Result<()> {
    let (session, is_verbose) = (report.session, report.is_verbose);
    let limit = if is_verbose {
        usize::MAX
    } else {
        WARNINGS_IN_TEXT
    };
    let shown = session.index.warnings().iter().take(limit);
    let count: u64 = shown.clone().map(|warning| warning.count).sum();
    for warning in shown {
        let (message, more) = (
            printable(&warning.kind.to_string()),
            occurrences(warning.count),
        );
        report.text(&format!(
            "  {}{more}\n",
            placed(warning, &message, &session.index)
        ))?;
    }
    let rest = session.index.info().warning_count.saturating_sub(count);
    match (rest, is_verbose) {
        (0, _) => Ok(()),
        (rest, true) => report.text(&format!("  … and {} more\n", grouped(rest))),
        (rest, false) => report.text(&format!("  … and {} more (-v shows more)\n", grouped(rest))),
    }
}

/// Formats the number of warnings: of what was damaged or doubtful while the trace was read.
fn warnings_text(count: u64) -> String {
    format!(
        "{} while reading (stepback check examines more)",
        grouped(count)
    )
}

/// Formats the number of occurrences of a warning, if more than one.
fn occurrences(count: u64) -> String {
    if count > 1 {
        format!(" ({} times)", grouped(count))
    } else {
        String::new()
    }
}

fn packed_text(session: &Session) -> Option<String> {
    let text = session.packed()?;
    let (size, copy) = (
        size_text(session.file_bytes()),
        size_text(text.copy_bytes()),
    );
    Some(format!(
        "{}, {size}; a copy for random access, {copy}",
        text.kind().name()
    ))
}

fn threads_text(threads: &[ThreadInfo]) -> String {
    let of = |thread: &ThreadInfo| {
        format!(
            "{} ({})",
            printable(&thread.name),
            counted(thread.steps, "step")
        )
    };
    let shown: Vec<_> = threads.iter().take(THREADS_IN_TEXT).map(of).collect();
    match threads.len().saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!(
            "{}, … and {} (stepback threads lists them)",
            shown.join(", "),
            counted(more as u64, "further one")
        ),
    }
}

/// Returns the architecture of the first thread. Cores that begin in another state are rare, and
/// each step shows its own.
fn architecture(threads: &[ThreadInfo]) -> &'static str {
    let set = threads
        .first()
        .map_or_else(InstructionSet::default, |thread| thread.instruction_set);
    set.names().word
}
