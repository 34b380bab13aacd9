//! Damage in a packed input.

use std::fmt;

use crate::packed::kind::PackedKind;

/// The reason why the text ends before the packed input does, or why the input ends too early.
///
/// Never an error: everything before the damage can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
