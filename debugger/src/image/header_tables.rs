//! Section and program header tables of an ELF file, and what follows directly from them: its
//! instruction set, and the names of its PLT stubs (`malloc@plt`).
//!
//! The file may have more sections or segments than its header can count; the first section then
//! counts them (System V gABI, "ELF Header" and "Sections": `e_shnum`, `e_shstrndx`, `e_phnum`). A
//! PLT stub jumps to the address in its slot of the global offset table, and a relocation names the
//! symbol of the slot.

use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use goblin::container::{Container, Ctx};
use goblin::elf::header::Header;
use goblin::elf::program_header::{PT_INTERP, PT_LOAD, ProgramHeader};
use goblin::elf::reloc::RelocSection;
use goblin::elf::section_header::{SHN_XINDEX, SHT_REL, SHT_RELA};
use goblin::elf::{Elf, SectionHeader, Symtab};
use stepback_machine::flow::StubSlot;
use stepback_machine::{ElfMachine, InstructionSet};
use stepback_parsers::ReadAt as _;

use crate::image::identity;
use crate::image::identity::{content, name_of};

use stepback_machine as machine;

/// `e_phnum` of a file with more segments than the field can count.
const PN_XNUM: u16 = 0xffff;

/// The valid tables of a file.
pub struct HeaderTables {
    pub header: Header,
    /// Class and byte order.
    pub context: Ctx,
    /// All sections; empty if their table is missing or damaged.
    pub sections: Vec<SectionHeader>,
    /// Segments that a loader maps, in file order.
    pub loads: Vec<ProgramHeader>,
    /// The file names a dynamic linker that runs before it.
    pub has_interpreter: bool,
    /// Problem of a table, for a file that is usable without it.
    pub problems: Vec<String>,
}

impl HeaderTables {
    /// Reads the tables. A loader needs no sections and a debugger no segments, so one of the two
    /// may be damaged.
    ///
    /// # Errors
    /// The file is no ELF file, or neither table is usable.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let header = checked_header(bytes)?;
        let context = context_of(&header)?;
        let sections = sections_of(bytes, &header, context);
        let first = sections.as_ref().ok().and_then(|sections| sections.first());
        let segments = segments_of(bytes, &header, first, context);
        let has_kind = |kind: u32| {
            let segments = segments.iter().flatten();
            segments.into_iter().any(|segment| segment.p_type == kind)
        };
        let has_interpreter = has_kind(PT_INTERP);
        let loads = segments.map(|mut segments| {
            segments.retain(|segment| segment.p_type == PT_LOAD);
            segments
        });
        let (sections, loads, problem) = match (sections, loads) {
            (Ok(sections), Ok(loads)) => (sections, loads, None),
            (Err(error), Ok(loads)) if !loads.is_empty() => (Vec::new(), loads, Some(error)),
            (Ok(sections), Err(error)) if !sections.is_empty() => {
                (sections, Vec::new(), Some(error))
            }
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        let problems = problem.iter().map(|error| format!("{error:#}")).collect();
        Ok(Self {
            header,
            context,
            sections,
            loads,
            has_interpreter,
            problems,
        })
    }

    /// Returns the instruction set of the code; none for unknown machines.
    pub fn set(&self) -> Option<InstructionSet> {
        let word_bytes = if self.context.container == Container::Big {
            8
        } else {
            4
        };
        InstructionSet::of_elf(ElfMachine {
            number: self.header.e_machine,
            word_bytes,
        })
    }

    /// Returns the string table of section names; empty if there is none.
    pub fn section_names<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let place = match u32::from(self.header.e_shstrndx) {
            SHN_XINDEX => self.sections.first().map(|first| first.sh_link),
            place => Some(place),
        };
        let table = place.and_then(|place| self.sections.get(usize::try_from(place).ok()?));
        table
            .and_then(|table| identity::content(bytes, table))
            .unwrap_or_default()
    }
}

fn checked_header(bytes: &[u8]) -> Result<Header> {
    ensure!(
        !bytes.starts_with(b"MZ"),
        "a Windows program (PE): only ELF files can be read"
    );
    ensure!(
        bytes.starts_with(b"\x7fELF"),
        "not an ELF file: it does not begin with 7f 45 4c 46"
    );
    Elf::parse_header(bytes).context("the ELF header is damaged")
}

fn context_of(header: &Header) -> Result<Ctx> {
    let container = header
        .container()
        .context("the ELF header names no known class")?;
    let order = header
        .endianness()
        .context("the ELF header names no known byte order")?;
    Ok(Ctx::new(container, order))
}

