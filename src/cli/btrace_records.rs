//! `stepback list --records` for a branch recording: all records in time order.

use anyhow::Result;
use serde::Serialize;
use stepback_machine::{Address, InstructionSet, step_text};
use stepback_parsers::Source as _;
use stepback_parsers::btrace::{BranchKind, BranchRecord, Btrace, OrderedRecord};

use super::json::Time;
use super::listing::ListingWishes;
use super::report::Report;
use super::text::printable;

#[derive(Serialize)]
struct RecordJson {
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
    instruction: Option<String>,
}

/// Prints records from the given number on, counted from 1. Cost: all earlier records are read too.
pub fn print_records(
    trace: &Btrace,
    first: u64,
    wishes: &ListingWishes,
    report: &mut Report<'_>,
) -> Result<()> {
    let Some(mut records) = trace.records() else {
        anyhow::bail!(
            "this is the text form, which has a line for each step instead of records: list prints them"
        );
    };
    let mut left = wishes.count.unwrap_or(u64::MAX);
    while let Some(turn) = records.next_turn()?.filter(|_| left > 0) {
        let thread = turn.record.thread.to_string();
        if turn.ordinal < first
            || wishes
                .thread
                .as_ref()
                .is_some_and(|wanted| *wanted != thread)
        {
            continue;
        }
        left -= 1;
        match report.is_json {
            true => report.json(&RecordJson::new(&turn, thread))?,
            false => report.text(&line(&turn, &thread, trace.traits().instruction_set))?,
        }
    }
    Ok(())
}

impl RecordJson {
    fn new(turn: &OrderedRecord<'_>, thread: String) -> Self {
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
            pc: format!("{pc:#x}"),
            target: format!("{target:#x}"),
            taken: is_taken,
            annulled: is_annulled,
            instruction: word.map(|word| format!("{word:#010x}")),
        }
    }
}

/// Returns the recorded kind, or else the kind derived from the instruction.
fn kind_of(record: &BranchRecord) -> Option<&'static str> {
    let kind = record.kind.and_then(BranchKind::of_number);
    kind.or_else(|| record.word.and_then(BranchKind::of_word))
        .map(BranchKind::name)
}

fn line(turn: &OrderedRecord<'_>, thread: &str, set: InstructionSet) -> String {
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
