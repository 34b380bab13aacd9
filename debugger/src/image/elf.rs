//! Reads symbols, memory and code from the bytes of an ELF file, 32 or 64 bit, of either byte
//! order.
//!
//! The input is untrusted. Every table is looked up within the available bytes, and a panic in the
//! library costs only this image.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Context as _, Result, bail, ensure};
use goblin::container::{Container, Ctx};
use goblin::elf::program_header::ProgramHeader;
use goblin::elf::section_header::{
    SHF_ALLOC, SHF_EXECINSTR, SHN_ABS, SHN_COMMON, SHN_LORESERVE, SHN_UNDEF, SHT_DYNAMIC,
    SHT_DYNSYM, SHT_NOBITS, SHT_SYMTAB,
};
use goblin::elf::sym::{
    STB_LOCAL, STB_WEAK, STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE, STT_OBJECT, STT_TLS,
};
use goblin::elf::{SectionHeader, Sym, Symtab};
use stepback_machine::{Address, Endian, InstructionSet};
use stepback_parsers::{CodePart, ProgramFile};

use crate::image::header_tables::HeaderTables;
use crate::image::identity::ImageIdentity;
use crate::image::names::SymbolNames;
use crate::image::segments;
use crate::image::segments::LoadedSegment;
use crate::image::spec::ImageSpec;
use crate::image::symbol::{Binding, Symbol, SymbolKind};

/// Maximum ratio of the names' total length to that of their table. Linkers let names share their
/// ends, so together they may be longer than the table. Far longer means that a small file requests
/// all memory.
const NAME_SHARING_LIMIT: usize = 16;

/// Contents of an image.
pub struct ElfContent {
    /// Byte order of its data.
    pub endian: Endian,
    /// Instruction set of its code; none for unknown machines.
    pub set: Option<InstructionSet>,
    /// Byte order of its code, if the processor has two.
    pub code_endian: Endian,
    /// Addresses of its code, without the load offset.
    pub code: Vec<Range<u64>>,
    /// Entry point; none if the file has none.
    pub entry: Option<Address>,
    /// A dynamic linker changes its data before the first instruction.
    pub has_interpreter: bool,
    /// Section for the dynamic linker; none if the file has none.
    pub dynamic: Option<Address>,
    /// Symbols: those for linkers first, then those for loaders. A symbol in both tables occurs
    /// twice.
    pub symbols: Vec<Symbol>,
    /// Names of thread-local variables: their values are offsets, not addresses.
    pub thread_locals: Vec<SymbolNames>,
    /// Loaded segments, in file order; empty if the file has only debug information.
    pub segments: Vec<LoadedSegment>,
    /// Problems of a file that is nevertheless usable; one sentence each.
    pub problems: Vec<String>,
}

/// Contents of an image that are read before its symbols.
#[derive(Clone, Debug, Default)]
pub struct ElfOutline {
    /// Parts that a loader maps, in file order.
    pub loads: Vec<ProgramHeader>,
    /// Data that links it to its debug file.
    pub identity: ImageIdentity,
}

/// Reads the program headers and the identity of an ELF file.
///
/// # Errors
/// The file is damaged, with the reason.
pub fn outline(bytes: &[u8]) -> Result<ElfOutline> {
    let read = || {
        let tables = HeaderTables::read(bytes)?;
        let identity = ImageIdentity::read(
            bytes,
            &tables.sections,
            tables.section_names(bytes),
            tables.context,
        );
        Ok(ElfOutline {
            loads: tables.loads,
            identity,
        })
    };
    guarded(read)
}

/// Reads an ELF file that was loaded `offset` bytes above its own addresses.
///
/// # Errors
/// The file is damaged, with the reason.
pub fn read(bytes: &[u8], offset: u64) -> Result<ElfContent> {
    guarded(|| read_checked(bytes, offset))
}

/// Converts a panic to an error. The library checks its input, but an oversight must cost only this
/// image, not the program.
fn guarded<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| bail!("the ELF file is damaged in a way that could not be read"))
}

