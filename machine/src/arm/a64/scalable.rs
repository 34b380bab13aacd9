//! SVE and SME: operands from the disassembler's text, completed from the encoding.
//!
//! The disassembler's register lists are empty for these sets, and its operands do not state which
//! predicates merge.
//! The text does: the destination comes first, a destructive form repeats it, and `/m` keeps
//! inactive elements.
//! Encoding classes follow DDI 0487, C4.1 "SVE encodings".

use crate::arm::a64::bits::FLAGS;
use crate::arm::flags::{C, N, V};
use crate::arm::registers::{view_of_name, written};
use crate::description::MeaningBuilder;
use crate::expression::Expression;
use crate::instruction::DisassembledInstruction;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

type ScalableEncodingClass = (u32, u32);

/// Classes whose destination is also an operand, although the text names it only once.
const ACCUMULATING: &[ScalableEncodingClass] = &[
    (0xff20_8000, 0x4400_0000), // integer multiply-add, dot products
    (0xff20_f800, 0x4400_c000), // SCLAMP, UCLAMP
    (0xff20_8000, 0x4420_0000), // by element: multiply-add, dot products
    (0xff20_c000, 0x4420_8000), // by element: long multiply-add
    (0xff20_f800, 0x4500_9000), // EORBT, EORTB
    (0xff20_fc00, 0x4500_9800), // SMMLA, USMMLA, UMMLA
    (0xff20_f000, 0x4500_c000), // SABALB and the like
    (0xff20_f800, 0x4500_d000), // ADCLB and the like
    (0xff20_e000, 0x4500_e000), // SSRA and the like, SRI, SLI, SABA, UABA
    (0xffa0_c400, 0x4520_0400), // narrowing shifts to the odd elements
    (0xffa0_e400, 0x4520_4400), // narrowing moves to the odd elements
    (0xff20_e400, 0x4520_6400), // ADDHNT and the like
    (0xff20_f800, 0x6420_0000), // by element: FMLA, FMLS
    (0xff20_f000, 0x6420_1000), // by element: FCMLA
    (0xff20_c000, 0x6420_4000), // by element: FMLALB and the like, BFDOT
    (0xff20_c000, 0x6420_8000), // FMLALB and the like, BFDOT
    (0xff20_fc00, 0x6420_e400), // FMMLA, BFMMLA
    (0xff3f_fc00, 0x0524_3800), // INSR
    (0xff3f_fc00, 0x0534_3800),
    (0xff20_fc00, 0x0520_2c00), // TBX
    (0xff38_f000, 0x2528_8000), // INCP and the like
];

/// INCB and the like; this class includes CNTB and the like.
const COUNTING: ScalableEncodingClass = (0xff20_c000, 0x0420_c000);
const COUNT: ScalableEncodingClass = (0xff30_f800, 0x0420_e000);

/// Classes that write the condition flags.
const SETTING_FLAGS: &[ScalableEncodingClass] = &[
    (0xff00_0000, 0x2400_0000), // CMPEQ and the like
    (0xff20_4000, 0x2500_0000), // with an immediate
    (0xff70_c000, 0x2540_4000), // ANDS, BRKAS, BRKNS and the like
    (0xff70_c000, 0x2540_c000), // BRKPAS, BRKPBS
    (0xff7f_c210, 0x2550_4000), // BRKAS, BRKBS
    (0xff7f_c210, 0x2558_4000), // BRKNS
    (0xffff_c21f, 0x2550_c000), // PTEST
    (0xffff_fe10, 0x2558_c000), // PFIRST
    (0xff3f_fe10, 0x2519_c400), // PNEXT
    (0xff3f_fc10, 0x2519_e000), // PTRUES
    (0xffff_fe10, 0x2558_f000), // RDFFRS
    (0xff20_e000, 0x2520_0000), // WHILELT and the like
    (0xff20_fc00, 0x2520_3000), // WHILEWR, WHILERW
    (0xff20_e000, 0x4520_8000), // MATCH, NMATCH
    CTERM,
];

