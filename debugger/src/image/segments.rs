//! What a loader puts into memory from an ELF file.

use std::sync::Arc;

use anyhow::{Result, anyhow, ensure};
use goblin::elf::SectionHeader;
use goblin::elf::program_header::{PF_W, PF_X, ProgramHeader};
use goblin::elf::section_header::{SHF_ALLOC, SHF_TLS, SHT_NOBITS, SHT_NOTE};
use stepback_machine::Address;

use super::header_tables::HeaderTables;

/// Segments may share bytes of the file; far more of them than the file has are as suspicious.
const SEGMENT_SHARING_LIMIT: usize = 4;

/// A part of memory that an image fills.
#[derive(Clone, Debug)]
pub struct LoadedSegment {
    /// The address at which the program uses it.
    pub address: Address,
    /// The address to which a programmer or boot loader copies it (`p_paddr`); mostly the same.
    pub load_address: Address,
    /// Its content; zeros follow up to the length.
    pub bytes: Arc<[u8]>,
    /// Length in all.
    pub len_bytes: u64,
    /// True when the program may change it: a loader may have done so, too, before the first instruction.
    pub is_writable: bool,
    /// True for code.
    pub is_executable: bool,
}

impl LoadedSegment {
    /// Whether an address of the program is in it.
    pub fn has(&self, address: Address) -> bool {
        address.0.wrapping_sub(self.address.0) < self.len_bytes
    }

    /// The address of its last byte that the file holds; none where it holds none.
    pub fn last_in_file(&self) -> Option<u64> {
        let rest = (self.bytes.len() as u64).checked_sub(1)?;
        self.address.0.checked_add(rest)
    }
}

/// The segments of a file that was loaded `offset` bytes above its own addresses, in the order of the file.
/// A segment without bytes in the file may state any place for them, also one after the end of the file.
/// Of a segment that the file ends in, only what is there is loaded: the rest is unknown, not zero.
///
/// # Errors
/// Nothing of any segment is there, the table of sections is missing as well as bytes of segments, or segments share their bytes beyond reason.
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
        // With its table of sections cut off, too, hardly anything of the file is left.
        problems
            .first()
            .map_or(Ok(()), |problem| Err(anyhow!("{problem}")))?;
        problems.push(format!("{sentence}: what is missing is unknown"));
    }
    Ok(tables
        .loads
        .iter()
        .map(|segment| loaded(bytes, segment, offset))
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
        is_executable: segment.p_flags & PF_X != 0,
    }
}

/// Bytes that a segment has in the file.
fn file_len(segment: &ProgramHeader) -> usize {
    usize::try_from(segment.p_filesz.min(segment.p_memsz)).unwrap_or(usize::MAX)
}

/// The bytes of a segment that the file has.
fn content<'a>(bytes: &'a [u8], segment: &ProgramHeader) -> &'a [u8] {
    let from = usize::try_from(segment.p_offset)
        .ok()
        .and_then(|start| bytes.get(start..))
        .unwrap_or_default();
    from.get(..file_len(segment).min(from.len()))
        .unwrap_or_default()
}

/// True for a file that was split off from its program: everything that is loaded is left out of it but for notes.
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
