//! Instruction decoding of the oracle ([`NaiveStep`]), from tables of masks and values, so that it
//! shares no code with the decoding that it checks.

use crate::instruction::Encoding;
use crate::naive::step::NaiveFlow::{Branch, Call, ExceptionReturn, Other, Return, Trap};
use crate::set::InstructionSet;
use crate::view::RegisterId;

/// Effect of an instruction on the program counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NaiveFlow {
    /// Control continues with the next instruction.
    Other,
    /// A jump.
    Branch,
    /// A jump that saves a return address.
    Call,
    /// A jump used to end functions.
    Return,
    /// Raises an exception.
    Trap,
    /// Returns from an exception.
    ExceptionReturn,
}

/// Destination of a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NaiveCallTarget {
    /// This address.
    Address(u64),
    /// The value of a register.
    Register(RegisterId),
}

/// An Arm instruction. Instructions of other sets have no effect here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NaiveStep {
    /// Instruction set.
    pub set: InstructionSet,
    /// Encoding, right-aligned.
    pub opcode: u32,
    /// Address.
    pub pc: u64,
    /// Length in bytes.
    pub length_bytes: u8,
}

impl NaiveStep {
    /// Returns the effect on control flow if the condition holds.
    pub fn kind(&self) -> NaiveFlow {
        let opcode = self.opcode;
        let encodings = match self.set {
            InstructionSet::A64 if opcode >> 26 == 0b10_0101 => return NaiveFlow::Call,
            InstructionSet::A64 => A64,
            InstructionSet::A32 if opcode >> 28 == 15 => A32_ALWAYS,
            InstructionSet::A32 => A32,
            InstructionSet::T32 if opcode > 0xffff => WIDE,
            InstructionSet::T32 => NARROW,
            _ => return NaiveFlow::Other,
        };
        let found = encodings
            .iter()
            .find(|(mask, bits, _)| opcode & mask == *bits);
        found.map_or(NaiveFlow::Other, |(_, _, kind)| *kind)
    }

    /// Returns the target of a direct call: BL (DDI 0487, C6.2.35), CALL rel32 (Intel SDM, volume
    /// 2, CALL).
    pub fn call_target(&self, encoding: Option<Encoding>) -> Option<u64> {
        match self.set {
            InstructionSet::A64 => match self.target() {
                Some(NaiveCallTarget::Address(address)) => Some(address),
                _ => None,
            },
            InstructionSet::X86_64 => {
                let encoding = encoding?;
                let [0xe8, offset @ ..] = encoding.bytes() else {
                    return None;
                };
                let offset = i64::from(i32::from_le_bytes(offset.try_into().ok()?));
                Some(self.pc.wrapping_add_signed(5 + offset))
            }
            _ => None,
        }
    }

