//! Jump targets that the encodings state.
//!
//! Encodings: Arm Architecture Reference Manual (DDI 0487) `B`, `B.cond`, `CBZ`, `TBZ`, `BL`,
//! `BLR`, `BR`, `RET`; (DDI 0406) `B`, `CBZ`, `BL, BLX (immediate)`, `BLX (register)`, `BX`.

use crate::control::BranchTarget;

use crate::arm::registers::{register_32, register_64};

/// Returns the target of an A64 jump.
#[inline]
pub fn a64_target(opcode: u32, pc: u64) -> BranchTarget {
    let to = |offset: i64| BranchTarget::Address(pc.wrapping_add_signed(4 * offset));
    match opcode {
        _ if opcode & 0x7c00_0000 == 0x1400_0000 => to(signed(opcode, 0, 26)), // B, BL
        _ if opcode >> 24 == 0x54 || opcode & 0x7e00_0000 == 0x3400_0000 => {
            to(signed(opcode, 5, 19))
        } // B.cond, CBZ
        _ if opcode & 0x7e00_0000 == 0x3600_0000 => to(signed(opcode, 5, 14)), // TBZ
        _ if matches!(opcode & !0x3e0, 0xd61f_0000 | 0xd63f_0000 | 0xd65f_0000) => {
            register_64(opcode >> 5 & 31).map_or(BranchTarget::Unsaid, BranchTarget::Register) // BR, BLR, RET
        }
        _ => BranchTarget::Unsaid,
    }
}

/// Returns the target of an A32 jump.
pub fn a32_target(opcode: u32, pc: u64) -> BranchTarget {
    let to = |offset: i64| BranchTarget::Address(narrow(pc.wrapping_add_signed(8 + offset)));
    match opcode {
        // BLX switches to T32 code, so the offset has one more bit.
        _ if opcode & 0xfe00_0000 == 0xfa00_0000 => {
            to(4 * signed(opcode, 0, 24) + i64::from(opcode >> 23 & 2))
        }
        _ if opcode & 0x0e00_0000 == 0x0a00_0000 && opcode >> 28 != 0xf => {
            to(4 * signed(opcode, 0, 24))
        }
        _ if opcode & 0x0fff_ffd0 == 0x012f_ff10 => {
            register_32(opcode & 15).map_or(BranchTarget::Unsaid, BranchTarget::Register) // BX, BLX
        }
        _ => BranchTarget::Unsaid,
    }
}

/// Returns the target of a T32 jump.
pub fn t32_target(opcode: u32, pc: u64) -> BranchTarget {
    let to = |offset: i64| BranchTarget::Address(narrow(pc.wrapping_add_signed(offset)));
    match opcode {
        _ if opcode & 0xffff_f000 == 0xd000 => to(4 + 2 * signed(opcode, 0, 8)),
        _ if opcode & 0xffff_f800 == 0xe000 => to(4 + 2 * signed(opcode, 0, 11)),
        _ if opcode & 0xffff_f500 == 0xb100 => {
            to(4 + i64::from((opcode >> 9 & 1) << 6 | (opcode >> 3 & 31) << 1))
        }
        // BX, BLX, but not BXNS and BLXNS, whose targets use the lowest bit for the security state.
        _ if opcode & 0xffff_ff07 == 0x4700 => {
            register_32(opcode >> 3 & 15).map_or(BranchTarget::Unsaid, BranchTarget::Register)
        }
        _ if opcode & 0xf800_d000 == 0xf000_9000 => to(4 + wide_offset(opcode)), // B
        _ if opcode & 0xf800_d000 == 0xf000_8000 => {
            let high =
                (opcode >> 26 & 1) << 19 | (opcode >> 11 & 1) << 18 | (opcode >> 13 & 1) << 17;
            to(4 + 2 * signed(high | (opcode >> 16 & 0x3f) << 11 | opcode & 0x7ff, 0, 20)) // B<c>
        }
        _ if opcode & 0xf800_d000 == 0xf000_d000 => to(4 + wide_offset(opcode)), // BL
        // BLX goes to A32 code, whose addresses are multiples of 4.
        _ if opcode & 0xf800_d001 == 0xf000_c000 => {
            to(4 - i64::from(pc as u8 & 2) + wide_offset(opcode))
        }
        // WLS branches past the loop, LE back to its first instruction.
        _ if opcode & 0xff80_f001 == 0xf000_c001 => {
            let offset = i64::from((opcode >> 1 & 0x3ff) << 2 | (opcode >> 11 & 1) << 1);
            to(4 + if opcode >> 16 & 15 == 15 {
                -offset
            } else {
                offset
            })
        }
        _ => BranchTarget::Unsaid,
    }
}

/// Truncates an address to AArch32 and clears the bit that selects the instruction set.
fn narrow(address: u64) -> u64 {
    address & u64::from(u32::MAX) & !1
}

/// Returns a field as a signed number.
fn signed(opcode: u32, first: u32, bits: u32) -> i64 {
    let unused = 32 - bits;
    i64::from((opcode >> first << unused).cast_signed() >> unused)
}

/// Returns the offset of a 32-bit `B`, `BL` or `BLX`: S:I1:I2:imm10:imm11:0.
fn wide_offset(opcode: u32) -> i64 {
    let sign = opcode >> 26 & 1;
    let flipped = |bit: u32| !(opcode >> bit ^ sign) & 1;
    let field = sign << 24
        | flipped(13) << 23
        | flipped(11) << 22
        | (opcode >> 16 & 0x3ff) << 12
        | (opcode & 0x7ff) << 1;
    signed(field, 0, 25)
}
