//! Section and program header tables of an ELF file.
//!
//! The file may have more of either than its header can count; the first section then counts them
//! (System V gABI, "ELF Header" and "Sections": `e_shnum`, `e_shstrndx`, `e_phnum`).

use anyhow::{Context as _, Result, ensure};
use goblin::container::{Container, Ctx};
use goblin::elf::header::Header;
use goblin::elf::program_header::{PT_LOAD, ProgramHeader};
use goblin::elf::section_header::SHN_XINDEX;
use goblin::elf::{Elf, SectionHeader};
use stepback_machine::{ElfMachine, InstructionSet};

use super::identity;

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
        let loads = loads_of(bytes, &header, first, context);
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

fn loads_of(
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
    let headers = ProgramHeader::parse(bytes, start, count, context).with_context(outside)?;
    Ok(headers
        .into_iter()
        .filter(|segment| segment.p_type == PT_LOAD)
        .collect())
}
