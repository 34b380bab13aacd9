//! Members of a zip archive, in order.

use std::io::BufReader;

use zip::ZipArchive;

use crate::drmemtrace::container::member::ZipMember;
use crate::drmemtrace::container::range::FileRangeReader;
use crate::drmemtrace::container::zip_walk::ZipWalk;

/// Iterates over the members of an archive.
pub enum ZipMembers {
    /// Members from the directory at the end.
    /// Each is located on its turn: often the first one is enough.
    Listed(
        Box<ZipArchive<BufReader<FileRangeReader>>>,
        std::ops::Range<usize>,
    ),
    /// Members from the local headers, because the directory is missing or unusable.
    Walked(Box<ZipWalk>),
}

impl ZipMembers {
    /// Returns the members of an archive, and the reason if the directory cannot be used.
    pub fn of(file: &FileRangeReader) -> (Self, Option<String>) {
        let why = match ZipArchive::new(BufReader::new(file.clone())) {
            // The library leaves out all members of one name but the last.
            Ok(archive) if archive.has_duplicate_names() => "members share a name".to_owned(),
            Ok(archive) => {
                let numbers = 0..archive.len();
                return (Self::Listed(Box::new(archive), numbers), None);
            }
            Err(error) => error.to_string(),
        };
        (Self::Walked(Box::new(ZipWalk::new(file))), Some(why))
    }

    /// Returns the next member, or the reason that it cannot be read; `None` at the end.
    pub fn next(&mut self) -> Option<Result<ZipMember, String>> {
        match self {
            Self::Listed(archive, numbers) => numbers.next().map(|number| listed(archive, number)),
            Self::Walked(walk) => walk.next().map(Ok),
        }
    }

    /// Sets the end of a member, from which the next one is searched.
    pub fn set_end(&mut self, end: u64) {
        if let Self::Walked(walk) = self {
            walk.set_end(end);
        }
    }
}

/// Returns a member as the directory describes it.
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
