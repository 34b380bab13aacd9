//! An instruction word and its fields (The SPARC Architecture Manual, Version 9, figure 32 and on).

/// An instruction as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparcWord(pub u32);

impl SparcWord {
    /// Some bits.
    pub const fn field(self, first: u32, width: u32) -> u32 {
        self.0 >> first & ((1 << width) - 1)
    }

    /// The same as a place in a table.
    pub const fn place(self, first: u32, width: u32) -> usize {
        self.field(first, width) as usize
    }

    /// A bit.
    pub const fn flag(self, place: u32) -> bool {
        self.field(place, 1) == 1
    }

    /// Some bits as a signed number.
    pub const fn signed(self, first: u32, width: u32) -> i64 {
        let unused = 32 - width;
        ((self.field(first, width) << unused).cast_signed() >> unused) as i64
    }

    /// Which of the four formats.
    pub const fn format(self) -> u32 {
        self.field(30, 2)
    }

    /// What a word without operands of the third format does.
    pub const fn branch_kind(self) -> u32 {
        self.field(22, 3)
    }

    /// What a word with operands does.
    pub const fn kind(self) -> u32 {
        self.field(19, 6)
    }

    /// What an instruction of floating point or graphics does.
    pub const fn operation(self) -> u32 {
        self.field(5, 9)
    }

    /// The destination.
    pub const fn destination(self) -> u16 {
        self.field(25, 5) as u16
    }

    /// The first source.
    pub const fn first(self) -> u16 {
        self.field(14, 5) as u16
    }

    /// The second source, where that is a register.
    pub const fn second(self) -> u16 {
        self.field(0, 5) as u16
    }

    /// The third source of those that have so many.
    pub const fn third(self) -> u16 {
        self.field(9, 5) as u16
    }

    /// The second source is a number.
    pub const fn has_number(self) -> bool {
        self.flag(13)
    }

    /// That number.
    pub const fn number(self) -> i64 {
        self.signed(0, 13)
    }

    /// The second source is a register, and nothing stands in the bits before it.
    pub const fn is_plain(self) -> bool {
        self.has_number() || self.field(5, 8) == 0
    }

    /// True when the second source is surely 0.
    pub const fn is_second_zero(self) -> bool {
        if self.has_number() {
            self.number() == 0
        } else {
            self.second() == 0
        }
    }
}

/// A register of 8 or 16 bytes by its number in encodings, whose lowest bit is the highest (V9, 5.1.4.1).
pub const fn wide_number(encoded: u16) -> u16 {
    encoded & 0x1e | (encoded & 1) << 5
}
