//! Reads a file from front to back, packed or not, without making a copy of its contents.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

use crate::packed::damage::Damage;
use crate::packed::input::SequentialReader;
use crate::packed::kind::PackedKind;
use crate::packed::unpacker::TextUnpacker;
use crate::read_at::ReadAt;

/// Sequential reader of the contents of a file, from an offset on.
pub struct ForwardReader(ForwardInput);

enum ForwardInput {
    Plain(SequentialReader),
    Packed(Box<TextUnpacker>),
}

impl ForwardReader {
    /// Opens a file at an offset of its contents. Cost: everything before it is decompressed if the
    /// file is packed.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn open(input: Arc<dyn ReadAt>, offset: u64) -> io::Result<Self> {
        let packed = PackedKind::of(input.as_ref())?;
        let start = if packed.is_some() { 0 } else { offset };
        let input = SequentialReader {
            input,
            offset: start,
            done: Arc::default(),
        };
        let Some(kind) = packed else {
            return Ok(Self(ForwardInput::Plain(input)));
        };
        let mut unpacker = TextUnpacker::new(Box::new(input), kind);
        io::copy(&mut unpacker.by_ref().take(offset), &mut io::sink())?;
        Ok(Self(ForwardInput::Packed(Box::new(unpacker))))
    }

    /// Reads the next bytes; fewer than the buffer holds only at the end.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut count = 0;
        while let Some(rest) = buffer.get_mut(count..).filter(|rest| !rest.is_empty()) {
            let read = match &mut self.0 {
                ForwardInput::Plain(input) => input.read(rest),
                ForwardInput::Packed(unpacker) => unpacker.read(rest),
            };
            match read {
                Ok(0) => break,
                Ok(more) => count += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }

    /// Returns the reason why the contents end, if a packed file is damaged.
    pub fn damage(&self) -> Option<&Damage> {
        match &self.0 {
            ForwardInput::Plain(_) => None,
            ForwardInput::Packed(unpacker) => unpacker.damage(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_file_is_read_like_a_plain_one() {
        let text: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        let packed = zstd::encode_all(&*text, 1).unwrap();
        let all_from = |bytes: &[u8], offset| {
            let mut forward = ForwardReader::open(Arc::new(bytes.to_vec()), offset).unwrap();
            let mut found = vec![0; text.len()];
            let count = forward.read(&mut found).unwrap();
            found.truncate(count);
            (found, forward.damage().is_some())
        };
        for offset in [0, 12_345, text.len()] {
            let expected = (text[offset..].to_vec(), false);
            assert_eq!(
                (
                    all_from(&text, offset as u64),
                    all_from(&packed, offset as u64)
                ),
                (expected.clone(), expected)
            );
        }
        let (start, is_damaged) = all_from(&packed[..packed.len() / 2], 0);
        assert!(text.starts_with(&start) && is_damaged);
    }
}
