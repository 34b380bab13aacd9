//! Floating-point and graphics instructions.

use crate::expression::{Expression, Operation};
use crate::sparc::meaning::whole::{SparcDescriber, register, value};
use crate::sparc::registers::{
    CONDITIONS, FLOAT_EXCEPTIONS, GRAPHICS_STATUS, float_codes, float_view,
};
use crate::sparc::status::{ConditionCodeSet, of_condition};
use crate::sparc::text::forms::{SparcInstructionForm, form_of};
use crate::sparc::word::wide_number;
use crate::view::RegisterView;

/// Instructions that use more registers than their operands name.
const WITHOUT_OPERANDS: [&str; 8] = [
    "md5", "sha1", "sha256", "sha512", "sha3", "mpmul", "montmul", "montsqr",
];

impl SparcDescriber {
    pub fn float(&mut self) -> bool {
        if self.word.kind() == 0x35 {
            self.compare_or_move();
            return true;
        }
        let Some(form) = form_of(self.word).filter(|form| !WITHOUT_OPERANDS.contains(&form.name))
        else {
            return false;
        };
        let letters = form.operands.chars();
        let views: Vec<_> = letters.map(|letter| (letter, self.view(letter))).collect();
        for (letter, view) in &views {
            if let Some(view) = view.filter(|_| !is_destination(*letter)) {
                self.description.read(view);
            }
        }
        self.beside(form);
        let sources: Vec<_> = views
            .iter()
            .filter(|(letter, _)| is_source(*letter))
            .map(|(_, view)| *view)
            .collect();
        let result = result(form.name, &sources);
        for (letter, view) in &views {
            match (is_destination(*letter), *letter) {
                (true, 'd') => self.set(result.clone()),
                (true, _) => view
                    .iter()
                    .for_each(|view| self.description.set(*view, result.clone())),
                (false, 'c') => self.set_codes(),
                (false, _) => {}
            }
        }
        true
    }

    /// Returns the register for an operand letter of a form.
    fn view(&self, letter: char) -> Option<RegisterView> {
        let (first, second, destination) = (
            self.word.first(),
            self.word.second(),
            self.word.destination(),
        );
        Some(match letter {
            '1' => return register(first),
            '2' => return register(second),
            'd' => return register(destination),
            'e' => float_view(first, 1),
            'f' => float_view(second, 1),
            'g' => float_view(destination, 1),
            't' => float_view(self.word.third(), 1),
            'E' => double(first),
            'F' => double(second),
            'G' => double(destination),
            'T' => double(self.word.third()),
            'Q' => quad(first),
            'R' => quad(second),
            'S' => quad(destination),
            _ => return None,
        })
    }

    /// Adds registers that an instruction uses apart from its operands.
    fn beside(&mut self, form: &SparcInstructionForm) {
        let name = form.name;
        if name.starts_with("fpack") || matches!(name, "faligndata" | "bshuffle") {
            self.description.read(GRAPHICS_STATUS);
        }
        if name.starts_with("alignaddr")
            || name.starts_with("cmask")
            || matches!(name, "bmask" | "siam")
        {
            self.description.write(GRAPHICS_STATUS);
        }
        if matches!(name, "addxc" | "addxccc" | "subxc" | "subxccc") {
            self.description.read(CONDITIONS);
        }
        if name.ends_with("cc") {
            self.description.write(CONDITIONS);
        }
        if name == "pdist" {
            self.description.read(double(self.word.destination()));
        }
    }

    /// Writes the codes that a compare names, and the exceptions. Any compare may also change the
    /// accrued exceptions in the byte with `%fcc0`. That is left out, as for arithmetic: otherwise
    /// each compare would hide the last write of `%fcc0`.
    fn set_codes(&mut self) {
        let number = self.word.field(25, 2);
        let codes = float_codes(number);
        // The other codes share a byte, so its new value depends on the old one.
        if number != 0 {
            self.description.read(codes);
        }
        self.description.write(codes);
        self.description.write(FLOAT_EXCEPTIONS);
    }

