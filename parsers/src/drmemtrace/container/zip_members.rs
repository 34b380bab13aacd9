//! The members of a zip archive in order.

use std::io::BufReader;

use zip::ZipArchive;

use crate::drmemtrace::container::member::ZipMember;
use crate::drmemtrace::container::range::FileRangeReader;
use crate::drmemtrace::container::zip_walk::ZipWalk;

/// Finds one member after the other.
pub enum ZipMembers {
    /// By the directory at the end.
    /// Each is looked at when its turn comes: often the first one is enough.
    Listed(
        Box<ZipArchive<BufReader<FileRangeReader>>>,
        std::ops::Range<usize>,
    ),
    /// The directory is missing or of no use: by the headers before the members.
    Walked(Box<ZipWalk>),
}

impl ZipMembers {
    /// The members of an archive, and why they could not be listed if that is so.
    pub fn of(file: &FileRangeReader) -> (Self, Option<String>) {
        let why = match ZipArchive::new(BufReader::new(file.clone())) {
            // The library would leave out all of one name but the last.
            Ok(archive) if archive.has_duplicate_names() => "members share a name".to_owned(),
            Ok(archive) => {
                let numbers = 0..archive.len();
                return (Self::Listed(Box::new(archive), numbers), None);
            }
            Err(error) => error.to_string(),
        };
        (Self::Walked(Box::new(ZipWalk::new(file))), Some(why))
    }

    /// The next member, or why it cannot be read; none at the end.
    pub fn next(&mut self) -> Option<Result<ZipMember, String>> {
        match self {
            Self::Listed(archive, numbers) => numbers.next().map(|number| listed(archive, number)),
            Self::Walked(walk) => walk.next().map(Ok),
        }
    }

    /// Says where a member ended, so that the next one is looked for from there.
    pub fn set_end(&mut self, end: u64) {
        if let Self::Walked(walk) = self {
            walk.set_end(end);
        }
    }
}

/// What the directory says of a member.
fn listed(
    archive: &mut ZipArchive<BufReader<FileRangeReader>>,
    number: usize,
) -> Result<ZipMember, String> {
    let file = archive
        .by_index_raw(number)
        .map_err(|error| error.to_string())?;
    let name = String::from_utf8_lossy(file.name_raw());
    if file.encrypted() {
        return Err(format!("{name} is encrypted: unpack it first (unzip)"));
    }
    #[expect(
        deprecated,
        reason = "the only name of deflate in a crate that does not unpack it itself"
    )]
    let method = file.compression().to_u16();
    Ok(ZipMember {
        name: name.into(),
        method,
        start: file.data_start().ok_or("its header is damaged")?,
        packed_bytes: Some(file.compressed_size()),
        sum: Some((file.crc32(), file.size())),
    })
}
