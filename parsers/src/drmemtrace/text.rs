//! Visible records as lines of text.

use stepback_machine::{AccessKind, RecordedBranch};

use crate::drmemtrace::marker_names::{hint_word, marker_name};
use crate::drmemtrace::record::ThreadIdentity;
use crate::drmemtrace::visible::{RecordContent, VisibleRecord};
use crate::marker::{Marker, MarkerKind};
use crate::step_store::code::Code;
use crate::step_store::record::{StoredAccess, StoredHint, StoredMarker};
use crate::text::line_writer::{LineWriter, decimal_digits};

/// Returns a record as a line of text, without line end.
pub fn record_text(record: &VisibleRecord<'_>, threads: &[ThreadIdentity]) -> String {
    let mut line = Vec::new();
    push_line(&mut line, record, threads);
    String::from_utf8_lossy(&line).into_owned()
}

/// Appends a record, similar to DynamoRIO's `view` tool: ordinal of the record, of the instruction,
/// thread, content.
pub fn push_line(out: &mut Vec<u8>, record: &VisibleRecord<'_>, threads: &[ThreadIdentity]) {
    let identity = threads
        .get(usize::from(record.thread.0))
        .copied()
        .unwrap_or_default();
    let (workload, tid) = identity.parts();
    let mut line = LineWriter::new(out);
    line.number_in(record.ordinal, 12)
        .text(" ")
        .number_in(record.instructions, 11)
        .text(": ");
    let thread_columns = 3 + decimal_digits(workload) + decimal_digits(tid);
    line.spaces(10usize.saturating_sub(thread_columns));
    line.text("W")
        .number(workload)
        .text(".T")
        .number(tid)
        .text(" ");
    match &record.content {
        RecordContent::Instruction(code, target) => push_instruction(&mut line, code, *target),
        RecordContent::Access(StoredAccess {
            kind,
            size_bytes,
            address,
            pc,
        }) => {
            let word = if *kind == AccessKind::Write {
                "write    "
            } else {
                "read     "
            };
            line.text(word).number_in(u64::from(*size_bytes), 5);
            line.text(" byte(s) @ ").address(*address);
            if let Some(pc) = pc {
                line.text(" by PC ").address(*pc);
            }
        }
        RecordContent::Hint(hint) => push_hint(&mut line, *hint),
        RecordContent::Marker(marker) => push_marker(&mut line, *marker),
        RecordContent::Problem(message) => _ = line.text("<").text(message).text(">"),
    }
}

fn push_instruction(line: &mut LineWriter<'_>, code: &Code, target: Option<u64>) {
    line.text("ifetch   ")
        .number_in(u64::from(code.length_bytes), 5)
        .text(" byte(s) @ ")
        .address(code.pc);
    for byte in code.encoding.unwrap_or_default().bytes() {
        line.text(" ").byte(*byte);
    }
    if let RecordedBranch::Conditional(Some(is_taken)) = code.branch {
        line.text(if is_taken { " (taken)" } else { " (untaken)" });
    }
    if let Some(target) = target {
        line.text(" (target ").hex(target).text(")");
    }
}

fn push_marker(line: &mut LineWriter<'_>, stored: StoredMarker) {
    let StoredMarker {
        marker: Marker { kind, value },
        size_bytes,
        count,
    } = stored;
    if kind == MarkerKind::THREAD_EXIT {
        line.text("<thread ").number(value).text(" exited>");
        return;
    }
    if kind == MarkerKind::REPETITION {
        line.text("non-fetched instr ")
            .number_in(size_bytes, 2)
            .text(" byte(s) @ ")
            .address(value);
        return;
    }
    line.text("<marker: ").text(&marker_name(kind)).text(" ");
    match is_number(kind) {
        true => line.number(value),
        false => line.hex(value),
    };
    if count > 1 {
        line.text(", ").number(count).text(" times");
    }
    line.text(">");
}

fn push_hint(line: &mut LineWriter<'_>, hint: StoredHint) {
    let StoredHint {
        marker: Marker { kind, value },
        size_bytes,
        pc,
    } = hint;
    let word = hint_word(kind);
    line.text(&word)
        .spaces(12usize.saturating_sub(word.len()))
        .number_in(size_bytes, 2);
    line.text(" byte(s) @ ").address(value);
    if let Some(pc) = pc {
        line.text(" by PC ").address(pc);
    }
}

/// Returns whether a marker's value is shown in decimal.
fn is_number(kind: MarkerKind) -> bool {
    !matches!(kind.0, 0 | 1 | 5..=7 | 9 | 13 | 15..=17 | 24 | 29 | 41..=46) && kind.0 < 100
}
