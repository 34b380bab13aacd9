//! Ends of prologues ([`FrameVariables::body`]).

use std::ops::Range;

use gimli::{AttributeValue, Unit};
use stepback_machine::Address;

use crate::image::lines::SectionReader;
use crate::image::variables::frame_variables::FrameVariables;
use crate::image::variables::image_variables::catch_panic;

impl FrameVariables {
    /// Returns the first instruction after the prologue of the function, from which on its variables
    /// are in their places; none if they are there from the entry on, or if no line table has the
    /// end of the prologue.
    ///
    /// Cost: reads the lines of the unit.
    pub fn body(&self) -> Option<Address> {
        let loaded = self.image.loaded()?;
        let function = &self.scope.function;
        let own = catch_panic(|| {
            let code = loaded.entries.ranges_of(function).into_iter().next()?;
            let ends = prologue_ends(&function.unit.unit, code).ok()?;
            // The lists are exact at every instruction, and so are optimising versions of GCC.
            let has_lists = || self.variables().iter().any(|one| has_list(&one.entry.die));
            let is_exact = || loaded.entries.is_optimised(&function.unit) || has_lists();
            ends.stated.or(ends.second_row.filter(|_| !is_exact()))
        });
        own.flatten()
            .map(|own| Address(own.wrapping_add(self.image.lines.offset())))
    }
}

/// Candidates for the end of a prologue.
#[derive(Default)]
struct PrologueEnds {
    /// Address that the compiler marked.
    stated: Option<u64>,
    /// Address of the second row of the function, at which most compilers begin its body.
    second_row: Option<u64>,
}

fn prologue_ends(
    unit: &Unit<SectionReader>,
    code: Range<u64>,
) -> Result<PrologueEnds, gimli::Error> {
    let mut ends = PrologueEnds::default();
    let Some(program) = unit.line_program.clone() else {
        return Ok(ends);
    };
    let nearest = |known: Option<u64>, address: u64| Some(known.unwrap_or(address).min(address));
    let mut rows = program.rows();
    while let Some((_, row)) = rows.next_row()? {
        let address = row.address();
        let is_line = row.is_stmt() && row.line().is_some() && !row.end_sequence();
        if !is_line || !code.contains(&address) {
            continue;
        }
        if row.prologue_end() {
            ends.stated = nearest(ends.stated, address);
        }
        if address > code.start {
            ends.second_row = nearest(ends.second_row, address);
        }
    }
    Ok(ends)
}

fn has_list(variable: &gimli::DebuggingInformationEntry<SectionReader>) -> bool {
    matches!(
        variable.attr_value(gimli::DW_AT_location),
        Some(AttributeValue::LocationListsRef(_) | AttributeValue::DebugLocListsIndex(_))
    )
}
