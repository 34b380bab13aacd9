//! An instruction word and its fields (The SPARC Architecture Manual, Version 9, figure 32 and on).

/// An instruction as an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparcWord(pub u32);

impl SparcWord {
    /// Returns a bit field.
    pub const fn field(self, first: u32, width: u32) -> u32 {
        self.0 >> first & ((1 << width) - 1)
    }

    /// Returns a bit field as a table index.
    pub const fn place(self, first: u32, width: u32) -> usize {
        self.field(first, width) as usize
    }

    /// Returns a single bit.
    pub const fn flag(self, place: u32) -> bool {
        self.field(place, 1) == 1
    }

    /// Returns a bit field as a signed number.
    pub const fn signed(self, first: u32, width: u32) -> i64 {
        let unused = 32 - width;
        ((self.field(first, width) << unused).cast_signed() >> unused) as i64
    }

    /// Returns the number of the format, 0 to 3.
    pub const fn format(self) -> u32 {
        self.field(30, 2)
    }

    /// Returns the `op2` field of format 2, which selects branches and `sethi`.
    pub const fn branch_kind(self) -> u32 {
        self.field(22, 3)
    }

    /// Returns the `op3` field of format 3.
    pub const fn kind(self) -> u32 {
        self.field(19, 6)
    }

    /// Returns the `opf` field of floating-point and graphics instructions.
    pub const fn operation(self) -> u32 {
        self.field(5, 9)
    }

    /// Returns the number of the destination.
    pub const fn destination(self) -> u16 {
        self.field(25, 5) as u16
    }

    /// Returns the number of the first source.
    pub const fn first(self) -> u16 {
        self.field(14, 5) as u16
    }

    /// Returns the number of the second source, if it is a register.
    pub const fn second(self) -> u16 {
        self.field(0, 5) as u16
    }

    /// Returns the number of the third source, for instructions that have one.
    pub const fn third(self) -> u16 {
        self.field(9, 5) as u16
    }

    /// Returns true if the second source is an immediate.
    pub const fn has_number(self) -> bool {
        self.flag(13)
    }

    /// Returns the immediate.
    pub const fn number(self) -> i64 {
        self.signed(0, 13)
    }

    /// Returns true unless the second source is a register and the unused bits before it are not
    /// zero.
    pub const fn is_plain(self) -> bool {
        self.has_number() || self.field(5, 8) == 0
    }

    /// Returns true if the second source is known to be 0.
    pub const fn is_second_zero(self) -> bool {
        if self.has_number() {
            self.number() == 0
        } else {
            self.second() == 0
        }
    }
}

/// Returns the number of an 8- or 16-byte register; in the encoding, its lowest bit is the highest
/// (V9, 5.1.4.1).
pub const fn wide_number(encoded: u16) -> u16 {
    encoded & 0x1e | (encoded & 1) << 5
}
