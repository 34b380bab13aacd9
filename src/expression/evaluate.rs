//! The value of an expression.

use super::ExpressionError;
use super::error::{ExpressionErrorKind as Kind, LookupFailure};
use super::parser::{self, Binary, Operation, Unary};
use super::token::NameKind;

/// What the names of an expression stand for.
pub trait Lookup {
    /// A register, in any case; none when no register has this name.
    fn register(&self, name: &str) -> Option<ValueLookup>;

    /// The address of a symbol; none when no image has it.
    fn symbol(&self, name: &str) -> Option<u64>;

    /// The number in memory at an address, in the byte order of the traced CPU.
    fn memory(&self, address: u64, width: Width) -> ValueLookup;
}

/// How many bytes of memory a number has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// As many as an address of the traced CPU: `[sp]`.
    Pointer,
    /// 1, 2, 4 or 8: `u8[sp]` to `u64[sp]`.
    Bytes(u8),
}

/// What a register or memory holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueLookup {
    /// This, without the bits above 64.
    Known(u64),
    /// The trace does not say, at least not of every byte.
    Unknown,
    /// It could not be looked up, for this reason.
    Failed(LookupFailure),
}

/// An expression that was read and awaits a place to be evaluated at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// In the order of evaluation, each with the column it comes from.
    pub(super) operations: Vec<(usize, Operation)>,
}

/// Reads an expression without asking what its names stand for.
///
/// # Errors
/// Says at which column it is wrong.
pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
    parser::parse(text)
}

/// Reads an expression and works it out.
///
/// # Errors
/// Says at which column it is wrong or what has no value.
pub fn evaluate(text: &str, context: &dyn Lookup) -> Result<u64, ExpressionError> {
    parse(text)?.evaluate(context)
}

impl Expression {
    /// Works the expression out; results wrap around at 2^64.
    ///
    /// # Errors
    /// A name stands for nothing, a register or memory is unknown, or something is divided by zero.
    pub fn evaluate(&self, context: &dyn Lookup) -> Result<u64, ExpressionError> {
        let mut stack: Vec<u64> = Vec::new();
        let mut next = 0;
        while let Some((column, operation)) = self.operations.get(next) {
            next += 1;
            let at_column = |kind: Kind| ExpressionError { column: *column, kind };
            // The parser puts as many values before an operator as it takes.
            let mut pop = || stack.pop().ok_or_else(|| at_column(Kind::ValueMissing));
            let value = match operation {
                Operation::Number(value) => *value,
                Operation::Name(kind, name) => look_up(*kind, name, context).map_err(at_column)?,
                Operation::Memory(width) => load(pop()?, *width, context).map_err(at_column)?,
                Operation::Unary(operator) => operator.apply(pop()?),
                Operation::Decide { by, end } => {
                    let is_true = pop()? != 0;
                    if is_true != by.deciding() {
                        continue;
                    }
                    next = *end;
                    u64::from(is_true)
                }
                Operation::Binary(operator) => {
                    let (right, left) = (pop()?, pop()?);
                    operator.apply(left, right).ok_or_else(|| at_column(Kind::DivisionByZero))?
                }
            };
            stack.push(value);
        }
        stack.pop().ok_or(ExpressionError { column: 1, kind: Kind::Empty })
    }

    /// True when the value does not depend on a position.
    pub fn is_without_position(&self, context: &dyn Lookup) -> bool {
        !self.operations.iter().any(|(_, operation)| match operation {
            Operation::Name(NameKind::Register, _) | Operation::Memory(_) => true,
            Operation::Name(NameKind::Any, name) => context.register(name).is_some(),
            _ => false,
        })
    }
}

fn look_up(kind: NameKind, name: &str, context: &dyn Lookup) -> Result<u64, Kind> {
    let register = if kind == NameKind::Symbol { None } else { context.register(name) };
    match register {
        Some(ValueLookup::Known(value)) => return Ok(value),
        Some(ValueLookup::Unknown) => return Err(Kind::RegisterUnknown(name.to_owned())),
        Some(ValueLookup::Failed(why)) => return Err(Kind::RegisterFailed(name.to_owned(), why)),
        None if kind == NameKind::Register => return Err(Kind::NoRegister(name.to_owned())),
        None => {}
    }
    let missing = if kind == NameKind::Symbol { Kind::NoSymbol } else { Kind::NoName };
    context.symbol(name).ok_or_else(|| missing(name.to_owned()))
}

fn load(address: u64, width: Width, context: &dyn Lookup) -> Result<u64, Kind> {
    match context.memory(address, width) {
        ValueLookup::Known(value) => Ok(value),
        ValueLookup::Unknown => Err(Kind::MemoryUnknown(address)),
        ValueLookup::Failed(why) => Err(Kind::MemoryFailed(address, why)),
    }
}

impl Unary {
    fn apply(self, value: u64) -> u64 {
        match self {
            Self::Minus => value.wrapping_neg(),
            Self::Complement => !value,
            Self::Not => u64::from(value == 0),
            Self::Truth => u64::from(value != 0),
        }
    }
}

impl Binary {
    /// None for a division by zero.
    fn apply(self, left: u64, right: u64) -> Option<u64> {
        let distance = u32::try_from(right).unwrap_or(u32::MAX);
        Some(match self {
            Self::Equal => u64::from(left == right),
            Self::NotEqual => u64::from(left != right),
            Self::Less => u64::from(left < right),
            Self::LessOrEqual => u64::from(left <= right),
            Self::Greater => u64::from(left > right),
            Self::GreaterOrEqual => u64::from(left >= right),
            Self::Or => left | right,
            Self::Xor => left ^ right,
            Self::And => left & right,
            Self::ShiftLeft => left.checked_shl(distance).unwrap_or(0),
            Self::ShiftRight => left.checked_shr(distance).unwrap_or(0),
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::Multiply => left.wrapping_mul(right),
            Self::Divide => left.checked_div(right)?,
            Self::Remainder => left.checked_rem(right)?,
        })
    }
}
