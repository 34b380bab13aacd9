//! Names and contents of records, for people.

use crate::stf::record::{RegisterRole, StfRecord, words_of};
use crate::stf::registers::register_text;

/// Returns the name of a record in the specification.
pub fn record_name(record: &StfRecord<'_>) -> &'static str {
    match record {
        StfRecord::Identifier(_) => "STF_IDENTIFIER",
        StfRecord::Version { .. } => "STF_VERSION",
        StfRecord::Comment(_) => "STF_COMMENT",
        StfRecord::Isa(_) => "STF_ISA",
        StfRecord::EncodingMode(_) => "STF_INST_IEM",
        StfRecord::Generator { .. } => "STF_GENERATOR",
        StfRecord::Features(_) => "STF_TRACE_INFO_FEATURE",
        StfRecord::Thread { .. } => "STF_PROCESS_ID_EXT",
        StfRecord::ForcePc(_) => "STF_FORCE_PC",
        StfRecord::VectorLength(_) => "STF_VLEN_CONFIG",
        StfRecord::IsaText(_) => "STF_ISA_EXTENDED",
        StfRecord::HeaderEnd => "STF_END_HEADER",
        StfRecord::Target(_) => "STF_INST_PC_TARGET",
        StfRecord::Register { .. } => "STF_INST_REG",
        StfRecord::Ready(_) => "STF_INST_READY_REG",
        StfRecord::PageWalk { .. } => "STF_PAGE_TABLE_WALK",
        StfRecord::Access { .. } => "STF_INST_MEM_ACCESS",
        StfRecord::Data(_) => "STF_INST_MEM_CONTENT",
        StfRecord::BusAccess => "STF_BUS_MASTER_ACCESS",
        StfRecord::BusData => "STF_BUS_MASTER_CONTENT",
        StfRecord::Event { .. } => "STF_EVENT",
        StfRecord::EventTarget(_) => "STF_EVENT_PC_TARGET",
        StfRecord::MicroOp { .. } => "STF_INST_MICROOP",
        StfRecord::Opcode {
            length_bytes: 2, ..
        } => "STF_INST_OPCODE16",
        StfRecord::Opcode { .. } => "STF_INST_OPCODE32",
    }
}

/// Returns the fields of a record.
pub fn record_fields(record: &StfRecord<'_>) -> String {
    let hex = |number: u64| format!("{number:#x}");
    match *record {
        StfRecord::Identifier(text) => quoted(&text),
        StfRecord::Version { major, minor } => format!("{major}.{minor}"),
        StfRecord::Comment(text) | StfRecord::IsaText(text) => quoted(text),
        StfRecord::Isa(number) | StfRecord::EncodingMode(number) => number.to_string(),
        StfRecord::Generator {
            number,
            version: [major, minor, patch],
            text,
        } => format!("{number} {major}.{minor}.{patch} {}", quoted(text)),
        StfRecord::Features(features) => hex(features),
        StfRecord::Thread { hart, pid, tid } => format!("hart {hart} pid {pid} tid {tid}"),
        StfRecord::ForcePc(pc) | StfRecord::Target(pc) | StfRecord::EventTarget(pc) => hex(pc),
        StfRecord::VectorLength(bits) => format!("{bits} bits"),
        StfRecord::HeaderEnd | StfRecord::BusAccess | StfRecord::BusData => String::new(),
        StfRecord::Register {
            number,
            class,
            role,
            value,
        } => {
            let words: String = words_of(value).map(|word| format!(" {word:#x}")).collect();
            let name = register_text(class, number);
            format!("{name} {}{words}", role_text(role))
        }
        StfRecord::Ready(number) => number.to_string(),
        StfRecord::PageWalk {
            address,
            instruction,
            page_bytes,
            entries,
        } => {
            let words: String = words_of(entries)
                .map(|word| format!(" {word:#x}"))
                .collect();
            format!("va {address:#x} instruction {instruction} page {page_bytes}{words}")
        }
        StfRecord::Access {
            address,
            size_bytes,
            attributes,
            kind,
        } => format!(
            "{} {size_bytes} @ {address:#x} attributes {attributes:#x}",
            access_text(kind)
        ),
        StfRecord::Data(word) => hex(word),
        StfRecord::Event { id, data } => {
            let words: String = words_of(data).map(|word| format!(" {word:#x}")).collect();
            format!("{id:#x}{words}")
        }
        StfRecord::MicroOp { size_bytes, word } => format!("{size_bytes} {word:#x}"),
        StfRecord::Opcode { word, length_bytes } => {
            let digits = 2 * usize::from(length_bytes);
            format!("{word:0digits$x}")
        }
    }
}

fn role_text(role: RegisterRole) -> &'static str {
    match role {
        RegisterRole::State => "state",
        RegisterRole::Source => "source",
        RegisterRole::Destination => "destination",
        RegisterRole::Unknown => "unknown role",
    }
}

fn access_text(kind: u8) -> String {
    match kind {
        1 => "read".to_owned(),
        2 => "write".to_owned(),
        number => format!("access of kind {number}"),
    }
}

fn quoted(text: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(text))
}
