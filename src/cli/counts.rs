//! `stepback counts`: totals of the trace, in the categories of DynamoRIO's basic counts. `stepback
//! heat`: the most accessed pages of memory.

use std::fmt::Write as _;

use crate::cli::answer_forms::AnswerForms;
use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use stepback_debugger::analysis::counts::{
    PageTotals, ThreadCounts, TraceCounts, count_events, hot_pages,
};
use stepback_debugger::place::PositionName;
use stepback_index::read::records_accesses;
use stepback_parsers::drmemtrace::{Counts, marker_name};
use stepback_parsers::{MarkerKind, Position};

use crate::cli::cells::resolved_range;
use crate::cli::json::hex;
use crate::cli::question::{Command, Question, TraceArguments};
use crate::cli::report::Report;
use crate::cli::text::{counted, grouped};

/// Totals of the trace or of a thread.
#[derive(Serialize, JsonSchema)]
struct CountsJson {
    /// The thread. Missing for the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    instructions: u64,
    unique_instructions: u64,
    /// True if the count is a lower bound.
    unique_instructions_at_least: bool,
    nofetch: u64,
    /// None, like the other numbers of accesses, in a trace that records none.
    loads: Option<u64>,
    stores: Option<u64>,
    bytes_read: Option<u64>,
    bytes_written: Option<u64>,
    markers: Map<String, Value>,
    prefetches: u64,
    icache_flushes: u64,
    dcache_flushes: u64,
    encodings: u64,
    kernel_instructions: u64,
    kernel_nofetch: u64,
    /// Totals by thread. Missing for a thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<Vec<CountsJson>>,
}

/// Returns the forms of the JSON output of `counts`.
pub fn count_forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<CountsJson>()
}

/// Returns the forms of the JSON output of `heat`.
pub fn heat_forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<PageJson>().by_line()
}

/// Prints the totals of the trace and of each thread.
pub fn counts_answer(report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    if !session.index.is_whole() {
        bail!(
            "only a part of the trace is indexed, and counts are those of the whole: leave --so-far out"
        );
    }
    let counts = match session.drmemtrace() {
        Some(trace) => {
            let counts = trace.counts();
            let threads =
                trace
                    .threads()
                    .into_iter()
                    .zip(counts.threads)
                    .map(|(identity, counts)| ThreadCounts {
                        name: identity.name(),
                        counts,
                        is_thread: !identity.is_idle(),
                    });
            TraceCounts {
                threads: threads.collect(),
                total: counts.total,
            }
        }
        None => count_events(&session.index, &report.cancel)?,
    };
    let recording = AccessRecording::of(report)?;
    if !report.is_json {
        return report.text(&counts_text(&counts, recording));
    }
    let threads = counts.threads.iter().map(|thread| CountsJson {
        id: Some(thread.name.clone()),
        ..CountsJson::new(&thread.counts, recording)
    });
    report.json(&CountsJson {
        threads: Some(threads.collect()),
        ..CountsJson::new(&counts.total, recording)
    })
}

impl CountsJson {
    fn new(counts: &Counts, recording: AccessRecording) -> Self {
        let marker = |(kind, count): (&MarkerKind, &u64)| {
            (marker_name(*kind).into_owned(), Value::from(*count))
        };
        Self {
            id: None,
            instructions: counts.instructions,
            unique_instructions: counts.unique_instructions,
            unique_instructions_at_least: counts.unique_is_at_least,
            nofetch: counts.nofetch,
            loads: recording.known(counts.loads),
            stores: recording.known(counts.stores),
            bytes_read: recording.known(counts.bytes_read),
            bytes_written: recording.known(counts.bytes_written),
            markers: counts.markers.iter().map(marker).collect(),
            prefetches: counts.prefetches,
            icache_flushes: counts.instruction_flushes,
            dcache_flushes: counts.data_flushes,
            encodings: counts.encodings,
            kernel_instructions: counts.kernel_instructions,
            kernel_nofetch: counts.kernel_nofetch,
            threads: None,
        }
    }
}

