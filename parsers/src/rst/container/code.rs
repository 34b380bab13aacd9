//! Instruction classes and branch targets as the packers compute them from the word (The SPARC
//! Architecture Manual, Version 9, appendix A).

/// Classes of instructions with the same prediction rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InstructionClass {
    #[default]
    Plain,
    /// A load, a store, or another instruction with an address.
    Memory,
    DoneRetry,
    Conditional,
    Always,
    Never,
    Call,
    /// JMPL and RETURN.
    Indirect,
}

/// The bit of a branch that annuls its delay slot.
pub const ANNUL: u32 = 1 << 29;

impl InstructionClass {
    /// Classifies a word. Until minor version 17, a branch that is never taken counts as
    /// conditional.
    pub fn of(word: u32, minor: u8) -> Self {
        if let Some(branch) = Self::of_branch(word, minor) {
            return branch;
        }
        match word >> 30 {
            1 => Self::Call,
            3 => Self::Memory,
            _ if matches!(word & 0xc1f8_0000, 0x81c0_0000 | 0x81c8_0000) => Self::Indirect,
            _ if matches!(word & 0xfff8_0000, 0x81f0_0000 | 0x83f0_0000) => Self::DoneRetry,
            _ => Self::Plain,
        }
    }

    fn of_branch(word: u32, minor: u8) -> Option<Self> {
        if is_by_register(word) {
            return Some(Self::Conditional);
        }
        if !matches!(
            word & 0xc1c0_0000,
            0x0180_0000 | 0x0140_0000 | 0x0080_0000 | 0x0040_0000
        ) {
            return None;
        }
        Some(match word & 0xdec0_0000 {
            0x1080_0000 | 0x1040_0000 => Self::Always,
            0x0080_0000 | 0x0040_0000 if minor > 17 => Self::Never,
            _ => Self::Conditional,
        })
    }

    /// Returns true for control transfers, except DONE and RETRY.
    #[inline]
    pub fn is_transfer(self) -> bool {
        !matches!(self, Self::Plain | Self::Memory | Self::DoneRetry)
    }

    /// Returns true for branches, which have an annul bit.
    #[inline]
    pub fn is_branch(self) -> bool {
        matches!(self, Self::Conditional | Self::Always | Self::Never)
    }
}

/// Returns the target of a branch or call; 0 for other classes.
pub fn target_of(word: u32, class: InstructionClass, pc: u64) -> u64 {
    let distance = match class {
        InstructionClass::Call => signed(word, 30),
        InstructionClass::Conditional | InstructionClass::Always | InstructionClass::Never
            if is_by_register(word) =>
        {
            signed((word >> 6 & 0xc000) | (word & 0x3fff), 16)
        }
        // With prediction (BPcc, FBPfcc), otherwise without.
        InstructionClass::Conditional | InstructionClass::Always | InstructionClass::Never
            if word & 0x0080_0000 == 0 =>
        {
            signed(word, 19)
        }
        InstructionClass::Conditional | InstructionClass::Always | InstructionClass::Never => {
            signed(word, 22)
        }
        _ => return 0,
    };
    pc.wrapping_add_signed(4 * distance)
}

/// Returns true for BPr, a branch on the contents of an integer register.
fn is_by_register(word: u32) -> bool {
    word & 0xd1c0_0000 == 0x00c0_0000 && word >> 25 & 3 != 0
}

/// Sign-extends the lowest `bits` bits.
fn signed(word: u32, bits: u32) -> i64 {
    i64::from((word << (32 - bits)).cast_signed() >> (32 - bits))
}

/// Returns true for `ret` and `retl`: JMPL and RETURN to the address after the call.
#[inline]
pub fn is_return(word: u32) -> bool {
    destination(word) == 0 && word & 0x1fff == 8 && matches!(word >> 14 & 31, 15 | 31)
}

/// Returns true for RESTORE and `mov %g1, %o7`, which in the delay slot of a call replace the
/// return address.
#[inline]
pub fn is_leaving(word: u32) -> bool {
    word & 0xc1f8_0000 == 0x81e8_0000 || word == 0x9e10_0001
}

/// Returns the number of the register that the instruction writes.
#[inline]
pub fn destination(word: u32) -> u32 {
    word >> 25 & 31
}
