//! Names of PLT stubs, through which a program calls its libraries: `malloc@plt`.
//!
//! A stub jumps to the address in its slot of the global offset table, and a relocation names the
//! symbol of the slot.

use std::collections::HashMap;

use goblin::container::{Container, Ctx};
use goblin::elf::reloc::RelocSection;
use goblin::elf::section_header::{SHT_REL, SHT_RELA};
use goblin::elf::{SectionHeader, Symtab};
use stepback_machine::{self as machine, InstructionSet, StubSlot};

use super::identity::{content, name_of};

/// A stub that jumps to a symbol of another file.
pub struct PltStub {
    pub address: u64,
    pub size_bytes: u64,
    /// Raw name of the symbol that it jumps to.
    pub target: String,
}

/// The tables of an ELF file.
pub struct ElfTables<'a> {
    /// Bytes of the file.
    pub bytes: &'a [u8],
    pub sections: &'a [SectionHeader],
    /// String table of the section names.
    pub names: &'a [u8],
    /// Class and byte order.
    pub context: Ctx,
    /// Instruction set of its code; none if it is not known.
    pub set: Option<InstructionSet>,
}

impl ElfTables<'_> {
    /// Returns the stubs of a file that have a known form.
    pub fn stubs(&self) -> Vec<PltStub> {
        let slots = self.slots();
        if slots.is_empty() {
            return Vec::new();
        }
        let mut stubs = Vec::new();
        for section in self.sections {
            let size_bytes = match name_of(section, self.names) {
                Some(b".plt" | b".plt.sec") => 16,
                Some(b".plt.got") => section.sh_entsize.clamp(8, 16),
                _ => continue,
            };
            let Some(code) = content(self.bytes, section) else {
                continue;
            };
            let Ok(step) = usize::try_from(size_bytes) else {
                continue;
            };
            for (code, address) in code
                .chunks_exact(step)
                .zip((section.sh_addr..).step_by(step))
            {
                let target = self
                    .slot_of(code, address)
                    .and_then(|slot| slots.get(&slot));
                stubs.extend(target.map(|target| PltStub {
                    address,
                    size_bytes,
                    target: target.clone(),
                }));
            }
        }
        stubs
    }

    /// Returns the symbol of each slot, by slot address.
    fn slots(&self) -> HashMap<u64, String> {
        let mut slots = HashMap::new();
        for section in self.sections {
            let is_of_loader = matches!(section.sh_type, SHT_RELA | SHT_REL);
            let name = name_of(section, self.names).unwrap_or_default();
            if is_of_loader && (name.ends_with(b".plt") || name.ends_with(b".dyn")) {
                self.add_slots(section, &mut slots);
            }
        }
        slots
    }

    fn add_slots(&self, section: &SectionHeader, slots: &mut HashMap<u64, String>) -> Option<()> {
        let table = self.section(section.sh_link)?;
        let entry_bytes = if self.context.container == Container::Big {
            24
        } else {
            16
        };
        let symbols = content(self.bytes, table)?;
        let symbols = Symtab::parse(symbols, 0, symbols.len() / entry_bytes, self.context).ok()?;
        let names = content(self.bytes, self.section(table.sh_link)?)?;
        let relocations = content(self.bytes, section)?;
        let is_rela = section.sh_type == SHT_RELA;
        let relocations =
            RelocSection::parse(relocations, 0, relocations.len(), is_rela, self.context).ok()?;
        for relocation in relocations
            .iter()
            .filter(|relocation| relocation.r_sym != 0)
        {
            let Some(symbol) = symbols.get(relocation.r_sym) else {
                continue;
            };
            let name = names
                .get(symbol.st_name..)
                .and_then(|rest| rest.split(|byte| *byte == 0).next());
            let name = name.filter(|name| !name.is_empty() && name.len() < 4096);
            slots.extend(name.map(|name| {
                (
                    relocation.r_offset,
                    String::from_utf8_lossy(name).into_owned(),
                )
            }));
        }
        Some(())
    }

    fn section(&self, number: u32) -> Option<&SectionHeader> {
        self.sections.get(usize::try_from(number).ok()?)
    }

    /// Returns the address of the slot that the code of a stub jumps through.
    fn slot_of(&self, code: &[u8], address: u64) -> Option<u64> {
        match self
            .set?
            .stub_slot(&machine::LinkageStub { code, address })?
        {
            StubSlot::Address(slot) => Some(slot),
            StubSlot::InTable(offset) => {
                let is_table =
                    |section: &&SectionHeader| name_of(section, self.names) == Some(b".got.plt");
                let table = self.sections.iter().find(is_table)?.sh_addr;
                Some(table.wrapping_add_signed(offset))
            }
        }
    }
}
