//! The condition flags of Arm (Arm Architecture Reference Manual, DDI 0487, C1.2.4 "Condition code").

/// Negative, as a bit of the status register.
pub const N: u64 = 1 << 31;
/// Zero.
pub const Z: u64 = 1 << 30;
/// Carry.
pub const C: u64 = 1 << 29;
/// Overflow.
pub const V: u64 = 1 << 28;
/// All four.
pub const NZCV: u64 = N | Z | C | V;
/// Cumulative saturation, of A32 and T32.
pub const Q: u64 = 1 << 27;
/// What SEL chooses by.
pub const GE: u64 = 0xf << 16;

/// The flags that a condition looks at, by its four bits in an encoding; the lowest one only turns it round.
pub fn of_condition(code: u32) -> u64 {
    match code >> 1 & 7 {
        0 => Z,
        1 => C,
        2 => N,
        3 => V,
        4 => C | Z,
        5 => N | V,
        6 => N | Z | V,
        _ => 0,
    }
}
