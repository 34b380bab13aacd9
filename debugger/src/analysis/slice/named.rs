//! Operations without a C operator, parsed from the text of the instruction: `csel w0, w1, w2, hi`.

use stepback_machine::{Expression, RegisterId, RegisterView, Registers};

use super::copies::effect_on;
use super::row::ReadRow;

/// An operation name with operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedOperation {
    /// The mnemonic.
    pub name: Box<str>,
    /// Operands without the destination.
    pub operands: Vec<NamedOperand>,
}

/// An operand in the text of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NamedOperand {
    Register(RegisterView),
    Number(u64),
    Word(Box<str>),
}

/// Maximum number of operands; with more, the instruction itself is more informative.
const OPERANDS: usize = 5;

impl NamedOperation {
    /// Parses an instruction that only computes and whose first operand is its destination.
    pub fn of(row: &ReadRow, view: RegisterView) -> Option<Self> {
        let (sight, instruction) = (row.sight.as_ref()?, row.instruction()?);
        if row.is_accessing() || !instruction.meaning.is_memory_known {
            return None;
        }
        if effect_on(instruction, view).is_some_and(|effect| effect.value != Expression::Unknown) {
            return None;
        }
        let (name, operands) = instruction.text.split_once(char::is_whitespace)?;
        if operands.contains(['[', '{', '(', '<', '%']) {
            return None;
        }
        let mut words = operands.split(',').map(str::trim);
        let written = Registers::view(words.next()?, sight.set)?;
        let is_covered =
            |known: &RegisterView| known.register == view.register && covers(*known, view);
        if written.register != view.register
            || !instruction
                .registers
                .iter()
                .flat_map(|known| &known.writes)
                .any(is_covered)
        {
            return None;
        }
        let mut operands: Vec<NamedOperand> = Vec::new();
        let is_read = |known: &RegisterView| {
            instruction
                .meaning
                .data_reads
                .iter()
                .any(|read| read.overlaps(*known))
        };
        // If an instruction updates its destination, the old value is the first operand.
        let mut others = words
            .clone()
            .filter_map(|word| Registers::view(word, sight.set));
        if is_read(&written) && !others.any(|other| other.overlaps(written)) {
            operands.push(NamedOperand::Register(written));
        }
        for word in words {
            operands.push(operand(word, |text| {
                Registers::view(text, sight.set).filter(is_read)
            }));
        }
        let is_flag = |view: &RegisterView| view.register == RegisterId::PSR;
        let is_told = |read: &RegisterView| {
            operands.iter().any(
                |operand| matches!(operand, NamedOperand::Register(known) if known.overlaps(*read)),
            )
        };
        let mut reads = instruction
            .meaning
            .data_reads
            .iter()
            .filter(|read| !is_flag(read));
        let is_whole = reads.all(is_told) && operands.len() <= OPERANDS && !operands.is_empty();
        is_whole.then(|| Self {
            name: name.trim_end_matches(".w").into(),
            operands,
        })
    }
}

impl NamedOperation {
    /// Returns the number of operands that read a part of a register.
    pub fn reads(&self, view: RegisterView) -> usize {
        let is_read = |operand: &&NamedOperand| matches!(operand, NamedOperand::Register(known) if known.overlaps(view));
        self.operands.iter().filter(is_read).count()
    }
}

/// Returns the register as the instruction names it, if it writes the lower half and clears the
/// rest: `w0` for `x0`.
pub(super) fn as_written(row: &ReadRow, view: RegisterView) -> RegisterView {
    let narrow = RegisterView {
        size_bytes: 4,
        ..view
    };
    let (Some(sight), Some(instruction)) = (&row.sight, row.instruction()) else {
        return view;
    };
    if view.offset != 0 || view.size_bytes != 8 {
        return view;
    }
    let words = instruction
        .text
        .split([' ', ',', '\t', '[', ']', '{', '}', '(', ')']);
    let mut named = words.filter_map(|word| Registers::view(word, sight.set));
    let written = named.find(|known| known.register == view.register);
    if written == Some(narrow) {
        narrow
    } else {
        view
    }
}

fn covers(whole: RegisterView, part: RegisterView) -> bool {
    let end = |view: RegisterView| view.offset.saturating_add(view.size_bytes);
    whole.offset <= part.offset && end(part) <= end(whole)
}

fn operand(word: &str, register: impl Fn(&str) -> Option<RegisterView>) -> NamedOperand {
    if let Some(view) = register(word) {
        return NamedOperand::Register(view);
    }
    let digits = word.trim_start_matches('#');
    let number = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    number.map_or_else(|| NamedOperand::Word(digits.into()), NamedOperand::Number)
}
