//! Decoded status registers, in terms common to all architectures.

/// A decoded status register. Fields in unknown bytes are left out or have no value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusRegister {
    /// Condition flags in architecture order.
    pub flags: Vec<StatusFlag>,
    /// Names of the flag sets, four flags each, if there are several: `icc`, `xcc`; empty if there
    /// is one.
    pub flag_sets: &'static [&'static str],
    /// Exception masks.
    pub masks: Vec<StatusFlag>,
    /// Mode and any unusual state: `EL3h`, `svc, Thumb`, `handler 11`.
    pub mode: Option<String>,
    /// All fields of the register, one line each.
    pub lines: Vec<String>,
}

/// A status bit that is shown by a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusFlag {
    /// Letter: `z`.
    pub letter: char,
    /// Word for the set flag: `zero`; empty if there is no usual word.
    pub word: &'static str,
    /// Value; none if its byte is unknown.
    pub is_set: Option<bool>,
}

impl StatusRegister {
    /// Returns the words of the flags that are set: `negative`, `overflow`.
    pub fn set_words(&self) -> impl Iterator<Item = &'static str> {
        let set = self
            .flags
            .iter()
            .filter(|flag| flag.is_set == Some(true) && !flag.word.is_empty());
        set.map(|flag| flag.word)
    }
}

/// Bits of a value with possibly unknown bytes, least significant byte first.
#[derive(Clone, Copy)]
pub(crate) struct PartialBits<'a>(pub &'a [Option<u8>]);

impl PartialBits<'_> {
    pub fn flag(self, place: u32) -> Option<bool> {
        self.field(place, 1).map(|bit| bit == 1)
    }

    /// Returns a field of at most eight bits, which may span two bytes.
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
