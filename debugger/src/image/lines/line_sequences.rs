//! Sequences of line tables, with the bytes that hold their addresses ([`LineSequence`]).
//!
//! The library that reads the tables does not say which bytes these are, so this reads the opcodes
//! of the line number program (DWARF 5, section 6.2.5).

use std::ops::Range;

use gimli::{LineProgramHeader, Reader as _};

use crate::image::lines::section::SectionReader;

/// Maximum number of sequences and addresses in a table: no table has more, and a damaged one may request all
/// memory.
const ADDRESSES: usize = 1 << 20;

/// Consecutive rows of a line table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineSequence {
    /// Code of the rows.
    pub code: Range<u64>,
    /// Bytes of the section that hold an address of the sequence.
    pub addresses: Vec<Range<usize>>,
}

/// Reads the sequences of a line table, up to the first that cannot be read.
pub fn sequences_of(header: &LineProgramHeader<SectionReader>) -> Vec<LineSequence> {
    let mut found = Vec::new();
    let mut program = SequenceProgram {
        header,
        rest: header.raw_program_buf(),
        address: 0,
    };
    let mut count = 0;
    while let Ok(Some(sequence)) = program.next_sequence() {
        count += sequence.addresses.len().max(1);
        if count > ADDRESSES {
            break;
        }
        found.push(sequence);
    }
    found
}

/// A line number program of which only the addresses matter.
struct SequenceProgram<'a> {
    header: &'a LineProgramHeader<SectionReader>,
    rest: SectionReader,
    address: u64,
}

impl SequenceProgram<'_> {
    /// Reads up to the end of a sequence; none at the end of the program.
    fn next_sequence(&mut self) -> gimli::Result<Option<LineSequence>> {
        let mut sequence = LineSequence::default();
        let opcode_base = self.header.opcode_base();
        while !self.rest.is_empty() {
            match self.rest.read_u8()? {
                0 => {
                    let length = usize::try_from(self.rest.read_uleb128()?).unwrap_or(usize::MAX);
                    let mut body = self.rest.split(length)?;
                    match gimli::DwLne(body.read_u8()?) {
                        gimli::DW_LNE_end_sequence => {
                            sequence.code.end = std::mem::take(&mut self.address);
                            return Ok(Some(sequence));
                        }
                        gimli::DW_LNE_set_address => {
                            let size = self.header.address_size();
                            let start = body.offset();
                            self.address = body.read_address(size)?;
                            if sequence.addresses.is_empty() {
                                sequence.code.start = self.address;
                            }
                            sequence.addresses.push(start..body.offset());
                        }
                        _ => {}
                    }
                }
                special if special >= opcode_base => self.advance(special - opcode_base),
                standard => self.standard(standard)?,
            }
        }
        Ok(None)
    }

    fn standard(&mut self, opcode: u8) -> gimli::Result<()> {
        match gimli::DwLns(opcode) {
            gimli::DW_LNS_advance_pc => {
                let instructions = self.rest.read_uleb128()?;
                self.add(instructions);
            }
            gimli::DW_LNS_const_add_pc => {
                self.advance(u8::MAX - self.header.opcode_base());
            }
            gimli::DW_LNS_fixed_advance_pc => {
                let bytes = self.rest.read_u16()?;
                self.address = self.address.wrapping_add(u64::from(bytes));
            }
            _ => {
                let lengths = self.header.standard_opcode_lengths().to_slice()?;
                let place = usize::from(opcode.saturating_sub(1));
                for _ in 0..lengths.get(place).copied().unwrap_or(0) {
                    self.rest.read_uleb128()?;
                }
            }
        }
        Ok(())
    }

    /// Advances the address as a special opcode does.
    fn advance(&mut self, opcode: u8) {
        let instructions = opcode.checked_div(self.header.line_range()).unwrap_or(0);
        self.add(u64::from(instructions));
    }

    fn add(&mut self, instructions: u64) {
        let length = u64::from(self.header.minimum_instruction_length());
        let bytes = instructions.wrapping_mul(length);
        self.address = self.address.wrapping_add(bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::image::lines::section;

    #[track_caller]
    fn check(file: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
        let dwarf = section::read(&path).unwrap().unwrap();
        let (mut units, mut count) = (dwarf.units(), 0);
        while let Some(header) = units.next().unwrap() {
            let unit = dwarf.unit(header).unwrap();
            let program = unit.line_program.unwrap();
            let found = sequences_of(program.header());
            let (_, expected) = program.sequences().unwrap();
            let expected = expected.iter().map(|sequence| sequence.start..sequence.end);
            let expected: Vec<Range<u64>> = expected.collect();
            count += expected.len();
            let code = found.into_iter().map(|sequence| sequence.code);
            assert_eq!(code.collect::<Vec<_>>(), expected, "{file}");
        }
        assert!(count > 0, "{file}");
    }

    #[test]
    fn sequences_are_those_that_the_library_reads() {
        check("assets/demo/overflow_bare.elf");
        check("fixtures/images/removed-dwarf4.elf");
        check("fixtures/images/removed-dwarf5.elf");
        check("fixtures/locals/inlines.elf");
        check("fixtures/lines/dwarf2.elf");
        check("fixtures/lines/dwarf3.elf");
    }
}