    /// Returns the target of a direct branch without link.
    pub fn branch_target(&self) -> Option<u64> {
        let (pc, opcode) = (self.pc, self.opcode);
        let bits = |from: u32, count: u32| (opcode >> from) & ((1 << count) - 1);
        let a64 = |from: u32, count: u32| {
            Some(pc.wrapping_add_signed(4 * signed(bits(from, count), count)))
        };
        let arm = |offset: i64| Some(pc.wrapping_add_signed(offset) & 0xffff_fffe);
        match self.set {
            InstructionSet::A64 if bits(26, 6) == 0b00_0101 => a64(0, 26),
            InstructionSet::A64 if bits(24, 8) == 0x54 || bits(25, 6) == 0b01_1010 => a64(5, 19),
            InstructionSet::A64 if bits(25, 6) == 0b01_1011 => a64(5, 14),
            InstructionSet::A32 if bits(24, 4) == 10 && bits(28, 4) != 15 => {
                arm(8 + 4 * signed(bits(0, 24), 24))
            }
            InstructionSet::T32 if opcode >> 12 == 0xd => arm(4 + 2 * signed(bits(0, 8), 8)),
            InstructionSet::T32 if opcode >> 11 == 0b11100 => arm(4 + 2 * signed(bits(0, 11), 11)),
            InstructionSet::T32 if opcode >> 16 == 0 && opcode & 0xf500 == 0xb100 => {
                arm(4 + 64 * i64::from(bits(9, 1)) + 2 * i64::from(bits(3, 5)))
            }
            // LE branches backwards, WLS forwards.
            InstructionSet::T32 if opcode & 0xff80_f001 == 0xf000_c001 => {
                let distance = 4 * i64::from(bits(1, 10)) + 2 * i64::from(bits(11, 1));
                arm(if bits(16, 4) == 15 {
                    4 - distance
                } else {
                    4 + distance
                })
            }
            InstructionSet::T32 if opcode & 0xf800_d000 == 0xf000_9000 => {
                arm(4 + t32_offset(opcode))
            }
            InstructionSet::T32 if opcode & 0xf800_d000 == 0xf000_8000 => {
                let high = bits(26, 1) << 19 | bits(11, 1) << 18 | bits(13, 1) << 17;
                arm(4 + 2 * signed(high | bits(16, 6) << 11 | bits(0, 11), 20))
            }
            _ => None,
        }
    }

    /// Returns the target of a call; none for other instructions.
    pub fn target(&self) -> Option<NaiveCallTarget> {
        let (pc, opcode) = (self.pc, self.opcode);
        let bits = |from: u32, count: u32| (opcode >> from) & ((1 << count) - 1);
        match self.set {
            InstructionSet::A64 if bits(26, 6) == 0b10_0101 => Some(NaiveCallTarget::Address(
                pc.wrapping_add_signed(4 * signed(bits(0, 26), 26)),
            )),
            InstructionSet::A64 if opcode & 0xffff_fc1f == 0xd63f_0000 => a64_register(bits(5, 5)),
            InstructionSet::A32 if bits(25, 7) == 0b111_1101 => {
                let half = i64::from(bits(24, 1)) * 2;
                Some(narrow(
                    pc.wrapping_add_signed(8 + 4 * signed(bits(0, 24), 24) + half),
                ))
            }
            InstructionSet::A32 if bits(24, 4) == 0b1011 => Some(narrow(
                pc.wrapping_add_signed(8 + 4 * signed(bits(0, 24), 24)),
            )),
            InstructionSet::A32 if bits(4, 24) == 0x12f_ff3 => a32_register(bits(0, 4)),
            InstructionSet::T32 if opcode >> 7 == 0x8f && bits(0, 3) == 0 => {
                a32_register(bits(3, 4))
            }
            InstructionSet::T32
                if bits(27, 5) == 0b11110 && bits(14, 2) == 0b11 && bits(12, 1) >= bits(0, 1) =>
            {
                // BLX switches to A32 code, whose addresses are multiples of 4.
                let base = if bits(12, 1) == 1 {
                    pc.wrapping_add(4)
                } else {
                    pc.wrapping_add(4) & !3
                };
                Some(narrow(base.wrapping_add_signed(t32_offset(opcode))))
            }
            _ => None,
        }
    }

    /// Returns the target of a jump of any kind; none if the encoding does not state it.
    pub fn jump_target(&self) -> Option<NaiveCallTarget> {
        let bits = |from: u32, count: u32| (self.opcode >> from) & ((1 << count) - 1);
        let through = match self.set {
            InstructionSet::A64
                if [0xd61f_0000, 0xd65f_0000].contains(&(self.opcode & 0xffff_fc1f)) =>
            {
                a64_register(bits(5, 5))
            }
            InstructionSet::A32 if bits(4, 24) == 0x12f_ff1 => a32_register(bits(0, 4)),
            InstructionSet::T32 if self.opcode >> 7 == 0x8e && bits(0, 3) == 0 => {
                a32_register(bits(3, 4))
            }
            _ => None,
        };
        through
            .or_else(|| self.target())
            .or_else(|| self.branch_target().map(NaiveCallTarget::Address))
    }

