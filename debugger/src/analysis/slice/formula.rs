//! The value of a row as an expression with C operators over other rows.
//!
//! An operation without a C operator keeps its mnemonic. Its operands are parsed from the text of
//! the instruction: `csel w0, w1, w2, hi`.

use stepback_index::answer::ThreadId;
use stepback_machine::semantics::{Expression, Operation, ScaledRegister};
use stepback_machine::{Address, RegisterId, RegisterView, Registers};

use crate::analysis::slice::row::{ReadRow, RowId, effect_on};

/// A value. `model::slice::formula_words` formats it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    Number(u64),
    /// The value of a register.
    Register(RegisterLeaf),
    /// The contents of memory.
    Loaded(MemoryLeaf),
    /// An operation on two 64-bit values.
    Binary(Operation, Box<Formula>, Box<Formula>),
    /// The low bits, extended.
    Cast {
        /// Operand.
        value: Box<Formula>,
        /// Number of low bits.
        bits: u16,
        /// True for sign extension.
        is_signed: bool,
    },
    /// An operation without a C operator: the mnemonic with its operands.
    Named {
        /// Mnemonic, such as `udiv` or `csel`.
        name: Box<str>,
        /// Operands in order.
        operands: Vec<Formula>,
        /// Width of the result.
        bits: u16,
    },
    /// An operand that is not a value, such as a condition.
    Word(Box<str>),
}

/// A register that an expression reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterLeaf {
    pub thread: ThreadId,
    /// Bytes that are read.
    pub view: RegisterView,
    /// Maximum number of bits of its value.
    pub bits: u16,
    /// The row that produced the value, which has its own line; `None` if the chain ends here.
    pub source: Option<RowId>,
}

/// Memory that an expression reads or that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryLeaf {
    /// Address in the trace.
    pub address: Option<Address>,
    pub size_bytes: u16,
    /// Address computation; `None` if it is not described.
    pub made: Option<Box<Formula>>,
    /// Notable form of the address computation.
    pub shape: LoadShape,
    /// The row that accesses it.
    pub by: RowId,
    /// Index register of the address.
    pub index: Option<ScaledRegister>,
    /// Expression of the scaled index.
    pub scaled: Option<Box<Formula>>,
    /// Address without the index, if the caller looked it up.
    pub start: Option<Address>,
}

impl MemoryLeaf {
    /// Creates memory that a row accesses, with nothing known about it.
    pub fn of(by: RowId) -> Self {
        Self {
            address: None,
            size_bytes: 0,
            made: None,
            shape: LoadShape::Plain,
            by,
            index: None,
            scaled: None,
            start: None,
        }
    }
}

/// Form of the address of a load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadShape {
    /// A base with a constant: the address itself is more informative.
    Plain,
    /// The stack pointer with a constant.
    Stack,
    /// With an index register.
    Indexed,
}

impl Formula {
    /// Returns the maximum number of bits of the value.
    pub fn bits(&self) -> u16 {
        let below = |bits: u32| u16::try_from(bits.min(64)).unwrap_or(64);
        match self {
            Self::Number(number) => below(64 - number.leading_zeros()),
            Self::Register(leaf) => leaf.bits,
            Self::Loaded(loaded) => loaded.size_bytes.saturating_mul(8),
            Self::Binary(operation, left, right) => {
                let (left_bits, right_bits) = (u32::from(left.bits()), u32::from(right.bits()));
                let places = |shift: &Self| match shift {
                    Self::Number(places) => u32::try_from(*places).unwrap_or(64).min(64),
                    _ => 64,
                };
                below(match operation {
                    Operation::Add => left_bits.max(right_bits) + 1,
                    Operation::Subtract => 64,
                    Operation::Multiply => left_bits + right_bits,
                    Operation::And => left_bits.min(right_bits),
                    Operation::Or | Operation::Xor => left_bits.max(right_bits),
                    Operation::ShiftLeft => left_bits + places(right),
                    Operation::ShiftRight if matches!(**right, Self::Number(_)) => {
                        left_bits.saturating_sub(places(right))
                    }
                    Operation::ShiftRight => left_bits,
                    Operation::ShiftRightSigned => 64,
                })
            }
            Self::Cast {
                value,
                bits,
                is_signed: false,
            } => value.bits().min(*bits),
            Self::Cast {
                value,
                bits,
                is_signed: true,
            } if value.bits() < *bits => value.bits(),
            Self::Cast { .. } | Self::Word(_) => 64,
            Self::Named { bits, .. } => *bits,
        }
    }

    /// Returns the width in which C computes the value: 32 or 64 bits.
    pub fn computed_bits(&self) -> u16 {
        match self {
            Self::Binary(
                Operation::ShiftLeft | Operation::ShiftRight | Operation::ShiftRightSigned,
                value,
                _,
            ) => value.computed_bits(),
            Self::Binary(_, left, right) => left.computed_bits().max(right.computed_bits()),
            Self::Cast { bits, .. } | Self::Named { bits, .. } => wide(*bits),
            Self::Register(leaf) => wide(leaf.view.size_bytes.saturating_mul(8)),
            Self::Number(_) | Self::Loaded(_) => wide(self.bits()),
            Self::Word(_) => 32,
        }
    }

    /// Returns the registers that the expression reads, each once.
    pub fn leaves(&self) -> Vec<&RegisterLeaf> {
        let mut leaves = Vec::new();
        self.collect(&mut leaves);
        leaves
    }

    fn collect<'f>(&'f self, leaves: &mut Vec<&'f RegisterLeaf>) {
        match self {
            Self::Register(leaf) if !leaves.contains(&leaf) => leaves.push(leaf),
            Self::Binary(_, left, right) => {
                left.collect(leaves);
                right.collect(leaves);
            }
            Self::Cast { value, .. } => value.collect(leaves),
            Self::Named { operands, .. } => {
                operands.iter().for_each(|operand| operand.collect(leaves))
            }
            Self::Loaded(MemoryLeaf {
                made: Some(made),
                shape: LoadShape::Indexed,
                ..
            }) => made.collect(leaves),
            _ => {}
        }
    }
}

fn wide(bits: u16) -> u16 {
    if bits > 32 { 64 } else { 32 }
}

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
        let (sight, instruction) = (row.slice.detail.as_ref()?, row.instruction()?);
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
        let is_stated = |read: &RegisterView| {
            operands.iter().any(
                |operand| matches!(operand, NamedOperand::Register(known) if known.overlaps(*read)),
            )
        };
        let mut reads = instruction
            .meaning
            .data_reads
            .iter()
            .filter(|read| !is_flag(read));
        let is_whole = reads.all(is_stated) && operands.len() <= OPERANDS && !operands.is_empty();
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
    let (Some(sight), Some(instruction)) = (&row.slice.detail, row.instruction()) else {
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
