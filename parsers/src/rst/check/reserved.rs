//! Checks reserved bits (clause 1 of the specification).

use stepback_machine::Endian;

use crate::rst::check::out::FindingSink;
use crate::rst::check::rules;
use crate::rst::fields::{instr, memval64, rfs_cw, trace_info};
use crate::rst::kind;
use crate::rst::layout::layout_of;
use crate::rst::raw_record::{RawRecord, RecordField, RstVersion};

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
            kind::TRACE_INFO if record.get(trace_info::RTYPE2) == 3 => FORMS - 1,
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
