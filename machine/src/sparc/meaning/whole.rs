//! Builder for SPARC instruction descriptions.

use crate::description::MeaningBuilder;
use crate::expression::Expression;
use crate::sparc::flags::{ConditionCodeSet, of_condition};
use crate::sparc::registers::{CONDITIONS, float_codes, named};
use crate::sparc::word::SparcWord;
use crate::view::RegisterView;
use crate::window::general;

/// Describes an instruction that has a text; none for instructions that are not modelled.
pub fn describe(word: SparcWord, pc: u64) -> Option<MeaningBuilder> {
    let mut meaning = SparcDescriber {
        word,
        pc,
        description: MeaningBuilder::default(),
    };
    let is_described = match (word.format(), word.kind()) {
        (0, _) => meaning.branch(),
        (1, _) => meaning.link(15),
        (2, 0x00..0x19 | 0x1a..0x28 | 0x2c..0x30) => meaning.computation(),
        (2, 0x28..0x2c | 0x30..0x34) => meaning.state(),
        (2, 0x19 | 0x34..0x38) => meaning.float(),
        (2, _) => meaning.control(),
        _ => meaning.memory(),
    };
    is_described.then_some(meaning.description)
}

/// An instruction while its description is built.
pub(crate) struct SparcDescriber {
    pub word: SparcWord,
    pub pc: u64,
    pub description: MeaningBuilder,
}

/// Returns a general register of the current window; none for the one that is always 0.
pub(crate) fn register(number: u16) -> Option<RegisterView> {
    (number > 0).then(|| RegisterView::new(general(number), 0, 8))
}

/// Returns the previous value of a general register.
pub(crate) fn value(number: u16) -> Expression {
    register(number).map_or(Expression::Constant(0), Expression::Register)
}

impl SparcDescriber {
    /// Returns the value of the second source.
    pub fn second(&self) -> Expression {
        if self.word.has_number() {
            Expression::Constant(self.word.number().cast_unsigned())
        } else {
            value(self.word.second())
        }
    }

    /// Adds both sources as inputs.
    pub fn read_sources(&mut self) {
        let values = [value(self.word.first()), self.second()];
        values
            .iter()
            .for_each(|value| self.description.read_all(value));
    }

    /// Writes a value to a general register.
    pub fn set_general(&mut self, number: u16, value: Expression) {
        self.description.read_all(&value);
        if let Some(view) = register(number) {
            self.description.set(view, value);
        }
    }

    /// Writes a value to the destination.
    pub fn set(&mut self, value: Expression) {
        self.set_general(self.word.destination(), value);
    }

    /// Writes unknown values to registers with individual names.
    pub fn write_named(&mut self, names: &[&str]) {
        names
            .iter()
            .filter_map(|name| named(name))
            .for_each(|view| self.description.write(view));
    }

    /// Writes the address of the call to the link register.
    pub fn link(&mut self, number: u16) -> bool {
        self.set_general(number, Expression::Constant(self.pc));
        true
    }

    fn branch(&mut self) -> bool {
        let is_decided = !matches!(self.word.field(25, 4), 0 | 8);
        match self.word.branch_kind() {
            kind @ (1 | 2) if is_decided => {
                self.description.read(CONDITIONS);
                // Only branches with prediction select a set of codes.
                let codes =
                    ConditionCodeSet::of(if kind == 1 { self.word.field(21, 1) } else { 0 });
                self.description.meaning.flags.read =
                    Some(of_condition(self.word.field(25, 4), codes));
            }
            // Only branches with prediction select a set of codes.
            kind @ (5 | 6) if is_decided => {
                self.description.read(float_codes(if kind == 5 {
                    self.word.field(20, 2)
                } else {
                    0
                }));
            }
            3 => {
                self.description.read_all(&value(self.word.first()));
                if self.word.flag(28) && !self.word.has_number() {
                    self.description.read_all(&value(self.word.second()));
                }
            }
            4 => self.set(Expression::Constant(
                u64::from(self.word.field(0, 22)) << 10,
            )),
            _ => {}
        }
        true
    }
}
