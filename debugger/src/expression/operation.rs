//! Operations on a stack of numbers ([`Operation`]), in the order of evaluation.

use super::lookup::Width;
use super::operators::{Binary, ShortCircuit, Unary};
use super::shown::BareNumber;
use super::token::NameKind;
use super::typed_number::TypedNumber;
use super::value_path::PathPattern;

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
