//! What the bits of a status register say, in words that are the same for every architecture.

/// A status register taken apart. What its bytes do not tell is left out, or has no value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusRegister {
    /// The condition flags, in the order in which the architecture lists them.
    pub flags: Vec<StatusFlag>,
    /// What each four of them are called where there are several sets: `icc`, `xcc`; empty where there is one.
    pub flag_sets: &'static [&'static str],
    /// What is masked.
    pub masks: Vec<StatusFlag>,
    /// The mode, and what makes the state unusual: `EL3h`, `svc, Thumb`, `handler 11`.
    pub mode: Option<String>,
    /// Every field that the register has, a line each.
    pub lines: Vec<String>,
}

/// A bit that has a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusFlag {
    /// Its letter: `z`.
    pub letter: char,
    /// What it says when it is set: `zero`; empty where no word is usual.
    pub word: &'static str,
    /// None when its byte is not known.
    pub is_set: Option<bool>,
}

impl StatusRegister {
    /// The words of the flags that are set: `negative`, `overflow`.
    pub fn set_words(&self) -> impl Iterator<Item = &'static str> {
        let set = self
            .flags
            .iter()
            .filter(|flag| flag.is_set == Some(true) && !flag.word.is_empty());
        set.map(|flag| flag.word)
    }
}

/// The bits of a value of which some bytes may not be known, least significant byte first.
#[derive(Clone, Copy)]
pub(crate) struct PartialBits<'a>(pub &'a [Option<u8>]);

impl PartialBits<'_> {
    pub fn flag(self, place: u32) -> Option<bool> {
        self.field(place, 1).map(|bit| bit == 1)
    }

    /// A field of at most eight bits, which may reach into a second byte.
    pub fn field(self, first: u32, width: u32) -> Option<u8> {
        let byte = |place: u32| self.0.get(place as usize).copied().flatten().map(u32::from);
        let (place, shift) = (first / 8, first % 8);
        let low = byte(place)?;
        let high = if shift + width > 8 {
            byte(place + 1)?
        } else {
            0
        };
        u8::try_from((high << 8 | low) >> shift & ((1 << width) - 1)).ok()
    }
}
