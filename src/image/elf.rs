//! Symbols and memory out of the bytes of an ELF file, 32 or 64 bit, of either byte order.
//!
//! The file may be anything: every table is looked up within the bytes that there are.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use goblin::container::{Container, Ctx};
use goblin::elf::header::Header;
use goblin::elf::program_header::{PF_W, PF_X, PT_LOAD, ProgramHeader};
use goblin::elf::section_header::{
    SHF_ALLOC, SHF_EXECINSTR, SHN_ABS, SHN_COMMON, SHN_LORESERVE, SHN_UNDEF, SHT_DYNSYM, SHT_NOBITS, SHT_SYMTAB,
};
use goblin::elf::sym::{STB_LOCAL, STB_WEAK, STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE, STT_OBJECT};
use goblin::elf::{Elf, SectionHeader, Sym, Symtab};
use stepback_machine::{Address, ElfMachine, Endian, InstructionSet};

use super::identity::{self, Identity};
use super::names::SymbolNames;
use super::plt::{Stub, Tables};
use super::symbol::{Binding, Symbol, SymbolKind};

/// Linkers let names share their ends, so together they may be longer than the table that holds them.
/// Far longer means that a small file asks for all of the memory.
const NAME_SHARING_LIMIT: usize = 16;

/// Segments may share bytes of the file; far more of them than the file has are as suspicious.
const SEGMENT_SHARING_LIMIT: usize = 4;

/// What an image holds.
pub struct ElfContent {
    /// Byte order of its data.
    pub endian: Endian,
    /// How its code decodes; none for machines that are not known.
    pub set: Option<InstructionSet>,
    /// The addresses of its code, by the file's own count.
    pub code: Vec<Range<u64>>,
    /// Where it begins; none where it says nothing of that.
    pub entry: Option<Address>,
    /// Its symbols, those for linkers first, then those for loaders; one that both tables hold comes twice.
    pub symbols: Vec<Symbol>,
    /// What it loads, in its order; nothing where it has debug information alone.
    pub segments: Vec<LoadedSegment>,
}

/// What an image says about itself before its symbols are read.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Where a loader puts it, in its order.
    pub loads: Vec<Load>,
    /// By what its debug file knows it.
    pub identity: Identity,
}

/// A part of the file that a loader maps, by the file's own addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Where in the file.
    pub offset: u64,
    /// Where in memory.
    pub address: u64,
    /// How much memory.
    pub len_bytes: u64,
}

/// A part of memory that an image fills.
#[derive(Clone, Debug)]
pub struct LoadedSegment {
    /// Where.
    pub address: Address,
    /// With what; then come zeros.
    pub bytes: Arc<[u8]>,
    /// How much in all.
    pub len_bytes: u64,
    /// Whether the program may change it: a loader may have done so, too, before the first instruction.
    pub is_writable: bool,
    /// Whether it is code.
    pub is_executable: bool,
}

/// What an ELF file says about itself.
///
/// # Errors
/// Says what is wrong with the file.
pub fn outline(bytes: &[u8]) -> Result<Outline> {
    let read = || {
        let header = checked_header(bytes)?;
        let context = context_of(&header)?;
        let sections = sections_of(bytes, &header, context)?;
        let load =
            |load: &ProgramHeader| Load { offset: load.p_offset, address: load.p_vaddr, len_bytes: load.p_memsz };
        let loads = loads_of(bytes, &header, context)?.iter().map(load).collect();
        let identity = Identity::read(bytes, &sections, section_names(bytes, &header, &sections), context);
        Ok(Outline { loads, identity })
    };
    guarded(read)
}

/// Reads an ELF file that was loaded `offset` bytes above its own addresses.
///
/// # Errors
/// Says what is wrong with the file.
pub fn read(bytes: &[u8], offset: u64) -> Result<ElfContent> {
    guarded(|| read_checked(bytes, offset))
}

/// The library checks its input; where it overlooked something, the price is this image and not the program.
fn guarded<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| bail!("the ELF file is damaged in a way that could not be read"))
}

