//! Checks single records, and records that belong together: texts, values, delimiters.

use crate::rst::check::cpu::CpuState;
use crate::rst::check::out::FindingSink;
use crate::rst::check::rules;
use crate::rst::fields::{memval64, strdesc};
use crate::rst::kind;
use crate::rst::layout::layout_of;
use crate::rst::raw_record::{RawRecord, RstVersion};
use crate::rst::records::{Delimiter, MemoryValue, RegisterKind, RegisterValues};

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
                format!("%g0 is told to be {:#x}", slot.value)
            });
        }
    }
}

/// Checks a value of memory of a processor.
pub fn check_memory(
    value: &MemoryValue,
    record: &RawRecord,
    cpu: &CpuState,
    out: &mut FindingSink,
) {
    let size = record.get(memval64::SIZE);
    if !record.flag(memval64::ISMEMVAL128) && !(1..=8).contains(&size) {
        out.found(&rules::M01, || format!("a value of memory of {size} bytes"));
    }
    if value.address.is_none() && !cpu.is_behind_memory {
        out.found(&rules::M02, || {
            format!(
                "a value of memory goes on, and no value of cpu{} is before it",
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
    open: Vec<u8>,
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
                        "the text fills its record, with no zero behind it".to_owned()
                    });
                }
            }
            kind::LEFT_DELIMITER if self.open.len() < DEPTH => {
                self.open.push(Delimiter::of(record).id)
            }
            kind::RIGHT_DELIMITER => self.close(Delimiter::of(record).id, out),
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

    fn close(&mut self, id: u8, out: &mut FindingSink) {
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
