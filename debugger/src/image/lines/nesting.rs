//! How deep functions are inlined in each other.

use gimli::{Dwarf, UnitHeader};
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};

use super::section::SectionReader;

/// The library that reads them calls itself for each level: deeper ones, which no compiler writes, would end the
/// program with its stack.
const LEVELS: usize = 256;

/// Whether the functions of any unit are inlined deeper than can be read. Cost: reads all entries once.
pub fn is_too_deep(dwarf: &Dwarf<SectionReader>) -> bool {
    let mut units = dwarf.units();
    // Behind a damaged header nothing can be found by others either.
    let headers = std::iter::from_fn(move || units.next().ok().flatten());
    // An entry that cannot be read ends the unit for all readers.
    headers
        .par_bridge()
        .any(|header| is_unit_too_deep(dwarf, &header).unwrap_or(false))
}

fn is_unit_too_deep(
    dwarf: &Dwarf<SectionReader>,
    header: &UnitHeader<SectionReader>,
) -> Result<bool, gimli::Error> {
    let abbreviations = dwarf.abbreviations(header)?;
    let mut entries = header.entries_raw(&abbreviations, None)?;
    // How deep the inlined functions around an entry are.
    let mut around = Vec::new();
    while !entries.is_empty() {
        let depth = entries.next_depth();
        let Some(abbreviation) = entries.read_abbreviation()? else {
            continue;
        };
        if abbreviation.tag() == gimli::DW_TAG_inlined_subroutine {
            while around.last().is_some_and(|outer| *outer >= depth) {
                around.pop();
            }
            around.push(depth);
            if around.len() > LEVELS {
                return Ok(true);
            }
        }
        entries.skip_attributes(abbreviation.attributes())?;
    }
    Ok(false)
}