fn checked_header(bytes: &[u8]) -> Result<Header> {
    ensure!(!bytes.starts_with(b"MZ"), "a Windows program (PE): only ELF files can be read");
    ensure!(bytes.starts_with(b"\x7fELF"), "not an ELF file: it does not begin with 7f 45 4c 46");
    Elf::parse_header(bytes).context("the ELF header is damaged")
}

fn read_checked(bytes: &[u8], offset: u64) -> Result<ElfContent> {
    let header = checked_header(bytes)?;
    let context = context_of(&header)?;
    let sections = sections_of(bytes, &header, context)?;
    let set = set_of(&header, context);
    let reader = Reader { bytes, offset, context, set, sections: &sections };
    let mut symbols = Vec::new();
    // The format has one table of each kind; a small file that lists one many times would ask for all of the memory.
    for kind in [SHT_SYMTAB, SHT_DYNSYM] {
        if let Some(table) = sections.iter().find(|section| section.sh_type == kind) {
            reader.read_table(table, &mut symbols)?;
        }
    }
    let endian = if context.le.is_little() { Endian::Little } else { Endian::Big };
    let code = code_of(&sections);
    let headers = loads_of(bytes, &header, context)?;
    let segments = segments_of(bytes, &headers, &sections, offset)?;
    let names = section_names(bytes, &header, &sections);
    let tables = Tables { bytes, sections: &sections, names, context, set };
    symbols.extend(tables.stubs().into_iter().map(|stub| reader.stub_symbol(&stub)));
    let entry = (header.e_entry != 0).then(|| Address(header.e_entry.wrapping_add(offset)));
    Ok(ElfContent { endian, set, code, entry, symbols, segments })
}

fn set_of(header: &Header, context: Ctx) -> Option<InstructionSet> {
    let word_bytes = if context.container == Container::Big { 8 } else { 4 };
    InstructionSet::of_elf(ElfMachine { number: header.e_machine, word_bytes })
}

fn context_of(header: &Header) -> Result<Ctx> {
    let container = header.container().context("the ELF header names no known class")?;
    let order = header.endianness().context("the ELF header names no known byte order")?;
    Ok(Ctx::new(container, order))
}

fn sections_of(bytes: &[u8], header: &Header, context: Ctx) -> Result<Vec<SectionHeader>> {
    let outside = || format!("the section headers at byte {:#x} are damaged or cut off", header.e_shoff);
    let start = usize::try_from(header.e_shoff).with_context(outside)?;
    SectionHeader::parse(bytes, start, usize::from(header.e_shnum), context).with_context(outside)
}

/// The table of the names of sections; empty where there is none.
fn section_names<'a>(bytes: &'a [u8], header: &Header, sections: &[SectionHeader]) -> &'a [u8] {
    let table = sections.get(usize::from(header.e_shstrndx));
    table.and_then(|table| identity::content(bytes, table)).unwrap_or_default()
}

fn loads_of(bytes: &[u8], header: &Header, context: Ctx) -> Result<Vec<ProgramHeader>> {
    let outside = || format!("the program headers at byte {:#x} are damaged or cut off", header.e_phoff);
    let start = usize::try_from(header.e_phoff).with_context(outside)?;
    let headers = ProgramHeader::parse(bytes, start, usize::from(header.e_phnum), context).with_context(outside)?;
    Ok(headers.into_iter().filter(|segment| segment.p_type == PT_LOAD).collect())
}

/// What a loader would put into memory, `offset` bytes above the file's own addresses.
fn segments_of(
    bytes: &[u8],
    loads: &[ProgramHeader],
    sections: &[SectionHeader],
    offset: u64,
) -> Result<Vec<LoadedSegment>> {
    if sections.iter().any(is_code_without_bytes) {
        // A file with debug information alone, split off from the program, has the program's headers but not its bytes.
        return Ok(Vec::new());
    }
    let in_all = loads.iter().fold(0u64, |sum, segment| sum.saturating_add(segment.p_filesz));
    let limit = SEGMENT_SHARING_LIMIT.saturating_mul(bytes.len());
    ensure!(usize::try_from(in_all).is_ok_and(|sum| sum <= limit), "its segments overlap beyond reason");
    loads.iter().map(|segment| loaded_segment(bytes, segment, offset)).collect()
}