    /// Returns true if it compares a register to decide a branch.
    pub fn is_compare(&self) -> bool {
        match self.set {
            InstructionSet::A64 => self.opcode & 0x7c00_0000 == 0x3400_0000,
            // WLS and LE compare the iteration count.
            InstructionSet::T32 if self.opcode > 0xffff => self.opcode & 0xff80_f001 == 0xf000_c001,
            InstructionSet::T32 => self.opcode & 0xf500 == 0xb100,
            _ => false,
        }
    }

    /// Returns the condition code of a conditional branch whose outcome its record does not state.
    pub fn condition_of_branch(&self) -> Option<u32> {
        let code = match self.set {
            InstructionSet::A64 if self.opcode >> 24 == 0x54 => self.opcode & 15,
            InstructionSet::T32 if self.opcode >> 12 == 0xd => self.opcode >> 8 & 15,
            InstructionSet::T32 if self.opcode >> 27 == 0x1e && self.opcode >> 12 & 0xd == 8 => {
                self.opcode >> 22 & 15
            }
            _ => return None,
        };
        (self.set == InstructionSet::A64 || code < 14).then_some(code)
    }

    /// Returns true for a permanently undefined instruction.
    pub fn is_undefined(&self) -> bool {
        match self.set {
            InstructionSet::A64 => self.opcode >> 16 == 0,
            InstructionSet::A32 => self.opcode >> 20 == 0xe7f && self.opcode >> 4 & 15 == 15,
            InstructionSet::T32 if self.opcode > 0xffff => self.opcode & 0xfff0_f000 == 0xf7f0_a000,
            InstructionSet::T32 => self.opcode >> 8 == 0xde,
            _ => false,
        }
    }

    /// Returns true if it computes the stack pointer from its previous value.
    pub fn moves_stack(&self) -> bool {
        let opcode = self.opcode;
        let is = |mask: u32, bits: u32| opcode & mask == bits;
        match self.set {
            InstructionSet::A64 => {
                let adds = is(0x1f80_03ff, 0x1100_03ff) || is(0x1fe0_03ff, 0x0b20_03ff);
                adds || is(0x3a80_03e0, 0x2880_03e0) || is(0x3b20_07e0, 0x3800_07e0)
            }
            InstructionSet::A32 => is(0x000f_0000, 0x000d_0000),
            InstructionSet::T32 if opcode > 0xffff => is(0x000f_0000, 0x000d_0000),
            InstructionSet::T32 => is(0xff00, 0xb000) || is(0xf600, 0xb400) || is(0xff87, 0x4485),
            _ => false,
        }
    }

    /// Returns true for a semihosting call.
    pub fn is_host_call(&self) -> bool {
        match self.set {
            InstructionSet::A64 => self.opcode == 0xd45e_0000,
            InstructionSet::A32 => {
                [0x0f12_3456, 0x010f_0070].contains(&(self.opcode & 0x0fff_ffff))
            }
            InstructionSet::T32 => {
                self.length_bytes == 2 && [0xbeab, 0xdfab, 0xbabc].contains(&self.opcode)
            }
            _ => false,
        }
    }

    /// Returns true if it looks like the first instruction of an exception handler.
    pub fn is_vector(&self) -> bool {
        match self.set {
            InstructionSet::A64 => self.pc & 0x7f == 0,
            InstructionSet::A32 => self.pc & 0x1f != 0 && self.kind() == NaiveFlow::Branch,
            _ => false,
        }
    }

    /// Returns true if a branch to this link register value returns from an exception.
    pub fn is_exception_return(&self, link: u64) -> bool {
        self.set == InstructionSet::T32 && link & 0xffff_ff80 == 0xffff_ff80
    }

    /// Returns true if that return goes to code outside handlers.
    pub fn is_return_to_thread_mode(&self, link: u64) -> bool {
        self.is_exception_return(link) && link >> 3 & 1 == 1
    }

