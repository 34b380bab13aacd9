//! The condition codes as bits of the status register (The SPARC Architecture Manual V9, 5.2.1 and 6.3.4).

/// Which of the two a condition is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionCodeSet {
    /// `%icc`, of 32 bits.
    Narrow,
    /// `%xcc`, of 64.
    Wide,
}

impl ConditionCodeSet {
    /// By the bit that chooses.
    pub fn of(is_wide: u32) -> Self {
        if is_wide == 0 {
            Self::Narrow
        } else {
            Self::Wide
        }
    }

    /// Where they stand in the status register.
    const fn place(self) -> u32 {
        match self {
            Self::Narrow => 32,
            Self::Wide => 36,
        }
    }
}

/// Carry of 32 bits, which ADDC and SUBC take in.
pub const CARRY: u64 = 1 << ConditionCodeSet::Narrow.place();
/// Negative and overflow of 32 bits, which MULScc takes in.
pub const SIGN: u64 = 0b1010 << ConditionCodeSet::Narrow.place();

/// The codes that a condition looks at, by its four bits in an encoding; the highest one only turns it round.
pub fn of_condition(code: u32, codes: ConditionCodeSet) -> u64 {
    const C: u64 = 1;
    const V: u64 = 2;
    const Z: u64 = 4;
    const N: u64 = 8;
    let looked_at = match code & 7 {
        1 => Z,
        2 => Z | N | V,
        3 => N | V,
        4 => C | Z,
        5 => C,
        6 => N,
        7 => V,
        _ => 0,
    };
    looked_at << codes.place()
}
