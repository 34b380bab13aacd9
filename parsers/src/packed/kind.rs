//! Compression formats of inputs, detected by the first bytes ([`PackedKind`]), and the reason why
//! a packed input cannot be read to its end ([`Damage`]). Damage is no error, since everything
//! before it can be read.

use std::{fmt, io};

use crate::read_at::ReadAt;

/// A compression format that can be read directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PackedKind {
    /// One or more gzip members.
    Gzip,
    /// One or more zstd frames, and skippable frames.
    Zstd,
    /// One or more xz streams.
    Xz,
    /// Not compressed: the concatenation of several files, readable only from front to back.
    Merged,
}

/// Maximum number of skippable frames before the first frame that identifies the format.
const SKIPPED_FRAMES: usize = 64;

impl PackedKind {
    /// Number of bytes needed to detect the format.
    pub const MAGIC_BYTES: usize = 6;

    /// Detects the format by the first bytes, regardless of the file name. Returns none if the
    /// format is not supported, or if nothing is packed.
    ///
    /// # Errors
    /// The input could not be read.
    pub fn of(input: &dyn ReadAt) -> io::Result<Option<Self>> {
        let mut offset = 0u64;
        for _ in 0..SKIPPED_FRAMES {
            let mut head = [0; 8];
            let count = input.read_at(offset, &mut head)?;
            let [a, b, c, d, length @ ..] = head;
            if count < head.len() || !is_skipped([a, b, c, d]) {
                return Ok(Self::of_head(head.get(..count).unwrap_or_default()));
            }
            offset += 8 + u64::from(u32::from_le_bytes(length));
        }
        Ok(None)
    }

    /// Detects the format by the first bytes only. Skippable frames count as zstd's, since lz4
    /// writes none.
    pub fn of_head(head: &[u8]) -> Option<Self> {
        [Self::Gzip, Self::Zstd, Self::Xz]
            .into_iter()
            .find(|kind| kind.begins_with(head))
    }

    /// Returns the usual name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
            Self::Merged => "merged",
        }
    }

    /// Returns the command that unpacks a file.
    pub fn command(self) -> &'static str {
        match self {
            Self::Gzip => "gzip -d",
            Self::Zstd => "zstd -d",
            Self::Xz => "xz -d",
            Self::Merged => "cat",
        }
    }

    /// Returns true if a member, frame or stream begins with these bytes.
    pub(super) fn begins_with(self, head: &[u8]) -> bool {
        let skipped = head
            .first_chunk::<4>()
            .is_some_and(|magic| is_skipped(*magic));
        head.starts_with(self.magic()) || self == Self::Zstd && skipped
    }

    /// Returns true if zeros may come between and after the members, as tapes and `tar` leave them.
    pub(super) fn is_padded(self) -> bool {
        matches!(self, Self::Gzip | Self::Xz)
    }

    fn magic(self) -> &'static [u8] {
        match self {
            Self::Gzip => b"\x1f\x8b",
            Self::Zstd => b"\x28\xb5\x2f\xfd",
            Self::Xz => b"\xfd7zXZ\0",
            Self::Merged => b"",
        }
    }
}

/// Returns true for the skippable frames of zstd and lz4.
fn is_skipped(magic: [u8; 4]) -> bool {
    u32::from_le_bytes(magic) & !0xf == 0x184d_2a50
}

/// The reason why the text ends before the packed input does, or why the input ends too early.
///
/// Never an error: everything before the damage can be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Damage {
    /// Compression format of the input.
    pub packed: PackedKind,
    /// Offset in the packed input where the damage was noticed. The cause is at this byte or
    /// shortly before.
    pub offset: u64,
    /// Kind of damage.
    pub kind: DamageKind,
}

/// Kind of damage in a packed input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DamageKind {
    /// The input ends in the middle of a member.
    CutOff,
    /// The data is invalid; holds the message of the decoder.
    Corrupt(String),
    /// The bytes after the last member are not in the format.
    Junk,
    /// Decompression needs more memory than the limit allows.
    Window,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            packed,
            offset,
            kind,
        } = self;
        let (name, command) = (packed.name(), packed.command());
        match kind {
            DamageKind::CutOff => {
                write!(
                    f,
                    "the {name} data is cut off at byte {offset} of the file: copy it again if there is more"
                )
            }
            DamageKind::Corrupt(why) => {
                write!(
                    f,
                    "the {name} data is damaged at byte {offset} of the file ({why}): copy it again, or mend it"
                )
            }
            DamageKind::Junk => {
                write!(
                    f,
                    "what follows at byte {offset} of the file is no {name} data: it is left out"
                )
            }
            DamageKind::Window => {
                write!(
                    f,
                    "the {name} data at byte {offset} needs more than 1 GiB of memory: unpack it first ({command})"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &[u8], expected: Option<PackedKind>) {
        assert_eq!(PackedKind::of(&content.to_vec()).unwrap(), expected);
    }

    #[test]
    fn the_content_tells_and_nothing_else() {
        check(b"\x1f\x8b\x08\0", Some(PackedKind::Gzip));
        check(b"\x28\xb5\x2f\xfd\0", Some(PackedKind::Zstd));
        check(b"\xfd7zXZ\0\0\x04", Some(PackedKind::Xz));
        check(b"BZh9", None);
        check(b"1 clk IT", None);
        check(b"\x1f", None);
        check(b"", None);
    }

    #[test]
    fn frames_to_skip_tell_nothing() {
        check(
            b"\x50\x2a\x4d\x18\x02\0\0\0ab\x28\xb5\x2f\xfd",
            Some(PackedKind::Zstd),
        );
        check(b"\x5f\x2a\x4d\x18\0\0\0\0\x04\x22\x4d\x18", None);
        check(&b"\x50\x2a\x4d\x18\0\0\0\0".repeat(1000), None);
        check(b"\x50\x2a\x4d\x18\xff\xff\xff\xff", None);
    }
}
