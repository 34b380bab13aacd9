//! Sections of an ELF file, read in place, since only a small part of a large file may be needed.

use std::fs::File;
use std::io::Read as _;

use anyhow::{Context as _, Result, bail, ensure};
use flate2::read::ZlibDecoder;
use goblin::container::Ctx;
use goblin::elf::compression_header::{CompressionHeader, ELFCOMPRESS_ZLIB, ELFCOMPRESS_ZSTD};
use goblin::elf::section_header::{SHF_COMPRESSED, SHN_XINDEX, SHT_NOBITS};
use goblin::elf::{Elf, SectionHeader};
use stepback_parsers::ReadAt as _;

/// Length of the file header in the wider of the two classes.
const HEADER_BYTES: u64 = 64;
/// Length of the header of a section in the GNU compression format that precedes ELF's: `ZLIB`,
/// then the unpacked length, high byte first (GNU binutils, `bfd/compress.c`).
const GNU_HEADER_BYTES: u64 = 12;

/// The sections of a file, by name.
pub struct FileSections<'a> {
    file: &'a File,
    headers: Vec<SectionHeader>,
    names: Vec<u8>,
    context: Ctx,
}

/// Location of a section's content in the file.
pub struct StoredSection {
    /// First byte, after the header of a compressed section.
    pub offset: u64,
    /// Length in the file.
    pub stored_bytes: u64,
    /// Compression, and the unpacked length that the file claims; none if it is not compressed.
    pub packing: Option<(Codec, u64)>,
}

/// Compression of a section.
#[derive(Clone, Copy)]
pub enum Codec {
    Zlib,
    Zstd,
}

impl<'a> FileSections<'a> {
    /// Reads the section headers and their names.
    ///
    /// # Errors
    /// The file is no ELF file, is cut off, or cannot be read.
    pub fn open(file: &'a File) -> Result<Self> {
        let header = Elf::parse_header(&read_at_most(file, 0, HEADER_BYTES)?)?;
        let context = Ctx::new(header.container()?, header.endianness()?);
        let sections = |count: u64| -> Result<Vec<SectionHeader>> {
            if header.e_shoff == 0 || count == 0 {
                return Ok(Vec::new());
            }
            // Include the byte before the table, since the reader takes a table at 0 for none.
            let len_bytes = count
                .saturating_mul(SectionHeader::size(context) as u64)
                .saturating_add(1);
            let table = read_exactly(file, header.e_shoff - 1, len_bytes)?;
            Ok(SectionHeader::parse(
                &table,
                1,
                usize::try_from(count)?,
                context,
            )?)
        };
        // If the field cannot count the sections, the first section does (System V gABI, "ELF
        // Header").
        let count = match header.e_shnum {
            0 => sections(1)?.first().map_or(0, |first| first.sh_size),
            count => count.into(),
        };
        let headers = sections(count)?;
        // It also has the index of the name table.
        let names = match (u32::from(header.e_shstrndx), headers.first()) {
            (SHN_XINDEX, Some(first)) => headers.get(usize::try_from(first.sh_link)?),
            _ => headers.get(usize::from(header.e_shstrndx)),
        };
        let names = match names {
            Some(table) => read_exactly(file, table.sh_offset, table.sh_size)?,
            None => Vec::new(),
        };
        Ok(Self {
            file,
            headers,
            names,
            context,
        })
    }

    pub fn is_little_endian(&self) -> bool {
        self.context.le.is_little()
    }

    /// Finds a section by its name, or by its name in the GNU compression format (`.zdebug_line`).
    ///
    /// # Errors
    /// Its headers are inconsistent.
    pub fn find(&self, name: &str) -> Result<Option<StoredSection>> {
        if let Some(header) = self.header(name.as_bytes()) {
            return self.stored(header).map(Some);
        }
        let old_name = name
            .strip_prefix(".debug_")
            .map(|rest| format!(".zdebug_{rest}"));
        let header = old_name.and_then(|name| self.header(name.as_bytes()));
        header.map(|header| self.gnu_stored(header)).transpose()
    }

