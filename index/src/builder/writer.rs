//! Writes an index part by part, with a checksum for each ([`IndexWriter`]). An [`AssembledIndex`]
//! is complete except for the memory writes of the host: these are found by queries on it, and then
//! its directory is written again.

use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::builder::catalogue::Catalogue;
use crate::builder::semihosting::call::HOST_CALLS_LEFT_OUT;
use crate::builder::semihosting::pass::HostWrites;
use crate::store::contents::Contents;
use crate::store::data::{Extent, HEADER_LEN, IndexData};
use crate::store::layout::{encode_part, header};
use crate::store::output::IndexOutput;
use crate::store::regions::open_calls::UnresolvedCalls;

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
    pub fn append_all(
        &mut self,
        pieces: impl Iterator<Item = std::io::Result<Vec<u8>>>,
    ) -> std::io::Result<Extent> {
        let (offset, mut hash, mut buffer) = (self.len, Xxh3::new(), Vec::with_capacity(PIECES));
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

/// A written index.
#[derive(Debug)]
pub struct AssembledIndex<O> {
    pub(super) writer: IndexWriter<O>,
    pub(super) catalogue: Catalogue,
    /// Slots of semihosting calls.
    pub(super) host_calls: Vec<u64>,
}

impl<O: IndexOutput> AssembledIndex<O> {
    /// Returns the slots of semihosting calls that may have let the host write into memory.
    pub fn host_calls(&self) -> &[u64] {
        &self.host_calls
    }

    /// Returns the written bytes.
    pub fn read_back(&mut self) -> std::io::Result<Arc<IndexData>> {
        self.writer.output.read_back()
    }

    /// Adds the host's writes. The directory is written again, after the first one.
    pub fn add_host_writes(&mut self, writes: HostWrites) -> std::io::Result<()> {
        let HostWrites {
            regions,
            open,
            explained,
            is_cut_short,
        } = writes;
        let contents = &mut self.catalogue.contents;
        contents.host_regions = self.writer.append(&regions.encode())?;
        contents.open_calls = self.writer.append(&open.encode())?;
        for (segment, (explained, reads)) in explained {
            let Some(meta) = contents.segments.get_mut(segment) else {
                continue;
            };
            meta.explained = explained;
            meta.externals = meta.externals.saturating_sub(reads);
            contents.externals = contents.externals.saturating_sub(reads);
        }
        if is_cut_short {
            self.catalogue.complain(0, HOST_CALLS_LEFT_OUT.to_owned());
        }
        self.writer.write_directory(&self.catalogue.contents)
    }

    /// Records the regions written by the host as unknown for all calls.
    pub fn leave_open(&mut self) -> std::io::Result<()> {
        let open = UnresolvedCalls::of(self.host_calls.clone());
        self.catalogue.contents.open_calls = self.writer.append(&open.encode())?;
        self.writer.write_directory(&self.catalogue.contents)
    }

    /// Returns the output and its length in bytes.
    pub fn into_output(self) -> (O, u64) {
        (self.writer.output, self.writer.len)
    }
}
