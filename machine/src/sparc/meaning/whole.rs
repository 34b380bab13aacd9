//! Builder for descriptions of SPARC instructions ([`SparcDescriber`]), with the reads and writes
//! of state registers, which include moves of the register window.

use crate::description::MeaningBuilder;
use crate::expression::{Expression, Operation};
use crate::sparc::registers::{CONDITIONS, float_codes, named};
use crate::sparc::status::{ConditionCodeSet, of_condition};
use crate::sparc::text::names::{STATE, hyperprivileged, privileged, written_state};
use crate::sparc::windows::general;
use crate::sparc::word::SparcWord;
use crate::view::RegisterView;

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

/// Registers that change without an instruction, or of which each trap level has one.
const UNTOLD: [&str; 15] = [
    "tick", "stick", "pic", "softint", "pc", "entropy", "tpc", "tnpc", "tstate", "tt", "htstate",
    "fq", "hintp", "pcr", "ver",
];

impl SparcDescriber {
    pub fn state(&mut self) -> bool {
        let (first, destination) = (self.word.first(), self.word.destination());
        match self.word.kind() {
            0x28 if first == 15 && destination == 0 => {} // MEMBAR, STBAR
            0x28 if first == 5 => self.set(Expression::Constant(self.pc)),
            0x28 => self.read_state(STATE.get(usize::from(first)).copied()),
            0x29 => self.read_state(hyperprivileged(first.into())),
            0x2a => self.read_state(privileged(first.into())),
            0x2b => {} // FLUSHW
            0x30 => self.write_state(written_state(destination.into())),
            0x31 => self.change_windows(),
            0x32 => self.write_state(privileged(destination.into())),
            _ => self.write_state(hyperprivileged(destination.into())),
        }
        true
    }

    fn read_state(&mut self, name: Option<&'static str>) {
        let view = name.and_then(named);
        let value = view
            .filter(|_| name.is_some_and(|name| !UNTOLD.contains(&name)))
            .map(Expression::Register);
        view.into_iter()
            .for_each(|view| self.description.read(view));
        self.set(value.unwrap_or_default());
    }

    /// Writes the exclusive or of both sources.
    fn write_state(&mut self, name: Option<&'static str>) {
        self.read_sources();
        let value = value(self.word.first()).with(Operation::Xor, self.second());
        match name {
            Some("softint_set" | "softint_clear") => self.write_named(&["softint"]),
            Some(name) => {
                let value = if UNTOLD.contains(&name) {
                    Expression::Unknown
                } else {
                    value
                };
                named(name)
                    .into_iter()
                    .for_each(|view| self.description.set(view, value.clone()));
            }
            None => {}
        }
    }

    /// SAVED, RESTORED (V9, A.47 "SAVED and RESTORED"), ALLCLEAN, OTHERW, NORMALW, INVALW
    /// (UltraSPARC Architecture 2007).
    /// CLEANWIN, and CANSAVE after INVALW, depend on the number of windows, which no instruction
    /// contains.
    fn change_windows(&mut self) {
        match self.word.destination() {
            0 => self.count_window("cansave", "canrestore"),
            1 => {
                self.write_named(&["cleanwin"]);
                self.count_window("canrestore", "cansave");
            }
            2 => self.write_named(&["cleanwin"]),
            3 => self.move_windows("canrestore", "otherwin"),
            4 => self.move_windows("otherwin", "canrestore"),
            _ => {
                self.write_named(&["cansave"]);
                self.set_count("canrestore", Expression::Constant(0));
                self.set_count("otherwin", Expression::Constant(0));
            }
        }
    }

    /// Adds a window to one count. It is taken from OTHERWIN if that is not 0, else from the other
    /// count.
    fn count_window(&mut self, added: &str, taken: &str) {
        let [gained, lost, other] = [added, taken, "otherwin"]
            .map(|name| named(name).map_or(Expression::Unknown, Expression::Register));
        let has_other = is_not_zero(other.clone());
        let lost = lost.plus(-1).with(Operation::Add, has_other.clone());
        let other = other.with(Operation::Subtract, has_other);
        for (name, value) in [(added, gained.plus(1)), (taken, lost), ("otherwin", other)] {
            self.set_count(name, value);
        }
    }

    /// Moves all windows from one count to another.
    fn move_windows(&mut self, from: &str, to: &str) {
        let moved = named(from).map_or(Expression::Unknown, Expression::Register);
        self.set_count(to, moved);
        self.set_count(from, Expression::Constant(0));
    }

    fn set_count(&mut self, name: &str, value: Expression) {
        named(name)
            .into_iter()
            .for_each(|view| self.description.set(view, value.clone()));
    }
}

/// Returns 1 for a non-zero 8-bit number, else 0. Uses each bit separately, so that the data
/// dependences include all of them.
fn is_not_zero(number: Expression) -> Expression {
    let folded = [4, 2, 1].into_iter().fold(number, |number, places| {
        let upper = number
            .clone()
            .with(Operation::ShiftRight, Expression::Constant(places));
        number.with(Operation::Or, upper)
    });
    folded.with(Operation::And, Expression::Constant(1))
}
