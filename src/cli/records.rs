//! `stepback list --records`: every record of a binary format, with the numbers that its tools use.

use anyhow::Result;
use serde::Serialize;
use stepback_machine::{AccessKind, Encoding};
use stepback_parsers::{
    Marker, MarkerKind, Position,
    drmemtrace::{
        Drmemtrace, RecordContent, ThreadIdentity, VisibleRecord, instruction_name, marker_name,
        record_name, record_text, unix_micros,
    },
    step_store::{Code, StoredAccess, StoredHint, StoredMarker},
};

use super::json::byte_string;
use super::listing::ListingWishes;
use super::report::Report;
use super::text::printable;

/// Number of positions whose records are printed at once.
const BLOCK: u64 = 1024;

/// A record. Its fields depend on its kind.
#[derive(Serialize)]
struct RecordJson<'a> {
    record: u64,
    instruction: u64,
    thread: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    marker: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// Unix time of a timestamp in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<u64>,
    /// Number of records that did not fit in the store and are represented by this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

/// Start of a list of records.
#[derive(Clone, Copy, Debug)]
pub struct FirstRecord {
    /// Begins with the records after the step before this position.
    pub from: Position,
    /// Number of the first record, from 1. It belongs to the step before the position.
    pub number: Option<u64>,
}

/// Prints the records of a trace.
pub fn print_records(
    trace: &Drmemtrace,
    first: FirstRecord,
    wishes: &ListingWishes,
    report: &mut Report<'_>,
) -> Result<()> {
    let threads = trace.threads();
    let names: Vec<String> = threads.iter().map(ThreadIdentity::name).collect();
    let mut left = wishes.count.unwrap_or(u64::MAX);
    let FirstRecord { from, number } = first;
    // Records of position 0 precede the first step. The step at a position belongs to the next
    // position.
    let mut next = if from.0 == 0 || number.is_some() {
        from.0
    } else {
        from.0 + 1
    };
    let number = number.unwrap_or(0);
    let end = trace.facts().items;
    while left > 0 && next < end {
        let mut printed = Ok(());
        let until = end.min(next.saturating_add(BLOCK));
        trace.records(next..until, |record| {
            let name = names
                .get(usize::from(record.thread.0))
                .map_or("", String::as_str);
            if wishes.thread.as_deref().is_none_or(|wanted| wanted == name) {
                for single in singles(record)
                    .filter(|single| single.ordinal >= number)
                    .take(usize::try_from(left.max(1)).unwrap_or(usize::MAX))
                {
                    printed = print(&single, name, &threads, report);
                    left -= u64::from(single.count() > 0);
                    if printed.is_err() {
                        break;
                    }
                }
            }
            left > 0 && printed.is_ok()
        })?;
        printed?;
        report.flush()?;
        next = until;
    }
    Ok(())
}

/// Expands equal records into single ones, as DynamoRIO's tools print them. Records that did not
/// fit in the store stay one: only their number is known.
fn singles(record: VisibleRecord<'_>) -> impl Iterator<Item = VisibleRecord<'_>> {
    let (count, content) = match record.content {
        RecordContent::Marker(stored) if stored.marker.kind != MarkerKind::LEFT_OUT => (
            stored.count,
            RecordContent::Marker(StoredMarker { count: 1, ..stored }),
        ),
        content => (1, content),
    };
    let step = match record.content {
        RecordContent::Marker(stored) if stored.ordinals() == 0 => 0,
        _ => 1,
    };
    (0..count).map(move |number| {
        let ordinal = record.ordinal.saturating_add(number * step);
        VisibleRecord {
            ordinal,
            content,
            ..record
        }
    })
}

fn print(
    record: &VisibleRecord<'_>,
    name: &str,
    threads: &[ThreadIdentity],
    report: &mut Report<'_>,
) -> Result<()> {
    if !report.is_json {
        return report.text(&format!("{}\n", printable(&record_text(record, threads))));
    }
    match RecordJson::new(record, name) {
        Some(json) => report.json(&json),
        None => Ok(()),
    }
}

impl<'a> RecordJson<'a> {
    /// Converts a record. None if it could not be read, which warnings report.
    fn new(record: &VisibleRecord<'_>, thread: &'a str) -> Option<Self> {
        let mut json = Self {
            record: record.ordinal,
            instruction: record.instructions,
            thread,
            kind: "",
            marker: None,
            pc: None,
            address: None,
            size: None,
            encoding: None,
            target: None,
            value: None,
            time: None,
            count: Some(record.count()).filter(|count| *count > 1),
        };
        match &record.content {
            RecordContent::Instruction(code, target) => json.set_instruction(code, *target),
            RecordContent::Access(StoredAccess {
                kind,
                size_bytes,
                address,
                pc,
            }) => {
                json.kind = if *kind == AccessKind::Write {
                    "write"
                } else {
                    "read"
                };
                json.pc = pc.map(hex);
                (json.address, json.size) = (Some(hex(*address)), Some(u64::from(*size_bytes)));
            }
            RecordContent::Hint(StoredHint {
                marker,
                size_bytes,
                pc,
            }) => {
                json.kind = record_kind(marker.kind);
                json.pc = pc.map(hex);
                (json.address, json.size) = (Some(hex(marker.value)), Some(*size_bytes));
            }
            RecordContent::Marker(stored) => json.set_marker(stored.marker, stored.size_bytes),
            RecordContent::Problem(_) => return None,
        }
        Some(json)
    }

    fn set_instruction(&mut self, code: &Code, target: Option<u64>) {
        self.kind = instruction_name(code.branch);
        (self.pc, self.size) = (Some(hex(code.pc)), Some(u64::from(code.length_bytes)));
        let bytes =
            |encoding: &Encoding| byte_string(encoding.bytes().iter().map(|byte| Some(*byte)));
        self.encoding = code.encoding.as_ref().map(bytes);
        self.target = target.map(hex);
    }

    fn set_marker(&mut self, marker: Marker, size_bytes: u64) {
        if marker.kind < MarkerKind::FIRST_RECORD {
            self.kind = "marker";
            self.marker = Some(marker_name(marker.kind).into_owned());
            self.value = Some(hex(marker.value));
            let is_time = marker.kind == MarkerKind::TIMESTAMP && marker.value != u64::MAX;
            self.time = is_time.then(|| unix_micros(marker.value));
            return;
        }
        self.kind = record_kind(marker.kind);
        match marker.kind {
            MarkerKind::REPETITION => {
                (self.pc, self.size) = (Some(hex(marker.value)), Some(size_bytes))
            }
            _ => self.value = Some(hex(marker.value)),
        }
    }
}

/// Returns the name of a record type other than a marker.
fn record_kind(kind: MarkerKind) -> &'static str {
    let number = kind.0.checked_sub(MarkerKind::FIRST_RECORD.0);
    number
        .and_then(|number| u8::try_from(number).ok())
        .map_or("invalid", record_name)
}

fn hex(number: u64) -> String {
    format!("{number:#x}")
}
