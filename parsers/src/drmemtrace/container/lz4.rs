//! LZ4 frames in sequence.

use std::io::{self, BufRead as _, BufReader, Read};

use lz4_flex::frame::{Error, FrameDecoder};

use crate::drmemtrace::container::range::BUFFER_BYTES;

/// Unpacks all frames of an input.
pub struct Lz4Reader<R: Read>(FrameDecoder<BufReader<R>>);

impl<R: Read> Lz4Reader<R> {
    /// Creates a reader for packed bytes.
    pub fn new(input: R) -> Self {
        Self(FrameDecoder::new(BufReader::with_capacity(
            BUFFER_BYTES,
            input,
        )))
    }
}

impl<R: Read> Read for Lz4Reader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(out) {
                // This is the end of a frame.
                Ok(0) if !out.is_empty() && !self.0.get_mut().fill_buf()?.is_empty() => {}
                Err(error) => match skipped_bytes(&error) {
                    Some(count) => drop(io::copy(
                        &mut self.0.get_mut().take(count),
                        &mut io::sink(),
                    )?),
                    None => return Err(error),
                },
                read => return read,
            }
        }
    }
}

/// Returns the length of a skippable frame if that stopped the reader.
fn skipped_bytes(error: &io::Error) -> Option<u64> {
    match error.get_ref()?.downcast_ref()? {
        Error::SkippableFrame(count) => Some(u64::from(*count)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use lz4_flex::frame::{BlockMode, FrameEncoder, FrameInfo};

    use super::*;

    #[test]
    fn linked_blocks_and_several_frames_come_back() {
        let content: Vec<u8> = (0..200_000u32)
            .flat_map(|number| (number / 3).to_le_bytes())
            .collect();
        let mut info = FrameInfo::new();
        info.block_mode = BlockMode::Linked;
        let mut writer = FrameEncoder::with_frame_info(info, Vec::new());
        writer.write_all(&content).unwrap();
        let frame = writer.finish().unwrap();
        let packed = [&frame[..], b"\x50\x2a\x4d\x18\x03\0\0\0abc", &frame].concat();
        let mut out = Vec::new();
        Lz4Reader::new(&packed[..]).read_to_end(&mut out).unwrap();
        assert!(out == content.repeat(2));
    }
}
