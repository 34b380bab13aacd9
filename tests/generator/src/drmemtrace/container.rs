//! Containers for the records of a file.

#![expect(clippy::expect_used, reason = "a test that panics fails")]

use std::io::{Cursor, Write as _};

use flate2::write::GzEncoder;
use lz4_flex::frame::{BlockMode, FrameEncoder, FrameInfo};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::Records;

/// A container format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// An archive of deflated chunks.
    Zip,
    /// An archive of stored chunks.
    ZipStored,
    /// A gzip member for each chunk.
    Gzip,
    /// An LZ4 frame of linked blocks for each chunk.
    Lz4,
    /// Snappy's framing format.
    Snappy,
    /// Snappy's framing format with chunks without checksums, which only drmemtrace writes.
    SnappyUnchecked,
    /// A zstd frame, which users produce although drmemtrace does not.
    Zstd,
    /// No container.
    Plain,
}

impl Container {
    /// All containers.
    pub const ALL: [Self; 8] = [
        Self::Zip,
        Self::ZipStored,
        Self::Gzip,
        Self::Lz4,
        Self::Snappy,
        Self::SnappyUnchecked,
        Self::Zstd,
        Self::Plain,
    ];

    /// Returns the extension of file names.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Zip | Self::ZipStored => "trace.zip",
            Self::Gzip => "trace.gz",
            Self::Lz4 => "trace.lz4",
            Self::Snappy | Self::SnappyUnchecked => "trace.sz",
            Self::Zstd => "trace.zst",
            Self::Plain => "trace",
        }
    }
}

impl Records {
    /// Packs the records into the bytes of a file.
    pub fn pack(&self, container: Container) -> Vec<u8> {
        let each =
            |pack: fn(&[u8]) -> Vec<u8>| self.chunks.iter().flat_map(|chunk| pack(chunk)).collect();
        match container {
            Container::Zip => self.zip(CompressionMethod::Deflated),
            Container::ZipStored => self.zip(CompressionMethod::Stored),
            Container::Gzip => each(gzip),
            Container::Lz4 => each(lz4),
            Container::Snappy => snappy(&self.chunks.concat()),
            Container::SnappyUnchecked => snappy_unchecked(&self.chunks.concat()),
            Container::Zstd => zstd::encode_all(&self.chunks.concat()[..], 3).expect(MEMORY),
            Container::Plain => self.chunks.concat(),
        }
    }

    fn zip(&self, method: CompressionMethod) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(method);
        for (number, chunk) in self.chunks.iter().enumerate() {
            archive
                .start_file(format!("chunk.{number:08}"), options)
                .expect(MEMORY);
            archive.write_all(chunk).expect(MEMORY);
        }
        archive.finish().expect(MEMORY).into_inner()
    }
}

const MEMORY: &str = "memory takes all that is written";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(bytes).expect(MEMORY);
    writer.finish().expect(MEMORY)
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut info = FrameInfo::new();
    info.block_mode = BlockMode::Linked;
    let mut writer = FrameEncoder::with_frame_info(info, Vec::new());
    writer.write_all(bytes).expect(MEMORY);
    writer.finish().expect(MEMORY)
}

fn snappy(bytes: &[u8]) -> Vec<u8> {
    let mut writer = snap::write::FrameEncoder::new(Vec::new());
    writer.write_all(bytes).expect(MEMORY);
    writer.into_inner().expect(MEMORY)
}

fn snappy_unchecked(bytes: &[u8]) -> Vec<u8> {
    let mut out = b"\xff\x06\0\0sNaPpY".to_vec();
    for part in bytes.chunks(1000) {
        let packed = snap::raw::Encoder::new().compress_vec(part).expect(MEMORY);
        let (sort, content) = if packed.len() < part.len() {
            (2, &packed[..])
        } else {
            (3, part)
        };
        let length = u32::try_from(content.len())
            .expect("at most a part")
            .to_le_bytes();
        out.extend([sort, length[0], length[1], length[2]]);
        out.extend(content);
    }
    out
}