    /// Returns the address of a section in memory; 0 if there is no such section.
    pub fn address_of(&self, name: &str) -> u64 {
        self.header(name.as_bytes())
            .map_or(0, |header| header.sh_addr)
    }

    fn header(&self, name: &[u8]) -> Option<&SectionHeader> {
        let name_of = |header: &SectionHeader| {
            self.names
                .get(header.sh_name..)?
                .split(|byte| *byte == 0)
                .next()
        };
        self.headers
            .iter()
            .find(|header| name_of(header) == Some(name))
    }

    fn stored(&self, header: &SectionHeader) -> Result<StoredSection> {
        let SectionHeader {
            sh_offset: offset,
            sh_size,
            ..
        } = *header;
        let stored_bytes = if header.sh_type == SHT_NOBITS {
            0
        } else {
            sh_size
        };
        if header.sh_flags & u64::from(SHF_COMPRESSED) == 0 {
            return Ok(StoredSection {
                offset,
                stored_bytes,
                packing: None,
            });
        }
        let header_bytes = CompressionHeader::size(self.context) as u64;
        let stated = CompressionHeader::parse(
            &read_exactly(self.file, offset, header_bytes)?,
            0,
            self.context,
        )?;
        let codec = match stated.ch_type {
            ELFCOMPRESS_ZLIB => Codec::Zlib,
            ELFCOMPRESS_ZSTD => Codec::Zstd,
            other => bail!("it is compressed in a way that is not known ({other})"),
        };
        after_header(
            StoredSection {
                offset,
                stored_bytes,
                packing: Some((codec, stated.ch_size)),
            },
            header_bytes,
        )
    }

    fn gnu_stored(&self, header: &SectionHeader) -> Result<StoredSection> {
        let head = read_exactly(self.file, header.sh_offset, GNU_HEADER_BYTES)?;
        let length = head
            .strip_prefix(b"ZLIB")
            .and_then(|length| <[u8; 8]>::try_from(length).ok());
        let unpacked_bytes = u64::from_be_bytes(length.context("its compression is not known")?);
        let packing = Some((Codec::Zlib, unpacked_bytes));
        let whole = StoredSection {
            offset: header.sh_offset,
            stored_bytes: header.sh_size,
            packing,
        };
        after_header(whole, GNU_HEADER_BYTES)
    }
}

fn after_header(whole: StoredSection, header_bytes: u64) -> Result<StoredSection> {
    let offset = whole
        .offset
        .checked_add(header_bytes)
        .context("it is cut off")?;
    let stored_bytes = whole
        .stored_bytes
        .checked_sub(header_bytes)
        .context("it is cut off")?;
    Ok(StoredSection {
        offset,
        stored_bytes,
        ..whole
    })
}

impl Codec {
    /// Unpacks the content of a section, which must have the length that the file claims.
    ///
    /// # Errors
    /// The content is damaged, or has another length.
    pub fn unpack(self, stored: &[u8], unpacked_bytes: u64) -> Result<Vec<u8>> {
        let mut unpacked = Vec::new();
        // Reading one byte more reveals a wrong claim, and bounds the memory.
        let limit = unpacked_bytes.saturating_add(1);
        match self {
            Codec::Zlib => ZlibDecoder::new(stored)
                .take(limit)
                .read_to_end(&mut unpacked)?,
            Codec::Zstd => zstd::Decoder::new(stored)?
                .take(limit)
                .read_to_end(&mut unpacked)?,
        };
        ensure!(
            unpacked.len() as u64 == unpacked_bytes,
            "its unpacked length is not what it claims"
        );
        Ok(unpacked)
    }
}

/// Reads bytes of a file, all of which must exist.
///
/// # Errors
/// The file is shorter, or cannot be read.
pub fn read_exactly(file: &File, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
    // Check before allocating: a damaged file may claim any length.
    let end = offset.checked_add(len_bytes).context("it is cut off")?;
    ensure!(end <= file.length()?, "it is cut off");
    let bytes = read_at_most(file, offset, len_bytes)?;
    ensure!(bytes.len() as u64 == len_bytes, "it is cut off");
    Ok(bytes)
}

