//! Snappy's framing format, with the two private kinds of chunks that drmemtrace adds.

use std::io;
use std::io::{ErrorKind, Read};

/// Maximum length of an unpacked chunk, in bytes.
const CHUNK_BYTES: usize = 64 << 10;
const STREAM_NAME: &[u8] = b"sNaPpY";

/// Unpacks chunks: `type`, three bytes of length, content.
pub struct SnappyReader<R> {
    input: R,
    unpacker: snap::raw::Decoder,
    packed: Vec<u8>,
    chunk: Vec<u8>,
    /// Number of bytes of the chunk that were read.
    start: usize,
}

impl<R: Read> SnappyReader<R> {
    /// Creates a reader for packed bytes.
    pub fn new(input: R) -> Self {
        let unpacker = snap::raw::Decoder::new();
        Self {
            input,
            unpacker,
            packed: Vec::new(),
            chunk: Vec::new(),
            start: 0,
        }
    }

    /// Unpacks the next chunk; returns false at the end.
    fn next_chunk(&mut self) -> io::Result<bool> {
        self.chunk.clear();
        self.start = 0;
        let mut head = [0; 4];
        if self.input.read(head.get_mut(..1).unwrap_or_default())? == 0 {
            return Ok(false);
        }
        self.input
            .read_exact(head.get_mut(1..).unwrap_or_default())?;
        let [kind, a, b, c] = head;
        let length = u64::from(u32::from_le_bytes([a, b, c, 0]));
        self.packed.clear();
        if (&mut self.input)
            .take(length)
            .read_to_end(&mut self.packed)? as u64
            != length
        {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        match kind {
            0 | 1 => {
                let (sum, content) = self
                    .packed
                    .split_first_chunk()
                    .ok_or_else(|| invalid("a chunk without a checksum"))?;
                unpack(
                    &mut self.unpacker,
                    ChunkCompression::of(kind),
                    content,
                    &mut self.chunk,
                )?;
                if masked_crc32c(&self.chunk) != u32::from_le_bytes(*sum) {
                    return Err(invalid("the checksum of a chunk does not match"));
                }
            }
            2 | 3 => unpack(
                &mut self.unpacker,
                ChunkCompression::of(kind),
                &self.packed,
                &mut self.chunk,
            )?,
            0xff if self.packed == STREAM_NAME => {}
            0x80..=0xfe => {}
            _ => return Err(invalid("a chunk of an unknown sort")),
        }
        Ok(true)
    }
}

impl<R: Read> Read for SnappyReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.start == self.chunk.len() {
            if !self.next_chunk()? {
                return Ok(0);
            }
        }
        let mut rest = self.chunk.get(self.start..).unwrap_or_default();
        let count = rest.read(out)?;
        self.start += count;
        Ok(count)
    }
}

/// Compression of a chunk's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChunkCompression {
    Packed,
    Plain,
}

impl ChunkCompression {
    /// Returns the compression by the type of a data chunk.
    fn of(kind: u8) -> Self {
        if kind.is_multiple_of(2) {
            Self::Packed
        } else {
            Self::Plain
        }
    }
}

/// Unpacks the content of one chunk.
fn unpack(
    unpacker: &mut snap::raw::Decoder,
    how: ChunkCompression,
    content: &[u8],
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let length = match how {
        ChunkCompression::Packed => snap::raw::decompress_len(content).map_err(invalid)?,
        ChunkCompression::Plain => content.len(),
    };
    if length > CHUNK_BYTES {
        return Err(invalid("a chunk that is too long"));
    }
    if how == ChunkCompression::Plain {
        out.extend_from_slice(content);
        return Ok(());
    }
    out.resize(length, 0);
    unpacker
        .decompress(content, out)
        .map(drop)
        .map_err(|error| {
            out.clear();
            invalid(error)
        })
}

fn invalid(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

/// Returns the CRC-32C, rotated and offset as the format requires.
fn masked_crc32c(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        let low = usize::from(sum as u8 ^ byte);
        sum >> 8 ^ TABLE.get(low).copied().unwrap_or_default()
    };
    let sum = !bytes.iter().fold(!0, step);
    sum.rotate_right(15).wrapping_add(0xa282_ead8)
}

const TABLE: [u32; 256] = {
    const POLYNOMIAL: u32 = 0x82f6_3b78; // Castagnoli's, lowest bit first
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 {
                sum >> 1 ^ POLYNOMIAL
            } else {
                sum >> 1
            };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn packed(content: &[u8]) -> Vec<u8> {
        let mut writer = snap::write::FrameEncoder::new(Vec::new());
        writer.write_all(content).unwrap();
        writer.into_inner().unwrap()
    }

    fn read(packed: &[u8]) -> (Vec<u8>, Result<usize, String>) {
        let mut out = Vec::new();
        let result = SnappyReader::new(packed).read_to_end(&mut out);
        (out, result.map_err(|error| error.to_string()))
    }

    #[test]
    fn what_was_packed_comes_back() {
        let content: Vec<u8> = (0..200_000u32)
            .flat_map(|number| (number / 3).to_le_bytes())
            .collect();
        let (out, result) = read(&packed(&content).repeat(2));
        assert_eq!(result, Ok(2 * content.len()));
        assert!(out == content.repeat(2));
    }

    #[test]
    fn private_chunks_have_no_checksum() {
        let mut frame = packed(b"");
        frame.extend_from_slice(b"\xff\x06\0\0sNaPpY\x03\x05\0\0plain\xfe\x03\0\0xxx");
        let content = snap::raw::Encoder::new()
            .compress_vec(b" and packed")
            .unwrap();
        frame.extend_from_slice(&[2, content.len() as u8, 0, 0]);
        frame.extend_from_slice(&content);
        assert_eq!(read(&frame), (b"plain and packed".to_vec(), Ok(16)));
    }

    #[test]
    fn damage_is_noticed() {
        let good = packed(&b"stepback ".repeat(100));
        let mut bad = good.clone();
        bad[14] ^= 1;
        assert_eq!(
            read(&bad).1.unwrap_err(),
            "the checksum of a chunk does not match"
        );
        for end in 11..good.len() {
            assert!(read(&good[..end]).1.is_err(), "{end}");
        }
        assert_eq!(
            read(b"\x04\0\0\0").1.unwrap_err(),
            "a chunk of an unknown sort"
        );
        assert_eq!(
            read(b"\x03\x01\0\x01").1.unwrap_err(),
            "unexpected end of file"
        );
    }
}
