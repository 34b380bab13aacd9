//! Transfers of Advanced SIMD elements: loads and stores of elements and structures, VLD1 to VLD4
//! and VST1 to VST4 (DDI 0487, F4.1.23), and VMOV between a general register and an element of a
//! doubleword (F6.1, "VMOV (general-purpose register to scalar)").

use crate::arm::aarch32::vector::{a32_word, double};
use crate::arm::registers::register_32;
use crate::description::MeaningBuilder;
use crate::expression::{Expression, Operation};
use crate::meaning::{AccessKind, MemoryOperand};
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// Describes an element or structure load or store; none for other instructions.
pub fn describe(bytes: &[u8], set: InstructionSet) -> Option<MeaningBuilder> {
    let word = a32_word(bytes, set).filter(|word| word & 0xff10_0000 == 0xf400_0000)?;
    let base = RegisterView::new(register_32(word >> 16 & 15)?, 0, 4);
    let mut structures = StructureDescriber {
        word,
        base,
        description: MeaningBuilder::default(),
    };
    let total_bytes = match (word >> 23 & 1, word >> 10 & 3) {
        (0, _) => structures.whole_registers()?,
        (_, 3) => structures.all_lanes()?,
        _ => structures.one_lane()?,
    };
    structures.write_back(total_bytes);
    Some(structures.description)
}

struct StructureDescriber {
    word: u32,
    base: RegisterView,
    description: MeaningBuilder,
}

impl StructureDescriber {
    fn field(&self, first: u32, width: u32) -> u32 {
        self.word >> first & ((1 << width) - 1)
    }

    fn is_load(&self) -> bool {
        self.field(21, 1) == 1
    }

    /// Returns a doubleword of the list; none past the last register.
    fn register(&self, number: u16, step: u16) -> Option<RegisterView> {
        let first = self.field(22, 1) << 4 | self.field(12, 4);
        Some(first + u32::from(number * step))
            .filter(|number| *number < 32)
            .map(double)
    }

    fn access(&mut self, offset: u16, size_bytes: u16, stored: Option<Expression>) -> Expression {
        self.description.access(MemoryOperand {
            kind: if stored.is_some() {
                AccessKind::Write
            } else {
                AccessKind::Read
            },
            segment: None,
            base: Some(self.base),
            index: None,
            displacement: offset.into(),
            address_bytes: 4,
            size_bytes: Some(size_bytes),
            value: stored.unwrap_or(Expression::Unknown),
        })
    }

    /// Describes multiple structures. With one element per structure, the registers are copies;
    /// otherwise they are interleaved.
    fn whole_registers(&mut self) -> Option<u16> {
        let (count, step, is_interleaved) = match self.field(8, 4) {
            0b0111 => (1, 1, false),
            0b1010 => (2, 1, false),
            0b0110 => (3, 1, false),
            0b0010 => (4, 1, false),
            0b1000 => (2, 1, true),
            0b1001 => (2, 2, true),
            0b0100 => (3, 1, true),
            0b0101 => (3, 2, true),
            0b0000 | 0b0011 => (4, 1, true),
            0b0001 => (4, 2, true),
            _ => return None,
        };
        let views: Vec<_> = (0..count)
            .map(|number| self.register(number, step))
            .collect::<Option<_>>()?;
        let total_bytes = 8 * count;
        if is_interleaved {
            let stored = (!self.is_load()).then_some(Expression::Unknown);
            self.access(0, total_bytes, stored);
        }
        for (offset, view) in (0u16..).step_by(8).zip(views) {
            match (is_interleaved, self.is_load()) {
                (false, true) => {
                    let loaded = self.access(offset, 8, None);
                    self.description.set(view, loaded);
                }
                (false, false) => {
                    self.access(offset, 8, Some(Expression::Register(view)));
                }
                (true, true) => self.description.write(view),
                (true, false) => self.description.read(view),
            }
        }
        Some(total_bytes)
    }

    /// Describes one structure loaded to all lanes.
    fn all_lanes(&mut self) -> Option<u16> {
        let size_bytes: u16 = 1 << self.field(6, 2).min(2);
        let (elements, is_wide) = (
            u16::try_from(self.field(8, 2)).ok()? + 1,
            self.field(5, 1) == 1,
        );
        if !self.is_load() {
            return None;
        }
        // VLD1 fills a second register; the others may skip one.
        let (copies, step) = if elements == 1 {
            (1 + u16::from(is_wide), 1)
        } else {
            (1, 1 + u16::from(is_wide))
        };
        for number in 0..elements {
            let loaded = self.access(number * size_bytes, size_bytes, None);
            for view in (0..copies)
                .filter_map(|copy| self.register(number + copy, step))
                .collect::<Vec<_>>()
            {
                self.description.write(view);
                for place in (0..8).step_by(usize::from(size_bytes)) {
                    let lane = RegisterView {
                        offset: view.offset + place,
                        size_bytes,
                        ..view
                    };
                    self.description.set_part(lane, loaded.clone());
                }
            }
        }
        Some(elements * size_bytes)
    }

    /// Describes one structure in one lane; a load keeps the other lanes.
    fn one_lane(&mut self) -> Option<u16> {
        let size = self.field(10, 2);
        let size_bytes: u16 = 1 << size;
        let elements = u16::try_from(self.field(8, 2)).ok()? + 1;
        let place = u16::try_from(self.field(5 + size, 3 - size)).ok()? * size_bytes;
        let is_skipping = size > 0 && elements > 1 && self.field(4 + size, 1) == 1;
        for number in 0..elements {
            let view = self.register(number, 1 + u16::from(is_skipping))?;
            let lane = RegisterView {
                offset: view.offset + place,
                size_bytes,
                ..view
            };
            if self.is_load() {
                let loaded = self.access(number * size_bytes, size_bytes, None);
                let bits = u128::MAX >> (128 - 8 * u32::from(size_bytes)) << (8 * u32::from(place));
                self.description.write_keeping(view, !bits);
                self.description.set_part(lane, loaded);
            } else {
                self.access(
                    number * size_bytes,
                    size_bytes,
                    Some(Expression::Register(lane)),
                );
            }
        }
        Some(elements * size_bytes)
    }

    /// Advances the base by the number of bytes accessed, or by a register.
    fn write_back(&mut self, total_bytes: u16) {
        let base = Expression::Register(self.base);
        let value = match self.field(0, 4) {
            15 => return,
            13 => base.plus(total_bytes.into()),
            number => match register_32(number) {
                Some(register) => base.with(
                    Operation::Add,
                    Expression::Register(RegisterView {
                        register,
                        ..self.base
                    }),
                ),
                None => Expression::Unknown,
            },
        };
        self.description.set(self.base, value.zero_extended(32));
    }
}

/// Describes an element move; none for other instructions.
pub fn describe_element(bytes: &[u8], set: InstructionSet) -> Option<MeaningBuilder> {
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
