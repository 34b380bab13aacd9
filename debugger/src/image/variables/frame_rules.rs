//! Rules for the canonical frame address (CFA) of a function at an address, from `.debug_frame` or
//! `.eh_frame` (DWARF 5, 6.4 "Call Frame Information").

use std::ops::Range;
use std::path::Path;

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, EhFrame, Encoding, Expression, SectionId,
    UnwindContext, UnwindSection,
};

use crate::image::lines::{SectionReader, read_section};

/// Computation of the canonical frame address.
#[derive(Clone, Debug)]
pub enum CfaPlace {
    /// The value of a register, plus an offset.
    RegisterOffset {
        register: gimli::Register,
        offset: i64,
    },
    Expression {
        expression: Expression<SectionReader>,
        encoding: Encoding,
    },
}

/// The frame rules of an image.
pub struct FrameRules {
    debug_frame: DebugFrame<SectionReader>,
    eh_frame: EhFrame<SectionReader>,
    bases: BaseAddresses,
    /// Rules of functions, by address; those of `.debug_frame` first.
    debug_functions: Vec<RuleExtent>,
    eh_functions: Vec<RuleExtent>,
}

/// Code of a function with the place of its rules.
struct RuleExtent {
    code: Range<u64>,
    offset: usize,
}

impl FrameRules {
    /// Reads the rules: `.debug_frame` of the file with the debug information, `.eh_frame` of the
    /// program. A section that cannot be read has no rules.
    pub fn read(debug_file: &Path, program: &Path, address_bytes: u8) -> Self {
        let no_bytes = || SectionReader::new(Vec::new(), gimli::RunTimeEndian::Little);
        let debug = read_section(debug_file, SectionId::DebugFrame);
        let mut debug_frame: DebugFrame<_> =
            debug.map_or_else(|_| no_bytes(), |one| one.content).into();
        debug_frame.set_address_size(address_bytes);
        let eh = read_section(program, SectionId::EhFrame).ok();
        let bases = BaseAddresses::default();
        let bases = eh
            .iter()
            .fold(bases, |bases, eh| bases.set_eh_frame(eh.address));
        let mut eh_frame: EhFrame<_> = eh.map_or_else(no_bytes, |one| one.content).into();
        eh_frame.set_address_size(address_bytes);
        Self {
            debug_functions: extents(&debug_frame, &bases),
            eh_functions: extents(&eh_frame, &bases),
            debug_frame,
            eh_frame,
            bases,
        }
    }

    /// Returns the rule at an address of the image; none if there is none.
    pub fn cfa_at(&self, address: u64) -> Option<CfaPlace> {
        let debug = rule(
            &self.debug_frame,
            &self.debug_functions,
            &self.bases,
            address,
        );
        debug.or_else(|| rule(&self.eh_frame, &self.eh_functions, &self.bases, address))
    }
}

/// Lists the functions of a section up to the first entry that cannot be read.
fn extents<S: UnwindSection<SectionReader>>(section: &S, bases: &BaseAddresses) -> Vec<RuleExtent> {
    let mut extents = Vec::new();
    let mut entries = section.entries(bases);
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else {
            continue;
        };
        let offset = partial.offset();
        if let Ok(function) = partial.parse(S::cie_from_offset) {
            let start = function.initial_address();
            let code = start..start.saturating_add(function.len());
            extents.push(RuleExtent { code, offset });
        }
    }
    extents.sort_by_key(|extent| extent.code.start);
    extents
}

fn rule<S: UnwindSection<SectionReader>>(
    section: &S,
    functions: &[RuleExtent],
    bases: &BaseAddresses,
    address: u64,
) -> Option<CfaPlace> {
    let after = functions.partition_point(|extent| extent.code.start <= address);
    let function = functions
        .get(after.checked_sub(1)?)
        .filter(|extent| extent.code.contains(&address))?;
    let offset = S::Offset::from(function.offset);
    let function = section
        .fde_from_offset(bases, offset, S::cie_from_offset)
        .ok()?;
    let mut context = UnwindContext::new();
    let row = function
        .unwind_info_for_address(section, bases, &mut context, address)
        .ok()?;
    Some(match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => CfaPlace::RegisterOffset {
            register: *register,
            offset: *offset,
        },
        CfaRule::Expression(expression) => CfaPlace::Expression {
            expression: expression.get(section).ok()?,
            encoding: function.cie().encoding(),
        },
    })
}
