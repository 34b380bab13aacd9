//! Sequential readers of packed inputs. [`TextUnpacker`] decompresses gzip, zstd and xz in bounded
//! memory; [`ForwardReader`] reads a file, packed or not, without making a copy of its contents;
//! and [`head_of`] reads the beginning of a text, to detect its format before a copy is made.

use std::io;
use std::io::{BufRead, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::GzDecoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{Error as XzError, Stream as XzStream};
use zstd::stream::read::Decoder as ZstdDecoder;

use crate::packed::kind::{Damage, DamageKind, PackedKind};
use crate::read_at::ReadAt;

/// Reads the text of a packed input from front to back, in bounded memory.
///
/// If the input is damaged, the text ends there and [`Self::damage`] returns the reason. Reads fail
/// only for errors of the input itself.
pub struct TextUnpacker {
    kind: PackedKind,
    member: PackedMember,
    damage: Option<Damage>,
}

/// The member that is being unpacked.
enum PackedMember {
    Gzip(Box<GzDecoder<PackedInput>>),
    Zstd(Box<ZstdDecoder<'static, PackedInput>>),
    Xz(Box<XzDecoder<PackedInput>>),
    Plain(PackedInput),
    /// Between members, or before the first one.
    None(PackedInput),
    /// The whole input was unpacked.
    Over,
}

/// Logarithm of the maximum zstd window. Larger ones need more memory than a reader of text should
/// take. The other two formats need far less.
const WINDOW_LOG_MAX: u32 = 30;
/// The window, and the other memory that the decoder needs.
const XZ_MEMORY_LIMIT: u64 = (1 << WINDOW_LOG_MAX) + (1 << 20);

impl TextUnpacker {
    /// Unpacks the bytes of a reader.
    pub fn new(reader: Box<dyn Read + Send>, kind: PackedKind) -> Self {
        Self {
            kind,
            member: PackedMember::None(PackedInput::new(reader)),
            damage: None,
        }
    }

    /// Returns the reason why the text ended early, once it has ended.
    pub fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }

    /// Begins the next member, if there is one.
    fn begin_member(&mut self, mut input: PackedInput) -> io::Result<PackedMember> {
        let begin = input.position();
        if self.kind.is_padded() {
            skip_zeros(&mut input)?;
        }
        let head = input.peek(PackedKind::MAGIC_BYTES)?;
        if head.is_empty() {
            return Ok(PackedMember::Over);
        }
        if !self.kind.begins_with(head) {
            self.damage = Some(Damage {
                packed: self.kind,
                offset: begin,
                kind: DamageKind::Junk,
            });
            return Ok(PackedMember::Over);
        }
        Ok(match self.kind {
            PackedKind::Gzip => PackedMember::Gzip(Box::new(GzDecoder::new(input))),
            PackedKind::Zstd => {
                let mut decoder = ZstdDecoder::with_buffer(input)?.single_frame();
                decoder.window_log_max(WINDOW_LOG_MAX)?;
                PackedMember::Zstd(Box::new(decoder))
            }
            PackedKind::Xz => {
                let stream = XzStream::new_stream_decoder(XZ_MEMORY_LIMIT, 0)?;
                PackedMember::Xz(Box::new(XzDecoder::new_stream(input, stream)))
            }
            PackedKind::Merged => PackedMember::Plain(input),
        })
    }

    /// Records why a member cannot be read further. Returns the error if the input itself is the
    /// cause.
    fn give_up(&mut self, error: &io::Error) -> io::Result<()> {
        let Some(mut input) = std::mem::replace(&mut self.member, PackedMember::Over).into_input()
        else {
            return Ok(());
        };
        if let Some(failure) = input.take_failure() {
            return Err(failure);
        }
        let is_at_end = input.fill_buf()?.is_empty();
        let kind = match error {
            error if is_window_too_large(error) => DamageKind::Window,
            error if error.kind() == ErrorKind::UnexpectedEof && is_at_end => DamageKind::CutOff,
            error => DamageKind::Corrupt(error.to_string()),
        };
        self.damage = Some(Damage {
            packed: self.kind,
            offset: input.position(),
            kind,
        });
        Ok(())
    }
}

impl Read for TextUnpacker {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            let read = match &mut self.member {
                PackedMember::Over => return Ok(0),
                PackedMember::Gzip(decoder) => decoder.read(out),
                PackedMember::Zstd(decoder) => decoder.read(out),
                PackedMember::Xz(decoder) => decoder.read(out),
                PackedMember::Plain(input) => input.read(out),
                PackedMember::None(_) => Ok(0),
            };
            match read {
                Ok(0) => {
                    let Some(input) =
                        std::mem::replace(&mut self.member, PackedMember::Over).into_input()
                    else {
                        continue;
                    };
                    self.member = self.begin_member(input)?;
                }
                Err(error) if error.kind() != ErrorKind::Interrupted => self.give_up(&error)?,
                Err(_) => {}
                Ok(count) => return Ok(count),
            }
        }
    }
}

