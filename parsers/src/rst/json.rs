//! Records as JSON objects.

use crate::rst::layout::layout_of;
use crate::rst::raw_record::{RawRecord, RecordField};
use crate::text::line_writer::LineWriter;

/// Numbers from here on are written as strings, since programs that read JSON treat numbers as
/// floating point.
const FIRST_HEX: u64 = 1 << 32;

/// Appends a record as a JSON object without a line end: `record`, its number from 1; `type`;
/// `cpuid`, assembled from its parts, if it has one; and all fields under the names of the format's
/// header file. Numbers of 2^32 and more are strings, `"0x…"`. An unknown type has `rtype` and all
/// `bytes`.
pub fn push_json(out: &mut Vec<u8>, number: u64, record: &RawRecord) {
    LineWriter::new(out)
        .text("{\"record\": ")
        .number(number)
        .text(", \"type\": ");
    match layout_of(record) {
        Some(layout) => {
            push_text(out, layout.name.as_bytes());
            if let Some(cpu) = layout.cpu {
                LineWriter::new(out)
                    .text(", \"cpuid\": ")
                    .number(u64::from(cpu.get(record)));
            }
            layout
                .fields
                .iter()
                .for_each(|field| push_field(out, record, *field));
        }
        None => push_unknown(out, record),
    }
    out.push(b'}');
}

fn push_field(out: &mut Vec<u8>, record: &RawRecord, field: RecordField) {
    LineWriter::new(out)
        .text(", \"")
        .text(field.name)
        .text("\": ");
    if field.is_text() {
        return push_text(out, &record.text(field));
    }
    match record.get(field) {
        number @ ..FIRST_HEX => _ = LineWriter::new(out).number(number),
        number => _ = LineWriter::new(out).text("\"").hex(number).text("\""),
    }
}

fn push_unknown(out: &mut Vec<u8>, record: &RawRecord) {
    let mut line = LineWriter::new(out);
    line.text("\"UNKNOWN\", \"rtype\": ")
        .number(u64::from(record.kind()))
        .text(", \"bytes\": \"");
    record
        .bytes()
        .into_iter()
        .for_each(|byte| _ = line.byte(byte));
    line.text("\"");
}

/// Appends a JSON string. Each byte is a character; printable ASCII stays as it is.
fn push_text(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for byte in text {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', *byte]),
            b' '..=b'~' => out.push(*byte),
            _ => _ = LineWriter::new(out).text("\\u00").byte(*byte),
        }
    }
    out.push(b'"');
}
