//! Operators of expressions.

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
