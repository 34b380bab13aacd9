//! Formats records for people, as lines in columns ([`push_line`]), and for programs, as JSON
//! objects with all fields ([`push_json`]). JSON readers treat numbers as floating point, so large
//! ones are written as strings.

use crate::rst::fields::strdesc;
use crate::rst::kind;
use crate::rst::raw_record::{RawRecord, RecordField, layout_of};
use crate::rst::records::{
    Instruction, MemoryValue, PaVaDiff, Preg, RegisterKind, RegisterSlot, RegisterValues, TlbEntry,
    Trap,
};
use crate::text::line_writer::{LineWriter, decimal_digits};

/// Appends a record as a line without its end, in columns as for the records of other formats:
/// record number from 1, number of instructions up to and including the record, processor, contents.
pub fn push_line(out: &mut Vec<u8>, number: u64, instructions: u64, record: &RawRecord) {
    let layout = layout_of(record);
    let mut line = LineWriter::new(out);
    line.number_in(number, 12)
        .text(" ")
        .number_in(instructions, 11)
        .text(": ");
    match layout.and_then(|layout| layout.cpu) {
        Some(cpu) => {
            let cpu = u64::from(cpu.get(record));
            line.spaces(7usize.saturating_sub(decimal_digits(cpu)))
                .text("cpu")
                .number(cpu)
                .text(" ")
        }
        None => line.spaces(11),
    };
    push_content(&mut line, record);
}

/// Formats the contents of a record, without its number and processor.
pub fn content(record: &RawRecord) -> String {
    let mut out = Vec::new();
    push_content(&mut LineWriter::new(&mut out), record);
    String::from_utf8_lossy(&out).into_owned()
}

fn push_content(line: &mut LineWriter<'_>, record: &RawRecord) {
    match record.kind() {
        kind::INSTRUCTION => push_instruction(line, &Instruction::of(record)),
        kind::REGISTERS => push_values(line, &RegisterValues::of(record)),
        kind::MEMORY => push_memory(line, &MemoryValue::of(record)),
        kind::DIFFERENCE => push_difference(line, &PaVaDiff::of(record)),
        kind::TRAP => push_trap(line, &Trap::of(record)),
        kind::PREG => push_preg(line, &Preg::of(record)),
        kind::TLB => push_tlb(line, &TlbEntry::of(record)),
        kind::TEXT | kind::TEXT_PART => {
            let is_continued = record.kind() == kind::TEXT_PART;
            line.text(if is_continued {
                "text…    "
            } else {
                "text     "
            });
            push_quoted(line, &record.text(strdesc::STRING));
        }
        _ => push_fields(line, record),
    }
}

/// Formats a record of a less frequent type: its name and its fields, or the bytes of an unknown
/// type.
fn push_fields(line: &mut LineWriter<'_>, record: &RawRecord) {
    let Some(layout) = layout_of(record) else {
        line.text("type ")
            .number(u64::from(record.kind()))
            .text(" ");
        record
            .bytes()
            .into_iter()
            .for_each(|byte| _ = line.byte(byte));
        return;
    };
    line.text(&layout.name.to_ascii_lowercase());
    for field in layout.fields.iter().filter(|field| !is_unused(field.name)) {
        line.text(" ").text(field.name).text(" ");
        if field.is_text() {
            push_quoted(line, &record.text(*field));
            continue;
        }
        match record.get(*field) {
            number @ ..10_000 => line.number(number),
            number => line.hex(number),
        };
    }
}

/// Returns true for fields that are shown elsewhere or hold nothing.
fn is_unused(name: &str) -> bool {
    ["cpuid", "notused", "unused", "reserved", "zero"]
        .iter()
        .any(|start| name.starts_with(start))
}

fn push_instruction(line: &mut LineWriter<'_>, instruction: &Instruction) {
    line.text("ifetch   ")
        .number_in(4, 5)
        .text(" byte(s) @ ")
        .address(instruction.pc)
        .text(" ");
    instruction
        .word
        .to_be_bytes()
        .into_iter()
        .for_each(|byte| _ = line.byte(byte));
    let flags = [
        (instruction.is_annulled, " (annulled)"),
        (instruction.is_taken, " (taken)"),
        (instruction.has_trap, " (trap)"),
        (instruction.is_privileged, " (privileged)"),
        (instruction.is_hyperprivileged, " (hyperprivileged)"),
    ];
    flags
        .into_iter()
        .filter(|(is_set, _)| *is_set)
        .for_each(|(_, word)| _ = line.text(word));
    if let Some(ea) = instruction.ea {
        line.text(" ea ").hex(ea);
    }
}

fn push_values(line: &mut LineWriter<'_>, values: &RegisterValues) {
    line.text(if values.is_after {
        "register after"
    } else {
        "register before"
    });
    for slot in values
        .slots
        .iter()
        .filter(|slot| slot.kind != RegisterKind::Unused)
    {
        line.text(" ");
        push_register(line, *slot);
    }
}

fn push_register(line: &mut LineWriter<'_>, slot: RegisterSlot) {
    let id = u64::from(slot.id);
    let window = |line: &mut LineWriter<'_>| {
        line.text("%")
            .text(["g", "o", "l", "i"][usize::from(slot.id >> 3 & 3)])
            .number(id & 7);
    };
    match slot.kind {
        RegisterKind::Integer if slot.id < 32 => window(line),
        RegisterKind::Window => {
            window(line);
            line.text("@").number(id >> 5);
        }
        RegisterKind::ConditionCodes => {
            line.text("%ccr ").hex(id);
            return;
        }
        RegisterKind::FloatConditionCodes => {
            line.text("%fcc ").hex(id);
            return;
        }
        kind => _ = line.text(kind_word(kind)).number(id),
    }
    line.text(" ").hex(slot.value);
}

