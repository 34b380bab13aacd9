//! The debug sections of an ELF file, as bytes of our own: a file that is built anew while it is mapped
//! would end the program.

use std::fs::File;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use gimli::{Dwarf, RunTimeEndian, SectionId};
use object::read::ReadCache;
use object::{CompressedData, CompressedFileRange, CompressionFormat, Object as _, ObjectSection as _};
use stepback_parsers::ReadAt as _;

use super::section::SectionReader;

/// Compressed sections that claim to be larger than this together are not read.
const UNPACKED_LIMIT: u64 = 1 << 30;
/// Compressed debug information is a third to a tenth of its length; far more together is an attack.
const UNPACKED_RATIO: u64 = 64;

/// Those that say where a line is; the large ones about variables are left out.
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

/// Reads the sections that are about lines; none when the file has no lines.
pub fn read(path: &Path) -> Result<Option<Dwarf<SectionReader>>> {
    // A pipe or a device may never end.
    ensure!(std::fs::metadata(path)?.is_file(), "not a file");
    let file = File::open(path)?;
    let cache = ReadCache::new(file.try_clone()?);
    let object = object::File::parse(&cache).context("not an object file that could be read")?;
    if object.section_by_name(SectionId::DebugLine.name()).is_none() {
        return Ok(None);
    }
    let endian = if object.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let mut budget = Budget::of(&file)?;
    let load = |id: SectionId| -> Result<SectionReader> {
        let wanted = WANTED.contains(&id).then(|| object.section_by_name(id.name())).flatten();
        let bytes = match wanted {
            Some(section) => content(&file, section.compressed_file_range()?, &mut budget)
                .with_context(|| format!("its section {} cannot be read", id.name()))?,
            None => Vec::new(),
        };
        Ok(SectionReader::new(bytes, endian))
    };
    Dwarf::load(load).map(Some)
}

/// Bytes that may still be read. A small file whose sections share their bytes must not ask for all of the memory.
struct Budget {
    /// As they are in the file.
    stored: u64,
    /// Of compressed sections.
    unpacked: u64,
}

impl Budget {
    fn of(file: &File) -> Result<Self> {
        let stored = file.length()?;
        Ok(Self { stored, unpacked: UNPACKED_LIMIT.min(stored.saturating_mul(UNPACKED_RATIO)) })
    }
}

fn spend(budget: &mut u64, bytes: u64) -> Result<()> {
    let rest = budget.checked_sub(bytes);
    *budget = rest.with_context(|| format!("it claims to be {bytes} bytes long, more than can be true"))?;
    Ok(())
}

fn content(file: &File, range: CompressedFileRange, budget: &mut Budget) -> Result<Vec<u8>> {
    let CompressedFileRange { format, offset, compressed_size, uncompressed_size } = range;
    let end = offset.checked_add(compressed_size);
    ensure!(end.is_some_and(|end| file.length().is_ok_and(|length| end <= length)), "it is cut off");
    spend(&mut budget.stored, compressed_size)?;
    let is_packed = format != CompressionFormat::None;
    if is_packed {
        spend(&mut budget.unpacked, uncompressed_size)?;
    }
    let mut data = vec![0; usize::try_from(compressed_size)?];
    if file.read_at(offset, &mut data)? != data.len() {
        bail!("it is cut off");
    }
    if !is_packed {
        return Ok(data);
    }
    let unpacked = CompressedData { format, data: &data, uncompressed_size }.decompress()?;
    Ok(unpacked.into_owned())
}
