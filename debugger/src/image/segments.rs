//! Memory that a loader initialises from an ELF file, and the address ranges that images occupy.
//!
//! Segments may share bytes of the file and may exceed a truncated one. Bytes that the file lacks
//! are unknown, not zero.

use std::ops::Range;
use std::sync::Arc;

use anyhow::{Result, anyhow, ensure};
use goblin::elf::SectionHeader;
use goblin::elf::program_header::{PF_W, PF_X, ProgramHeader};
use goblin::elf::section_header::{SHF_ALLOC, SHF_TLS, SHF_WRITE, SHT_NOBITS, SHT_NOTE};
use stepback_machine::Address;

use crate::image::header_tables::HeaderTables;

/// Maximum ratio of the segments' total length to the file's. Segments may share bytes of the file,
/// but a far higher ratio is suspicious.
const SEGMENT_SHARING_LIMIT: usize = 4;

/// A memory range that an image initialises.
#[derive(Clone, Debug)]
pub struct LoadedSegment {
    /// Run address, at which the program uses it.
    pub address: Address,
    /// Load address, to which a programmer or boot loader copies it (`p_paddr`); usually equal to
    /// the run address.
    pub load_address: Address,
    /// Content; zeros follow up to the length.
    pub bytes: Arc<[u8]>,
    /// Total length in bytes.
    pub len_bytes: u64,
    /// The program may write to it: a loader may also have done so before the first instruction.
    pub is_writable: bool,
    /// Parts of a writable segment that the program does not write, at run addresses: its sections
    /// without that flag. A linker may place code and data in one segment.
    pub constant: Vec<Range<u64>>,
    /// True for code.
    pub is_executable: bool,
}

impl LoadedSegment {
    /// Returns true if the segment contains a run address.
    pub fn has(&self, address: Address) -> bool {
        address.0.wrapping_sub(self.address.0) < self.len_bytes
    }

    /// Returns the address of its last byte that is in the file; none if the file has none.
    pub fn last_in_file(&self) -> Option<u64> {
        let rest = (self.bytes.len() as u64).checked_sub(1)?;
        self.address.0.checked_add(rest)
    }
}

/// Reads the segments of a file that was loaded `offset` bytes above its own addresses, in file
/// order. A segment without bytes in the file may state any offset for them, also one after the end
/// of the file. Of a truncated segment only the existing bytes are loaded: the rest is unknown, not
/// zero.
///
/// # Errors
/// No segment has any bytes, the section table is missing as well as bytes of segments, or segments
/// share their bytes beyond reason.
pub fn of_file(
    bytes: &[u8],
    tables: &HeaderTables,
    offset: u64,
    problems: &mut Vec<String>,
) -> Result<Vec<LoadedSegment>> {
    if has_debug_information_only(&tables.sections) {
        // It has the segments of the program that it was split from, but not their bytes.
        return Ok(Vec::new());
    }
    let in_all = tables.loads.iter().fold(0usize, |sum, segment| {
        sum.saturating_add(content(bytes, segment).len())
    });
    let is_bounded = in_all <= SEGMENT_SHARING_LIMIT.saturating_mul(bytes.len());
    ensure!(is_bounded, "its segments overlap beyond reason");
    if let Some(cut) = tables
        .loads
        .iter()
        .find(|segment| content(bytes, segment).len() < file_len(segment))
    {
        let sentence = format!("the bytes of its segment at {:#x} are cut off", cut.p_vaddr);
        ensure!(in_all > 0, "{sentence}");
        // If its section table is cut off too, hardly anything of the file is left.
        problems
            .first()
            .map_or(Ok(()), |problem| Err(anyhow!("{problem}")))?;
        problems.push(format!("{sentence}: what is missing is unknown"));
    }
    Ok(tables
        .loads
        .iter()
        .map(|segment| LoadedSegment {
            constant: constant_parts(&tables.sections, segment, offset),
            ..loaded(bytes, segment, offset)
        })
        .collect())
}

