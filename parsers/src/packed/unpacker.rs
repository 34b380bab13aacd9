//! Decompresses gzip, zstd and xz inputs.

use std::io::{self, BufRead as _, ErrorKind, Read};

use flate2::bufread::GzDecoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{Error as XzError, Stream as XzStream};
use zstd::stream::read::Decoder as ZstdDecoder;

use crate::packed::damage::{Damage, DamageKind};
use crate::packed::input::PackedInput;
use crate::packed::kind::PackedKind;

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
