//! Where a packed input stops making sense.

use std::fmt;

use crate::packed::kind::PackedKind;

/// Why the text ends before the packed input does, or where the input ends before its time.
///
/// Never an error: everything before it can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What packed the input.
    pub packed: PackedKind,
    /// Where in the packed input it was noticed: what is wrong stands here or shortly before.
    pub offset: u64,
    /// What is wrong.
    pub kind: DamageKind,
}

/// What is wrong with a packed input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// It ends in the middle.
    CutOff,
    /// It says something impossible, in the words of who read it.
    Corrupt(String),
    /// What follows the last part was not packed so.
    Junk,
    /// To unpack it takes more memory than we give.
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
