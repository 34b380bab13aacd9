//! Condition flags of floating-point instructions, which the disassembler's lists omit (DDI 0487,
//! C4.1.96).

use crate::arm::a64::bits::FLAGS;
use crate::arm::flags::{of_condition, test_of_condition};
use crate::description::MeaningBuilder;
use crate::expression::Expression;
use crate::selection::ConditionalSelection;
use crate::view::{RegisterId, RegisterView};

/// Adds the flags that FCMP and FCCMP write, and those that FCSEL and FCCMP test.
pub fn with_float_flags(mut description: MeaningBuilder, opcode: u32) -> MeaningBuilder {
    // FCMP, FCMPE; FCCMP, FCCMPE; FCSEL.
    let is_comparison = opcode & 0xff20_fc07 == 0x1e20_2000;
    let is_conditional_comparison = opcode & 0xff20_0c00 == 0x1e20_0400;
    let is_select = opcode & 0xff20_0c00 == 0x1e20_0c00;
    if is_conditional_comparison || is_select {
        description.read(FLAGS);
        let condition = opcode >> 12 & 0xf;
        description.meaning.flags.read = Some(of_condition(condition));
        let (chosen, otherwise) = match is_select {
            true => (operand(opcode, 5), operand(opcode, 16)),
            false => (Expression::Unknown, Expression::Constant(0)),
        };
        description.meaning.selection = Some(ConditionalSelection {
            test: test_of_condition(condition),
            chosen,
            otherwise,
        });
    }
    let is_javascript_conversion = opcode & 0xffff_fc00 == 0x1e7e_0000; // FJCVTZS
    if is_comparison || is_conditional_comparison || is_javascript_conversion {
        description.write(FLAGS);
    }
    description
}

/// Returns the value of the floating-point register whose number is at this bit position.
fn operand(opcode: u32, place: u32) -> Expression {
    let size_bytes = match opcode >> 22 & 3 {
        0 => 4,
        1 => 8,
        _ => 2,
    };
    let number = u16::try_from(opcode >> place & 31).unwrap_or_default();
    Expression::Register(RegisterView::new(
        RegisterId(RegisterId::V0.0 + number),
        0,
        size_bytes,
    ))
}
