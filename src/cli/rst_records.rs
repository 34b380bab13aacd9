//! `stepback list --records` of an RST trace: every record with all its fields.

use anyhow::Result;
use stepback_machine::{Address, InstructionSet, step_text};
use stepback_parsers::Source as _;
use stepback_parsers::rst::{
    Instruction, RawRecord, RecordPlace, RecordReader, Rst, kind, layout_of, push_json, push_line,
};

use super::listing::ListingWishes;
use super::report::Report;
use super::text::printable;

/// Prints records from the given number on, counted from 1. Cost: all earlier records are read too,
/// some 50 million per second.
pub fn print_records(
    trace: &Rst,
    first: u64,
    wishes: &ListingWishes,
    report: &mut Report<'_>,
) -> Result<()> {
    let mut reader = RecordReader::new(trace.files().to_vec());
    let mut left = wishes.count.unwrap_or(u64::MAX);
    let set = trace.traits().instruction_set;
    let mut instructions = 0;
    let mut line = Vec::new();
    while let Some(batch) = reader.next_batch()?.filter(|_| left > 0) {
        for (number, record) in (batch.first..).zip(batch.records()) {
            instructions += u64::from(record.kind() == kind::INSTRUCTION);
            if left == 0 || number < first || !is_of_thread(&record, wishes.thread.as_deref()) {
                continue;
            }
            line.clear();
            if report.is_json {
                push_json(&mut line, number, &record);
            } else {
                push_line(
                    &mut line,
                    RecordPlace {
                        number,
                        instructions,
                    },
                    &record,
                );
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