/// Marker kinds with a separate row, and the label of the row.
const MARKER_ROWS: [(&[MarkerKind], &str); 13] = [
    (
        &[MarkerKind::TIMESTAMP, MarkerKind::CPU],
        "timestamp + cpuid markers",
    ),
    (&[MarkerKind::CORE_IDLE], "idle markers"),
    (&[MarkerKind(32)], "wait markers"),
    (
        &[MarkerKind::KERNEL_EVENT, MarkerKind::KERNEL_TRANSFER],
        "kernel transfer markers",
    ),
    (&[MarkerKind::FUNCTION], "function id markers"),
    (
        &[MarkerKind::RETURN_ADDRESS],
        "function return address markers",
    ),
    (&[MarkerKind::ARGUMENT], "function argument markers"),
    (&[MarkerKind::RETURN_VALUE], "function return value markers"),
    (
        &[MarkerKind::PHYSICAL_ADDRESS],
        "physical address + virtual address marker pairs",
    ),
    (
        &[MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE],
        "physical address unavailable markers",
    ),
    (&[MarkerKind::SYSTEM_CALL], "system call number markers"),
    (
        &[MarkerKind::MAYBE_BLOCKING],
        "blocking system call markers",
    ),
    (&[MarkerKind::SKIPPED_ACCESS], "skipped memref markers"),
];

/// Formats the counts like DynamoRIO's tool, busiest threads first.
fn counts_text(counts: &TraceCounts, recording: AccessRecording) -> String {
    let count = counts
        .threads
        .iter()
        .filter(|thread| thread.is_thread)
        .count() as u64;
    let mut text = format!(
        "Total counts:\n{}",
        rows(&counts.total, recording, "total ", Some(count))
    );
    let mut threads: Vec<_> = counts.threads.iter().collect();
    threads.sort_by_key(|thread| std::cmp::Reverse(thread.counts.instructions));
    for thread in threads {
        text += &format!(
            "Thread {} counts:\n{}",
            thread.name,
            rows(&thread.counts, recording, "", None)
        );
    }
    text
}

/// Whether a trace records accesses to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AccessRecording {
    Recorded,
    Missing,
}

impl AccessRecording {
    /// Looks for accesses in a trace. Prints a note if it records none.
    fn of(report: &Report<'_>) -> Result<Self> {
        if records_accesses(&report.session.index)? {
            return Ok(Self::Recorded);
        }
        report.note("the trace does not record accesses to memory: their numbers are unknown");
        Ok(Self::Missing)
    }

    /// Returns a count of accesses. None if it is unknown.
    fn known(self, count: u64) -> Option<u64> {
        (self == Self::Recorded).then_some(count)
    }
}

fn unique_words(counts: &Counts) -> &'static str {
    if counts.unique_is_at_least {
        "unique (fetched) instructions at least"
    } else {
        "unique (fetched) instructions"
    }
}

fn rows(counts: &Counts, recording: AccessRecording, prefix: &str, threads: Option<u64>) -> String {
    let mut rows = vec![
        (Some(counts.instructions), "(fetched) instructions"),
        (Some(counts.unique_instructions), unique_words(counts)),
        (Some(counts.nofetch), "non-fetched instructions"),
    ];
    if counts.kernel_instructions > 0 {
        let of_user = counts
            .instructions
            .saturating_sub(counts.kernel_instructions);
        rows.extend([
            (Some(of_user), "userspace instructions"),
            (Some(counts.kernel_instructions), "kernel instructions"),
            (
                Some(counts.kernel_nofetch),
                "kernel non-fetched instructions",
            ),
        ]);
    }
    rows.extend([
        (Some(counts.prefetches), "prefetches"),
        (recording.known(counts.loads), "data loads"),
        (recording.known(counts.stores), "data stores"),
        (Some(counts.instruction_flushes), "icache flushes"),
        (Some(counts.data_flushes), "dcache flushes"),
    ]);
    rows.extend(threads.map(|count| (Some(count), "threads")));
    rows.extend(MARKER_ROWS.map(|(kinds, words)| (Some(counts.markers_of(kinds)), words)));
    // The second marker of a pair has no row because the first one counts the pair.
    let named: u64 = MARKER_ROWS
        .iter()
        .map(|(kinds, _)| counts.markers_of(kinds))
        .sum();
    let all: u64 = counts.markers.values().sum();
    let others = all
        .saturating_sub(named)
        .saturating_sub(counts.markers_of(&[MarkerKind::VIRTUAL_ADDRESS]));
    rows.extend([
        (Some(others), "other markers"),
        (Some(counts.encodings), "encodings"),
    ]);
    rows.iter().fold(String::new(), |mut text, (count, words)| {
        let count = count.map_or_else(|| "unknown".to_owned(), |count| count.to_string());
        // Writing to a string cannot fail.
        _ = writeln!(text, "{count:>12} {prefix}{words}");
        text
    })
}