fn read_at_most(file: &File, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(len_bytes)?];
    let count = file.read_at(offset, &mut bytes)?;
    bytes.truncate(count);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    const CONTENT: &[u8] = b"the same, the same, the same";

    fn zlib() -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(CONTENT).expect("in memory");
        encoder.finish().expect("in memory")
    }

    /// Writes a 64-bit little-endian file with one section and the name table.
    fn image(name: &str, flags: u64, content: &[u8]) -> File {
        let names = [b"\0".as_slice(), name.as_bytes(), b"\0.names\0"].concat();
        let header = |name: usize, kind: u32, flags: u64, offset: usize, len: usize| {
            let mut bytes = (name as u32).to_le_bytes().to_vec();
            bytes.extend(kind.to_le_bytes());
            for field in [flags, 0, offset as u64, len as u64, 0, 0, 0] {
                bytes.extend(field.to_le_bytes());
            }
            bytes
        };
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(64, 0);
        let table = 64 + content.len() + names.len();
        bytes[40..48].copy_from_slice(&(table as u64).to_le_bytes());
        bytes[58] = 64;
        bytes[60] = 3;
        bytes[62] = 2;
        bytes.extend(content);
        bytes.extend(&names);
        bytes.extend([0; 64]);
        bytes.extend(header(1, 1, flags, 64, content.len()));
        bytes.extend(header(
            name.len() + 2,
            3,
            0,
            64 + content.len(),
            names.len(),
        ));
        let mut file = tempfile::tempfile().expect("a place for it");
        file.write_all(&bytes).expect("written");
        file
    }

    #[track_caller]
    fn check(file: &File, expected: &[u8]) {
        let sections = FileSections::open(file).expect("an ELF file");
        let section = sections.find(".debug_line").expect("known").expect("there");
        let stored = read_exactly(file, section.offset, section.stored_bytes).expect("whole");
        let content = section.packing.map_or_else(
            || Ok(stored.clone()),
            |(codec, unpacked)| codec.unpack(&stored, unpacked),
        );
        assert_eq!(content.expect("unpacked"), expected);
    }

    fn compressed(kind: u32, content: &[u8]) -> Vec<u8> {
        let mut bytes = [kind.to_le_bytes(), [0; 4]].concat();
        bytes.extend((CONTENT.len() as u64).to_le_bytes());
        bytes.extend(1_u64.to_le_bytes());
        bytes.extend(content);
        bytes
    }

    #[test]
    fn sections_are_found_however_they_are_compressed() {
        check(&image(".debug_line", 0, CONTENT), CONTENT);
        let flags = u64::from(SHF_COMPRESSED);
        check(
            &image(".debug_line", flags, &compressed(ELFCOMPRESS_ZLIB, &zlib())),
            CONTENT,
        );
        let zstd = zstd::encode_all(CONTENT, 1).expect("in memory");
        check(
            &image(".debug_line", flags, &compressed(ELFCOMPRESS_ZSTD, &zstd)),
            CONTENT,
        );
        let old = [
            b"ZLIB".as_slice(),
            &(CONTENT.len() as u64).to_be_bytes(),
            &zlib(),
        ]
        .concat();
        check(&image(".zdebug_line", 0, &old), CONTENT);
    }

    #[test]
    fn claims_that_cannot_be_true_are_refused() {
        let flags = u64::from(SHF_COMPRESSED);
        let find = |file: &File| {
            FileSections::open(file).and_then(|sections| sections.find(".debug_line"))
        };
        assert!(find(&image(".debug_line", flags, b"short")).is_err());
        assert!(find(&image(".debug_line", flags, &compressed(7, &zlib()))).is_err());
        assert!(find(&image(".zdebug_line", 0, b"GZIP12345678")).is_err());
        assert!(
            find(&image(".text", 0, b""))
                .expect("an ELF file")
                .is_none()
        );
        let too_short = CONTENT.len() as u64 - 1;
        assert!(Codec::Zlib.unpack(&zlib(), too_short).is_err());
    }
}