fn is_code_without_bytes(section: &SectionHeader) -> bool {
    let code = u64::from(SHF_ALLOC | SHF_EXECINSTR);
    section.sh_type == SHT_NOBITS && section.sh_flags & code == code && section.sh_size > 0
}

fn loaded_segment(bytes: &[u8], segment: &ProgramHeader, offset: u64) -> Result<LoadedSegment> {
    let cut_off = || format!("the bytes of its segment at {:#x} are cut off", segment.p_vaddr);
    let start = usize::try_from(segment.p_offset).with_context(cut_off)?;
    let len = usize::try_from(segment.p_filesz.min(segment.p_memsz)).with_context(cut_off)?;
    let content = start.checked_add(len).and_then(|end| bytes.get(start..end)).with_context(cut_off)?;
    Ok(LoadedSegment {
        address: Address(segment.p_vaddr.wrapping_add(offset)),
        bytes: content.into(),
        len_bytes: segment.p_memsz,
        is_writable: segment.p_flags & PF_W != 0,
        is_executable: segment.p_flags & PF_X != 0,
    })
}

fn code_of(sections: &[SectionHeader]) -> Vec<Range<u64>> {
    let is_code = |section: &&SectionHeader| {
        section.sh_flags & u64::from(SHF_ALLOC) != 0 && section.sh_flags & u64::from(SHF_EXECINSTR) != 0
    };
    let range = |section: &SectionHeader| section.sh_addr..section.sh_addr.saturating_add(section.sh_size);
    sections.iter().filter(is_code).map(range).collect()
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: u64,
    context: Ctx,
    set: Option<InstructionSet>,
    sections: &'a [SectionHeader],
}

impl Reader<'_> {
    fn read_table(&self, table: &SectionHeader, symbols: &mut Vec<Symbol>) -> Result<()> {
        let damaged = || format!("the symbol table at byte {:#x} is damaged or cut off", table.sh_offset);
        let is_wide = self.context.container == Container::Big;
        let entry_bytes = if is_wide { 24 } else { 16 };
        let start = usize::try_from(table.sh_offset).with_context(damaged)?;
        let count = usize::try_from(table.sh_size / entry_bytes).with_context(damaged)?;
        if count == 0 {
            return Ok(());
        }
        let names = self.names_of(table).with_context(damaged)?;
        let table = Symtab::parse(self.bytes, start, count, self.context).with_context(damaged)?;
        let mut budget = names.len().saturating_mul(NAME_SHARING_LIMIT);
        for entry in table.iter() {
            let Some(name) = name_at(names, entry.st_name) else { continue };
            budget = budget.checked_sub(name.len()).context("the names of its symbols overlap beyond reason")?;
            let place = symbols.len();
            symbols
                .extend(self.symbol(&entry, &String::from_utf8_lossy(name)).map(|symbol| Symbol { place, ..symbol }));
        }
        Ok(())
    }

    /// The string table that a symbol table points at.
    fn names_of(&self, table: &SectionHeader) -> Result<&[u8]> {
        let section = usize::try_from(table.sh_link).ok().and_then(|link| self.sections.get(link));
        let section = section.with_context(|| format!("there is no section {} for its names", table.sh_link))?;
        let range =
            section.sh_offset..section.sh_offset.checked_add(section.sh_size).context("its names have no end")?;
        let (start, end) = (usize::try_from(range.start)?, usize::try_from(range.end)?);
        self.bytes.get(start..end).with_context(|| format!("its names at byte {:#x} are cut off", range.start))
    }

    /// A symbol that names an address, or none for all that serve linkers and debuggers.
    fn symbol(&self, entry: &Sym, raw: &str) -> Option<Symbol> {
        if is_mapping_symbol(raw) {
            return None;
        }
        let home = Home::of(entry, self.sections)?;
        let kind = self.kind(entry, &home)?;
        let value = match kind {
            // A bit of it may tell how to decode it.
            SymbolKind::Function => self.set.map_or(entry.st_value, |set| set.code_address(entry.st_value)),
            _ => entry.st_value,
        };
        let last = home.last_byte(value, entry.st_size, kind);
        Some(Symbol {
            names: SymbolNames::new(raw),
            address: Address(value.wrapping_add(self.offset)),
            size_bytes: entry.st_size,
            kind,
            place: 0,
            binding: binding(entry),
            last: last.map(|last| Address(last.wrapping_add(self.offset))),
        })
    }

    fn stub_symbol(&self, stub: &Stub) -> Symbol {
        Symbol {
            names: SymbolNames::new(&format!("{}@plt", stub.target)),
            address: Address(stub.address.wrapping_add(self.offset)),
            size_bytes: stub.size_bytes,
            kind: SymbolKind::Function,
            place: usize::MAX,
            binding: Binding::Local,
            last: Some(Address(stub.address.saturating_add(stub.size_bytes - 1).wrapping_add(self.offset))),
        }
    }

    fn kind(&self, entry: &Sym, home: &Home) -> Option<SymbolKind> {
        match entry.st_type() {
            STT_FUNC | STT_GNU_IFUNC => Some(SymbolKind::Function),
            STT_OBJECT => Some(SymbolKind::Object),
            STT_NOTYPE if home.is_code() => Some(SymbolKind::CodeLabel),
            STT_NOTYPE => Some(SymbolKind::Label),
            other if self.set.is_some_and(|set| set.is_elf_function(other)) => Some(SymbolKind::Function),
            _ => None,
        }
    }
}