#[derive(Debug, Args)]
pub struct HeatArguments {
    /// Start position (default: start).
    #[arg(long, value_name = "POS", allow_negative_numbers = true)]
    pub from: Option<PositionName>,
    /// End position (default: end).
    #[arg(long, value_name = "POS", allow_negative_numbers = true)]
    pub to: Option<PositionName>,
    /// Maximum number of pages, most accesses first.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub common: TraceArguments,
}

#[derive(Serialize, JsonSchema)]
struct PageJson {
    /// Owner of the memory. Missing in a trace of one process.
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<String>,
    address: String,
    size: u64,
    reads: u64,
    writes: u64,
}

impl Command for HeatArguments {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| heat_answer(self, report))
    }
}

/// Prints the pages, most accesses first.
fn heat_answer(arguments: &HeatArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    AccessRecording::of(report)?;
    let range = match (&arguments.from, &arguments.to) {
        (None, None) => Position(0)..session.index.end(),
        (from, to) => resolved_range(
            from.as_ref().unwrap_or(&PositionName::Start),
            to.as_ref().unwrap_or(&PositionName::End),
            report,
        )?,
    };
    let (page_bytes, mut pages) =
        hot_pages(&session.index, range.start, range.end, &report.cancel)?;
    let all = pages.len() as u64;
    pages.truncate(arguments.limit.unwrap_or(usize::MAX));
    if !report.is_json {
        report.text(&format!(
            "{:<18} {:>16} {:>16}\n",
            "page", "reads", "writes"
        ))?;
    }
    for PageTotals {
        process,
        first,
        reads,
        writes,
    } in pages
    {
        match report.is_json {
            true => report.json(&PageJson {
                process,
                address: hex(first),
                size: page_bytes,
                reads,
                writes,
            })?,
            false => {
                let process = process
                    .map(|process| format!("  process {process}"))
                    .unwrap_or_default();
                let (reads, writes) = (grouped(reads), grouped(writes));
                report.text(&format!(
                    "{:<18} {reads:>16} {writes:>16}{process}\n",
                    first.to_string()
                ))?
            }
        }
    }
    if !report.is_json {
        report.text(&format!(
            "{} of {} bytes\n",
            counted(all, "page"),
            grouped(page_bytes)
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(is_at_least: bool, row: &str) {
        let counts = Counts {
            unique_instructions: 5,
            unique_is_at_least: is_at_least,
            ..Counts::default()
        };
        assert!(
            rows(&counts, AccessRecording::Recorded, "total ", None)
                .lines()
                .any(|line| line == row)
        );
        let json =
            serde_json::to_value(CountsJson::new(&counts, AccessRecording::Recorded)).unwrap();
        assert_eq!(
            json.get("unique_instructions_at_least"),
            Some(&Value::Bool(is_at_least))
        );
    }

    #[test]
    fn a_count_that_is_not_exact_says_so() {
        check(false, "           5 total unique (fetched) instructions");
        check(
            true,
            "           5 total unique (fetched) instructions at least",
        );
    }
}