fn kind_word(kind: RegisterKind) -> &'static str {
    match kind {
        RegisterKind::Float => "%f:",
        RegisterKind::Privileged => "%pr:",
        RegisterKind::Other => "%asr:",
        RegisterKind::Mmu => "%mmu:",
        _ => "%?:",
    }
}

fn push_memory(line: &mut LineWriter<'_>, memory: &MemoryValue) {
    line.text("memory   ")
        .number_in(memory.size_bytes.into(), 5)
        .text(" byte(s) @ ");
    match memory.address {
        Some(address) => line.address(address),
        None => line.text("(after the last)"),
    };
    if !memory.is_virtual {
        line.text(" physical");
    }
    let [first, second] = memory.words;
    if memory.size_bytes == 16 {
        line.text(" ").address(first).text(" ").address(second);
    } else {
        line.text(" ").hex(first);
    }
}

fn push_difference(line: &mut LineWriter<'_>, difference: &PaVaDiff) {
    line.text("pa - va  context ")
        .hex(u64::from(difference.code.context))
        .text(" pc + ")
        .hex(difference.code.difference);
    if let Some(data) = difference.data {
        line.text(", data context ")
            .hex(u64::from(data.context))
            .text(" ea + ")
            .hex(data.difference);
    }
}

fn push_trap(line: &mut LineWriter<'_>, trap: &Trap) {
    line.text("trap     ").hex(u64::from(trap.trap_type));
    line.text(if trap.is_async { " async" } else { "" })
        .text(" at level ")
        .number(u64::from(trap.level));
    line.text(" pc ")
        .hex(trap.pc)
        .text(" npc ")
        .hex(trap.npc)
        .text(" pstate ")
        .hex(u64::from(trap.pstate));
    if trap.system_call != 0 {
        line.text(" system call ")
            .number(u64::from(trap.system_call));
    }
}

fn push_preg(line: &mut LineWriter<'_>, preg: &Preg) {
    let numbers = [
        ("tl", u64::from(preg.level)),
        ("tt", u64::from(preg.trap_type)),
        ("pstate", u64::from(preg.pstate)),
        ("asi", u64::from(preg.asi)),
    ];
    line.text("state   ");
    numbers
        .into_iter()
        .for_each(|(name, number)| _ = line.text(" ").text(name).text(" ").hex(number));
    line.text(" contexts");
    let contexts = [
        preg.primary_a,
        preg.secondary_a,
        preg.primary_d,
        preg.secondary_d,
    ];
    contexts
        .into_iter()
        .for_each(|context| _ = line.text(" ").hex(u64::from(context)));
}

fn push_tlb(line: &mut LineWriter<'_>, entry: &TlbEntry) {
    line.text(if entry.is_data {
        "dtlb     "
    } else {
        "itlb     "
    });
    line.text(if entry.is_demap { "unmap " } else { "map " });
    line.number(u64::from(entry.unit))
        .text(".")
        .number(u64::from(entry.index));
    line.text(" va ")
        .hex(entry.tag & !0x1fff)
        .text(" context ")
        .hex(entry.tag & 0x1fff)
        .text(" tte ")
        .address(entry.data);
}

/// Appends a text in quotes, with points for bytes that are not printable.
fn push_quoted(line: &mut LineWriter<'_>, text: &[u8]) {
    let shown = text.iter().map(|byte| {
        if matches!(byte, b' '..=b'~') {
            char::from(*byte)
        } else {
            '.'
        }
    });
    line.text("\"").text(&shown.collect::<String>()).text("\"");
}

/// Width in bits up to which fields are JSON numbers.
const NUMBER_BITS: u32 = 32;

/// Appends a record as a JSON object without a line end: `record`, its number from 1; `kind`; its
/// `thread`, the processor assembled from its parts, or null; and `fields`, all fields under the
/// names of the format's header file. A field of more than 32 bits is a string, `"0x…"`. An unknown
/// kind has `rtype` and all `bytes`.
pub fn push_json(out: &mut Vec<u8>, number: u64, record: &RawRecord) {
    let layout = layout_of(record);
    LineWriter::new(out)
        .text("{\"record\":")
        .number(number)
        .text(",\"kind\":\"")
        .text(layout.map_or("UNKNOWN", |layout| layout.name))
        .text("\",\"thread\":");
    match layout.and_then(|layout| layout.cpu) {
        Some(cpu) => LineWriter::new(out)
            .text("\"cpu")
            .number(u64::from(cpu.get(record)))
            .text("\""),
        None => LineWriter::new(out).text("null"),
    };
    out.extend(b",\"fields\":{");
    match layout {
        Some(layout) => {
            for (number, field) in layout.fields.iter().enumerate() {
                if number > 0 {
                    out.push(b',');
                }
                push_field(out, record, *field);
            }
        }
        None => push_unknown(out, record),
    }
    out.extend(b"}}");
}

fn push_field(out: &mut Vec<u8>, record: &RawRecord, field: RecordField) {
    let mut line = LineWriter::new(out);
    line.text("\"").text(field.name).text("\":");
    if field.is_text() {
        return push_text(out, &record.text(field));
    }
    let value = record.get(field);
    match field.width() {
        ..=NUMBER_BITS => line.number(value),
        _ => line.text("\"").hex(value).text("\""),
    };
}

fn push_unknown(out: &mut Vec<u8>, record: &RawRecord) {
    let mut line = LineWriter::new(out);
    line.text("\"rtype\":")
        .number(u64::from(record.kind()))
        .text(",\"bytes\":\"");
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
