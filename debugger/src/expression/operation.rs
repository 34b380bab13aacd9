//! Operations on a stack of numbers ([`Operation`]), in the order of evaluation.

use super::token::NameKind;
use super::typed_number::TypedNumber;
use super::value_path::PathPattern;
use super::{BareNumber, Width};

/// One operation on a stack of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Pushes a number.
    Number(TypedNumber),
    /// Pushes the reading of a number that the context chooses.
    Bare(BareNumber),
    /// Pushes the value of a name.
    Name(NameKind, String),
    /// Pushes a part of a local variable, and takes its indexes.
    Path(PathPattern),
    /// Replaces the address on top by the contents of memory there.
    Memory(Width),
    /// Replaces the top.
    Unary(Unary),
    /// Replaces the two on top.
    Binary(Binary),
    /// `&&` and `||` after their left side. If that decides, it is the result and the operations up
    /// to `end` are skipped; otherwise the right side decides.
    Decide {
        /// The operator.
        by: ShortCircuit,
        /// Index after the right side.
        end: usize,
    },
}

impl Operation {
    /// Converts a name to a path.
    pub fn make_path(&mut self) {
        if let Self::Name(NameKind::Any, name) = self {
            *self = Self::Path(PathPattern::of_name(name));
        }
    }

    /// Returns the number of values that the operation takes from the stack.
    pub fn operand_count(&self) -> usize {
        match self {
            Self::Number(_) | Self::Bare(_) | Self::Name(..) => 0,
            Self::Path(pattern) => pattern.index_count(),
            Self::Memory(_) | Self::Unary(_) | Self::Decide { .. } => 1,
            Self::Binary(_) => 2,
        }
    }
}

/// A short-circuit operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortCircuit {
    /// `&&`, which a false left side decides.
    And,
    /// `||`, which a true left side decides.
    Or,
}

impl ShortCircuit {
    /// Returns the truth value of a left side that decides.
    pub fn deciding(self) -> bool {
        self == Self::Or
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Minus,
    Complement,
    Not,
    /// 1 for everything but 0.
    Truth,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Or,
    Xor,
    And,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infix {
    /// Both sides are evaluated.
    Both(Binary),
    /// The right side is evaluated only if the left one does not decide.
    Unless(ShortCircuit),
}

impl Infix {
    /// Returns the operator and its precedence, as in C.
    pub fn of(symbol: &str) -> Option<(Self, u8)> {
        let (operator, precedence) = match symbol {
            "||" => return Some((Self::Unless(ShortCircuit::Or), 1)),
            "&&" => return Some((Self::Unless(ShortCircuit::And), 2)),
            "|" => (Binary::Or, 3),
            "^" => (Binary::Xor, 4),
            "&" => (Binary::And, 5),
            "==" => (Binary::Equal, 6),
            "!=" => (Binary::NotEqual, 6),
            "<" => (Binary::Less, 7),
            "<=" => (Binary::LessOrEqual, 7),
            ">" => (Binary::Greater, 7),
            ">=" => (Binary::GreaterOrEqual, 7),
            "<<" => (Binary::ShiftLeft, 8),
            ">>" => (Binary::ShiftRight, 8),
            "+" => (Binary::Add, 9),
            "-" => (Binary::Subtract, 9),
            "*" => (Binary::Multiply, 10),
            "/" => (Binary::Divide, 10),
            "%" => (Binary::Remainder, 10),
            _ => return None,
        };
        Some((Self::Both(operator), precedence))
    }
}
