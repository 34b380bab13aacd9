//! `stepback list --records`: every record of a binary format, with the numbers that its tools use.
//! Each format has a function: drmemtrace reads records from the step store, branch recordings and
//! RST read their files from the front.

use crate::cli::answer_forms::AnswerForms;
use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use stepback_machine::{AccessKind, Address, Encoding, InstructionSet, step_text};
use stepback_parsers::btrace::{BranchKind, BranchRecord, Btrace, OrderedRecord};
use stepback_parsers::drmemtrace::{
    Drmemtrace, RecordContent, ThreadIdentity, VisibleRecord, instruction_name, marker_name,
    record_name, record_text, unix_micros,
};
use stepback_parsers::rst::{
    Instruction, RawRecord, RecordReader, Rst, kind, layout_of, push_json, push_line,
};
use stepback_parsers::stf::{NumberedRecord, Stf};
use stepback_parsers::stored::{Code, StoredAccess, StoredHint, StoredMarker};
use stepback_parsers::{Flow, Marker, MarkerKind, Position, Source as _};

use crate::cli::json::{Time, byte_string};
use crate::cli::list::ListArguments;
use crate::cli::report::Report;
use crate::cli::text::printable;

/// Number of positions whose records are printed at once.
const BLOCK: u64 = 1024;

/// A record. Its fields depend on its kind.
#[derive(Serialize, JsonSchema)]
struct TraceRecordJson<'a> {
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
    time: Option<Time>,
    /// Number of records that did not fit in the store and are represented by this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

