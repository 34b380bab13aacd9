//! Checks single records: types, processor numbers, values, and reserved bits (clause 1 of the
//! specification). Also checks records that belong together: the parts of a text, and delimiters
//! ([`NestingCheck`]).

use stepback_machine::Endian;

use crate::rst::check::out::FindingSink;
use crate::rst::check::rules;
use crate::rst::check::whole::CpuState;
use crate::rst::fields::{instr, left_delimiter, memval64, rfs_cw, strdesc, trace_info};
use crate::rst::kind;
use crate::rst::raw_record::{RawRecord, RecordField, RstVersion, TRACE_INFO_3, layout_of};
use crate::rst::records::{MemoryValue, RegisterKind, RegisterValues};

/// Maximum number of nested delimiters that are tracked.
const DEPTH: usize = 1 << 12;
/// Number of bytes in a part of a text.
const TEXT_BYTES: usize = 23;

/// Record types with the version that introduced them: type, major version, minor version.
const SINCE: [(u8, u8, u8); 11] = [
    (kind::STATUS, 1, 2),
    (kind::PATCH, 1, 3),
    (kind::TRACE_INFO, 1, 10),
    (kind::MEMORY, 2, 1),
    (kind::BUS, 2, 1),
    (kind::SNOOP, 2, 7),
    (kind::TSB_ACCESS, 2, 8),
    (kind::RFS_SECTION, 2, 10),
    (kind::RFS_CACHE, 2, 10),
    (kind::RFS_BRANCH, 2, 10),
    (kind::TRAPPING, 2, 13),
];

/// Checks that the type of a record exists in its version.
pub fn check_kind(record: &RawRecord, out: &mut FindingSink) {
    let (number, version) = (record.kind(), record.form().version);
    let RstVersion { major, minor } = version;
    // Address spaces had separate records, which were removed in 1.10.
    let is_old = number == 10 && version.is_before(1, 10);
    let is_newer = version > RstVersion::NEWEST && number >= 33;
    if layout_of(record).is_none() && !is_old && !is_newer {
        out.found(&rules::E03, || {
            format!("no version up to {major}.{minor} has records of type {number}")
        });
    }
    let since = SINCE.iter().find(|(known, ..)| *known == number);
    if let Some((_, from, from_minor)) =
        since.filter(|(_, major, minor)| version.is_before(*major, *minor))
    {
        out.found(&rules::E03, || {
            format!(
                "records of type {number} came with version {from}.{from_minor}, and the trace is of {major}.{minor}"
            )
        });
    }
}

/// Checks that a processor number fits the version.
pub fn check_processor(cpu: u16, record: &RawRecord, out: &mut FindingSink) {
    let version = record.form().version;
    if cpu > 63 && !version.has_wide_cpu() {
        let RstVersion { major, minor } = version;
        out.found(&rules::C01, || {
            format!("processor {cpu} in a trace of version {major}.{minor}")
        });
    }
}

/// Checks the values of registers.
pub fn check_registers(values: &RegisterValues, out: &mut FindingSink) {
    for slot in &values.slots {
        let is_zero = match slot.kind {
            RegisterKind::Integer => slot.id == 0,
            RegisterKind::Window => slot.id & 31 == 0,
            RegisterKind::Unknown(number) => {
                out.found(&rules::R02, || format!("no registers are of kind {number}"));
                false
            }
            _ => false,
        };
        if is_zero && slot.value != 0 {
            out.found(&rules::R01, || {
                format!("%g0 is recorded as {:#x}", slot.value)
            });
        }
    }
}

/// Checks a value of memory of a processor.
pub fn check_memory(value: &MemoryValue, cpu: &CpuState, out: &mut FindingSink) {
    let size = value.size_bytes;
    if !matches!(size, 1..=8 | 16) {
        out.found(&rules::M01, || format!("a value of memory of {size} bytes"));
    }
    if value.address.is_none() && !cpu.is_after_memory {
        out.found(&rules::M02, || {
            format!(
                "a value of memory continues, and no value of cpu{} precedes it",
                value.cpu
            )
        });
    }
}

/// Texts and delimiters that are open.
#[derive(Debug, Default)]
pub struct NestingCheck {
    /// True if the last record was a part of a text.
    is_in_text: bool,
    /// Identifiers of the open delimiters.
    open: Vec<u64>,
}

impl NestingCheck {
    /// Checks a record other than an instruction.
    pub fn record(&mut self, record: &RawRecord, out: &mut FindingSink) {
        if !matches!(record.kind(), kind::TEXT | kind::TEXT_PART) {
            self.text_is_over(out);
        }
        match record.kind() {
            kind::TEXT_PART => self.is_in_text = true,
            kind::TEXT => {
                self.is_in_text = false;
                if record.text(strdesc::STRING).len() == TEXT_BYTES {
                    out.found(&rules::S02, || {
                        "the text fills its record and no zero follows it".to_owned()
                    });
                }
            }
            kind::LEFT_DELIMITER if self.open.len() < DEPTH => {
                self.open.push(record.get(left_delimiter::ID))
            }
            kind::RIGHT_DELIMITER => self.close(record.get(left_delimiter::ID), out),
            _ => {}
        }
    }