/// Reads all sections. If the header counts none but has a table, the library takes the count from
/// the first section.
fn sections_of(bytes: &[u8], header: &Header, context: Ctx) -> Result<Vec<SectionHeader>> {
    let outside = || {
        format!(
            "the section headers at byte {:#x} are damaged or cut off",
            header.e_shoff
        )
    };
    let start = usize::try_from(header.e_shoff).with_context(outside)?;
    SectionHeader::parse(bytes, start, usize::from(header.e_shnum), context).with_context(outside)
}

fn segments_of(
    bytes: &[u8],
    header: &Header,
    first: Option<&SectionHeader>,
    context: Ctx,
) -> Result<Vec<ProgramHeader>> {
    let outside = || {
        format!(
            "the program headers at byte {:#x} are damaged or cut off",
            header.e_phoff
        )
    };
    let start = usize::try_from(header.e_phoff).with_context(outside)?;
    let count = match (header.e_phnum, first) {
        (PN_XNUM, Some(first)) => usize::try_from(first.sh_info).with_context(outside)?,
        (count, _) => usize::from(count),
    };
    ProgramHeader::parse(bytes, start, count, context).with_context(outside)
}

/// Returns the instruction set of an ELF file; none for other files and unknown machines.
pub fn machine_of(path: &Path) -> Option<InstructionSet> {
    let mut head = [0; 20];
    let count = File::open(path).ok()?.read_at(0, &mut head).ok()?;
    if count < head.len() || !head.starts_with(b"\x7fELF") {
        return None;
    }
    let [.., low, high] = head;
    let is_big = head.get(5) == Some(&2);
    let number = if is_big {
        u16::from_be_bytes([low, high])
    } else {
        u16::from_le_bytes([low, high])
    };
    let word_bytes = if head.get(4) == Some(&2) { 8 } else { 4 };
    InstructionSet::of_elf(ElfMachine { number, word_bytes })
}

impl HeaderTables {
    /// Returns the stubs of a file that have a known form: the address range of each, and the raw
    /// name of the symbol that it jumps to.
    pub fn stubs(&self, bytes: &[u8]) -> Vec<(Range<u64>, String)> {
        let (slots, names) = (self.slots(bytes), self.section_names(bytes));
        if slots.is_empty() {
            return Vec::new();
        }
        let mut stubs = Vec::new();
        for section in &self.sections {
            let size_bytes = match name_of(section, names) {
                Some(b".plt" | b".plt.sec") => 16,
                Some(b".plt.got") => section.sh_entsize.clamp(8, 16),
                _ => continue,
            };
            let Some(code) = content(bytes, section) else {
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
                    .slot_of(bytes, code, address)
                    .and_then(|slot| slots.get(&slot));
                let range = address..address.saturating_add(size_bytes);
                stubs.extend(target.map(|target| (range, target.clone())));
            }
        }
        stubs
    }

    /// Returns the symbol of each slot, by slot address.
    fn slots(&self, bytes: &[u8]) -> HashMap<u64, String> {
        let mut slots = HashMap::new();
        for section in &self.sections {
            let is_of_loader = matches!(section.sh_type, SHT_RELA | SHT_REL);
            let name = name_of(section, self.section_names(bytes)).unwrap_or_default();
            if is_of_loader && (name.ends_with(b".plt") || name.ends_with(b".dyn")) {
                self.add_slots(bytes, section, &mut slots);
            }
        }
        slots
    }

    fn add_slots(
        &self,
        bytes: &[u8],
        section: &SectionHeader,
        slots: &mut HashMap<u64, String>,
    ) -> Option<()> {
        let table = self.section(section.sh_link)?;
        let entry_bytes = if self.context.container == Container::Big {
            24
        } else {
            16
        };
        let symbols = content(bytes, table)?;
        let symbols = Symtab::parse(symbols, 0, symbols.len() / entry_bytes, self.context).ok()?;
        let names = content(bytes, self.section(table.sh_link)?)?;
        let relocations = content(bytes, section)?;
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
    fn slot_of(&self, bytes: &[u8], code: &[u8], address: u64) -> Option<u64> {
        match self
            .set()?
            .stub_slot(&machine::flow::LinkageStub { code, address })?
        {
            StubSlot::Address(slot) => Some(slot),
            StubSlot::InTable(offset) => {
                let names = self.section_names(bytes);
                let is_table =
                    |section: &&SectionHeader| name_of(section, names) == Some(b".got.plt");
                let table = self.sections.iter().find(is_table)?.sh_addr;
                Some(table.wrapping_add_signed(offset))
            }
        }
    }
}
