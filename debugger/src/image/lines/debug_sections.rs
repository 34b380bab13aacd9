//! Debug sections of an ELF file, read into memory. A mapped file that is rebuilt would crash the
//! program.

use std::fs::File;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use gimli::{Dwarf, RunTimeEndian, SectionId};
use stepback_parsers::ReadAt as _;

use super::file_sections::{FileSections, StoredSection, read_exactly};
use super::section::SectionReader;

/// Maximum total length of unpacked sections in bytes.
const UNPACKED_LIMIT: u64 = 1 << 30;
/// Maximum ratio of the total unpacked length to the file's. Compressed debug information has a
/// third to a tenth of its length; a far higher ratio is an attack.
const UNPACKED_RATIO: u64 = 64;

/// Sections with line information; the large ones about variables are omitted.
const WANTED: [SectionId; 10] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugAranges,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
];

/// Reads the sections with line information; none if the file has no lines.
pub fn read(path: &Path) -> Result<Option<Dwarf<SectionReader>>> {
    // A pipe or a device may never end.
    ensure!(std::fs::metadata(path)?.is_file(), "not a file");
    let file = File::open(path)?;
    let sections = FileSections::open(&file).context("not an object file that could be read")?;
    if sections.find(SectionId::DebugLine.name())?.is_none() {
        return Ok(None);
    }
    let endian = if sections.is_little_endian() {
        RunTimeEndian::Little
    } else {
        RunTimeEndian::Big
    };
    let mut budget = SectionBudget::of(&file)?;
    let mut content_of = |id: SectionId| match sections.find(id.name())? {
        Some(section) => content(&file, &section, &mut budget),
        None => Ok(Vec::new()),
    };
    let load = |id: SectionId| -> Result<SectionReader> {
        let is_wanted = WANTED.contains(&id);
        let bytes = if is_wanted {
            content_of(id)
        } else {
            Ok(Vec::new())
        };
        let bytes = bytes.with_context(|| format!("its section {} cannot be read", id.name()))?;
        Ok(SectionReader::new(bytes, endian))
    };
    Dwarf::load(load).map(Some)
}

/// Number of bytes that may still be read. A small file whose sections share their bytes must not
/// request all memory.
struct SectionBudget {
    /// Bytes as stored in the file.
    stored: u64,
    /// Unpacked bytes of compressed sections.
    unpacked: u64,
}

impl SectionBudget {
    fn of(file: &File) -> Result<Self> {
        let stored = file.length()?;
        Ok(Self {
            stored,
            unpacked: UNPACKED_LIMIT.min(stored.saturating_mul(UNPACKED_RATIO)),
        })
    }
}

fn spend(budget: &mut u64, bytes: u64) -> Result<()> {
    let rest = budget.checked_sub(bytes);
    *budget =
        rest.with_context(|| format!("it claims to be {bytes} bytes long, more than can be true"))?;
    Ok(())
}

fn content(file: &File, section: &StoredSection, budget: &mut SectionBudget) -> Result<Vec<u8>> {
    spend(&mut budget.stored, section.stored_bytes)?;
    if let Some(packing) = &section.packing {
        spend(&mut budget.unpacked, packing.unpacked_bytes)?;
    }
    let stored = read_exactly(file, section.offset, section.stored_bytes)?;
    match &section.packing {
        Some(packing) => packing.unpack(&stored),
        None => Ok(stored),
    }
}