fn read_checked(bytes: &[u8], offset: u64) -> Result<ElfContent> {
    let tables = HeaderTables::read(bytes)?;
    let (context, set, sections) = (tables.context, tables.set(), &tables.sections);
    let mut problems = tables.problems.clone();
    let reader = SymbolReader {
        bytes,
        offset,
        context,
        set,
        sections,
    };
    let mut named = NamedParts::default();
    // The format has one table of each kind. A small file that lists one many times would request
    // all memory.
    for kind in [SHT_SYMTAB, SHT_DYNSYM] {
        if let Some(table) = sections.iter().find(|section| section.sh_type == kind) {
            reader.read_table(table, &mut named, &mut problems)?;
        }
    }
    let NamedParts {
        mut symbols,
        thread_locals,
    } = named;
    let endian = if context.le.is_little() {
        Endian::Little
    } else {
        Endian::Big
    };
    let code = code_of(sections);
    let segments = segments::of_file(bytes, &tables, offset, &mut problems)?;
    let stubs = tables.stubs(bytes).into_iter();
    symbols.extend(stubs.map(|(range, target)| reader.stub_symbol(&range, &target)));
    // A bit of the entry point may select the instruction set.
    let entry = set.map_or(tables.header.e_entry, |set| {
        set.code_address(tables.header.e_entry)
    });
    let dynamic = tables
        .sections
        .iter()
        .find(|section| section.sh_type == SHT_DYNAMIC)
        .map(|section| Address(section.sh_addr.wrapping_add(offset)));
    let entry = (tables.header.e_entry != 0).then(|| Address(entry.wrapping_add(offset)));
    let code_endian = set.map_or(Endian::Little, |set| {
        set.elf_code_endian(tables.header.e_flags, endian)
    });
    Ok(ElfContent {
        endian,
        set,
        code_endian,
        code,
        entry,
        has_interpreter: tables.has_interpreter,
        dynamic,
        symbols,
        thread_locals,
        segments,
        problems,
    })
}

fn code_of(sections: &[SectionHeader]) -> Vec<Range<u64>> {
    let is_code = |section: &&SectionHeader| {
        section.sh_flags & u64::from(SHF_ALLOC) != 0
            && section.sh_flags & u64::from(SHF_EXECINSTR) != 0
    };
    let range =
        |section: &SectionHeader| section.sh_addr..section.sh_addr.saturating_add(section.sh_size);
    sections.iter().filter(is_code).map(range).collect()
}

/// Parts of a file that its symbol tables name.
#[derive(Default)]
struct NamedParts {
    symbols: Vec<Symbol>,
    thread_locals: Vec<SymbolNames>,
}

struct SymbolReader<'a> {
    bytes: &'a [u8],
    offset: u64,
    context: Ctx,
    set: Option<InstructionSet>,
    sections: &'a [SectionHeader],
}

