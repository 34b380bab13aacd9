//! The value of a row in C's operators, over what other rows gave.

use stepback_index::ThreadId;
use stepback_machine::{Address, Operation, RegisterView, ScaledRegister};

use super::row::RowId;

/// A value. Its words are made by `model::slice::formula_words`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A number.
    Number(u64),
    /// What a register held.
    Register(RegisterLeaf),
    /// What memory held.
    Loaded(MemoryLeaf),
    /// An operation on two values of 64 bits.
    Binary(Operation, Box<Formula>, Box<Formula>),
    /// The low bits, extended.
    Cast {
        /// Of what.
        value: Box<Formula>,
        /// How many bits.
        bits: u16,
        /// With their sign.
        is_signed: bool,
    },
    /// An operation that has no operator: the instruction's name with its operands.
    Named {
        /// `udiv`, `csel`.
        name: Box<str>,
        /// In the order of the operands.
        operands: Vec<Formula>,
        /// How many bits the result has.
        bits: u16,
    },
    /// An operand that is no value: a condition.
    Word(Box<str>),
}

/// A register that an expression reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterLeaf {
    /// Whose.
    pub thread: ThreadId,
    /// Which bytes.
    pub view: RegisterView,
    /// How many bits its value has at most.
    pub bits: u16,
    /// The row that gave it its value, which knows the value and has a line of its own; none where the chain ends.
    pub source: Option<RowId>,
}

/// Memory that an expression reads or that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryLeaf {
    /// Where it lies, as the trace shows it.
    pub address: Option<Address>,
    /// How many bytes.
    pub size_bytes: u16,
    /// How its address is made; none where that is not described.
    pub made: Option<Box<Formula>>,
    /// What is worth telling of how it is made.
    pub shape: LoadShape,
    /// The row that accesses it.
    pub by: RowId,
    /// The register of the index of its address.
    pub index: Option<ScaledRegister>,
    /// The index, times its scale, as it is made.
    pub scaled: Option<Box<Formula>>,
    /// Where it would lie without the index, for who looked that up.
    pub start: Option<Address>,
}

impl MemoryLeaf {
    /// Something that a row accesses, of which nothing is known.
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

/// What the address of a load or store is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadShape {
    /// A base with a constant: the address itself says more.
    Plain,
    /// The stack pointer with a constant.
    Stack,
    /// With an index.
    Indexed,
}

impl Formula {
    /// How many bits its value has at most.
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

    /// How wide C computes it: 32 or 64 bits.
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

    /// The rows that it reads from, which have lines of their own; each once.
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