/// Where a symbol lives.
enum Home {
    /// In no section: a number that the linker made up, or a fixed address.
    Absolute,
    /// In a section beyond those that fit into the field; its bounds are not looked up.
    Unknown,
    /// In a section that is loaded.
    Section { is_code: bool, end: u64 },
}

impl Home {
    /// None when the symbol has no address: imported, common, or in a section that is not loaded.
    fn of(entry: &Sym, sections: &[SectionHeader]) -> Option<Self> {
        match u32::try_from(entry.st_shndx).ok()? {
            SHN_UNDEF | SHN_COMMON => None,
            SHN_ABS => Some(Self::Absolute),
            number if number >= SHN_LORESERVE => Some(Self::Unknown),
            _ => {
                let section = sections.get(entry.st_shndx)?;
                let has = |flag: u32| section.sh_flags & u64::from(flag) != 0;
                let end = section.sh_addr.saturating_add(section.sh_size);
                has(SHF_ALLOC).then(|| Self::Section { is_code: has(SHF_EXECINSTR), end })
            }
        }
    }

    fn is_code(&self) -> bool {
        matches!(self, Self::Section { is_code: true, .. })
    }

    /// The last byte that the symbol stands for. Without a size it goes to the end of its section:
    /// where the next symbol begins is not known yet.
    fn last_byte(&self, value: u64, size_bytes: u64, kind: SymbolKind) -> Option<u64> {
        match (self, size_bytes) {
            (Self::Absolute, 0) if kind == SymbolKind::Label => None,
            (Self::Section { end, .. }, 0) => Some(end.saturating_sub(1).max(value)),
            (_, size_bytes) => Some(value.saturating_add(size_bytes.saturating_sub(1))),
        }
    }
}

fn binding(entry: &Sym) -> Binding {
    match entry.st_bind() {
        STB_LOCAL => Binding::Local,
        STB_WEAK => Binding::Weak,
        _ => Binding::Global,
    }
}

/// The name at a place of a string table, up to its zero byte; none when it is empty or outside.
fn name_at(names: &[u8], place: usize) -> Option<&[u8]> {
    let rest = names.get(place..)?;
    rest.split(|byte| *byte == 0).next().filter(|name| !name.is_empty())
}

/// `$x`, `$d`, `$t`, `$a`, also as `$d.realdata`: what bytes are, for disassemblers ("ELF for the Arm Architecture").
fn is_mapping_symbol(name: &str) -> bool {
    let kind = name.split('.').next();
    matches!(kind, Some("$x" | "$d" | "$t" | "$a"))
}