    /// Ends a text. Reports it if it is incomplete, since no other record may come within a text.
    pub fn text_is_over(&mut self, out: &mut FindingSink) {
        if std::mem::take(&mut self.is_in_text) {
            let before = out.number.saturating_sub(1);
            out.found_at(&rules::S01, before, || {
                "a part of a text is not followed by the rest".to_owned()
            });
        }
    }

    fn close(&mut self, id: u64, out: &mut FindingSink) {
        match self.open.last() {
            Some(open) if *open == id => {
                self.open.pop();
            }
            Some(open) => {
                out.found(&rules::D01, || {
                    format!("a delimiter {id} ends where {open} is open")
                });
                if let Some(at) = self.open.iter().rposition(|open| *open == id) {
                    self.open.truncate(at);
                }
            }
            None => out.found(&rules::D01, || {
                format!("a delimiter {id} ends, and none is open")
            }),
        }
    }

    /// Reports the texts and delimiters that are open at the end of the trace.
    pub fn finish(&mut self, out: &mut FindingSink) {
        if std::mem::take(&mut self.is_in_text) {
            out.found(&rules::S01, || "the trace ends in a text".to_owned());
        }
        for id in std::mem::take(&mut self.open) {
            out.found(&rules::D01, || {
                format!("delimiter {id} is still open at the end")
            });
        }
    }
}

/// Fields that had a meaning in some version, or that packers use.
const ONCE_USED: [&str; 2] = ["unused_lastcontext", "reservedCompress"];
/// Fields that had a meaning up to version 2.11 (TRAPEXIT: program counters).
const EARLIER_USED: [&str; 2] = ["unused64", "unused64b"];

/// Masks of the bits that must be 0, by record type. Second forms of a type come after the last
/// type.
#[derive(Debug)]
pub struct ReservedBitsCheck {
    bits: [Option<[u64; 3]>; FORMS],
    form: Option<(Endian, RstVersion)>,
}

/// Number of record types, plus two for types with a second form.
const FORMS: usize = 258;

impl Default for ReservedBitsCheck {
    fn default() -> Self {
        Self {
            bits: [None; FORMS],
            form: None,
        }
    }
}

impl ReservedBitsCheck {
    /// Checks the reserved bits of a record.
    pub fn check(&mut self, record: &RawRecord, out: &mut FindingSink) {
        let form = (record.form().endian, record.form().version);
        if self.form != Some(form) {
            *self = Self {
                form: Some(form),
                ..Self::default()
            };
        }
        let place = match record.kind() {
            kind::MEMORY if record.flag(memval64::ISMEMVAL128) => FORMS - 2,
            kind::TRACE_INFO if record.get(trace_info::RTYPE2) == TRACE_INFO_3 => FORMS - 1,
            // The contents of other subtypes are unknown.
            kind::TRACE_INFO if record.get(trace_info::RTYPE2) != 2 => return,
            kind => usize::from(kind),
        };
        let Some(bits) = self.bits.get_mut(place) else {
            return;
        };
        let bits = bits.get_or_insert_with(|| reserved_bits(record));
        if record.has_any(bits) && !is_device(record) {
            let name = layout_of(record).map_or("", |layout| layout.name);
            out.found(&rules::G01, || {
                format!("reserved bits of the record ({name}) are not 0")
            });
        }
    }
}

/// Returns true for a cache record of a device access. It has a size in place of the address space
/// and of reserved bits.
fn is_device(record: &RawRecord) -> bool {
    record.kind() == kind::RFS_CACHE && record.get(rfs_cw::REFTYPE) >= 6
}

/// Returns the bits that no field of the record's type uses, and those of reserved fields.
fn reserved_bits(record: &RawRecord) -> [u64; 3] {
    let version = record.form().version;
    // The use of bits in old versions is known for instructions only.
    let Some(layout) = layout_of(record).filter(|_| !version.is_before(2, 0)) else {
        return [0; 3];
    };
    let endian = record.form().endian;
    let mut bits = [u64::MAX; 3];
    let used = layout
        .fields
        .iter()
        .copied()
        .filter(|field| is_used(*field, version));
    let earlier = [instr::HPRIV, instr::NOTUSED3];
    let earlier = earlier
        .into_iter()
        .filter(|_| record.kind() == kind::INSTRUCTION && !version.has_wide_cpu());
    for field in used.chain(earlier).chain([RecordField::new("rtype", 0, 8)]) {
        for (bits, used) in bits.iter_mut().zip(field.bits(endian)) {
            *bits &= !used;
        }
    }
    bits
}

fn is_used(field: RecordField, version: RstVersion) -> bool {
    let is_reserved = ["notused", "unused", "reserved", "zero"]
        .iter()
        .any(|word| field.name.starts_with(word));
    !is_reserved
        || ONCE_USED.contains(&field.name)
        || EARLIER_USED.contains(&field.name) && !version.has_wide_cpu()
}