impl PackedMember {
    fn into_input(self) -> Option<PackedInput> {
        match self {
            Self::Gzip(decoder) => Some(decoder.into_inner()),
            Self::Zstd(decoder) => Some(decoder.finish()),
            Self::Xz(decoder) => Some(decoder.into_inner()),
            Self::Plain(input) | Self::None(input) => Some(input),
            Self::Over => None,
        }
    }
}

fn skip_zeros(input: &mut PackedInput) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf()?;
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        let is_all = zeros > 0 && zeros == bytes.len();
        input.consume(zeros);
        if !is_all {
            return Ok(());
        }
    }
}

fn is_window_too_large(error: &io::Error) -> bool {
    let xz = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<XzError>());
    // The zstd library distinguishes its errors only by their messages.
    xz == Some(&XzError::MemLimit) || error.to_string().contains("too much memory")
}

const BUFFER_BYTES: usize = 128 << 10;

/// A buffered reader that tracks its position and can peek ahead.
pub(super) struct PackedInput {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// Range of the buffer that has not been consumed yet.
    start: usize,
    end: usize,
    /// Offset of `start` in the input.
    position: u64,
    /// The error of the input, which decoders hide.
    failure: Option<io::Error>,
}

/// Adapts an input with random access to sequential reading.
pub(crate) struct SequentialReader {
    pub input: Arc<dyn ReadAt>,
    pub offset: u64,
    /// Number of bytes read, for progress display.
    pub done: Arc<AtomicU64>,
}

impl PackedInput {
    pub fn new(reader: Box<dyn Read + Send>) -> Self {
        Self {
            reader,
            buffer: vec![0; BUFFER_BYTES],
            start: 0,
            end: 0,
            position: 0,
            failure: None,
        }
    }

    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the error of the input, if the input is the cause of a failure.
    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// Returns the next bytes, at least `count` unless the input ends before.
    pub fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.end - self.start < count && self.read_more()? > 0 {}
        Ok(self.rest())
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    fn read_more(&mut self) -> io::Result<usize> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let read = loop {
            match self.reader.read(room) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        match read {
            Ok(count) => {
                let count = count.min(room.len());
                self.end += count;
                Ok(count)
            }
            Err(error) => {
                let stated = io::Error::from(error.kind());
                self.failure = Some(error);
                Err(stated)
            }
        }
    }
}

impl Read for PackedInput {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for PackedInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            self.read_more()?;
        }
        Ok(self.rest())
    }

    fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.position += count as u64;
    }
}

impl Read for SequentialReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read_at(self.offset, out)?;
        self.offset += count as u64;
        self.done.store(self.offset, Ordering::Relaxed);
        Ok(count)
    }
}

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

/// The beginning of a packed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedHead {
    /// The text.
    pub text: Vec<u8>,
    /// The reason why the text ends here, if the input is damaged this early.
    pub damage: Option<Damage>,
}

/// Reads the first `length` bytes of a packed text.
///
/// # Errors
/// The input could not be read.
pub fn head_of(input: Arc<dyn ReadAt>, kind: PackedKind, length: usize) -> io::Result<PackedHead> {
    let mut unpacker = TextUnpacker::new(
        Box::new(SequentialReader {
            input,
            offset: 0,
            done: Arc::default(),
        }),
        kind,
    );
    let mut text = Vec::new();
    unpacker
        .by_ref()
        .take(length as u64)
        .read_to_end(&mut text)?;
    Ok(PackedHead {
        text,
        damage: unpacker.damage().cloned(),
    })
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
