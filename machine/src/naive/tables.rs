//! Encodings by mask and value.

use super::step::NaiveFlow::{self, Branch, Call, ExceptionReturn, Other, Return, Trap};

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
