//! Encodings as numbers.

use crate::bytes::Encoding;

/// The bytes of a right-aligned opcode of A64 or A32, as little-endian memory holds it; none for 0, which stands for unknown.
pub fn word_encoding(opcode: u32) -> Option<Encoding> {
    if opcode == 0 { None } else { Encoding::new(&opcode.to_le_bytes()) }
}

/// The same in T32, where the first halfword is the upper one (DDI 0487, F1.3 "T32 instruction encoding").
pub fn thumb_encoding(opcode: u32, length_bytes: u8) -> Option<Encoding> {
    match (opcode, length_bytes) {
        (0, _) => None,
        (_, 2) => Encoding::new(&(opcode as u16).to_le_bytes()),
        _ => Encoding::new(&opcode.rotate_left(16).to_le_bytes()),
    }
}

/// An instruction of A64 or A32 as a number; 0 for other lengths than 4 (and 2, where the rest was lost).
pub fn word_opcode(encoding: &Encoding) -> u32 {
    match *encoding.bytes() {
        [a, b] => u32::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// The same in T32.
pub fn thumb_opcode(encoding: &Encoding) -> u32 {
    match *encoding.bytes() {
        [a, b] => u32::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u32::from_le_bytes([c, d, a, b]),
        _ => 0,
    }
}
