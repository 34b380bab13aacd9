//! Kinds of instructions that Btrace records, with their numbers in the records.

/// A kind of control transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BranchKind {
    /// `call`.
    Call = 1,
    /// Branch on the contents of an integer register.
    BPr = 2,
    /// Branch on floating-point condition codes.
    FBfcc = 3,
    /// Branch on floating-point condition codes, with prediction.
    FBPfcc = 4,
    /// Branch on integer condition codes.
    Bicc = 5,
    /// Branch on integer condition codes, with prediction.
    BPcc = 6,
    /// Jump to an address in registers.
    Jmpl = 7,
    /// `return`, which recorders may leave out.
    Return = 8,
}

impl BranchKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Call,
        Self::BPr,
        Self::FBfcc,
        Self::FBPfcc,
        Self::Bicc,
        Self::BPcc,
        Self::Jmpl,
        Self::Return,
    ];

    /// Returns the kind with this number in the records.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == number)
    }

    /// Returns the kind of an instruction word; `None` for one that is not recorded (The SPARC
    /// Architecture Manual, Version 9, appendix A.)
    pub fn of_word(word: u32) -> Option<Self> {
        match (word >> 30, word >> 22 & 7, word >> 19 & 0x3f) {
            (1, ..) => Some(Self::Call),
            (0, 1, _) => Some(Self::BPcc),
            (0, 2, _) => Some(Self::Bicc),
            (0, 3, _) if word >> 28 & 1 == 0 => Some(Self::BPr),
            (0, 5, _) => Some(Self::FBPfcc),
            (0, 6, _) => Some(Self::FBfcc),
            (2, _, 0x38) => Some(Self::Jmpl),
            (2, _, 0x39) => Some(Self::Return),
            _ => None,
        }
    }

    /// Returns the name in the SPARC manuals.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "CALL",
            Self::BPr => "BPr",
            Self::FBfcc => "FBfcc",
            Self::FBPfcc => "FBPfcc",
            Self::Bicc => "Bicc",
            Self::BPcc => "BPcc",
            Self::Jmpl => "JMPL",
            Self::Return => "RETURN",
        }
    }

    /// Returns whether a word of this kind is always or never taken; `None` if that depends on
    /// processor state.
    pub fn is_always_taken(self, word: u32) -> Option<bool> {
        const NEVER: u32 = 0;
        const ALWAYS: u32 = 8;
        match (self, word >> 25 & 15) {
            (Self::Call | Self::Jmpl | Self::Return, _) => Some(true),
            (Self::BPr, _) => None,
            (_, NEVER) => Some(false),
            (_, ALWAYS) => Some(true),
            _ => None,
        }
    }
}

/// Returns whether a word is a probe: the `illtrap`, with any operand, that replaces a recorded
/// instruction while the program runs.
pub fn is_probe(word: u32) -> bool {
    word >> 22 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_words_and_numbers() {
        let words = [
            0x4000_0015,
            0x22c8_0003,
            0x0980_0003,
            0x2d58_0003,
            0x3080_0002,
            0x1268_0002,
            0x81c3_e008,
            0x81cf_e008,
        ];
        for (word, kind) in words.into_iter().zip(BranchKind::ALL) {
            assert_eq!(
                (BranchKind::of_word(word), BranchKind::of_number(kind as u8)),
                (Some(kind), Some(kind))
            );
        }
        for word in [
            0x0100_0000,
            0x12c2_4085,
            0x91d0_206d,
            0x81f0_0000,
            7,
            0x0080_0004 + (5 << 22),
        ] {
            assert_eq!(BranchKind::of_word(word), None, "{word:08x}");
        }
        assert_eq!([0, 9].map(BranchKind::of_number), [None; 2]);
    }
}
