//! Condition codes as bits of the status register (The SPARC Architecture Manual V9, 5.2.1 and
//! 6.3.4).

/// The set of condition codes that a condition tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionCodeSet {
    /// `%icc`, for 32 bits.
    Narrow,
    /// `%xcc`, for 64 bits.
    Wide,
}

impl ConditionCodeSet {
    /// Returns the set that an encoding bit selects.
    pub fn of(is_wide: u32) -> Self {
        if is_wide == 0 {
            Self::Narrow
        } else {
            Self::Wide
        }
    }

    /// Returns the position of the codes in the status register.
    const fn place(self) -> u32 {
        match self {
            Self::Narrow => 32,
            Self::Wide => 36,
        }
    }
}

/// 32-bit carry, an input of ADDC and SUBC.
pub const CARRY: u64 = 1 << ConditionCodeSet::Narrow.place();
/// 32-bit negative and overflow, inputs of MULScc.
pub const SIGN: u64 = 0b1010 << ConditionCodeSet::Narrow.place();

/// Returns the codes that a condition tests, from its four-bit code; the highest bit only inverts
/// it.
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
