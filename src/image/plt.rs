//! The names of stubs through which a program calls its libraries: `malloc@plt`.
//!
//! A stub jumps to what its slot in the global offset table holds, and a relocation names the symbol of the slot.

use std::collections::HashMap;

use goblin::container::{Container, Ctx};
use goblin::elf::header::{EM_386, EM_AARCH64, EM_RISCV, EM_X86_64};
use goblin::elf::reloc::RelocSection;
use goblin::elf::section_header::{SHT_REL, SHT_RELA};
use goblin::elf::{SectionHeader, Symtab};

use super::identity::{content, name_of};

/// A stub that jumps to a symbol of another file.
pub struct Stub {
    /// Where it begins.
    pub address: u64,
    /// Its length.
    pub size_bytes: u64,
    /// The symbol that it jumps to, as the file has it.
    pub target: String,
}

/// The tables of an ELF file.
pub struct Tables<'a> {
    /// The file.
    pub bytes: &'a [u8],
    /// Its sections.
    pub sections: &'a [SectionHeader],
    /// Their names.
    pub names: &'a [u8],
    /// Its class and byte order.
    pub context: Ctx,
    /// `EM_…`.
    pub machine: u16,
}

impl Tables<'_> {
    /// The stubs of a file, as far as they have a known form.
    pub fn stubs(&self) -> Vec<Stub> {
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
            let Some(code) = content(self.bytes, section) else { continue };
            let Ok(step) = usize::try_from(size_bytes) else { continue };
            for (code, address) in code.chunks_exact(step).zip((section.sh_addr..).step_by(step)) {
                let target = self.slot_of(code, address).and_then(|slot| slots.get(&slot));
                stubs.extend(target.map(|target| Stub { address, size_bytes, target: target.clone() }));
            }
        }
        stubs
    }

    /// Which symbol each slot is for.
    fn slots(&self) -> HashMap<u64, String> {
        let mut slots = HashMap::new();
        for section in self.sections {
            let is_rela = section.sh_type == SHT_RELA;
            let is_of_loader = is_rela || section.sh_type == SHT_REL;
            let name = name_of(section, self.names).unwrap_or_default();
            if is_of_loader && (name.ends_with(b".plt") || name.ends_with(b".dyn")) {
                self.add_slots(section, is_rela, &mut slots);
            }
        }
        slots
    }

    fn add_slots(&self, section: &SectionHeader, is_rela: bool, slots: &mut HashMap<u64, String>) -> Option<()> {
        let table = self.section(section.sh_link)?;
        let entry_bytes = if self.context.container == Container::Big { 24 } else { 16 };
        let symbols = content(self.bytes, table)?;
        let symbols = Symtab::parse(symbols, 0, symbols.len() / entry_bytes, self.context).ok()?;
        let names = content(self.bytes, self.section(table.sh_link)?)?;
        let relocations = content(self.bytes, section)?;
        let relocations = RelocSection::parse(relocations, 0, relocations.len(), is_rela, self.context).ok()?;
        for relocation in relocations.iter().filter(|relocation| relocation.r_sym != 0) {
            let Some(symbol) = symbols.get(relocation.r_sym) else { continue };
            let name = names.get(symbol.st_name..).and_then(|rest| rest.split(|byte| *byte == 0).next());
            let name = name.filter(|name| !name.is_empty() && name.len() < 4096);
            slots.extend(name.map(|name| (relocation.r_offset, String::from_utf8_lossy(name).into_owned())));
        }
        Some(())
    }

    fn section(&self, number: u32) -> Option<&SectionHeader> {
        self.sections.get(usize::try_from(number).ok()?)
    }

    /// The address of the slot that the code of a stub jumps through.
    fn slot_of(&self, code: &[u8], address: u64) -> Option<u64> {
        match self.machine {
            EM_X86_64 | EM_386 => self.slot_of_x86(code, address),
            EM_AARCH64 => slot_of_aarch64(code, address),
            EM_RISCV => slot_of_riscv(code, address),
            _ => None,
        }
    }

    /// `jmp *[…]`, behind `endbr` and with a prefix where control flow is guarded.
    fn slot_of_x86(&self, code: &[u8], address: u64) -> Option<u64> {
        let guarded = code.strip_prefix(b"\xf3\x0f\x1e").and_then(|rest| rest.get(1..)).unwrap_or(code);
        let jump = guarded.strip_prefix(b"\xf2").unwrap_or(guarded);
        let (operand, rest) = jump.get(1..)?.split_first()?;
        let (displacement, rest) = rest.split_first_chunk()?;
        let (displacement, behind) = (i32::from_le_bytes(*displacement), code.len() - rest.len());
        match (jump.first()?, operand, self.machine) {
            (0xff, 0x25, EM_X86_64) => {
                Some(address.wrapping_add(behind as u64).wrapping_add_signed(displacement.into()))
            }
            (0xff, 0x25, EM_386) => Some(displacement.cast_unsigned().into()),
            // Relative to the table, which position-independent code has in ebx.
            (0xff, 0xa3, EM_386) => {
                let is_table = |section: &&SectionHeader| name_of(section, self.names) == Some(b".got.plt");
                let table = self.sections.iter().find(is_table)?.sh_addr;
                Some(table.wrapping_add_signed(displacement.into()))
            }
            _ => None,
        }
    }
}

/// `adrp x16, page; ldr x17, [x16, #offset]`, the first possibly behind `bti c`.
fn slot_of_aarch64(code: &[u8], address: u64) -> Option<u64> {
    let words = words(code);
    let at = words.iter().position(|word| word & 0x9f00_001f == 0x9000_0010)?;
    let (page, load) = (*words.get(at)?, *words.get(at + 1)?);
    if load & 0xffc0_03ff != 0xf940_0211 {
        return None;
    }
    let immediate = (page >> 5 & 0x7_ffff) << 2 | page >> 29 & 3;
    let pages = i64::from((immediate << 11).cast_signed() >> 11);
    let place = address.wrapping_add(4 * at as u64) & !0xfff;
    Some(place.wrapping_add_signed(pages << 12).wrapping_add(u64::from(load >> 10 & 0xfff) << 3))
}

/// `auipc t3, page; ld t3, offset(t3)`.
fn slot_of_riscv(code: &[u8], address: u64) -> Option<u64> {
    let words = words(code);
    let (page, load) = (*words.first()?, *words.get(1)?);
    let is_stub = page & 0xfff == 0xe17 && load & 0xf_8fff == 0xe_0e03;
    let offset = i64::from((page & 0xffff_f000).cast_signed()) + i64::from(load.cast_signed() >> 20);
    is_stub.then(|| address.wrapping_add_signed(offset))
}

fn words(code: &[u8]) -> Vec<u32> {
    code.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}
