//! The value of a row as an expression with C operators over other rows.

use stepback_index::ThreadId;
use stepback_machine::{Address, Operation, RegisterView, ScaledRegister};

use super::row::RowId;

/// A value. `model::slice::formula_words` formats it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A number.
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
    /// Size in bytes.
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