impl SymbolReader<'_> {
    /// Adds the symbols of a table. A damaged table is skipped and reported in `problems`.
    fn read_table(
        &self,
        table: &SectionHeader,
        named: &mut NamedParts,
        problems: &mut Vec<String>,
    ) -> Result<()> {
        let damaged = || {
            format!(
                "the symbol table at byte {:#x} is damaged or cut off",
                table.sh_offset
            )
        };
        let (names, table) = match self.table(table).with_context(damaged) {
            Ok(parts) => parts,
            Err(error) => {
                problems.push(format!("{error:#}"));
                return Ok(());
            }
        };
        let mut budget = names.len().saturating_mul(NAME_SHARING_LIMIT);
        for entry in table.iter() {
            let Some(name) = name_at(names, entry.st_name) else {
                continue;
            };
            budget = budget
                .checked_sub(name.len())
                .context("the names of its symbols overlap beyond reason")?;
            let name = String::from_utf8_lossy(name);
            if entry.st_type() == STT_TLS {
                named.thread_locals.push(SymbolNames::new(&name));
                continue;
            }
            let place = named.symbols.len();
            let symbol = self.symbol(&entry, &name);
            let symbol = symbol.map(|symbol| Symbol { place, ..symbol });
            named.symbols.extend(symbol);
        }
        Ok(())
    }

    /// Returns the entries of a symbol table and the names that they refer to.
    fn table(&self, table: &SectionHeader) -> Result<(&[u8], Symtab<'_>)> {
        let entry_bytes = if self.context.container == Container::Big {
            24
        } else {
            16
        };
        let count = usize::try_from(table.sh_size / entry_bytes)?;
        if count == 0 || table.sh_type == SHT_NOBITS {
            return Ok((&[], Symtab::default()));
        }
        let names = self.names_of(table)?;
        Ok((
            names,
            Symtab::parse(
                self.bytes,
                usize::try_from(table.sh_offset)?,
                count,
                self.context,
            )?,
        ))
    }

    /// Returns the string table that a symbol table refers to.
    fn names_of(&self, table: &SectionHeader) -> Result<&[u8]> {
        let section = usize::try_from(table.sh_link)
            .ok()
            .and_then(|link| self.sections.get(link));
        let section = section
            .with_context(|| format!("there is no section {} for its names", table.sh_link))?;
        let range = section.sh_offset
            ..section
                .sh_offset
                .checked_add(section.sh_size)
                .context("its names have no end")?;
        let (start, end) = (usize::try_from(range.start)?, usize::try_from(range.end)?);
        self.bytes
            .get(start..end)
            .with_context(|| format!("its names at byte {:#x} are cut off", range.start))
    }

    /// Returns a symbol that names an address; none for symbols that only linkers and debuggers
    /// use.
    fn symbol(&self, entry: &Sym, raw: &str) -> Option<Symbol> {
        if is_mapping_symbol(raw) {
            return None;
        }
        let home = SymbolLocation::of(entry, self.sections)?;
        let kind = self.kind(entry, &home)?;
        let value = match kind {
            // A bit of the address may select the instruction set.
            SymbolKind::Function => self
                .set
                .map_or(entry.st_value, |set| set.code_address(entry.st_value)),
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

    fn stub_symbol(&self, range: &Range<u64>, target: &str) -> Symbol {
        Symbol {
            names: SymbolNames::new(&format!("{target}@plt")),
            address: Address(range.start.wrapping_add(self.offset)),
            size_bytes: range.end - range.start,
            kind: SymbolKind::Function,
            place: usize::MAX,
            binding: Binding::Local,
            last: Some(Address((range.end - 1).wrapping_add(self.offset))),
        }
    }

    fn kind(&self, entry: &Sym, home: &SymbolLocation) -> Option<SymbolKind> {
        match entry.st_type() {
            STT_FUNC | STT_GNU_IFUNC => Some(SymbolKind::Function),
            STT_OBJECT => Some(SymbolKind::Object),
            STT_NOTYPE if home.is_code() => Some(SymbolKind::CodeLabel),
            STT_NOTYPE => Some(SymbolKind::Label),
            other if self.set.is_some_and(|set| set.is_elf_function(other)) => {
                Some(SymbolKind::Function)
            }
            _ => None,
        }
    }
}

/// Section of a symbol.
enum SymbolLocation {
    /// In no section: a number that the linker made up, or a fixed address.
    Absolute,
    /// In a section whose index does not fit into the field; its bounds are not looked up.
    Unknown,
    /// In a loaded section.
    Section { is_code: bool, end: u64 },
}

impl SymbolLocation {
    /// Returns none if the symbol has no address: imported, common, or in a section that is not
    /// loaded.
    fn of(entry: &Sym, sections: &[SectionHeader]) -> Option<Self> {
        match u32::try_from(entry.st_shndx).ok()? {
            SHN_UNDEF | SHN_COMMON => None,
            SHN_ABS => Some(Self::Absolute),
            number if number >= SHN_LORESERVE => Some(Self::Unknown),
            _ => {
                let section = sections.get(entry.st_shndx)?;
                let has = |flag: u32| section.sh_flags & u64::from(flag) != 0;
                let end = section.sh_addr.saturating_add(section.sh_size);
                has(SHF_ALLOC).then(|| Self::Section {
                    is_code: has(SHF_EXECINSTR),
                    end,
                })
            }
        }
    }

    fn is_code(&self) -> bool {
        matches!(self, Self::Section { is_code: true, .. })
    }

    /// Returns the last byte of the symbol. A symbol without a size extends to the end of its
    /// section, since the next symbol is not known yet.
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

/// Returns the name at an offset of a string table, up to its zero byte; none if it is empty or
/// outside.
fn name_at(names: &[u8], place: usize) -> Option<&[u8]> {
    let rest = names.get(place..)?;
    rest.split(|byte| *byte == 0)
        .next()
        .filter(|name| !name.is_empty())
}

/// Returns true for `$x`, `$d`, `$t`, `$a`, also as `$d.realdata` or, on RISC-V, with the name of an
/// ISA, as `$xrv64i2p1`. These mapping symbols describe bytes for disassemblers ("ELF for the Arm
/// Architecture", "RISC-V ELF Specification").
fn is_mapping_symbol(name: &str) -> bool {
    let kind = name.split('.').next();
    matches!(kind, Some("$x" | "$d" | "$t" | "$a")) || name.starts_with("$xrv")
}

/// Reads the code of an image at its load addresses. Reads the whole file.
///
/// # Errors
/// It could not be read, or is no ELF file; the message names it.
pub fn program_file(spec: &ImageSpec) -> Result<ProgramFile> {
    let unusable = || format!("the image cannot be used: {:?}", spec.path);
    let read = || {
        // A pipe or a device may never end.
        ensure!(std::fs::metadata(&spec.path)?.is_file(), "not a file");
        read(&std::fs::read(&spec.path)?, spec.offset)
    };
    let content = read().with_context(unusable)?;
    let part = |segment: LoadedSegment| CodePart {
        address: segment.address.0,
        bytes: segment.bytes,
    };
    let code = content
        .segments
        .into_iter()
        .filter(|segment| segment.is_executable);
    let name = spec
        .path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    Ok(ProgramFile {
        name,
        entry: content.entry.map(|entry| entry.0),
        parts: code.map(part).collect(),
    })
}
