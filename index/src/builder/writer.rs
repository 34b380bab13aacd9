//! Writes an index part by part.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::store::contents::Contents;
use crate::store::data::HEADER_LEN;
use crate::store::encoded::encode_part;
use crate::store::extent::Extent;
use crate::store::layout::header;
use crate::store::output::IndexOutput;

/// Number of bytes up to which small pieces are gathered.
const PIECES: usize = 64 << 10;

/// Writer of an index with its length.
#[derive(Debug)]
pub struct IndexWriter<O> {
    /// Destination of the bytes.
    pub output: O,
    /// Number of bytes written.
    pub len: u64,
}

impl<O: IndexOutput> IndexWriter<O> {
    /// Creates a writer with room for the header only.
    pub fn new(mut output: O) -> std::io::Result<Self> {
        output.append(&[0; HEADER_LEN])?;
        Ok(Self {
            output,
            len: HEADER_LEN as u64,
        })
    }

    /// Appends bytes.
    pub fn append(&mut self, bytes: &[u8]) -> std::io::Result<Extent> {
        let extent = Extent {
            offset: self.len,
            len: bytes.len() as u64,
            checksum: xxh3_64(bytes),
        };
        self.output.append(bytes)?;
        self.len += extent.len;
        Ok(extent)
    }

    /// Appends small pieces.
    pub fn append_all<const N: usize>(
        &mut self,
        pieces: impl Iterator<Item = std::io::Result<[u8; N]>>,
    ) -> std::io::Result<Extent> {
        let (offset, mut hash, mut buffer) =
            (self.len, Xxh3::new(), Vec::with_capacity(PIECES + N));
        let mut write = |buffer: &mut Vec<u8>| {
            hash.update(buffer);
            self.len += buffer.len() as u64;
            self.output.append(buffer)?;
            buffer.clear();
            Ok::<_, std::io::Error>(())
        };
        for piece in pieces {
            buffer.extend_from_slice(&piece?);
            if buffer.len() >= PIECES {
                write(&mut buffer)?;
            }
        }
        write(&mut buffer)?;
        Ok(Extent {
            offset,
            len: self.len - offset,
            checksum: hash.digest(),
        })
    }

    /// Appends the directory and writes the header that refers to it.
    pub fn write_directory(&mut self, contents: &Contents) -> std::io::Result<()> {
        let bytes = encode_part(contents).map_err(std::io::Error::other)?;
        let directory = self.append(&bytes)?;
        self.output.write_header(&header(directory, self.len))
    }
}
