//! Code of functions and blocks, from the attributes of their entries.

use std::ops::Range;

use gimli::{AttributeValue, DebuggingInformationEntry, DwTag, Dwarf, Unit, UnitOffset};

use crate::image::lines::SectionReader;

/// Maximum number of address ranges of an entry.
const RANGES: usize = 1 << 12;

/// Returns the entries of a unit with a tag.
pub fn offsets_of(tag: DwTag, unit: &Unit<SectionReader>) -> Result<Vec<UnitOffset>, gimli::Error> {
    let mut offsets = Vec::new();
    let mut entries = unit.entries_raw(None)?;
    while !entries.is_empty() {
        let offset = entries.next_offset();
        let Some(abbreviation) = entries.read_abbreviation()? else {
            continue;
        };
        if abbreviation.tag() == tag {
            offsets.push(offset);
        }
        entries.skip_attributes(abbreviation.attributes())?;
    }
    Ok(offsets)
}

/// Returns the ranges of an entry's code, up to the first that cannot be read (DWARF 5, 2.17).
pub fn code_of(
    dwarf: &Dwarf<SectionReader>,
    unit: &Unit<SectionReader>,
    die: &DebuggingInformationEntry<SectionReader>,
) -> Vec<Range<u64>> {
    if let Some(list) = die.attr_value(gimli::DW_AT_ranges) {
        let list = dwarf.attr_ranges(unit, list).ok().flatten();
        let ranges = list.into_iter().flatten().map_while(Result::ok);
        return ranges
            .take(RANGES)
            .map(|range| range.begin..range.end)
            .filter(|range| !is_tombstone(unit, range.start))
            .collect();
    }
    let address = |value| dwarf.attr_address(unit, value).ok().flatten();
    let Some(start) = die.attr_value(gimli::DW_AT_low_pc).and_then(address) else {
        return Vec::new();
    };
    let end = match die.attr_value(gimli::DW_AT_high_pc) {
        Some(AttributeValue::Udata(len_bytes)) => start.checked_add(len_bytes),
        Some(value) => address(value),
        None => None,
    };
    let is_kept = !is_tombstone(unit, start);
    let end = end.filter(|end| is_kept && *end > start);
    end.map(|end| start..end).into_iter().collect()
}

/// Returns true for the address of discarded code: all ones, or one less in lists of ranges.
fn is_tombstone(unit: &Unit<SectionReader>, start: u64) -> bool {
    let address_bytes = unit.encoding().address_size;
    let highest = match address_bytes {
        1..8 => (1 << (8 * u32::from(address_bytes))) - 1,
        _ => u64::MAX,
    };
    start >= highest - 1
}