    /// Returns true if a branch to this link register value returns to the other security state.
    pub fn is_state_return(&self, link: u64) -> bool {
        self.set == InstructionSet::T32 && [0xfeff_fffe, 0xfeff_ffff].contains(&link)
    }

    /// Returns true for SG, at which calls from the other security state arrive.
    pub fn is_state_gateway(&self) -> bool {
        self.set == InstructionSet::T32 && self.opcode == 0xe97f_e97f
    }

    /// Returns the register that receives the return address of a call.
    pub fn link_register(&self) -> RegisterId {
        if self.set == InstructionSet::A64 {
            LINK_A64
        } else {
            RegisterId::LR
        }
    }

    /// Returns the return address of a call at this instruction.
    pub fn return_address(&self) -> u64 {
        self.with_mark(self.pc.wrapping_add(u64::from(self.length_bytes)))
    }

    /// Returns an address with the Thumb bit if this set uses it.
    pub fn with_mark(&self, address: u64) -> u64 {
        address | u64::from(self.set == InstructionSet::T32)
    }

    /// Returns the address of a jump target without the Thumb bit.
    pub fn without_mark(&self, address: u64) -> u64 {
        if self.set == InstructionSet::A64 {
            address
        } else {
            address & !1
        }
    }

    /// Returns the number of bytes in an address, for sets with semihosting.
    pub fn word_bytes(&self) -> u16 {
        if self.set == InstructionSet::A64 {
            8
        } else {
            4
        }
    }

    /// Returns true if calls push their return addresses.
    pub fn pushes_return_address(&self) -> bool {
        [InstructionSet::X86_64, InstructionSet::X86_32].contains(&self.set)
    }
}

/// Link register of A64.
pub const LINK_A64: RegisterId = RegisterId(30);

/// Truncates an address to AArch32 and clears its Thumb bit.
fn narrow(address: u64) -> NaiveCallTarget {
    NaiveCallTarget::Address(address & 0xffff_fffe)
}

fn a64_register(number: u32) -> Option<NaiveCallTarget> {
    u16::try_from(number)
        .ok()
        .filter(|number| *number < 31)
        .map(|number| NaiveCallTarget::Register(RegisterId(number)))
}

fn a32_register(number: u32) -> Option<NaiveCallTarget> {
    Some(NaiveCallTarget::Register(match number {
        13 => RegisterId::SP,
        14 => RegisterId::LR,
        _ => RegisterId(u16::try_from(number).ok().filter(|number| *number < 13)?),
    }))
}

fn signed(field: u32, bits: u32) -> i64 {
    let (field, sign) = (i64::from(field), 1i64 << (bits - 1));
    (field ^ sign) - sign
}

/// S, I1 = not (J1 xor S), I2 = not (J2 xor S), imm10, imm11, 0.
fn t32_offset(opcode: u32) -> i64 {
    let bit = |place: u32| opcode >> place & 1;
    let sign = bit(26);
    let high = sign << 23 | u32::from(bit(13) == sign) << 22 | u32::from(bit(11) == sign) << 21;
    2 * signed(high | (opcode >> 16 & 0x3ff) << 11 | (opcode & 0x7ff), 24)
}

/// Rows of mask, value and effect; the first matching row applies.
pub type NaiveEncodingTable = &'static [(u32, u32, NaiveFlow)];

pub const A64: NaiveEncodingTable = &[
    (0x7c00_0000, 0x1400_0000, Branch), // B and BL; the caller separates BL
    (0xff00_0000, 0x5400_0000, Branch),
    (0x7c00_0000, 0x3400_0000, Branch), // CBZ, TBZ
    (0xff00_0000, 0xd400_0000, Trap),
    (0xfee0_0000, 0xd600_0000, Branch),
    (0xfee0_0000, 0xd620_0000, Call),
    (0xfee0_0000, 0xd640_0000, Return),
    (0xfee0_0000, 0xd680_0000, ExceptionReturn),
    (0xfee0_0000, 0xd6a0_0000, ExceptionReturn),
];