fn loaded(bytes: &[u8], segment: &ProgramHeader, offset: u64) -> LoadedSegment {
    let content = content(bytes, segment);
    let is_whole = content.len() == file_len(segment);
    LoadedSegment {
        address: Address(segment.p_vaddr.wrapping_add(offset)),
        load_address: Address(segment.p_paddr.wrapping_add(offset)),
        bytes: content.into(),
        len_bytes: if is_whole {
            segment.p_memsz
        } else {
            content.len() as u64
        },
        is_writable: segment.p_flags & PF_W != 0,
        constant: Vec::new(),
        is_executable: segment.p_flags & PF_X != 0,
    }
}

/// Returns the sections in a writable segment that the program does not write.
fn constant_parts(
    sections: &[SectionHeader],
    segment: &ProgramHeader,
    offset: u64,
) -> Vec<Range<u64>> {
    let has = |section: &SectionHeader, flag: u32| section.sh_flags & u64::from(flag) != 0;
    let is_constant = |section: &&SectionHeader| {
        has(section, SHF_ALLOC) && !has(section, SHF_WRITE) && section.sh_type != SHT_NOBITS
    };
    let end = segment.p_vaddr.saturating_add(segment.p_filesz);
    let part = |section: &SectionHeader| {
        let last = section.sh_addr.saturating_add(section.sh_size);
        let (start, end) = (section.sh_addr.max(segment.p_vaddr), last.min(end));
        let moved = start.wrapping_add(offset)..end.wrapping_add(offset);
        (start < end && moved.start < moved.end).then_some(moved)
    };
    let constant = sections.iter().filter(is_constant);
    let is_writable = segment.p_flags & PF_W != 0;
    constant.filter(|_| is_writable).filter_map(part).collect()
}

/// Returns the number of bytes that a segment should have in the file.
fn file_len(segment: &ProgramHeader) -> usize {
    usize::try_from(segment.p_filesz.min(segment.p_memsz)).unwrap_or(usize::MAX)
}

/// Returns the existing bytes of a segment.
fn content<'a>(bytes: &'a [u8], segment: &ProgramHeader) -> &'a [u8] {
    let from = usize::try_from(segment.p_offset)
        .ok()
        .and_then(|start| bytes.get(start..))
        .unwrap_or_default();
    from.get(..file_len(segment).min(from.len()))
        .unwrap_or_default()
}

/// Returns true for a debug file that was split off: everything that is loaded is omitted, except
/// notes.
fn has_debug_information_only(sections: &[SectionHeader]) -> bool {
    let has = |section: &SectionHeader, flag: u32| section.sh_flags & u64::from(flag) != 0;
    let is_loaded = |section: &&SectionHeader| {
        section.sh_size > 0
            && has(section, SHF_ALLOC)
            && !has(section, SHF_TLS)
            && section.sh_type != SHT_NOTE
    };
    let mut loaded = sections.iter().filter(is_loaded).peekable();
    loaded.peek().is_some() && loaded.all(|section| section.sh_type == SHT_NOBITS)
}

/// A memory range that an image occupies, or a module whose file is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedRange {
    pub first: Address,
    /// Length in bytes; never 0.
    pub len_bytes: u64,
    /// The program may write to it.
    pub is_writable: bool,
    pub is_executable: bool,
    /// Its bytes are available. Of a missing file, neither the bytes nor the permissions are known.
    pub is_loaded: bool,
    /// File name.
    pub file: Box<str>,
    /// Lowest address of the file in memory.
    pub base: Address,
}

impl MappedRange {
    /// Returns true if it contains an address.
    pub fn contains(&self, address: Address) -> bool {
        address.0.wrapping_sub(self.first.0) < self.len_bytes
    }

    /// Returns the address of its last byte.
    pub fn last(&self) -> u64 {
        self.first
            .0
            .saturating_add(self.len_bytes.saturating_sub(1))
    }

    /// Returns the permissions as `r-x` or `rw-`; empty if they are unknown.
    pub fn rights(&self) -> &'static str {
        match (self.is_writable, self.is_executable) {
            _ if !self.is_loaded => "",
            (true, true) => "rwx",
            (true, false) => "rw-",
            (false, true) => "r-x",
            (false, false) => "r--",
        }
    }
}
