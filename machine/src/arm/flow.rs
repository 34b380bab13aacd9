//! Control flow after Arm instructions, with the jump targets that the encodings state, and
//! conversions between encodings and integers. A32 and T32 write the program counter in many forms:
//! loads, moves and arithmetic are jumps too.
//!
//! Encodings: Arm Architecture Reference Manual (DDI 0487) for A64, (DDI 0406) for A32 and T32,
//! (DDI 0553) for M-profile.

use crate::arm::registers::{register_32, register_64};
use crate::control::{BranchTarget, FlowKind};
use crate::endian::Endian;
use crate::instruction::Encoding;

/// Returns the effect of a T32 instruction if its condition holds.
pub fn t32_flow(opcode: u32) -> FlowKind {
    if opcode > 0xffff {
        t32_wide(opcode)
    } else {
        t32_narrow(opcode)
    }
}

/// Returns the effect of an A64 instruction if its condition holds.
#[inline]
pub fn a64_flow(opcode: u32) -> FlowKind {
    match opcode >> 24 {
        0x14..=0x17 => FlowKind::Branch, // B
        0x94..=0x97 => FlowKind::Call,   // BL
        0x54 => FlowKind::Branch,        // B.cond
        0xd4 => FlowKind::Trap,          // SVC, HVC, SMC, BRK, HLT
        0xd6 | 0xd7 => match opcode >> 21 & 0xf {
            0 | 8 => FlowKind::Branch,          // BR, BRAA
            1 | 9 => FlowKind::Call,            // BLR, BLRAA
            2 => FlowKind::Return,              // RET, RETAA
            4 | 5 => FlowKind::ExceptionReturn, // ERET, DRPS
            _ => FlowKind::Next,
        },
        high if matches!(high & 0x7e, 0x34 | 0x36) => FlowKind::Branch, // CBZ, TBZ
        _ => FlowKind::Next,
    }
}

/// Returns the effect of an A32 instruction if its condition holds.
pub fn a32_flow(opcode: u32) -> FlowKind {
    if opcode >> 28 == 0xf {
        return match opcode {
            _ if opcode & 0xfe00_0000 == 0xfa00_0000 => FlowKind::Call, // BLX
            _ if opcode & 0xfe50_ffff == 0xf810_0a00 => FlowKind::ExceptionReturn, // RFE
            _ => FlowKind::Next,
        };
    }
    match opcode >> 24 & 0xf {
        0xa => FlowKind::Branch,
        0xb => FlowKind::Call,
        0xf => FlowKind::Trap, // SVC
        8 | 9 => a32_load_many(opcode),
        4..=7 => a32_load(opcode),
        0..=3 => a32_data(opcode),
        _ => FlowKind::Next,
    }
}

fn a32_load_many(opcode: u32) -> FlowKind {
    match opcode & 0x0050_8000 {
        0x0010_8000 => FlowKind::Return,          // LDM {…,pc}
        0x0050_8000 => FlowKind::ExceptionReturn, // LDM {…,pc}^
        _ => FlowKind::Next,
    }
}

fn a32_load(opcode: u32) -> FlowKind {
    let is_media = opcode & 0x0200_0010 == 0x0200_0010;
    match opcode & 0x0fff_ffff {
        // LDR pc,[sp],#4; functions that keep the stack aligned pop 8 bytes or more.
        opcode if opcode & 0xffff_f003 == 0x049d_f000 && opcode & 0xfff != 0 => FlowKind::Return,
        _ if !is_media && opcode & 0x0050_f000 == 0x0010_f000 => FlowKind::Branch, // LDR pc
        _ => FlowKind::Next,
    }
}

