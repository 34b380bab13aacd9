//! Destinations for the bytes of an index during a build.

use std::fs::File;
use std::io::{BufWriter, Seek as _, SeekFrom, Write as _};
use std::sync::Arc;

use crate::store::data::{HEADER_LEN, IndexData};

/// Destination for the bytes of an index.
pub trait IndexOutput {
    /// Appends bytes.
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()>;
    /// Overwrites the first bytes.
    fn write_header(&mut self, header: &[u8; HEADER_LEN]) -> std::io::Result<()>;
    /// Returns all bytes written until now. The result must be dropped before more is written.
    fn read_back(&mut self) -> std::io::Result<Arc<IndexData>>;
    /// Returns all bytes written until now, for use while more is written.
    fn so_far(&mut self) -> std::io::Result<Arc<IndexData>>;
}

impl IndexOutput for BufWriter<File> {
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.write_all(bytes)
    }

    fn write_header(&mut self, header: &[u8; HEADER_LEN]) -> std::io::Result<()> {
        self.seek(SeekFrom::Start(0))?;
        self.write_all(header)?;
        self.seek(SeekFrom::End(0)).map(|_| ())
    }

    fn read_back(&mut self) -> std::io::Result<Arc<IndexData>> {
        self.flush()?;
        // Only this builder writes the file, and only after the mapped part.
        IndexData::map(self.get_ref()).map(Arc::new)
    }

    fn so_far(&mut self) -> std::io::Result<Arc<IndexData>> {
        self.read_back()
    }
}

/// An index in memory: reading back shares the buffer without copying it.
impl IndexOutput for Arc<IndexData> {
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        memory_of(self)?.extend_from_slice(bytes);
        Ok(())
    }

    fn write_header(&mut self, header: &[u8; HEADER_LEN]) -> std::io::Result<()> {
        let start = memory_of(self)?.first_chunk_mut();
        *start.ok_or(std::io::ErrorKind::UnexpectedEof)? = *header;
        Ok(())
    }

    fn read_back(&mut self) -> std::io::Result<Arc<IndexData>> {
        Ok(Self::clone(self))
    }

    fn so_far(&mut self) -> std::io::Result<Arc<IndexData>> {
        Ok(Self::new(IndexData::Memory(memory_of(self)?.clone())))
    }
}

fn memory_of(data: &mut Arc<IndexData>) -> std::io::Result<&mut Vec<u8>> {
    match Arc::get_mut(data) {
        Some(IndexData::Memory(bytes)) => Ok(bytes),
        _ => Err(std::io::ErrorKind::ResourceBusy.into()),
    }
}

/// Output for the parts after the segments of a growing index. They are written separately, after a
/// header.
#[derive(Debug)]
pub struct TrailerOutput<O> {
    segments: Arc<IndexData>,
    len: usize,
    rest: O,
}

impl<O: IndexOutput> TrailerOutput<O> {
    /// Creates the output for the parts after the first `len` bytes of `segments`. `rest` must be
    /// empty.
    pub fn new(segments: Arc<IndexData>, len: usize, mut rest: O) -> std::io::Result<Self> {
        rest.append(&[0; HEADER_LEN])?;
        Ok(Self {
            segments,
            len,
            rest,
        })
    }

    fn joined(&self, rest: Arc<IndexData>) -> Arc<IndexData> {
        Arc::new(IndexData::Joined {
            segments: Arc::clone(&self.segments),
            len: self.len,
            rest,
        })
    }
}

impl<O: IndexOutput> IndexOutput for TrailerOutput<O> {
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.rest.append(bytes)
    }

    fn write_header(&mut self, header: &[u8; HEADER_LEN]) -> std::io::Result<()> {
        self.rest.write_header(header)
    }

    fn read_back(&mut self) -> std::io::Result<Arc<IndexData>> {
        let rest = self.rest.read_back()?;
        Ok(self.joined(rest))
    }

    fn so_far(&mut self) -> std::io::Result<Arc<IndexData>> {
        let rest = self.rest.so_far()?;
        Ok(self.joined(rest))
    }
}