    /// Describes FPop2: compares and conditional moves.
    fn compare_or_move(&mut self) {
        let operation = self.word.operation();
        let of_width = |number: u16| match self.word.field(5, 2) {
            1 => float_view(number, 1),
            2 => double(number),
            _ => quad(number),
        };
        let (from, to) = (
            of_width(self.word.second()),
            of_width(self.word.destination()),
        );
        let first = of_width(self.word.first());
        self.description.read(from);
        if matches!(operation, 0x51..=0x57) {
            self.description.read(first);
            return self.set_codes();
        }
        if matches!(operation & 0x1f, 5..8) {
            self.description.read_all(&value(self.word.first()));
        } else if self.word.field(14, 4) == 8 {
            return self.description.set(to, Expression::Register(from));
        } else if self.word.flag(13) {
            self.description.read(CONDITIONS);
            let codes = ConditionCodeSet::of(self.word.field(12, 1));
            self.description.meaning.flags.read = Some(of_condition(self.word.field(14, 4), codes));
        } else {
            self.description.read(float_codes(self.word.field(11, 2)));
        }
        self.description.read(to);
        self.description.write(to);
    }
}

fn is_destination(letter: char) -> bool {
    matches!(letter, 'd' | 'g' | 'G' | 'S')
}

fn is_source(letter: char) -> bool {
    matches!(letter, '1' | '2' | 'e' | 'f' | 'E' | 'F' | 'R')
}

fn double(encoded: u16) -> RegisterView {
    float_view(wide_number(encoded), 2)
}

fn quad(encoded: u16) -> RegisterView {
    float_view(wide_number(encoded) & 60, 4)
}

/// Returns the result as a function of the sources, if it is modelled.
fn result(name: &str, sources: &[Option<RegisterView>]) -> Expression {
    let value = |place: usize| {
        sources
            .get(place)
            .map_or(Expression::Unknown, |view| of_view(*view))
    };
    let size_bytes = sources
        .iter()
        .flatten()
        .map(|view| view.size_bytes)
        .next()
        .unwrap_or(8);
    let sign = 1u64 << (8 * u32::from(size_bytes.clamp(1, 8)) - 1);
    let inverted = |value: Expression| value.with(Operation::Xor, Expression::Constant(u64::MAX));
    let (first, second) = (value(0), value(1));
    match name {
        "fmovs" | "fmovd" | "fmovq" | "fsrc1s" | "fsrc1d" | "fsrc2s" | "fsrc2d" | "movdtox"
        | "movstouw" | "movxtod" => first,
        "movwtos" => first.zero_extended(32),
        "movstosw" => first.sign_extended(32),
        "fzeros" | "fzerod" => Expression::Constant(0),
        "fones" => Expression::Constant(u32::MAX.into()),
        "foned" => Expression::Constant(u64::MAX),
        "fnegs" | "fnegd" => first.with(Operation::Xor, Expression::Constant(sign)),
        "fabss" | "fabsd" => first.with(Operation::And, Expression::Constant(sign - 1)),
        "fnot1s" | "fnot1d" | "fnot2s" | "fnot2d" => inverted(first),
        "fands" | "fandd" => first.with(Operation::And, second),
        "fors" | "ford" => first.with(Operation::Or, second),
        "fxors" | "fxord" => first.with(Operation::Xor, second),
        "fnands" | "fnandd" => inverted(first.with(Operation::And, second)),
        "fnors" | "fnord" => inverted(first.with(Operation::Or, second)),
        "fxnors" | "fxnord" => inverted(first.with(Operation::Xor, second)),
        "fandnot1s" | "fandnot1d" => inverted(first).with(Operation::And, second),
        "fandnot2s" | "fandnot2d" => first.with(Operation::And, inverted(second)),
        "fornot1s" | "fornot1d" => inverted(first).with(Operation::Or, second),
        "fornot2s" | "fornot2d" => first.with(Operation::Or, inverted(second)),
        "alignaddr" | "alignaddrl" => first
            .with(Operation::Add, second)
            .with(Operation::And, Expression::Constant(!7)),
        "fpadd64" => first.with(Operation::Add, second),
        "fpsub64" => first.with(Operation::Subtract, second),
        _ => Expression::Unknown,
    }
}

/// Returns the value of a source; the general register that is always 0 has no view.
fn of_view(view: Option<RegisterView>) -> Expression {
    view.map_or(Expression::Constant(0), Expression::Register)
}
