//! VMOV between a general register and an element of a doubleword (DDI 0487, F6.1, "VMOV
//! (general-purpose register to scalar)").

use crate::arm::aarch32::vector::{a32_word, double};
use crate::description::MeaningBuilder;
use crate::expression::Expression;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// Describes an element move; none for other instructions.
pub fn describe(bytes: &[u8], set: InstructionSet) -> Option<MeaningBuilder> {
    let word = a32_word(bytes, set)?;
    if word >> 28 == 15 || word & 0x0f00_0f1f != 0x0e00_0b10 {
        return None;
    }
    let is_load = word >> 20 & 1 == 1;
    let is_unsigned = word >> 23 & 1 == 1;
    // VDUP.
    if !is_load && is_unsigned {
        return None;
    }
    let (place, size_bytes) = element(word >> 19 & 0b1100 | word >> 5 & 0b11)?;
    let whole = double(word >> 3 & 16 | word >> 16 & 15);
    let element = RegisterView {
        offset: whole.offset + place,
        size_bytes,
        ..whole
    };
    let general = match word >> 12 & 15 {
        13 => RegisterId::SP,
        14 => RegisterId::LR,
        15 => return None,
        number => RegisterId(u16::try_from(number).ok()?),
    };
    let mut description = MeaningBuilder::default();
    if is_load {
        let value = Expression::Register(element);
        let bits = u8::try_from(8 * size_bytes).unwrap_or(32);
        let value = if is_unsigned || bits == 32 {
            value
        } else {
            value.sign_extended(bits).zero_extended(32)
        };
        description.set(RegisterView::new(general, 0, 4), value);
    } else {
        let written = u128::MAX >> (128 - 8 * u32::from(size_bytes)) << (8 * u32::from(place));
        description.write_keeping(whole, u128::from(u64::MAX) & !written);
        description.set_part(
            element,
            Expression::Register(RegisterView::new(general, 0, size_bytes)),
        );
    }
    Some(description)
}

/// Returns the byte offset and length of an element from `opc1:opc2`.
fn element(kind: u32) -> Option<(u16, u16)> {
    let kind = u16::try_from(kind).ok()?;
    match kind {
        0b1000.. => Some((kind & 7, 1)),
        _ if kind & 1 == 1 => Some((kind >> 1 & 3, 2)),
        _ if kind & 2 == 0 => Some((kind >> 2 & 1, 4)),
        _ => None,
    }
    .map(|(number, size_bytes)| (number * size_bytes, size_bytes))
}