/// Prints the records of a trace.
pub fn print_drmemtrace_records(
    trace: &Drmemtrace,
    from: Position,
    arguments: &ListArguments,
    count: u64,
    report: &mut Report<'_>,
) -> Result<()> {
    let threads = trace.threads();
    let names: Vec<String> = threads.iter().map(ThreadIdentity::name).collect();
    let mut left = count;
    // Records of position 0 precede the first step. The step at a position belongs to the next
    // position.
    let mut next = if from.0 == 0 || arguments.first_record().is_some() {
        from.0
    } else {
        from.0 + 1
    };
    let number = arguments.first_record().unwrap_or(0);
    let end = trace.facts().items;
    while left > 0 && next < end {
        let mut printed = Ok(());
        let until = end.min(next.saturating_add(BLOCK));
        trace.records(next..until, |record| {
            let name = names
                .get(usize::from(record.thread.0))
                .map_or("", String::as_str);
            if arguments
                .thread
                .as_deref()
                .is_none_or(|wanted| wanted == name)
            {
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
    match TraceRecordJson::new(record, name) {
        Some(json) => report.json(&json),
        None => Ok(()),
    }
}

impl<'a> TraceRecordJson<'a> {
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
        self.encoding = code.encoding.map(byte_text);
        self.target = target.map(hex);
    }

    fn set_marker(&mut self, marker: Marker, size_bytes: u64) {
        if marker.kind < MarkerKind::FIRST_RECORD {
            self.kind = "marker";
            self.marker = Some(marker_name(marker.kind).into_owned());
            self.value = Some(hex(marker.value));
            let is_time = marker.kind == MarkerKind::TIMESTAMP && marker.value != u64::MAX;
            self.time = is_time.then(|| Time(unix_micros(marker.value)));
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

/// Formats an instruction in address order.
fn byte_text(encoding: Encoding) -> String {
    byte_string(encoding.bytes().iter().map(|byte| Some(*byte)))
}

fn hex(number: u64) -> String {
    format!("{number:#x}")
}

#[derive(Serialize, JsonSchema)]
struct BranchRecordJson {
    record: u64,
    /// Number of the record in the file, from 1. It differs from `record` if threads are out of
    /// order.
    in_file: u64,
    kind: Option<&'static str>,
    time: Option<Time>,
    thread: String,
    cpu: Option<u64>,
    pc: String,
    target: String,
    taken: bool,
    annulled: Option<bool>,
    /// Bytes of the instruction in address order.
    encoding: Option<String>,
}

/// A record of an STF trace.
#[derive(Serialize, JsonSchema)]
struct StfRecordJson {
    record: u64,
    kind: &'static str,
    /// Number of the chunk in a zstf file, from 0.
    chunk: Option<u64>,
    /// Offset in the unpacked records of the chunk, or of the file.
    offset: u64,
    /// Fields of the record.
    text: String,
}

/// Prints the records of an STF trace. Cost: all earlier records are read too.
pub fn print_stf_records(
    trace: &Stf,
    from: Position,
    arguments: &ListArguments,
    count: u64,
    report: &mut Report<'_>,
) -> Result<()> {
    let first = match arguments.first_record() {
        Some(number) => number,
        None => trace.first_record_from(from)?,
    };
    let (mut left, mut printed) = (count, Ok(()));
    trace.records(first, &mut |record| {
        let Some(rest) = left.checked_sub(1) else {
            return Flow::Stop;
        };
        left = rest;
        printed = print_stf_record(record, report);
        if printed.is_ok() {
            Flow::Continue
        } else {
            Flow::Stop
        }
    })?;
    printed
}

fn print_stf_record(record: &NumberedRecord, report: &mut Report<'_>) -> Result<()> {
    let NumberedRecord {
        number,
        chunk,
        offset,
        name,
        fields,
    } = record;
    if report.is_json {
        return report.json(&StfRecordJson {
            record: *number,
            kind: name,
            chunk: *chunk,
            offset: *offset,
            text: fields.clone(),
        });
    }
    let line = format!("{number:>12}: {name} {fields}");
    report.text(&format!("{}\n", printable(line.trim_end())))
}

/// Prints the records of a branch recording. Cost: all earlier records are read too.
pub fn print_branch_records(
    trace: &Btrace,
    from: Position,
    arguments: &ListArguments,
    count: u64,
    report: &mut Report<'_>,
) -> Result<()> {
    let first = match arguments.first_record() {
        Some(number) => number,
        None => trace.first_record_from(from)?,
    };
    let Some(mut records) = trace.records() else {
        anyhow::bail!(
            "this is the text form, which has a line for each step instead of records: list prints them"
        );
    };
    let set = trace.traits().instruction_set;
    let mut left = count;
    while let Some(turn) = records.next_turn()?.filter(|_| left > 0) {
        let thread = turn.record.thread.to_string();
        if turn.ordinal < first
            || arguments
                .thread
                .as_deref()
                .is_some_and(|wanted| wanted != thread)
        {
            continue;
        }
        left -= 1;
        match report.is_json {
            true => report.json(&BranchRecordJson::new(&turn, thread, set))?,
            false => report.text(&branch_record_line(&turn, &thread, set))?,
        }
    }
    Ok(())
}

impl BranchRecordJson {
    fn new(turn: &OrderedRecord<'_>, thread: String, set: InstructionSet) -> Self {
        let BranchRecord {
            number,
            time,
            pc,
            target,
            cpu,
            is_taken,
            is_annulled,
            word,
            ..
        } = *turn.record;
        Self {
            record: turn.ordinal,
            in_file: number,
            kind: kind_of(turn.record),
            time: time.map(Time),
            thread,
            cpu,
            pc: hex(pc),
            target: hex(target),
            taken: is_taken,
            annulled: is_annulled,
            encoding: word
                .and_then(|word| set.encoding_of(word, 4))
                .map(byte_text),
        }
    }
}

/// Returns the recorded kind, or else the kind derived from the instruction.
fn kind_of(record: &BranchRecord) -> Option<&'static str> {
    let kind = record.kind.and_then(BranchKind::of_number);
    kind.or_else(|| record.word.and_then(BranchKind::of_word))
        .map(BranchKind::name)
}

fn branch_record_line(turn: &OrderedRecord<'_>, thread: &str, set: InstructionSet) -> String {
    let BranchRecord {
        time,
        pc,
        target,
        cpu,
        is_taken,
        is_annulled,
        word,
        ..
    } = *turn.record;
    let time = time.map_or_else(|| "?".to_owned(), |time| time.to_string());
    let cpu = cpu.map_or_else(|| "?".to_owned(), |cpu| cpu.to_string());
    let kind = kind_of(turn.record).unwrap_or("?");
    let fate = if is_taken { "taken" } else { "not taken" };
    let slot = if is_annulled == Some(true) {
        ", slot annulled"
    } else {
        ""
    };
    let encoding = word.and_then(|word| set.encoding_of(word, 4));
    let text = printable(&step_text(&[], encoding, Address(pc), set, 4));
    let number = turn.ordinal;
    format!(
        "{number:>10} {time} {thread} cpu{cpu} {kind:<6} {pc:#x} to {target:#x} {fate}{slot}  {text}\n"
    )
}

/// Prints the records of an RST trace. Cost: all earlier records are read too, some 50 million per
/// second.
pub fn print_rst_records(
    trace: &Rst,
    from: Position,
    arguments: &ListArguments,
    count: u64,
    report: &mut Report<'_>,
) -> Result<()> {
    let first = match arguments.first_record() {
        Some(number) => number,
        None if from.0 == 0 => 1,
        None => trace.records_of_item(from.0 + 1)?.start,
    };
    let mut reader = RecordReader::new(trace.files().to_vec());
    let mut left = count;
    let set = trace.traits().instruction_set;
    let mut instructions = 0;
    let mut line = Vec::new();
    while let Some(batch) = reader.next_batch()?.filter(|_| left > 0) {
        for (number, record) in (batch.first..).zip(batch.records()) {
            instructions += u64::from(record.kind() == kind::INSTRUCTION);
            if left == 0 || number < first || !is_of_thread(&record, arguments.thread.as_deref()) {
                continue;
            }
            line.clear();
            if report.is_json {
                push_json(&mut line, number, &record);
            } else {
                push_line(&mut line, number, instructions, &record);
                line.extend_from_slice(disassembly(&record, set).as_bytes());
            }
            report.text(&format!("{}\n", printable(&String::from_utf8_lossy(&line))))?;
            left -= 1;
        }
        report.flush()?;
    }
    Ok(())
}

/// Returns true if the record belongs to the thread. A record without a processor belongs to all
/// threads.
fn is_of_thread(record: &RawRecord, thread: Option<&str>) -> bool {
    let cpu = layout_of(record)
        .and_then(|layout| layout.cpu)
        .map(|cpu| cpu.get(record));
    thread
        .zip(cpu)
        .is_none_or(|(wanted, cpu)| wanted == format!("cpu{cpu}"))
}

/// Returns the disassembly that follows the bytes of an instruction.
fn disassembly(record: &RawRecord, set: InstructionSet) -> String {
    if record.kind() != kind::INSTRUCTION {
        return String::new();
    }
    let Instruction { word, pc, .. } = Instruction::of(record);
    let encoding = set.encoding_of(word, 4);
    format!("  {}", step_text(&[], encoding, Address(pc), set, 4))
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    let rst = json!({
        "type": "object",
        "description": "A record of an RST trace.",
        "required": ["record", "kind", "thread", "fields"],
        "properties": {
            "record": { "type": "integer" },
            "kind": { "type": "string" },
            "thread": { "type": ["string", "null"] },
            "fields": {
                "description": "Fields of the kind. One of more than 32 bits is a string, `0x…`.",
                "type": "object",
                "additionalProperties": { "type": ["integer", "string"] },
            },
        },
    });
    forms
        .or::<TraceRecordJson<'_>>()
        .or::<BranchRecordJson>()
        .or::<StfRecordJson>()
        .or_value(rst)
}