/// Unconditional encodings.
pub const A32_ALWAYS: NaiveEncodingTable = &[
    (0xfe00_0000, 0xfa00_0000, Call),
    (0xfe50_ffff, 0xf810_0a00, ExceptionReturn),
];

pub const A32: NaiveEncodingTable = &[
    (0x0f00_0000, 0x0a00_0000, Branch),
    (0x0f00_0000, 0x0b00_0000, Call),
    (0x0f00_0000, 0x0f00_0000, Trap),
    (0x0e50_8000, 0x0810_8000, Return),          // LDM {…,pc}
    (0x0e50_8000, 0x0850_8000, ExceptionReturn), // LDM {…,pc}^
    (0x0fff_ffff, 0x049d_f000, Branch),
    (0x0fff_f003, 0x049d_f000, Return), // LDR pc,[sp],#4, #8 and so on
    (0x0e00_0010, 0x0600_0010, Other),  // media instructions
    (0x0c50_f000, 0x0410_f000, Branch), // LDR pc
    (0x0fff_ffff, 0x012f_ff1e, Return),
    (0x0fff_fff0, 0x012f_ff10, Branch),
    (0x0fff_fff0, 0x012f_ff20, Branch),
    (0x0fff_fff0, 0x012f_ff30, Call),
    (0x0f90_00f0, 0x0100_0070, Trap),
    (0x0e00_0090, 0x0000_0090, Other), // multiplications, small loads
    (0x0d80_0000, 0x0100_0000, Other), // compares, status registers
    (0x0fff_ffff, 0x01a0_f00e, Return),
    (0x0c10_f000, 0x0010_f000, ExceptionReturn), // SUBS pc,lr
    (0x0c10_f000, 0x0000_f000, Branch),
];

pub const NARROW: NaiveEncodingTable = &[
    (0xffff, 0x46f7, Return),
    (0xfffb, 0x4770, Return),
    (0xff00, 0xbd00, Return),
    (0xff80, 0x4700, Branch),
    (0xff80, 0x4780, Call),
    (0xff00, 0xde00, Other),
    (0xff00, 0xdf00, Trap),
    (0xf000, 0xd000, Branch),
    (0xf800, 0xe000, Branch),
    (0xff00, 0xbe00, Trap),
    (0xffc0, 0xba80, Trap),
    (0xf500, 0xb100, Branch),
    (0xff87, 0x4487, Branch),
    (0xff87, 0x4687, Branch),
];

pub const WIDE: NaiveEncodingTable = &[
    (!0, 0xf85d_fb00, Branch),
    (0xffff_ff03, 0xf85d_fb00, Return),
    (0xf800_d000, 0xf000_d000, Call),
    (0xf800_d001, 0xf000_c000, Call),
    (0xf800_f001, 0xf000_e001, Other), // DLS
    (0xf800_d000, 0xf000_c000, Branch),
    (0xf800_d000, 0xf000_9000, Branch),
    (0xffff_ff00, 0xf3de_8f00, ExceptionReturn),
    (0xfff0_ffff, 0xf3c0_8f00, Branch),
    (0xffe0_f000, 0xf7e0_8000, Trap),
    (0xfb80_d000, 0xf380_8000, Other),
    (0xf800_d000, 0xf000_8000, Branch),
    (0xffd0_ffff, 0xe810_c000, ExceptionReturn),
    (0xffd0_ffff, 0xe990_c000, ExceptionReturn),
    (0xffff_0000, 0xe89f_0000, Other), // CLRM
    (0xffd0_8000, 0xe890_8000, Return),
    (0xffd0_8000, 0xe910_8000, Return),
    (0xff70_f000, 0xf850_f000, Branch),
    (0xfff0_ffe0, 0xe8d0_f000, Branch),
];
