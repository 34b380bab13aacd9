//! Visible records as lines of text.

use std::io::Write as _;

use super::store::Code;
use super::visible::{RecordContent, VisibleRecord};
use super::{ThreadIdentity, marker_name};
use crate::{Marker, MarkerKind};

/// A record as a line of text, without its end.
pub fn record_text(record: &VisibleRecord<'_>, threads: &[ThreadIdentity]) -> String {
    let mut line = Vec::new();
    push_line(&mut line, record, threads);
    String::from_utf8_lossy(line.trim_ascii_end()).into_owned()
}

/// Appends a record as a line, much as DynamoRIO's `view` tool shows it: ordinal of the record, of the instruction, thread, content.
pub fn push_line(out: &mut Vec<u8>, record: &VisibleRecord<'_>, threads: &[ThreadIdentity]) {
    let identity = threads.get(usize::from(record.thread.0)).copied().unwrap_or_default();
    let (workload, tid) = identity.parts();
    let VisibleRecord { ordinal, instructions, .. } = record;
    let content = content_text(&record.content);
    // Nothing is wrong with a vector.
    _ = writeln!(out, "{ordinal:>12} {instructions:>11}: {:>10} {content}", format!("W{workload}.T{tid}"));
}

fn content_text(content: &RecordContent<'_>) -> String {
    match content {
        RecordContent::Instruction(code, target) => instruction_text(code, *target),
        RecordContent::Access { is_write, size_bytes, address, pc } => {
            let kind = if *is_write { "write" } else { "read" };
            let by = pc.map_or_else(String::new, |pc| format!(" by PC {pc:#018x}"));
            format!("{kind:<8} {size_bytes:>5} byte(s) @ {address:#018x}{by}")
        }
        RecordContent::Marker { marker, size_bytes, count } => marker_text(*marker, *size_bytes, *count),
        RecordContent::Problem(message) => format!("<{message}>"),
    }
}

fn instruction_text(code: &Code, target: Option<u64>) -> String {
    let mut text = format!("ifetch   {:>5} byte(s) @ {:#018x}", code.length_bytes, code.pc);
    let encoding = code.encoding.unwrap_or_default();
    encoding.bytes().iter().for_each(|byte| text.push_str(&format!(" {byte:02x}")));
    match code.kind {
        48 => text.push_str(" (taken)"),
        49 => text.push_str(" (untaken)"),
        _ => {}
    }
    if let Some(target) = target {
        text.push_str(&format!(" (target {target:#x})"));
    }
    text
}

fn marker_text(marker: Marker, size_bytes: u64, count: u64) -> String {
    let Marker { kind, value } = marker;
    let name = marker_name(kind);
    let times = if count > 1 { format!(", {count} times") } else { String::new() };
    match kind {
        MarkerKind::THREAD_EXIT => format!("<thread {value} exited>"),
        MarkerKind::REPETITION => format!("non-fetched instr {size_bytes:>2} byte(s) @ {value:#018x}"),
        kind if kind >= MarkerKind::FIRST_RECORD => format!("{name} {size_bytes} byte(s) @ {value:#018x}{times}"),
        kind if is_number(kind) => format!("<marker: {name} {value}{times}>"),
        _ => format!("<marker: {name} {value:#x}{times}>"),
    }
}

/// Markers whose values are read as decimal numbers.
fn is_number(kind: MarkerKind) -> bool {
    !matches!(kind.0, 0 | 1 | 5..=7 | 9 | 13 | 15..=17 | 24 | 29 | 41..=46) && kind.0 < 100
}