fn a32_data(opcode: u32) -> FlowKind {
    match opcode & 0x0fff_fff0 {
        0x012f_ff10 => {
            return if opcode & 15 == 14 {
                FlowKind::Return
            } else {
                FlowKind::Branch
            };
        } // BX
        0x012f_ff20 => return FlowKind::Branch, // BXJ
        0x012f_ff30 => return FlowKind::Call,   // BLX
        _ => {}
    }
    let is_register = opcode & 0x0200_0000 == 0;
    if is_register && opcode & 0x0f90_00f0 == 0x0100_0070 {
        return FlowKind::Trap; // HLT, BKPT, HVC, SMC
    }
    // Compares have no destination; multiplications and small loads share the register form
    // encodings.
    let has_destination = opcode & 0x0180_0000 != 0x0100_0000;
    let is_other = is_register && opcode & 0x90 == 0x90;
    if opcode & 0xf000 != 0xf000 || !has_destination || is_other {
        return FlowKind::Next;
    }
    match opcode & 0x0fff_ffff {
        0x01a0_f00e => FlowKind::Return, // MOV pc,lr
        _ if opcode & 0x0010_0000 != 0 => FlowKind::ExceptionReturn, // SUBS pc,lr,#4
        _ => FlowKind::Branch,
    }
}

fn t32_narrow(opcode: u32) -> FlowKind {
    match opcode {
        0x4770 | 0x4774 | 0x46f7 => FlowKind::Return, // BX lr, BXNS lr, MOV pc,lr
        0xbd00..=0xbdff => FlowKind::Return,          // POP {…,pc}
        0x4700..=0x477f => FlowKind::Branch,          // BX
        0x4780..=0x47ff => FlowKind::Call,            // BLX
        0xd000..=0xddff => FlowKind::Branch,          // B<c>
        0xdf00..=0xdfff => FlowKind::Trap,            // SVC
        0xe000..=0xe7ff => FlowKind::Branch,          // B
        0xbe00..=0xbeff | 0xba80..=0xbabf => FlowKind::Trap, // BKPT, HLT
        _ if opcode & 0xf500 == 0xb100 => FlowKind::Branch, // CBZ
        _ if opcode & 0xfd87 == 0x4487 && opcode & 0x0300 != 0x0100 => FlowKind::Branch, // ADD pc, MOV pc
        _ => FlowKind::Next,
    }
}

fn t32_wide(opcode: u32) -> FlowKind {
    match opcode {
        0xf85d_fb01..=0xf85d_fbff if opcode & 3 == 0 => FlowKind::Return, // LDR pc,[sp],#4
        _ if opcode & 0xf800_8000 == 0xf000_8000 => t32_control(opcode),
        _ if opcode & 0xffd0_ffff == 0xe810_c000 => FlowKind::ExceptionReturn, // RFEDB
        _ if opcode & 0xffd0_ffff == 0xe990_c000 => FlowKind::ExceptionReturn, // RFEIA
        _ if opcode >> 16 == 0xe89f => FlowKind::Next,                         // CLRM
        _ if opcode & 0xffd0_8000 == 0xe890_8000 => FlowKind::Return,          // LDM {…,pc}
        _ if opcode & 0xffd0_8000 == 0xe910_8000 => FlowKind::Return,          // LDMDB {…,pc}
        _ if opcode & 0xff70_f000 == 0xf850_f000 => FlowKind::Branch,          // LDR pc
        _ if opcode & 0xfff0_ffe0 == 0xe8d0_f000 => FlowKind::Branch,          // TBB, TBH
        _ => FlowKind::Next,
    }
}

