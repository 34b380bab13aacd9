//! The condition flags of floating point, which the disassembler's lists leave out (DDI 0487, C4.1.96).

use crate::arm::a64::bits::FLAGS;
use crate::arm::flags::of_condition;
use crate::description::Description;

/// Adds those that FCMP and FCCMP write, and that FCSEL and FCCMP decide by.
pub fn with_float_flags(mut description: Description, opcode: u32) -> Description {
    // FCMP, FCMPE; FCCMP, FCCMPE; FCSEL.
    let is_comparison = opcode & 0xff20_fc07 == 0x1e20_2000;
    let is_conditional_comparison = opcode & 0xff20_0c00 == 0x1e20_0400;
    let is_select = opcode & 0xff20_0c00 == 0x1e20_0c00;
    if is_conditional_comparison || is_select {
        description.read(FLAGS);
        description.meaning.flags.read = Some(of_condition(opcode >> 12 & 0xf));
    }
    if is_comparison || is_conditional_comparison {
        description.write(FLAGS);
    }
    description
}
