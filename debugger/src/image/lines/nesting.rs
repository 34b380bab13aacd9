//! Nesting depth of inlined functions.

use gimli::{Dwarf, UnitHeader};
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};

use super::section::SectionReader;

/// Maximum depth. The library that reads the entries is recursive: a deeper nesting, which no
/// compiler writes, would overflow the stack.
const LEVELS: usize = 256;

/// Returns true if the functions of any unit are inlined deeper than can be read. Cost: reads all
/// entries once.
pub fn is_too_deep(dwarf: &Dwarf<SectionReader>) -> bool {
    let mut units = dwarf.units();
    // After a damaged header other readers find nothing either.
    let headers = std::iter::from_fn(move || units.next().ok().flatten());
    // An unreadable entry ends the unit for all readers.
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
    // Depths of the inlined functions around an entry.
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