/// Handles branches and the instructions that share their encodings.
fn t32_control(opcode: u32) -> FlowKind {
    match opcode & 0x5000 {
        0x5000 => FlowKind::Call,                                              // BL
        0x4000 if opcode & 1 == 0 => FlowKind::Call,                           // BLX
        0x4000 if opcode & 0x2000 != 0 => FlowKind::Next,                      // DLS
        0x4000 | 0x1000 => FlowKind::Branch,                                   // LE, WLS; B
        _ if opcode & 0x0380_0000 != 0x0380_0000 => FlowKind::Branch,          // B<c>
        _ if opcode & 0xffff_ff00 == 0xf3de_8f00 => FlowKind::ExceptionReturn, // SUBS pc,lr
        _ if opcode & 0xfff0_ffff == 0xf3c0_8f00 => FlowKind::Branch,          // BXJ
        _ if opcode & 0xffe0_f000 == 0xf7e0_8000 => FlowKind::Trap,            // HVC, SMC
        _ => FlowKind::Next,
    }
}

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
    use capstone::arch::{BuildsCapstone as _, arm, arm64};
    use capstone::{Capstone, InsnGroupType};
    use proptest::prelude::*;

    use super::*;
    use crate::set::InstructionSet;

    fn flow(opcode: u32, set: InstructionSet) -> FlowKind {
        match set {
            InstructionSet::A64 => a64_flow(opcode),
            InstructionSet::A32 => a32_flow(opcode),
            _ => t32_flow(opcode),
        }
    }

    #[track_caller]
    fn check(set: InstructionSet, expected: FlowKind, opcodes: &[u32]) {
        for opcode in opcodes {
            assert_eq!(flow(*opcode, set), expected, "{opcode:#x}");
        }
    }

    #[test]
    fn a64_control_flow_is_reported() {
        let set = InstructionSet::A64;
        check(
            set,
            FlowKind::Branch,
            &[
                0x1400_0001,
                0x17ff_fff0,
                0x5400_00e0,
                0x3500_00e0,
                0x3707_fe00,
                0xd61f_03c0,
            ],
        );
        check(set, FlowKind::Branch, &[0xd71f_0a11]);
        check(
            set,
            FlowKind::Call,
            &[0x97ff_ffb5, 0xd63f_0040, 0xd73f_0840],
        );
        check(set, FlowKind::Return, &[0xd65f_03c0, 0xd65f_0bff]);
        check(
            set,
            FlowKind::Trap,
            &[0xd400_0001, 0xd400_0002, 0xd420_0000, 0xd45e_0000],
        );
        check(set, FlowKind::ExceptionReturn, &[0xd69f_03e0, 0xd69f_0bff]);
        check(
            set,
            FlowKind::Next,
            &[0xd503_201f, 0x9100_03fd, 0x0000_0000, 0xa9be_7bfd],
        );
    }

    #[test]
    fn a32_control_flow_is_reported() {
        let set = InstructionSet::A32;
        check(
            set,
            FlowKind::Branch,
            &[
                0xea00_0001,
                0x0aff_fffe,
                0xe12f_ff13,
                0xe59f_f010,
                0xe79f_f102,
                0xe08f_f003,
            ],
        );
        check(set, FlowKind::Branch, &[0xe1a0_f003, 0xe5bc_f123]);
        check(
            set,
            FlowKind::Call,
            &[0xeb00_0001, 0xfa00_0001, 0xe12f_ff33],
        );
        check(
            set,
            FlowKind::Return,
            &[
                0xe12f_ff1e,
                0xe1a0_f00e,
                0xe49d_f004,
                0xe8bd_8010,
                0xe91b_a800,
            ],
        );
        // LDR pc,[sp],#8 and #16, LDREQ; not LDR pc,[sp],#0, [sp],#-4, [sp,#8], [sp,#8]!, [r1],#8.
        check(
            set,
            FlowKind::Return,
            &[0xe49d_f008, 0xe49d_f010, 0x049d_f008],
        );
        check(
            set,
            FlowKind::Branch,
            &[
                0xe49d_f000,
                0xe41d_f004,
                0xe59d_f008,
                0xe5bd_f008,
                0xe491_f008,
            ],
        );
        check(
            set,
            FlowKind::Trap,
            &[0xef12_3456, 0xe120_0070, 0xe160_0070, 0xe10f_0070],
        );
        check(
            set,
            FlowKind::ExceptionReturn,
            &[0xe25e_f004, 0xe1b0_f00e, 0xe8fd_8001, 0xf8bd_0a00],
        );
        check(
            set,
            FlowKind::Next,
            &[
                0xe1a0_0000,
                0xe15f_0001,
                0xe11f_f000,
                0xe59f_0010,
                0xe7f0_00f0,
                0xe129_f000,
            ],
        );
    }

    #[test]
    fn thumb_control_flow_is_reported() {
        let set = InstructionSet::T32;
        check(
            set,
            FlowKind::Branch,
            &[
                0xd0fe,
                0xe7fe,
                0xb123,
                0xb9c0,
                0x4718,
                0x4687,
                0x4497,
                0xf7ff_bffe,
                0xf000_8001,
            ],
        );
        check(
            set,
            FlowKind::Branch,
            &[0xe8df_f000, 0xf8df_f010, 0xf85f_f004, 0xf00f_c001],
        );
        check(set, FlowKind::Call, &[0x4798, 0xf000_f801, 0xf000_e802]);
        check(
            set,
            FlowKind::Return,
            &[
                0x4770,
                0xbd10,
                0xe8bd_8ff0,
                0xf85d_fb04,
                0xf85d_fb08,
                0xf85d_fb10,
                0x46f7,
            ],
        );
        // LDR pc,[sp],#-8, [sp,#8]!, [r1],#8.
        check(
            set,
            FlowKind::Branch,
            &[0xf85d_f908, 0xf85d_ff08, 0xf851_fb08],
        );
        check(set, FlowKind::Trap, &[0xdf00, 0xbeab, 0xf7f0_8000]);
        check(set, FlowKind::ExceptionReturn, &[0xf3de_8f04, 0xe990_c000]);
        check(
            set,
            FlowKind::Next,
            &[
                0xbf00,
                0x4608,
                0x4587,
                0xf3bf_8f4f,
                0xf3ef_8005,
                0xf7f0_a000,
                0xe92d_4ff0,
            ],
        );
    }

    /// Returns whether the disassembler classifies an instruction as a jump; none if it cannot
    /// decode it.
    fn is_jump_for(disassembler: &Capstone, bytes: &[u8]) -> Option<bool> {
        let instructions = disassembler.disasm_count(bytes, 0x8000, 1).ok()?;
        let instruction = instructions.iter().next()?;
        let detail = disassembler.insn_detail(instruction).ok()?;
        let jumps = [
            InsnGroupType::CS_GRP_JUMP,
            InsnGroupType::CS_GRP_CALL,
            InsnGroupType::CS_GRP_RET,
        ];
        Some(
            detail
                .groups()
                .iter()
                .any(|group| jumps.iter().any(|jump| *jump == u32::from(group.0))),
        )
    }

    proptest! {
        #[test]
        fn a64_branches_are_those_of_the_disassembler(high in prop::sample::select(vec![0x14u32, 0x54, 0x34, 0xb5, 0x36, 0x94, 0xd6, 0x91, 0xf9, 0xa9]), low in 0u32..1 << 24) {
            // The disassembler does not support BC.cond, which has this bit set.
            let opcode = if high == 0x54 { high << 24 | low & !0x10 } else { high << 24 | low };
            let disassembler = Capstone::new().arm64().mode(arm64::ArchMode::Arm).detail(true).build().unwrap();
            if let Some(is_jump) = is_jump_for(&disassembler, &opcode.to_le_bytes()) {
                let found = matches!(flow(opcode, InstructionSet::A64), FlowKind::Branch | FlowKind::Call | FlowKind::Return | FlowKind::ExceptionReturn);
                prop_assert_eq!(found, is_jump, "{:#x}", opcode);
            }
        }

        #[test]
        fn narrow_thumb_branches_are_those_of_the_disassembler(opcode in 0u32..0xe800) {
            let disassembler = Capstone::new().arm().mode(arm::ArchMode::Thumb).detail(true).build().unwrap();
            // The disassembler does not classify pops and moves to the program counter as jumps,
            // and does not support BXNS.
            let is_pop = opcode & 0xff00 == 0xbd00 || opcode & 0xfc87 == 0x4487;
            let is_secure = opcode & 0xff00 == 0x4700 && opcode & 7 != 0;
            if let Some(is_jump) = is_jump_for(&disassembler, &(opcode as u16).to_le_bytes()).filter(|_| !is_pop && !is_secure) {
                let found = matches!(flow(opcode, InstructionSet::T32), FlowKind::Branch | FlowKind::Call | FlowKind::Return);
                prop_assert_eq!(found, is_jump, "{:#x}", opcode);
            }
        }
    }
}

#[cfg(test)]
mod opcode_tests {
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