/// CTERMEQ, CTERMNE.
const CTERM: ScalableEncodingClass = (0xffa0_fc0f, 0x25a0_2000);

/// Classes that write no register: PTEST, CTERM, WRFFR.
const WITHOUT_DESTINATION: &[ScalableEncodingClass] = &[
    (0xffff_c21f, 0x2550_c000),
    CTERM,
    (0xffff_fe1f, 0x2528_9000),
];

/// Returns true for SVE and SME encodings.
pub fn is_scalable(opcode: u32) -> bool {
    opcode >> 25 & 0xf == 0b0010 || opcode >> 31 == 1 && opcode >> 25 & 0xf == 0
}

/// Describes an SVE or SME instruction. Its memory accesses are not modelled.
pub fn describe(instruction: &DisassembledInstruction<'_>, opcode: u32) -> MeaningBuilder {
    let is_in =
        |classes: &[ScalableEncodingClass]| classes.iter().any(|class| matches(opcode, *class));
    let (first, rest) = split_first(instruction.operands);
    let writes_first = !is_store(opcode) && !is_in(WITHOUT_DESTINATION);
    let destinations = if writes_first {
        views(first)
    } else {
        Vec::new()
    };
    let mut description = MeaningBuilder::default();
    let is_operand = rest.contains("/m")
        || is_in(ACCUMULATING)
        || matches(opcode, COUNTING) && !matches(opcode, COUNT);
    if !writes_first || is_operand {
        views(first)
            .into_iter()
            .for_each(|view| description.read(view));
    }
    views(rest)
        .into_iter()
        .for_each(|view| description.read(view));
    for view in destinations {
        let value = copied(opcode).map_or(Expression::Unknown, Expression::Register);
        description.set(written(view, InstructionSet::A64), value);
    }
    if is_in(SETTING_FLAGS) {
        description.write(FLAGS);
    }
    if matches(opcode, CTERM) {
        description.read(FLAGS);
        description.meaning.flags.read = Some(C);
        description.meaning.flags.written = Some(N | V);
    }
    if instruction.operands.contains('[') && is_memory(opcode) {
        description.access_unknown();
    }
    description
}

fn matches(opcode: u32, class: ScalableEncodingClass) -> bool {
    let (mask, bits) = class;
    opcode & mask == bits
}

/// Returns true for loads, stores and prefetches of SVE and SME.
fn is_memory(opcode: u32) -> bool {
    opcode >> 31 == 1 && (opcode >> 25 & 0xf == 0b0010 || opcode >> 25 == 0b111_0000)
}

fn is_store(opcode: u32) -> bool {
    opcode >> 25 == 0b111_0010 || opcode >> 25 == 0b111_0000 && opcode >> 21 & 1 == 1
}

/// Returns the register that an unpredicated MOVPRFX or MOV copies.
fn copied(opcode: u32) -> Option<RegisterView> {
    let (from, other) = (opcode >> 5 & 31, opcode >> 16 & 31);
    let is_move = matches(opcode, (0xffff_fc00, 0x0420_bc00))
        || matches(opcode, (0xffe0_fc00, 0x0460_3000)) && from == other;
    let number = u16::try_from(from).ok().filter(|_| is_move)?;
    Some(RegisterView::new(
        RegisterId(RegisterId::V0.0 + number),
        0,
        256,
    ))
}

/// Splits off the first operand, which may be a list in braces.
fn split_first(operands: &str) -> (&str, &str) {
    let end = if operands.starts_with('{') {
        operands.find('}').unwrap_or(0)
    } else {
        0
    };
    let comma = operands
        .get(end..)
        .and_then(|rest| rest.find(','))
        .map(|place| end + place);
    comma
        .and_then(|place| operands.split_at_checked(place))
        .unwrap_or((operands, ""))
}

/// Returns the registers that a text names, without element arrangements.
fn views(text: &str) -> Vec<RegisterView> {
    let words = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '.');
    let names = words.filter_map(|word| word.split('.').next());
    names
        .filter_map(|name| view_of_name(name, InstructionSet::A64))
        .collect()
}
