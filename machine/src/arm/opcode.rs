//! Conversion between encodings and integers.

use crate::bytes::Encoding;
use crate::endian::Endian;

/// `EF_ARM_BE8`: data is big-endian, code is little-endian ("ELF for the Arm Architecture", 5.2
/// "ELF Header").
const BE8: u32 = 0x0080_0000;

/// Returns the little-endian bytes of a right-aligned A64 or A32 opcode; none for 0, which means
/// unknown.
pub fn word_encoding(opcode: u32) -> Option<Encoding> {
    if opcode == 0 {
        None
    } else {
        Encoding::new(&opcode.to_le_bytes())
    }
}

/// Returns the bytes of a T32 opcode, whose first halfword is the upper one (DDI 0487, F1.3 "T32
/// instruction encoding").
pub fn thumb_encoding(opcode: u32, length_bytes: u8) -> Option<Encoding> {
    match (opcode, length_bytes) {
        (0, _) => None,
        (_, 2) => Encoding::new(&(opcode as u16).to_le_bytes()),
        _ => Encoding::new(&opcode.rotate_left(16).to_le_bytes()),
    }
}

/// Returns the instruction with the bytes of each unit reversed.
pub fn with_swapped_units(encoding: &Encoding, unit_bytes: usize) -> Encoding {
    let swapped: Vec<u8> = encoding
        .bytes()
        .chunks(unit_bytes)
        .flat_map(|unit| unit.iter().rev().copied())
        .collect();
    Encoding::new(&swapped).unwrap_or(*encoding)
}

/// Returns the byte order of AArch32 code in an ELF file.
pub fn aarch32_code_endian(flags: u32, data: Endian) -> Endian {
    if flags & BE8 == 0 {
        data
    } else {
        Endian::Little
    }
}

/// Returns an A64 or A32 instruction as an integer; 0 for lengths other than 4 (and 2, if the rest
/// was lost).
pub fn word_opcode(encoding: &Encoding) -> u32 {
    match *encoding.bytes() {
        [a, b] => u32::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// Returns a T32 instruction as an integer.
pub fn thumb_opcode(encoding: &Encoding) -> u32 {
    match *encoding.bytes() {
        [a, b] => u32::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u32::from_le_bytes([c, d, a, b]),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Encoding, Endian, InstructionSet};

    #[test]
    fn code_is_big_endian_only_where_arm_data_is_and_be8_is_not_stated() {
        let order = |set: InstructionSet, bytes: &[u8]| {
            let encoding = Encoding::new(bytes).unwrap();
            let big = set.in_code_order(encoding, Endian::Big);
            assert_eq!(
                set.in_code_order(big, Endian::Big),
                encoding,
                "there and back"
            );
            assert_eq!(set.in_code_order(encoding, Endian::Little), encoding);
            big.bytes().to_vec()
        };
        // DDI 0487, E2.7.2: a T32 instruction is one or two halfwords, each in the byte order of
        // code.
        assert_eq!(order(InstructionSet::A32, &[1, 2, 3, 4]), [4, 3, 2, 1]);
        assert_eq!(order(InstructionSet::T32, &[1, 2, 3, 4]), [2, 1, 4, 3]);
        assert_eq!(order(InstructionSet::T32, &[1, 2]), [2, 1]);
        assert_eq!(order(InstructionSet::A64, &[1, 2, 3, 4]), [1, 2, 3, 4]);
        assert_eq!(order(InstructionSet::Sparc64, &[1, 2, 3, 4]), [1, 2, 3, 4]);
        let elf = |set: InstructionSet, flags| set.elf_code_endian(flags, Endian::Big);
        let be8 = 0x0580_0000;
        let arm = [0x0500_0000, be8].map(|flags| elf(InstructionSet::A32, flags));
        assert_eq!(arm, [Endian::Big, Endian::Little]);
        assert_eq!(elf(InstructionSet::A64, 0), Endian::Little);
        assert_eq!(
            InstructionSet::T32.elf_code_endian(0x0500_0000, Endian::Little),
            Endian::Little
        );
    }
}
